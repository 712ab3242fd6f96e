import { memoryBackend } from "../../plugins/stores/memory.ts";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { type AuthConfig, createAuth } from "../../presets/index.ts";
import { type Browser, createBrowser } from "../../src/testing.ts";
import type { Adapter, Auth, AuthContext, AuthError, WebAuthnProvider } from "../../src/index.ts";
import { adapterOn } from "../adapters/_shelf.ts";
import {
  type Answer,
  type Authenticator,
  type Change,
  createAuthenticator,
} from "./_authenticator.ts";

export const ORIGIN = "http://localhost:3000";
export const SECRET = "keyhook-test-secret-0123456789abcdef";
export const ADA = "ada@example.com";

/** What `GET /webauthn-options/:provider` answers. */
export interface Given {
  action: "authenticate" | "register";
  // oxlint-disable-next-line typescript/no-redundant-type-constituents
  options: {
    challenge: string;
    rpId: string;
    rp: { id: string; name: string };
    user: { id: string; name: string; displayName: string };
    allowCredentials?: { id: string; transports?: string[] }[];
    excludeCredentials?: { id: string; transports?: string[] }[];
    pubKeyCredParams: { alg: number }[];
    authenticatorSelection: Record<string, unknown>;
    userVerification: string;
    timeout: number;
    attestation: string;
  };
}

/** An application with passkeys over memory. */
export interface PasskeyApp {
  auth: Auth;
  adapter: Adapter;
  /** Names of the adapter's methods, as they were called. */
  calls: string[];
  events: string[];
  errors: (AuthError & Error)[];
  warnings: string[];
  authenticator: Authenticator;
  browser: Browser;
  newBrowser(): Browser;
  /** Asks for options. */
  ask(query: Record<string, string>, browser?: Browser): Promise<Given>;
  /** Posts an answer. */
  answer(action: string, data: unknown, browser?: Browser): Promise<Response>;
  /** The whole of a registration. */
  register(email?: string, change?: Change, browser?: Browser): Promise<Response>;
  /** The whole of a sign-in without a name. */
  signIn(change?: Change, browser?: Browser): Promise<Response>;
  /** Who is signed in, by the stored user's id. */
  who(browser?: Browser): Promise<string | undefined>;
  /** Runs a function in a request of this browser. */
  within<T>(work: (ctx: AuthContext) => Promise<T>, browser?: Browser): Promise<T>;
}

export interface PasskeyAppOptions {
  config?: AuthConfig;
  provider?: Partial<WebAuthnProvider>;
  adapter?: Adapter;
  /** Which methods the adapter shall lack. */
  without?: readonly (keyof Adapter)[];
  strategy?: string;
  authenticator?: Authenticator;
  /** Asked before each call of the adapter. */
  gate?(method: string): void;
}

/** Methods that Auth.js's contract does not have. */
export const OWN: readonly (keyof Adapter)[] = [
  "createUserWithAccount",
  "updateAccount",
  "extendSession",
  "deleteSessionsByUserId",
  "resetUser",
  "useAuthenticator",
  "deleteAuthenticator",
  "removeWay",
];

export function createPasskeyApp(options: PasskeyAppOptions = {}): PasskeyApp {
  const { config = {}, provider = {}, without = [], strategy = "database" } = options;
  const authenticator = options.authenticator ?? createAuthenticator();
  const full = options.adapter ?? adapterOn(memoryBackend());
  const calls: string[] = [];
  const adapter = Object.fromEntries(
    Object.entries(full)
      .filter(([name]) => !without.includes(name as keyof Adapter))
      .map(([name, method]) => [
        name,
        async (...args: unknown[]) => {
          calls.push(name);
          options.gate?.(name);
          return (method as (...args: unknown[]) => unknown)(...args);
        },
      ]),
  ) as Adapter;
  const events: string[] = [];
  const errors: (AuthError & Error)[] = [];
  const warnings: string[] = [];
  let visit: ((ctx: AuthContext) => Promise<unknown>) | undefined;
  const auth = createAuth({
    secret: SECRET,
    env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
    experimental: { enableWebAuthn: true },
    logger: {
      error: (error) => void errors.push(error as AuthError),
      warn: (code) => void warnings.push(code),
      debug() {},
    },
    events: {
      createUser: () => void events.push("createUser"),
      linkAccount: () => void events.push("linkAccount"),
      signIn: () => void events.push("signIn"),
    },
    ...config,
    adapter,
    session: { strategy, ...config.session },
  })
    .use(passkeyPlugin(provider))
    .use({
      name: "test",
      setup(kernel) {
        kernel.hooks.session.tap("test", (session, { user, token }) => ({
          ...session,
          userId: user?.id ?? token?.sub,
        }));
        kernel.addRoute({
          method: "GET",
          path: "/within",
          async handler(ctx) {
            return ctx.json({ done: await visit?.(ctx) });
          },
        });
      },
    });
  const newBrowser = () => createBrowser((request) => auth.fetch(request), { origin: ORIGIN });
  const browser = newBrowser();

  const app: PasskeyApp = {
    auth,
    adapter,
    calls,
    events,
    errors,
    warnings,
    authenticator,
    browser,
    newBrowser,
    async ask(query, from = browser) {
      const response = await from.get(
        `/auth/webauthn-options/passkey?${new URLSearchParams(query)}`,
      );
      return (await response.json()) as Given;
    },
    answer(action, data, from = browser) {
      const text = typeof data === "string" ? data : JSON.stringify(data);
      return from.signInWith("passkey", { action, data: text });
    },
    async register(email = ADA, change = {}, from = browser) {
      const { options: given } = await app.ask({ action: "register", email }, from);
      return app.answer("register", await authenticator.create(given, change), from);
    },
    async signIn(change = {}, from = browser) {
      const { options: given } = await app.ask({ action: "authenticate" }, from);
      return app.answer("authenticate", await authenticator.get(given, change), from);
    },
    async who(from = browser) {
      return (await from.session<{ userId?: string }>())?.userId;
    },
    async within<T>(work: (ctx: AuthContext) => Promise<T>, from = browser) {
      visit = work;
      const response = await from.get("/auth/within");
      return ((await response.json()) as { done: T }).done;
    },
  };
  return app;
}

/** Where an answer leads, as path and query. */
export function locationOf(response: Response): string {
  const location = response.headers.get("location") ?? "";
  return location.startsWith(ORIGIN) ? location.slice(ORIGIN.length) || "/" : location;
}

export type { Answer };
