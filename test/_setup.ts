import { afterEach, expect } from "vitest";
import { credentialsFlow } from "../plugins/flows/credentials.ts";
import { errorPage } from "../plugins/pages/error.ts";
import { signinPage } from "../plugins/pages/signin.ts";
import { signoutPage } from "../plugins/pages/signout.ts";
import { verifyRequestPage } from "../plugins/pages/verify-request.ts";
import { callbackRoute } from "../plugins/routes/callback.ts";
import { csrfRoute } from "../plugins/routes/csrf.ts";
import { providersRoute } from "../plugins/routes/providers.ts";
import { sessionRoutes } from "../plugins/routes/session.ts";
import { signinRoute } from "../plugins/routes/signin.ts";
import { signoutRoute } from "../plugins/routes/signout.ts";
import { jwtStrategy } from "../plugins/strategies/jwt.ts";
import { createAuthWith, definePreset } from "../src/index.ts";
import { type Browser, createBrowser } from "../src/testing.ts";
import type {
  Adapter,
  AdapterAccount,
  AdapterUser,
  Auth,
  AuthConfig,
  AuthError,
  CredentialsProvider,
  Identity,
  Kernel,
  LinkRule,
  Logger,
  OAuthProvider,
  Plugin,
  Preset,
} from "../src/index.ts";

export const ORIGIN = "http://localhost:3000";
/** Of BEHAVIOUR.md's interop vectors. */
export const SECRET = "keyhook-test-secret-0123456789abcdef";
/** An environment that is no production and says nothing. */
export const ENV = { NODE_ENV: "test" };

/** What was logged. Errors that no test asserts fail it. */
export interface Log {
  readonly logger: Required<Logger>;
  readonly errors: Error[];
  readonly warnings: string[];
  readonly debugs: [message: string, metadata: unknown][];
  /** Asserts the types of all errors since the last look, in order, and answers them. */
  expectErrors(...types: string[]): (AuthError & Error)[];
  /** Errors of this test are its subject's business. */
  ignoreErrors(): void;
}

let open: Log[] = [];

afterEach(() => {
  const logs = open;
  open = [];
  for (const log of logs) {
    expect(log.errors.map(String), "errors that the test did not assert").toEqual([]);
  }
});

export function createLog(): Log {
  const errors: Error[] = [];
  const warnings: string[] = [];
  const debugs: [string, unknown][] = [];
  let ignored = false;
  const log: Log = {
    errors,
    warnings,
    debugs,
    logger: {
      error: (error) => {
        if (!ignored) errors.push(error);
      },
      warn: (code) => void warnings.push(code),
      debug: (message, metadata) => void debugs.push([message, metadata]),
    },
    expectErrors(...types) {
      const seen = errors.splice(0);
      expect(seen.map((error) => (error as AuthError).type ?? error.name)).toEqual(types);
      return seen as AuthError[];
    },
    ignoreErrors() {
      ignored = true;
    },
  };
  open.push(log);
  return log;
}

/** The kernel's own plugins without OAuth, which has tests of its own. */
export const housePreset = definePreset({
  name: "house",
  plugins: [
    credentialsFlow(),
    jwtStrategy(),
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

/** Knows Ada by her password. */
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

export interface House<A extends Auth = Auth> {
  auth: A;
  log: Log;
  browser: Browser;
  /** Another browser at the same house. */
  visit(origin?: string): Browser;
  /** Boots, and answers the kernel. */
  kernel(): Kernel;
}

export interface HouseOptions {
  use?: readonly (Plugin | Preset)[];
  origin?: string;
  basePath?: string;
}

/** An Auth with a logger that records, a credentials provider unless told otherwise, and a browser. */
export function createHouse(config: AuthConfig = {}, options: HouseOptions = {}): House {
  const { use = [], origin = ORIGIN, basePath = config.basePath ?? "/auth" } = options;
  const log = createLog();
  let kernel: Kernel | undefined;
  const auth = createAuthWith(housePreset, {
    secret: SECRET,
    env: ENV,
    providers: [credentials()],
    logger: log.logger,
    ...config,
  });
  for (const plugin of use) auth.use(plugin);
  auth.use({ name: "test/look", setup: (it) => void (kernel = it) });
  const visit = (at = origin) => createBrowser(auth.fetch, { origin: at, basePath });
  return {
    auth,
    log,
    browser: visit(),
    visit,
    kernel() {
      auth.inspect();
      return kernel as Kernel;
    },
  };
}

/** A plain OAuth provider for `identityFlow`. */
export const acme = (over: Partial<OAuthProvider> = {}): OAuthProvider => ({
  id: "acme",
  name: "Acme",
  type: "oauth",
  ...over,
});

/** Stands in for a provider type that proves identities: its callback answers what it is told. */
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
        finish(ctx) {
          const { user = { ...ADA }, ...rest } = identity();
          return {
            user,
            account: {
              provider: ctx.provider.id,
              providerAccountId: "acme-1",
              type,
              access_token: "at",
            },
            profile: { sub: "acme-1" },
            ...rest,
          };
        },
      });
    },
  };
}

/** Rows of a store in memory, and what was asked of it. */
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

/** The same store as a plain object, whose methods are bound to nothing. */
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

/** Query of a redirect's target. */
export function queryOf(response: Response): Record<string, string> {
  const location = response.headers.get("location");
  return location === null ? {} : Object.fromEntries(new URL(location, ORIGIN).searchParams);
}

/** A `Set-Cookie` of a response by its name. */
export function setCookie(response: Response, name: string): string | undefined {
  return response.headers.getSetCookie().find((cookie) => cookie.startsWith(`${name}=`));
}

/** Names of the cookies that a response sets. */
export function setCookieNames(response: Response): string[] {
  return response.headers.getSetCookie().map((cookie) => cookie.slice(0, cookie.indexOf("=")));
}
