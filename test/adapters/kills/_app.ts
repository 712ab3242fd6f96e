import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { storeAdapter, type StoreAdapter } from "../../../plugins/adapters/store.ts";
import type { SessionRecord, UserRecord } from "../../../plugins/adapters/store/records.ts";
import type { OAuthProvider } from "../../../plugins/flows/oauth/provider.ts";
import { customFetch, standardPreset } from "../../../presets/index.ts";
import { defineStore } from "../../../src/kernel.ts";
import { describe as describeError } from "../../../src/kernel/logger.ts";
import { createStore } from "../../../src/storage/store.ts";
import { type Browser, createBrowser } from "../../../src/testing/testing.ts";
import type { AdapterUser, Auth, StoreBackend } from "../../../src/types.ts";
import { createTestAuth, ENV, ORIGIN, SECRET, toPath } from "../../_app.ts";
import { type Authenticator, createAuthenticator } from "../../flows/_authenticator.ts";
import { adapterOn } from "../_namespace.ts";
import { type Accident, createAccident, type Life, never } from "./_accident.ts";
import { CLIENT_SECRET, createIdp, IDP, type Idp, type Person } from "./_idp.ts";

export const COOKIE = "authjs.session-token";
export const PASSWORD = "correct horse battery staple";

/** The user who knows the password. */
export const CLERK: Person = { sub: "42", name: "Clerk", email: "clerk@example.com" };

/** A response that a browser received. */
export interface Answer {
  browser: Browser;
  path: string;
  status: number;
  location: string;
  body: string;
  /** Duration in milliseconds. */
  took: number;
  /** Whether the request carried a session cookie. */
  cookie: boolean;
  /** Whether the response set a session. */
  entered: boolean;
}

/** Receives the secrets and the log of the application. */
export interface Witness {
  secret(text: string): void;
  log(text: string): void;
}

/** Conditions that a journey may change. */
export interface Weather {
  /** Whether the `signIn` callback rejects every user. */
  closed?: boolean;
  /** Whether e-mails fail. */
  noMail?: boolean;
}

/** An application over a storage, and its users. It can be restarted. */
export interface KillsApp {
  auth: Auth;
  /** The adapter directly on the storage, for operations without a flow. */
  adapter: StoreAdapter;
  readonly accident: Accident;
  readonly weather: Weather;
  readonly idp: Idp;
  /** Holds the passkeys of all users. */
  readonly authenticator: Authenticator;
  /** E-mail links, as paths. */
  readonly links: string[];
  readonly answers: Answer[];
  /** Number of proofs of identity that users gave. */
  proofs: number;
  /** The browser whose flow is interrupted. */
  readonly browser: Browser;
  readonly browsers: Map<Browser, Person | null>;
  /** Creates the browser of a user. `null` is for a user who may never be signed in. */
  openBrowser(person: Person | null): Browser;
  /** Starts another process over the same records, optionally with other secrets. */
  restart(secret?: string[]): void;
  /** Ids of the users from before the flow. */
  known: readonly string[];
  /** An adapter that accidents do not affect. */
  readonly untouched: StoreAdapter;
  /** Lists all records of a namespace of the adapter. */
  records<T>(store: string): Promise<T[]>;
  /** Lists all users, read from the records. */
  people(): Promise<AdapterUser[]>;
  /** Lists all valid sessions. */
  sessions(): Promise<SessionRecord[]>;
  /** Lists every record of users, and their indexes. */
  left(): Promise<unknown[]>;
}

export interface KillsAppOptions {
  open(): StoreBackend;
  witness: Witness;
  accident?: Accident;
}

function startProcess(
  backend: StoreBackend,
  app: Pick<KillsApp, "authenticator" | "idp" | "links" | "weather">,
  { secret, log }: Witness,
  secrets: string | string[],
): Auth {
  const logError = (error: Error) =>
    log(`${describeError(error)}\n${inspect(error, { depth: 12 })}`);
  const oauth = (id: string, flag: boolean): OAuthProvider => ({
    id,
    name: id,
    type: "oauth",
    authorization: `${IDP}/authorize`,
    token: `${IDP}/token`,
    userinfo: `${IDP}/userinfo`,
    clientId: "client",
    clientSecret: CLIENT_SECRET,
    checks: ["pkce", "state"],
    allowDangerousEmailAccountLinking: flag,
    ...({ [customFetch]: app.idp.fetch } as object),
  });
  const { auth } = createTestAuth({
    preset: standardPreset,
    secret: secrets,
    env: { ...ENV, AUTH_URL: ORIGIN },
    debug: true,
    session: {
      strategy: "database",
      // Sessions are extended at every read.
      updateAge: 0,
      generateSessionToken() {
        const token = randomUUID();
        secret(token);
        return token;
      },
    },
    logger: {
      error: logError,
      warn: (code, text) => log(`${code}: ${text}`),
      debug: (text, more) => log(`${text} ${inspect(more, { depth: 12 })}`),
    },
    callbacks: { signIn: async ({ email }) => !(app.weather.closed && !email) },
    providers: [
      oauth("idp", false),
      oauth("trusted", true),
      {
        id: "password",
        name: "Password",
        type: "credentials",
        credentials: { password: {} },
        authorize({ password }) {
          const { sub: id, name, email = "" } = CLERK;
          return password === PASSWORD ? { id, name, email } : null;
        },
      },
    ],
    mail: {
      from: "app@example.com",
      async sendVerificationRequest({ url, token }) {
        secret(token);
        if (app.weather.noMail) throw new Error("mailbox unavailable");
        app.links.push(toPath(url));
      },
    },
    passkey: {},
    authenticator: app.authenticator,
    use: [defineStore(backend), storeAdapter()],
  });
  return auth;
}

/** Creates an application without users. */
export function createKillsApp({
  open,
  witness,
  accident = createAccident(),
}: KillsAppOptions): KillsApp {
  const silent = { error() {} };
  const shared = {
    idp: createIdp(witness.secret),
    authenticator: createAuthenticator({ counts: true }),
    links: [] as string[],
    answers: [] as Answer[],
    answeredAt: 0,
    weather: {} as Weather,
  };
  let life: Life;
  const start = (secret: string | string[] = SECRET) => {
    life = { isOver: false };
    const backend = accident.wrap(open(), life);
    const auth = startProcess(backend, shared, witness, secret);
    return { auth, adapter: adapterOn(backend, silent.error) };
  };

  // A request to a dead process never gets a response.
  const fetch = async (request: Request, browser: Browser): Promise<Response> => {
    const own = life;
    // A session is extended once per millisecond. Each request is in a different millisecond, so
    // that runs have the same operations.
    while (Date.now() === shared.answeredAt) await new Promise(setImmediate);
    const began = performance.now();
    const sent = request.headers.get("cookie") ?? "";
    const cookie = sent.includes(`${COOKIE}=`);
    const response = await app.auth.fetch(request);
    if (own.isOver) return never();
    shared.answeredAt = Date.now();
    const took = performance.now() - began;
    const cookies = response.headers.getSetCookie();
    for (const value of cookies) {
      // These values identify a browser or an attempt.
      const found = /^authjs\.(?:csrf-token|pkce[^=]*|state[^=]*)=([^;|%]{20,})/.exec(value);
      if (found?.[1]) witness.secret(found[1]);
    }
    shared.answers.push({
      browser,
      path: new URL(request.url).pathname,
      status: response.status,
      location: response.headers.get("location") ?? "",
      body: await response.clone().text(),
      took,
      cookie,
      // Any request may extend a session that the browser already has.
      entered: cookies.some(
        (value) =>
          value.startsWith(`${COOKIE}=`) &&
          !value.includes("Max-Age=0") &&
          !sent.includes(value.split(";", 1)[0] as string),
      ),
    });
    return response;
  };

  const untouched = open();
  const records = async <T>(name: string): Promise<T[]> => {
    const found: T[] = [];
    const namespace = `adapter-${name}`;
    const store = createStore<T>({ namespace, backend: () => untouched, logger: silent });
    for await (const record of store.scan()) found.push(record);
    return found;
  };
  const living = async () =>
    (await records<UserRecord>("user")).filter(({ user, gone }) => user && !gone);

  const browsers = new Map<Browser, Person | null>();
  const openBrowser = (person: Person | null) => {
    const browser: Browser = createBrowser((request) => fetch(request, browser), {
      origin: ORIGIN,
    });
    browsers.set(browser, person);
    return browser;
  };
  const app: KillsApp = {
    ...shared,
    ...start(),
    accident,
    proofs: 0,
    known: [],
    untouched: adapterOn(untouched, silent.error),
    browser: openBrowser(null),
    browsers,
    openBrowser,
    restart(secret) {
      Object.assign(app, start(secret));
    },
    records,
    async people() {
      return (await living()).map(({ user }) => user?.data as unknown as AdapterUser);
    },
    async sessions() {
      const users = await living();
      return (await records<SessionRecord>("session")).filter(({ userId, epoch }) =>
        users.some(({ user, epoch: now }) => user?.data.id === userId && now === epoch),
      );
    },
    async left() {
      const things = ["account", "passkey", "session"].flatMap((name) => [name, `${name}s-of`]);
      const stores = ["user", "email", "token", ...things];
      return (await Promise.all(stores.map((name) => records(name)))).flat();
    },
  };
  return app;
}
