// Made by `npm run build:script` from src/client/passkey-form.ts.
/** Names the script. */
export const SCRIPT_HASH = "80695ac93a7fa76f";
/** Proves the script (Subresource Integrity). */
export const SCRIPT_INTEGRITY = "sha256-gGlayTp/p2/WeUJTdvrdhp9Kt9jmD7v/gTgqhufrcN0=";
