import { expect, vi } from "vitest";
import { type AuthConfig, createAuth, type OIDCProvider } from "../../presets/index.ts";
import type { Auth, Logger, OAuthProvider, ProviderBase } from "../../src/types.ts";
import { type Browser, createBrowser } from "../../src/testing.ts";
import { type Callback, CLIENT_ID, CLIENT_SECRET, type Op } from "../_op.ts";

/** Origin of the application under test. */
export const ORIGIN = "http://localhost:3000";
export const SECRET = "keyhook-test-secret-0123456789abcdef";

/** An OpenID Connect provider, everything discovered. */
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

/** A provider of plain OAuth, nothing discovered. */
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

/** An application with one browser in front of it. */
export interface App {
  auth: Auth;
  browser: Browser;
  /** What was logged as an error, in order. */
  errors: Error[];
  /** Starts a sign-in and answers where the visitor is sent. */
  start(provider?: string, fields?: Record<string, string>, query?: string): Promise<string>;
  /** Brings the visitor back. */
  finish(callback: Callback, browser?: Browser): Promise<Response>;
  /** All of it. */
  signIn(provider?: string): Promise<Response>;
}

/** Makes an application with these providers, whose visitors are at home at `op`. */
export function createApp(
  op: Op,
  providers: readonly ProviderBase[],
  config: AuthConfig = {},
  origin = ORIGIN,
): App {
  const errors: Error[] = [];
  const logger: Logger = { error: (error) => errors.push(error), warn: vi.fn(), debug: vi.fn() };
  const auth = createAuth({
    secret: SECRET,
    trustHost: true,
    env: {},
    logger,
    ...config,
    providers: providers as NonNullable<AuthConfig["providers"]>,
  });
  const browser = createBrowser((request) => auth.fetch(request), { origin });
  const app: App = {
    auth,
    browser,
    errors,
    async start(provider = "op", fields = {}, query = "") {
      const csrfToken = await browser.csrfToken();
      const path = `/auth/signin/${provider}${query}`;
      const response = await browser.post(path, { csrfToken, ...fields });
      return response.headers.get("location") ?? "";
    },
    finish({ url, fields }, from = browser) {
      const { pathname, search } = new URL(url);
      if (!fields) return from.get(pathname + search);
      return from.post(pathname + search, fields, { headers: { origin: op.issuer } });
    },
    signIn: async (provider) => app.finish(await op.authorize(await app.start(provider))),
  };
  return app;
}

/** Whether the browser has a session. */
export async function isSignedIn(app: App): Promise<boolean> {
  return (await app.browser.session()) !== null;
}

/** Asserts that a sign-in went through. */
export async function expectSignedIn(app: App, response: Response): Promise<void> {
  expect(app.errors).toEqual([]);
  expect([response.status, response.headers.get("location")]).toEqual([302, `${ORIGIN}/`]);
  expect(await isSignedIn(app)).toBe(true);
}

/** Where the visitor is led by a refusal. */
export type Refusal =
  | "error?error=Configuration"
  | "signin?error=OAuthSignInError"
  | "signin?error=InvalidCheck"
  | "signin?error=OAuthCallbackError";

/** Asserts that a sign-in was refused, and left neither a session nor its attempt's cookies. */
export async function expectRefused(
  app: App,
  response: Response,
  refusal: Refusal = "error?error=Configuration",
): Promise<Error> {
  expect(response.status).toBe(302);
  expect(response.headers.get("location")).toBe(`${ORIGIN}/auth/${refusal}`);
  const set = response.headers.getSetCookie().filter((cookie) => !/; Max-Age=0;/.test(cookie));
  expect(set.filter((cookie) => !/callback-url|csrf/.test(cookie))).toEqual([]);
  expect(attemptCookies(app)).toEqual([]);
  expect(await isSignedIn(app)).toBe(false);
  expect(app.errors).toHaveLength(1);
  return app.errors[0] as Error;
}

/** The cookies of attempts that the browser holds. */
export function attemptCookies(app: App): string[] {
  return [...app.browser.cookies.keys()].filter((name) => /pkce|state|nonce/.test(name)).sort();
}
