import type { Fetch } from "./browser.ts";
import { ask, authorize, type Kind } from "./provider.ts";
import { COOKIE, ORIGIN } from "./subjects.ts";

const JSON_TYPE = { "content-type": "application/json", "cache-control": "private, no-store" };
const SESSION = {
  user: { name: "Ada Lovelace", email: "ada@example.com" },
  expires: "2030-01-01T00:00:00.000Z",
};
const CSRF_TOKEN = "f".repeat(64);

/** Creates a handler that returns the same text each time. */
export function fixed(text: string, type = "application/json"): Fetch {
  const headers = { ...JSON_TYPE, "content-type": type };
  return () => new Response(text, { headers });
}

/** Returns a session without reading it. */
export const fixedSession: Fetch = fixed(JSON.stringify(SESSION));

function redirect(location: string, cookie: string): Response {
  return new Response(null, { status: 302, headers: { location, "set-cookie": cookie } });
}

/**
 * Creates a handler that returns fixed responses to the requests of a sign-in. It reads posted data
 * and calls the provider, as every library has to: its time is that of the platform and of the
 * bench itself.
 */
export function fixedSignIn(kind: Kind = "oauth"): Fetch {
  const location = authorize(kind, `${ORIGIN}/auth/callback/idp`);
  return async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/auth/session") return fixedSession(request);
    if (pathname === "/auth/csrf") {
      const headers = { ...JSON_TYPE, "set-cookie": `authjs.csrf-token=${CSRF_TOKEN}` };
      return new Response(JSON.stringify({ csrfToken: CSRF_TOKEN }), { headers });
    }
    if (request.method === "POST") await request.text();
    if (pathname === "/auth/signin/idp") return redirect(location, "authjs.state=state");
    if (pathname === "/auth/callback/idp") {
      const path = kind === "oidc" ? "oidc-token" : "token";
      const body = new URLSearchParams({ code: "code-nonce" });
      await (await ask(`https://idp.example/${path}`, { method: "POST", body })).json();
      if (kind === "oauth") await (await ask("https://idp.example/userinfo")).json();
    }
    return redirect(ORIGIN, `${COOKIE}=session`);
  };
}
