// Made by `npm run build:script` from src/client/passkey-form.ts.
/** Names the script. */
export const SCRIPT_HASH = "5661d45fe8ca4806";
/** Proves the script (Subresource Integrity). */
export const SCRIPT_INTEGRITY = "sha256-VmHUX+jKSAbkzQZYXziCpVDx6nd/IosM+sHIi8zznuk=";
