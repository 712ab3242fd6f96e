import { expect } from "vitest";
import type { OAuthProvider } from "../../plugins/flows/oauth/provider.ts";
import { type AuthConfig, type OIDCProvider, standardPreset } from "../../presets/index.ts";
import type { Browser } from "../../src/testing/testing.ts";
import type { ProviderBase } from "../../src/types.ts";
import {
  createTestAuth,
  isSignedIn,
  ORIGIN,
  type TestAuth,
  type TestAuthOptions,
} from "../_app.ts";
import { type Callback, CLIENT_ID, CLIENT_SECRET, type Op } from "../_op.ts";

/** Creates an OpenID Connect provider whose endpoints are all discovered. */
export function oidc(op: Op, more: Partial<OIDCProvider> = {}): OIDCProvider {
  return {
    id: "op",
    name: "The OP",
    type: "oidc",
    issuer: op.issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    ...more,
  };
}

/** Creates a plain OAuth provider, without discovery. */
export function oauth(op: Op, more: Partial<OAuthProvider> = {}): OAuthProvider {
  return {
    id: "op",
    name: "The OP",
    type: "oauth",
    authorization: `${op.issuer}/authorize`,
    token: `${op.issuer}/token`,
    userinfo: `${op.issuer}/userinfo`,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    ...more,
  };
}

/** An application whose users sign in with a provider. */
export interface OAuthApp extends TestAuth {
  /** Starts a sign-in, and returns the URL that the visitor is redirected to. */
  startSignIn(provider?: string, fields?: Record<string, string>, query?: string): Promise<string>;
  /** Sends the visitor back to the callback URL. */
  finishSignIn(callback: Callback, browser?: Browser): Promise<Response>;
  /** Runs a whole sign-in. */
  signIn(provider?: string): Promise<Response>;
}

/** Creates an application with these providers, whose users authorize at `op`. */
export function createOAuthApp(
  op: Op,
  providers: readonly ProviderBase[],
  options: TestAuthOptions = {},
): OAuthApp {
  const base = createTestAuth({
    preset: standardPreset,
    errors: "read",
    trustHost: true,
    env: {},
    ...options,
    providers: providers as NonNullable<AuthConfig["providers"]>,
  });
  const { browser } = base;
  const app: OAuthApp = Object.assign(base, {
    async startSignIn(provider = "op", fields: Record<string, string> = {}, query = "") {
      const csrfToken = await browser.csrfToken();
      const path = `/auth/signin/${provider}${query}`;
      const response = await browser.post(path, { csrfToken, ...fields });
      return response.headers.get("location") ?? "";
    },
    finishSignIn({ url, fields }: Callback, from = browser) {
      const { pathname, search } = new URL(url);
      if (!fields) return from.get(pathname + search);
      return from.post(pathname + search, fields, { headers: { origin: op.issuer } });
    },
    signIn: async (provider?: string) =>
      app.finishSignIn(await op.authorize(await app.startSignIn(provider))),
  });
  return app;
}

/** Asserts that a sign-in succeeded. */
export async function expectSignedIn(app: OAuthApp, response: Response): Promise<void> {
  expect(app.log.errors).toEqual([]);
  expect([response.status, response.headers.get("location")]).toEqual([302, `${ORIGIN}/`]);
  expect(await isSignedIn(app.browser)).toBe(true);
}

/** Path and query of the redirect after a refused sign-in. */
export type Refusal =
  | "error?error=Configuration"
  | "signin?error=OAuthSignInError"
  | "signin?error=InvalidCheck"
  | "signin?error=OAuthCallbackError";

/** Asserts that a sign-in was refused and left neither a session nor cookies of its attempt. */
export async function expectRefused(
  app: OAuthApp,
  response: Response,
  refusal: Refusal = "error?error=Configuration",
): Promise<Error> {
  expect(response.status).toBe(302);
  expect(response.headers.get("location")).toBe(`${ORIGIN}/auth/${refusal}`);
  const set = response.headers.getSetCookie().filter((cookie) => !/; Max-Age=0;/.test(cookie));
  expect(set.filter((cookie) => !/callback-url|csrf/.test(cookie))).toEqual([]);
  expect(attemptCookies(app)).toEqual([]);
  expect(await isSignedIn(app.browser)).toBe(false);
  expect(app.log.errors).toHaveLength(1);
  return app.log.errors[0] as Error;
}

/** Returns the names of the attempt cookies that the browser holds. */
export function attemptCookies(app: OAuthApp): string[] {
  return [...app.browser.cookies.keys()]
    .filter((name) => /pkce|state|nonce|attempt/.test(name))
    .sort();
}
