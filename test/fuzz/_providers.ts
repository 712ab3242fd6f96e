import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from "jose";
import { expect } from "vitest";
import { verifyIdToken } from "../../plugins/flows/oauth/id-token.ts";
import type { Keys } from "../../plugins/flows/oauth/jwks.ts";
import type { Exchange } from "../../plugins/flows/oauth/types.ts";
import { customFetch } from "../../presets/index.ts";
import { AuthError } from "../../src/errors.ts";
import { ORIGIN } from "../_app.ts";
import { createOAuthApp, oauth } from "../flows/_oauth.ts";
import { type Target, toBytes, within } from "./_target.ts";

const ISSUER = "https://op.example";
const NONCE = "n-0S6_WzA2Mj";
const pair = generateKeyPair("RS256");
const seconds = () => Math.floor(Date.now() / 1000);

const claims = () => ({
  iss: ISSUER,
  sub: "1",
  aud: "client",
  nonce: NONCE,
  iat: seconds(),
  exp: seconds() + 300,
});
const header = { alg: "RS256", kid: "a" };

async function verify(token: string) {
  const { publicKey } = await pair;
  const jwk = { ...(await exportJWK(publicKey)), kid: "a", alg: "RS256" };
  const keys: Keys = { verifyWith: (_, __, run) => run(createLocalJWKSet({ keys: [jwk] })) };
  const exchange = {
    ctx: { provider: { id: "op", type: "oidc", clientId: "client" } },
    server: { issuer: ISSUER, jwks_uri: `${ISSUER}/jwks` },
    secrets: { nonce: NONCE },
    callbackParams: new URLSearchParams(),
    clientSecret: "a-client-secret-of-at-least-32-characters",
  } as unknown as Exchange;
  try {
    return await verifyIdToken(token, exchange, keys);
  } catch (error) {
    const { code, name } = error as { code?: unknown; name: string };
    const isKnown = error instanceof AuthError || String(code).startsWith("ERR_J");
    // The error of jose for a header that is not JSON.
    expect(isKnown || name === "TypeError", `${(error as Error).stack}`).toBe(true);
    return undefined;
  }
}

async function sign(given: object, head: object = header): Promise<string> {
  const { privateKey } = await pair;
  return new SignJWT(given as never).setProtectedHeader(head as never).sign(privateKey);
}

/** Response bodies of a correct provider. */
const GOOD: Readonly<Record<string, string>> = {
  "/.well-known/openid-configuration": JSON.stringify({
    issuer: ISSUER,
    authorization_endpoint: `${ISSUER}/authorize`,
    token_endpoint: `${ISSUER}/token`,
    userinfo_endpoint: `${ISSUER}/userinfo`,
    code_challenge_methods_supported: ["S256"],
    scopes_supported: ["openid"],
  }),
  "/token": JSON.stringify({
    access_token: "at",
    token_type: "Bearer",
    expires_in: 3600,
    scope: "a",
    refresh_token: "rt",
  }),
  "/userinfo": JSON.stringify({
    sub: "1",
    name: "Ada",
    email: "ada@example.com",
    email_verified: true,
    picture: "https://op.example/ada.png",
  }),
};

/** Builds the target of a response that a provider sends. */
function respondWith(name: string, path: string, words: readonly string[]): Target {
  return {
    name,
    words,
    seeds: () => [GOOD[path] ?? ""],
    async run(input) {
      // The first line may be a content type.
      const [, type = "application/json", text = input] =
        /^type: ([\x20-\x7e]*)\n(.*)$/s.exec(input) ?? [];
      const far: typeof fetch = async (target) => {
        const { pathname } = new URL(target instanceof Request ? target.url : target);
        const isIt = pathname === path;
        const body = isIt ? (/[^\0-\xff]/.test(text) ? text : toBytes(text)) : GOOD[pathname];
        const headers = { "content-type": isIt ? type : "application/json" };
        return new Response(body ?? "", { headers });
      };
      const discovered = { authorization: undefined, token: undefined, userinfo: undefined };
      const provider = oauth(
        { issuer: ISSUER } as never,
        {
          ...(path.startsWith("/.") && { ...discovered, issuer: ISSUER }),
          [customFetch]: far,
        } as never,
      );
      const app = createOAuthApp({ issuer: ISSUER } as never, [provider], { errors: "allowed" });
      await within(async () => {
        const start = await app.startSignIn();
        expect(start).toMatch(/^(?:https:\/\/|http:\/\/localhost:3000\/auth\/)/);
        const { searchParams } = new URL(start);
        const state = searchParams.get("state");
        const query = state === null ? "" : `&state=${state}`;
        const { browser, log } = app;
        const response = await browser.get(`/auth/callback/op?code=x${query}`);
        expect(response.status).toBe(302);
        expect(new URL(response.headers.get("location") ?? "").origin).toBe(ORIGIN);
        for (const error of log.errors) expect(error, error.stack).toBeInstanceOf(AuthError);
        const session = await browser.session<{ user: Record<string, unknown> }>();
        for (const value of Object.values(session?.user ?? {}))
          expect(["string", "undefined", "object"]).toContain(typeof value);
      });
    },
  };
}

/** What an identity provider sends. */
export const PROVIDERS: readonly Target[] = [
  {
    name: "ID tokens",
    seeds: async () => [
      await sign(claims()),
      await sign({ ...claims(), aud: ["client", "other"], azp: "client" }),
      `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(claims()))}.`,
    ],
    words: [".", "eyJhbGciOiJub25lIn0", "=", "-", "_"],
    async run(input) {
      const found = await within(() => verify(input));
      // A changed signed token is refused, or its claims are unchanged.
      if (found) expect(found).toMatchObject({ iss: ISSUER, sub: "1", nonce: NONCE });
    },
  },
  {
    name: "claims of ID tokens",
    seeds: () => [
      JSON.stringify([header, { ...claims(), auth_time: 1, azp: "client" }]),
      JSON.stringify([{ ...header, typ: "JWT", crit: [] }, claims()]),
    ],
    words: ['"aud":', '"iss":', '"nonce":', '"exp":', '"azp":', '"typ":"at+jwt",', '["client"]'],
    async run(input) {
      let token: string;
      try {
        const [head, given] = JSON.parse(input) as [object, object];
        token = await sign(given, head);
      } catch {
        return;
      }
      const found = await within(() => verify(token));
      if (!found) return;
      expect(found).toMatchObject({ iss: ISSUER, nonce: NONCE, sub: expect.any(String) });
      expect([found.aud].flat()).toContain("client");
      expect(found.sub).not.toBe("");
      expect(found.exp).toBeGreaterThan(seconds() - 61);
    },
  },
  respondWith("token responses", "/token", [
    '"error":',
    '"access_token":',
    '"token_type":',
    "type: text/html\n",
    '"id_token":"a.b.c",',
  ]),
  respondWith("profiles", "/userinfo", [
    '"sub":',
    '"id":',
    '"email":',
    '"name":{}',
    '"picture":"javascript:x"',
    "type: application/jwt\n",
  ]),
  respondWith("metadata", "/.well-known/openid-configuration", [
    '"issuer":',
    '"token_endpoint":',
    "http://127.0.0.1/",
    "https://localhost/",
    "type: text/html\n",
  ]),
];
