import { SCRIPT_HASH } from "./browser-script-hash.ts";

/** Below the base path; it changes with the script, so that browsers may keep it for good. */
export const scriptPath = `/passkey-${SCRIPT_HASH}.js`;

/** `GET /passkey-<hash>.js`: what the sign-in page needs to talk to authenticators. */
export async function giveScript(): Promise<Response> {
  const { SCRIPT } = await import("./browser-script.ts");
  return new Response(SCRIPT, {
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    },
  });
}
