import { SCRIPT_HASH } from "./browser/script-hash.ts";

/** Path of the script below the base path. It contains the script's hash, so browsers may cache it forever. */
export const scriptPath: string = `/passkey-${SCRIPT_HASH}.js`;

/** `GET /passkey-<hash>.js`: returns the script of passkey forms. */
export async function sendScript(): Promise<Response> {
  const { SCRIPT } = await import("./browser/script.ts");
  return new Response(SCRIPT, {
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    },
  });
}
