// Made by `npm run build:script` from src/client/passkey-form.ts.
/** Names the script. */
export const SCRIPT_HASH = "b4793bf01a386bd4";
/** Proves the script (Subresource Integrity). */
export const SCRIPT_INTEGRITY = "sha256-tHk78Bo4a9QnCivHTXrfy7XNavfqEmOjNtBap9sA/3w=";
