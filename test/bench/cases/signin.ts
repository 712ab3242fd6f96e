import { match, ok } from "node:assert/strict";
import { browse, type Fetch, post } from "../browser.ts";
import { type Case, timed } from "../measure.ts";
import * as idp from "../provider.ts";
import { better, betterCookie, core, credentials, keyhook, ORIGIN } from "../subjects.ts";

const SESSION = /(?:^|\n)(?:authjs|better-auth)\.session/;

/** A whole sign-in; the last answer brings the session. */
type SignIn = (fetch: Fetch) => Promise<Response>;

async function withCsrf(fetch: Fetch, path: string, fields: Record<string, string> = {}) {
  const visit = browse(fetch, ORIGIN);
  const { csrfToken } = await (await visit("/auth/csrf")).json();
  return { visit, response: await visit(path, new URLSearchParams({ ...fields, csrfToken })) };
}

const byPassword: SignIn = async (fetch) => {
  const fields = { username: "ada", password: "right" };
  return (await withCsrf(fetch, "/auth/callback/credentials", fields)).response;
};

const byProvider: SignIn = async (fetch) => {
  const { visit, response } = await withCsrf(fetch, "/auth/signin/idp");
  return visit(idp.consent(response.headers.get("location") ?? ""));
};

// better-auth asks for no token.
const byPasswordBetter: SignIn = async (fetch) => {
  const fields = { email: "ada@example.com", password: "long enough" };
  return fetch(post(`${ORIGIN}/auth/sign-in/email`, fields));
};

const byProviderBetter: SignIn = async (fetch) => {
  const visit = browse(fetch, ORIGIN);
  const start = { provider: "idp", callbackURL: "/" };
  const { url } = await (await visit("/auth/sign-in/social", start)).json();
  return visit(idp.consent(url));
};

const timedSignIn = (fetch: Fetch, signIn: SignIn) =>
  timed({
    run: () => signIn(fetch),
    check(response: Response) {
      match(response.headers.getSetCookie().join("\n"), SESSION);
      ok(!response.headers.get("location")?.includes("error"));
    },
  });

function withProvider(name: string, kind: "oauth" | "oidc", target: number): Case {
  return {
    name,
    unit: "us",
    target,
    sides: async () => ({
      ours: await timedSignIn(keyhook([idp.providers[kind]]), byProvider),
      "@auth/core": await timedSignIn(core([idp.providers[kind]]), byProvider),
      "better-auth": await timedSignIn(better(kind), byProviderBetter),
    }),
  };
}

export const cases: Case[] = [
  {
    name: "credentials sign-in",
    unit: "us",
    target: 0.2,
    async sides() {
      const auth = better();
      await betterCookie(auth);
      return {
        ours: await timedSignIn(keyhook([credentials]), byPassword),
        "@auth/core": await timedSignIn(core([credentials]), byPassword),
        "better-auth": await timedSignIn(auth, byPasswordBetter),
      };
    },
  },
  withProvider("OAuth sign-in", "oauth", 0.25),
  withProvider("OIDC sign-in, signature verified", "oidc", 0.5),
];
