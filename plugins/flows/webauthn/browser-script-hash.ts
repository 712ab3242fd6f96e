// Made by `npm run build:script` from src/client/passkey-form.ts.
/** Names the script. */
export const SCRIPT_HASH = "c5a7b14d8ec70725";
/** Proves the script (Subresource Integrity). */
export const SCRIPT_INTEGRITY = "sha256-xaexTY7HByWYGv7XxCWIUTwWd+CldzyAy5Qd/z2u50o=";
