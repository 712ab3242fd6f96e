import { match, ok } from "node:assert/strict";
import { browse, type Fetch, post } from "./browser.ts";
import type { Work } from "./measure.ts";
import * as idp from "./provider.ts";
import { ORIGIN } from "./subjects.ts";

const SESSION = /(?:^|\n)(?:authjs|better-auth)\.session/;

/** A whole sign-in. The last response sets the session cookie. */
export type SignIn = (fetch: Fetch) => Promise<Response>;

async function withCsrf(fetch: Fetch, path: string, fields: Record<string, string> = {}) {
  const visit = browse(fetch, ORIGIN);
  const { csrfToken } = await (await visit("/auth/csrf")).json();
  return { visit, response: await visit(path, new URLSearchParams({ ...fields, csrfToken })) };
}

export const byPassword: SignIn = async (fetch) => {
  const fields = { username: "ada", password: "right" };
  return (await withCsrf(fetch, "/auth/callback/credentials", fields)).response;
};

export const byProvider: SignIn = async (fetch) => {
  const { visit, response } = await withCsrf(fetch, "/auth/signin/idp");
  return visit(idp.consent(response.headers.get("location") ?? ""));
};

// better-auth requires no CSRF token.
export const byPasswordBetter: SignIn = async (fetch) => {
  const fields = { email: "ada@example.com", password: "long enough" };
  return fetch(post(`${ORIGIN}/auth/sign-in/email`, fields));
};

export const byProviderBetter: SignIn = async (fetch) => {
  const visit = browse(fetch, ORIGIN);
  const start = { provider: "idp", callbackURL: "/" };
  const { url } = await (await visit("/auth/sign-in/social", start)).json();
  return visit(idp.consent(url));
};

/** Returns the cookies of a response as a Cookie header. */
export function toCookies(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
}

/** Creates the work of reading the session, each time with the next cookie. */
export function createReading(
  fetch: Fetch,
  cookie: () => string | Promise<string>,
  path = "/auth/session",
): Required<Work<Request, Response>> {
  return {
    prepare: async () => new Request(ORIGIN + path, { headers: { cookie: await cookie() } }),
    run: fetch,
    async check(response) {
      ok(response.status === 200);
      ok((await response.json())?.user.name === "Ada Lovelace");
    },
  };
}

/** Creates the work of signing in as a new browser. `path` then returns the session. */
export function createSignIn(
  fetch: Fetch,
  signIn: SignIn,
  path = "/auth/session",
): Work<undefined, Response> {
  return {
    run: () => signIn(fetch),
    async check(response) {
      match(response.headers.getSetCookie().join("\n"), SESSION);
      ok(!response.headers.get("location")?.includes("error"));
      const reading = createReading(fetch, () => toCookies(response), path);
      await reading.check(await reading.run(await reading.prepare()));
    },
  };
}
