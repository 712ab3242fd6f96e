import { match, ok } from "node:assert/strict";
import { browse, type Fetch } from "../browser.ts";
import { type Case, timed } from "../measure.ts";
import * as idp from "../provider.ts";
import { better, betterCookie, core, credentials, keyhook, ORIGIN } from "../subjects.ts";

const SESSION = /(?:^|\n)(?:authjs|better-auth)\.session/;

function signedIn(response: Response): void {
  match(response.headers.getSetCookie().join("\n"), SESSION);
  ok(!response.headers.get("location")?.includes("error"));
}

async function withCsrf(fetch: Fetch, path: string, fields: Record<string, string> = {}) {
  const visit = browse(fetch, ORIGIN);
  const { csrfToken } = await (await visit("/auth/csrf")).json();
  return { visit, response: await visit(path, { ...fields, csrfToken }) };
}

async function postCredentials(fetch: Fetch): Promise<Response> {
  const fields = { username: "ada", password: "right" };
  return (await withCsrf(fetch, "/auth/callback/credentials", fields)).response;
}

async function goThere(fetch: Fetch): Promise<Response> {
  const { visit, response } = await withCsrf(fetch, "/auth/signin/idp");
  return visit(idp.consent(response.headers.get("location") ?? ""));
}

function postJson(fetch: Fetch, path: string, body: object): Fetch {
  return () =>
    fetch(
      new Request(ORIGIN + path, {
        method: "POST",
        headers: { origin: ORIGIN, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
}

/** better-auth asks for no token, and answers the address as JSON. */
async function goThereBetter(fetch: Fetch): Promise<Response> {
  const body = { providerId: "idp", callbackURL: "/" };
  const visit = browse((request) => {
    const isStart = request.url.endsWith("/sign-in/oauth2");
    return isStart ? postJson(fetch, "/auth/sign-in/oauth2", body)(request) : fetch(request);
  }, ORIGIN);
  const { url } = await (await visit("/auth/sign-in/oauth2")).json();
  return visit(idp.consent(url));
}

const times = (fetch: Fetch, signIn: (fetch: Fetch) => Promise<Response>) =>
  timed({ run: () => signIn(fetch), check: signedIn });

export const cases: Case[] = [
  {
    name: "credentials sign-in",
    unit: "us",
    target: 0.2,
    async sides() {
      const store = better();
      await betterCookie(store);
      const fields = { email: "ada@example.com", password: "long enough" };
      return {
        ours: await times(keyhook([credentials]), postCredentials),
        "@auth/core": await times(core([credentials]), postCredentials),
        "better-auth": await times(postJson(store, "/auth/sign-in/email", fields), (fetch) =>
          Promise.resolve(fetch(new Request(ORIGIN))),
        ),
      };
    },
  },
  ...(["oauth", "oidc"] as const).map(
    (kind): Case => ({
      name: kind === "oauth" ? "OAuth sign-in" : "OIDC sign-in, signature verified",
      unit: "us",
      target: kind === "oauth" ? 0.25 : 0.5,
      sides: async () => ({
        ours: await times(keyhook([idp[kind]]), goThere),
        "@auth/core": await times(core([idp[kind]]), goThere),
        "better-auth": await times(better(kind), goThereBetter),
      }),
    }),
  ),
];
