import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { credentialsFlow } from "../plugins/flows/credentials.ts";
import type { CredentialsProvider } from "../plugins/flows/credentials/provider.ts";
import type { EmailProvider, VerificationRequest } from "../plugins/flows/email/provider.ts";
import type { OAuthProvider } from "../plugins/flows/oauth/provider.ts";
import type { WebAuthnProvider } from "../plugins/flows/webauthn/provider.ts";
import { errorPage } from "../plugins/pages/error.ts";
import { signinPage } from "../plugins/pages/signin.ts";
import { signoutPage } from "../plugins/pages/signout.ts";
import { verifyRequestPage } from "../plugins/pages/verify-request.ts";
import { passkeyPlugin } from "../plugins/providers/passkey.ts";
import { callbackRoute } from "../plugins/routes/callback.ts";
import { csrfRoute } from "../plugins/routes/csrf.ts";
import { providersRoute } from "../plugins/routes/providers.ts";
import { sessionRoutes } from "../plugins/routes/session.ts";
import { signinRoute } from "../plugins/routes/signin.ts";
import { signoutRoute } from "../plugins/routes/signout.ts";
import { jwtStrategy } from "../plugins/strategies/jwt.ts";
import { storedUsers } from "../src/_kit.ts";
import { type AuthError, BootError } from "../src/errors.ts";
import { createAuthWith, definePreset } from "../src/kernel.ts";
import type {
  Adapter,
  AdapterAccount,
  AdapterUser,
  Auth,
  EventsOptions,
  Identity,
  Kernel,
  LinkRule,
  Logger,
  Plugin,
  Preset,
  StoreBackend,
} from "../src/kernel.ts";
import {
  type Browser,
  createOutbox,
  createTestAuth as createBase,
  type TestAuth as Base,
  type TestAuthOptions as BaseOptions,
} from "../src/testing/testing.ts";
import { openLogs } from "./_logs.ts";
import { adapterOn } from "./adapters/_namespace.ts";
import { type Authenticator, createAuthenticator } from "./flows/_authenticator.ts";

export const ORIGIN = "http://localhost:3000";
/** The secret of the interoperability vectors recorded from Auth.js. */
export const SECRET = "keyhook-test-secret-0123456789abcdef";
/** An environment that is not production and has no settings. */
export const ENV = { NODE_ENV: "test" };

/** The recorded log. A logged error that the test does not assert fails the test. */
export interface Log {
  readonly logger: Required<Logger>;
  readonly errors: (AuthError & Error)[];
  readonly warnings: string[];
  readonly debugs: [message: string, metadata: unknown][];
  /** Asserts the types of all errors since the last call, in order, and returns them. */
  expectErrors(...types: string[]): (AuthError & Error)[];
  /** Stops recording errors, for a test whose subject logs them. */
  ignoreErrors(): void;
}

/**
 * How a test accounts for logged errors: `expected` only by `log.expectErrors`, `read` also by reading `log.errors`
 * after they were logged, `allowed` not at all.
 */
export type ErrorRule = "expected" | "read" | "allowed";

/** Creates a log. */
export function createLog(rule: ErrorRule = "expected"): Log {
  const errors: (AuthError & Error)[] = [];
  const unasserted: (AuthError & Error)[] = [];
  const warnings: string[] = [];
  const debugs: [string, unknown][] = [];
  let ignored = false;
  const log: Log = {
    get errors() {
      unasserted.length = 0;
      return errors;
    },
    warnings,
    debugs,
    logger: {
      error: (error) => {
        if (ignored) return;
        errors.push(error as AuthError & Error);
        unasserted.push(error as AuthError & Error);
      },
      warn: (code) => void warnings.push(code),
      debug: (message, metadata) => void debugs.push([message, metadata]),
    },
    expectErrors(...types) {
      const seen = log.errors.splice(0);
      const names = seen.map((error) => error.type ?? error.name);
      assert.deepEqual(names, types);
      return seen;
    },
    ignoreErrors() {
      ignored = true;
    },
  };
  if (rule !== "allowed") openLogs.push(rule === "read" ? { ...log, errors: unasserted } : log);
  return log;
}

/** Boots, and returns the messages of all faults. The faults are also logged, and count as asserted. */
export function listBootFaults({ auth, log }: { auth: Auth; log: Log }): string[] {
  log.ignoreErrors();
  try {
    auth.inspect();
    return [];
  } catch (error) {
    const faults = error instanceof BootError ? error.faults : [error as Error];
    return faults.map(({ message }) => message);
  }
}

/** The minimal plugins and the pages. Credentials is the only flow. */
export const testPreset = definePreset({
  name: "app",
  plugins: [
    credentialsFlow(),
    jwtStrategy(),
    storedUsers(),
    sessionRoutes(),
    csrfRoute(),
    providersRoute(),
    signinRoute(),
    callbackRoute(),
    signoutRoute(),
    signinPage(),
    signoutPage(),
    errorPage(),
    verifyRequestPage(),
  ],
});

export const ADA = { id: "1", name: "Ada", email: "ada@example.com", image: null };

/** Builds a credentials provider that accepts only Ada's password. */
export const credentials = (over: Partial<CredentialsProvider> = {}): CredentialsProvider => ({
  id: "credentials",
  name: "Credentials",
  type: "credentials",
  credentials: { username: {}, password: { type: "password" } },
  authorize: ({ username, password }) =>
    username === "ada" && password === "lovelace" ? { ...ADA } : null,
  ...over,
});

export const LOVELACE = { username: "ada", password: "lovelace" };

/** A recorded adapter call, or an event, whose name ends with `!`. */
export type Step = [name: string, ...args: unknown[]];

/** Options of `createTestAuth` in addition to those of `keyhook/testing`. */
export interface TestAuthOptions extends BaseOptions {
  /** Default `testPreset`; `standardPreset` has all flows. */
  preset?: Preset;
  /** Plugins and presets for `auth.use`. */
  use?: readonly (Plugin | Preset)[];
  /** How the test accounts for logged errors. Default `expected`. */
  errors?: ErrorRule;
  /** `session.strategy`. */
  strategy?: string;
  /** Backend of a Keyhook adapter, in place of `adapter`. Several applications can share one. */
  store?: StoreBackend;
  /** Methods to remove from the adapter. */
  without?: readonly (keyof Adapter)[];
  /** Records the calls of the adapter, and the events if the configuration has no listeners. */
  record?: boolean;
  /** Called before each recorded call of the adapter. */
  gate?: (method: string) => Promise<void> | void;
  /** Adds the provider `mail`, whose messages are kept in `mails`. */
  mail?: Partial<EmailProvider>;
  /** Adds the provider `passkey`. */
  passkey?: Partial<WebAuthnProvider>;
  /** Default: a new software authenticator. */
  authenticator?: Authenticator;
}

/** An application under test, with a browser. */
export interface TestAuth extends Omit<Base, "log"> {
  readonly log: Log;
  /** Boots, and returns the kernel. */
  kernel(): Kernel;
  /** The given adapter, or the one over `store`; its own calls are not recorded. */
  readonly adapter: Adapter;
  /** The recorded steps in order. */
  readonly steps: Step[];
  /** Names of the recorded adapter calls in order. */
  readonly calls: string[];
  /** Called before each recorded call of the adapter. */
  gate: (method: string) => Promise<void> | void;
  /** Returns the names of the steps recorded since the last call, and forgets them. */
  callNames(): string[];
  /** The messages of the provider `mail`. */
  readonly mails: VerificationRequest[];
  /** Requests a sign-in link and returns its path and query. */
  requestLink(email?: string, browser?: Browser): Promise<string>;
  /** Opens the last sign-in link. */
  followLink(browser?: Browser): Promise<Response>;
  /** A software authenticator. */
  readonly authenticator: Authenticator;
  /** Resolves to the stored id of the session's user. */
  getUserId(browser?: Browser): Promise<string | undefined>;
}

const EVENTS = ["createUser", "updateUser", "linkAccount", "signIn", "signOut"] as const;

/** Wraps an adapter so that each call is reported first. */
function watchAdapter(adapter: Adapter, onStep: (step: Step) => Promise<void> | void): Adapter {
  return Object.fromEntries(
    Object.entries(adapter).map(([name, method]) => [
      name,
      async (...args: unknown[]) => {
        await onStep([name, ...args]);
        return (method as (...args: unknown[]) => unknown)(...args);
      },
    ]),
  );
}

/** The binding that requests go through instead of `auth.fetch`: a name in FACES. */
const face = process.env.KEYHOOK_FACE;
const mount = face ? (await import("./bindings/_faces.ts")).FACES[face] : undefined;
if (face && !mount) throw new Error(`There is no face ${face}.`);

function throughFace(auth: Auth): Auth {
  if (!mount) return auth;
  const { fetch } = auth;
  let mounted: typeof fetch | undefined;
  return Object.assign(auth, {
    fetch(request: Request) {
      // Mounted at the first request, so that plugins can be added before.
      mounted ??= mount(auth, fetch);
      // A framework refuses other URLs before it calls a binding.
      const isWhole = URL.canParse(request.url) && !new URL(request.url).username;
      return (isWhole ? mounted : fetch)(request);
    },
  });
}

/**
 * Creates an application: an Auth with a recording log, a credentials provider by default, and a
 * browser.
 */
export function createTestAuth(options: TestAuthOptions = {}): TestAuth {
  const {
    preset = testPreset,
    use = [],
    errors,
    strategy,
    store,
    without,
    record = false,
    gate = () => {},
    mail,
    passkey,
    authenticator = createAuthenticator(),
    ...config
  } = options;
  const log = createLog(errors);
  const steps: Step[] = [];
  const calls: string[] = [];
  const outbox = createOutbox();
  let adapter = config.adapter ?? (store && adapterOn(store));
  if (adapter && without) {
    adapter = { ...adapter };
    for (const method of without) delete adapter[method];
  }
  const watched =
    record && adapter
      ? watchAdapter(adapter, (step) => {
          // A trailing argument of undefined is not recorded.
          steps.push(step.at(-1) === undefined ? (step.slice(0, -1) as Step) : step);
          calls.push(step[0]);
          return app.gate(step[0]);
        })
      : adapter;
  const events = Object.fromEntries(
    EVENTS.map((name) => [name, (message: unknown) => void steps.push([`${name}!`, message])]),
  ) as EventsOptions;
  const mailProvider = outbox.provider({ id: "mail", name: "Mail", ...mail });

  const base = createBase((given) => throughFace(createAuthWith(preset, given)), {
    secret: SECRET,
    env: ENV,
    logger: log.logger,
    providers: mail || passkey ? [] : [credentials()],
    ...(record && { events }),
    ...(passkey && { experimental: { enableWebAuthn: true } }),
    ...config,
    ...(mail && { providers: [...(config.providers ?? []), mailProvider] }),
    ...(watched && { adapter: watched }),
    ...(strategy !== undefined && { session: { strategy, ...config.session } }),
  });
  const { auth, browser } = base;
  if (passkey) auth.use(passkeyPlugin(passkey));
  for (const plugin of use) auth.use(plugin);

  let kernel: Kernel | undefined;
  const reader = new AsyncLocalStorage<{ userId?: string | undefined }>();
  auth.use({
    name: "test/look",
    setup(it) {
      kernel = it;
      it.hooks.session.tap("test/look", (session, { user, token }) => {
        const read = reader.getStore();
        if (read) read.userId = user?.id ?? token?.sub;
        return session;
      });
    },
  });

  const app: TestAuth = {
    ...base,
    log,
    kernel() {
      auth.inspect();
      return kernel as Kernel;
    },
    adapter: adapter as Adapter,
    steps,
    calls,
    gate,
    callNames: () => steps.splice(0).map(([name]) => name),
    mails: outbox.mails,
    async requestLink(email = "ada@example.com", from = browser) {
      await from.signIn("mail", { email });
      return toPath(outbox.mails.at(-1)?.url ?? "");
    },
    followLink: (from = browser) => from.get(toPath(outbox.mails.at(-1)?.url ?? "")),
    authenticator,
    async getUserId(from = browser) {
      const read: { userId?: string } = {};
      const session = await reader.run(read, () => from.session());
      return session ? read.userId : undefined;
    },
  };
  return app;
}

/** Sends `GET /session` as a script does. */
export function fetchSession(browser: Browser): Promise<Response> {
  return browser.get("/auth/session", { headers: { accept: "application/json" } });
}

/** Resolves to whether the browser has a session. */
export async function isSignedIn(browser: Browser): Promise<boolean> {
  const response = await fetchSession(browser);
  assert.equal(response.status, 200);
  return (await response.json()) !== null;
}

/** Builds an OAuth provider whose endpoints no server serves. */
export const unservedOAuth = (id: string, name = id): OAuthProvider => ({
  id,
  name,
  type: "oauth",
  clientId: "id",
  clientSecret: "secret",
  authorization: "https://idp.example/authorize",
  token: "https://idp.example/token",
  userinfo: "https://idp.example/userinfo",
});

/** Builds a plain OAuth provider for `identityFlow`. */
export const acme = (over: Partial<OAuthProvider> = {}): OAuthProvider => ({
  id: "acme",
  name: "Acme",
  type: "oauth",
  ...over,
});

/**
 * Replaces the flow of a provider type: its callback returns the identity that the test supplies.
 */
export function identityFlow(
  identity: () => Partial<Identity>,
  { links = "account", type = "oauth" }: { links?: LinkRule; type?: "oauth" | "email" } = {},
): Plugin {
  return {
    name: `test/identity-${type}`,
    provides: [`flow:${type}`],
    setup(kernel) {
      kernel.addFlow(type, {
        links,
        finish() {
          const { user = { ...ADA }, ...rest } = identity();
          return {
            user,
            account: { providerAccountId: "acme-1", access_token: "at" },
            profile: { sub: "acme-1" },
            ...rest,
          };
        },
      });
    },
  };
}

/** Rows of an in-memory store, and the calls made to it. */
export class Rows {
  users: AdapterUser[] = [];
  accounts: AdapterAccount[] = [];
  calls: string[] = [];

  createUser(user: AdapterUser): AdapterUser {
    this.calls.push("createUser");
    this.users.push({ ...user });
    return { ...user };
  }
  getUser(id: string): AdapterUser | null {
    this.calls.push(`getUser ${id}`);
    return this.users.find((user) => user.id === id) ?? null;
  }
  getUserByEmail(email: string): AdapterUser | null {
    this.calls.push(`getUserByEmail ${email}`);
    return this.users.find((user) => user.email === email) ?? null;
  }
  getUserByAccount({
    provider,
    providerAccountId,
  }: Pick<AdapterAccount, "provider" | "providerAccountId">): AdapterUser | null {
    this.calls.push(`getUserByAccount ${provider} ${providerAccountId}`);
    const found = this.accounts.find(
      (one) => one.provider === provider && one.providerAccountId === providerAccountId,
    );
    return this.users.find((user) => user.id === found?.userId) ?? null;
  }
  updateUser(change: Partial<AdapterUser> & Pick<AdapterUser, "id">): AdapterUser {
    this.calls.push("updateUser");
    const user = this.users.find(({ id }) => id === change.id) as AdapterUser;
    return Object.assign(user, change);
  }
  linkAccount(account: AdapterAccount): void {
    this.calls.push(`linkAccount ${account.userId}`);
    this.accounts.push(account);
  }
}

/** Wraps the same store in a plain object whose methods do not use `this`. */
export function plainAdapter(rows: Rows): Adapter {
  return {
    createUser: (user) => rows.createUser(user),
    getUser: (id) => rows.getUser(id),
    getUserByEmail: (email) => rows.getUserByEmail(email),
    getUserByAccount: (key) => rows.getUserByAccount(key),
    updateUser: (change) => rows.updateUser(change),
    linkAccount: (account) => rows.linkAccount(account),
  };
}

/** Returns path and query of a URL of the application. */
export function toPath(url: string): string {
  return url.slice(ORIGIN.length);
}

/** Returns the target of the response's redirect, as path and query within the application. */
export function locationOf(response: Response): string {
  const location = response.headers.get("location") ?? "";
  return location.startsWith(ORIGIN) ? toPath(location) || "/" : location;
}

/** Parses the query of a redirect's target. */
export function queryOf(response: Response): Record<string, string> {
  const location = response.headers.get("location");
  return location === null ? {} : Object.fromEntries(new URL(location, ORIGIN).searchParams);
}

/** Returns the `Set-Cookie` header of a cookie by its name. */
export function setCookie(response: Response, name: string): string | undefined {
  return response.headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`));
}

/** Lists the names of the cookies that a response sets. */
export function setCookieNames(response: Response): string[] {
  return response.headers.getSetCookie().map((cookie) => cookie.slice(0, cookie.indexOf("=")));
}
