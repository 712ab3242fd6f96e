import { randomUUID } from "node:crypto";
import { inspect } from "node:util";
import storeAdapter, { type StoreAdapter } from "../../../plugins/adapters/store/store.ts";
import type { SessionRecord, UserRecord } from "../../../plugins/adapters/store/records.ts";
import { createAuth, customFetch } from "../../../presets/index.ts";
import { defineStore } from "../../../src/index.ts";
import { describe as describeError } from "../../../src/logger.ts";
import { createStore } from "../../../src/store.ts";
import { type Browser, createBrowser } from "../../../src/testing.ts";
import type { AdapterUser, Auth, OAuthProvider, StoreBackend } from "../../../src/types.ts";
import { passkeyPlugin } from "../../../plugins/providers/passkey.ts";
import { type Authenticator, createAuthenticator } from "../../flows/_authenticator.ts";
import { adapterOn } from "../_shelf.ts";
import { type Accident, createAccident, type Life, never } from "./_accident.ts";
import { CLIENT_SECRET, createIdp, IDP, type Idp, type Person } from "./_idp.ts";

export const ORIGIN = "http://localhost:3000";
export const SECRET = "keyhook-test-secret-0123456789abcdef";
export const COOKIE = "authjs.session-token";
export const PASSWORD = "correct horse battery staple";

/** Who knows the password. */
export const CLERK: Person = { sub: "42", name: "Clerk", email: "clerk@example.com" };

/** An answer that a browser got. */
export interface Answer {
  browser: Browser;
  path: string;
  status: number;
  location: string;
  body: string;
  /** Milliseconds. */
  took: number;
  /** Whether the request carried a session cookie. */
  cookie: boolean;
  /** Whether the browser was given a session. */
  entered: boolean;
}

/** What the world told the outside. */
export interface Witness {
  secret(text: string): void;
  log(text: string): void;
}

/** What may be otherwise. */
export interface Weather {
  /** Whether nobody is let in. */
  closed?: boolean;
  /** Whether mails cannot be sent. */
  noMail?: boolean;
}

/** An application over a storage, and people before it. It can be started anew. */
export interface World {
  auth: Auth;
  /** Straight on the storage, for what has no flow. */
  adapter: StoreAdapter;
  readonly accident: Accident;
  readonly weather: Weather;
  readonly idp: Idp;
  /** What holds everybody's passkeys. */
  readonly authenticator: Authenticator;
  /** Links that were mailed, as paths. */
  readonly outbox: string[];
  readonly answers: Answer[];
  /** How often somebody proved who they are. */
  proofs: number;
  /** The one whose doings are cut short. */
  readonly browser: Browser;
  readonly browsers: Map<Browser, Person | null>;
  /** A browser of somebody; `null`: of one who may never be let in. */
  visit(person: Person | null): Browser;
  /** Another process over the same records, perhaps with other secrets. */
  restart(secret?: string[]): void;
  /** Ids of those who were there before. */
  known: readonly string[];
  /** An adapter that no accident can meet. */
  readonly untouched: StoreAdapter;
  /** All records of a shelf of the adapter. */
  records<T>(shelf: string): Promise<T[]>;
  /** Everybody there is, from the records themselves. */
  people(): Promise<AdapterUser[]>;
  /** All sessions that count. */
  sessions(): Promise<SessionRecord[]>;
  /** Whatever people have, and lists of it. */
  left(): Promise<unknown[]>;
}

export interface WorldOptions {
  open(): StoreBackend;
  witness: Witness;
  accident?: Accident;
}

function createApp(
  backend: StoreBackend,
  world: Pick<World, "idp" | "outbox" | "weather">,
  { secret, log }: Witness,
  secrets: string | string[],
): Auth {
  const told = (error: Error) => log(`${describeError(error)}\n${inspect(error, { depth: 12 })}`);
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
    ...({ [customFetch]: world.idp.fetch } as object),
  });
  return createAuth({
    secret: secrets,
    env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
    debug: true,
    experimental: { enableWebAuthn: true },
    session: {
      strategy: "database",
      // Extended at every look.
      updateAge: 0,
      generateSessionToken() {
        const token = randomUUID();
        secret(token);
        return token;
      },
    },
    logger: {
      error: told,
      warn: (code, text) => log(`${code}: ${text}`),
      debug: (text, more) => log(`${text} ${inspect(more, { depth: 12 })}`),
    },
    callbacks: { signIn: async ({ email }) => !(world.weather.closed && !email) },
    providers: [
      oauth("idp", false),
      oauth("trusted", true),
      {
        id: "mail",
        name: "Mail",
        type: "email",
        from: "app@example.com",
        async sendVerificationRequest({ url, token }) {
          secret(token);
          if (world.weather.noMail) throw new Error("mailbox unavailable");
          world.outbox.push(url.slice(ORIGIN.length));
        },
      },
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
  })
    .use(defineStore(backend))
    .use(storeAdapter())
    .use(passkeyPlugin());
}

/** Makes the world; nobody is there yet. */
export function createWorld({ open, witness, accident = createAccident() }: WorldOptions): World {
  const silent = { error() {} };
  const shared = {
    idp: createIdp(witness.secret),
    authenticator: createAuthenticator({ counts: true }),
    outbox: [] as string[],
    answers: [] as Answer[],
    weather: {} as Weather,
  };
  let life: Life;
  const start = (secret: string | string[] = SECRET) => {
    life = { isOver: false };
    const backend = accident.wrap(open(), life);
    const auth = createApp(backend, shared, witness, secret);
    return { auth, adapter: adapterOn(backend, silent.error) };
  };

  // Whoever spoke to a process that died is never answered.
  const fetch = async (request: Request, browser: Browser): Promise<Response> => {
    const own = life;
    const began = performance.now();
    const cookie = request.headers.get("cookie")?.includes(`${COOKIE}=`) ?? false;
    const response = await world.auth.fetch(request);
    if (own.isOver) return never();
    const took = performance.now() - began;
    const cookies = response.headers.getSetCookie();
    for (const value of cookies) {
      // Whoever has these is somebody, or on the way to be.
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
      entered: cookies.some(
        (value) => value.startsWith(`${COOKIE}=`) && !value.includes("Max-Age=0"),
      ),
    });
    return response;
  };

  const untouched = open();
  const records = async <T>(name: string): Promise<T[]> => {
    const found: T[] = [];
    const namespace = `adapter-${name}`;
    const shelf = createStore<T>({ namespace, backend: () => untouched, logger: silent });
    for await (const record of shelf.scan()) found.push(record);
    return found;
  };
  const living = async () =>
    (await records<UserRecord>("user")).filter(({ user, gone }) => user && !gone);

  const browsers = new Map<Browser, Person | null>();
  const visit = (person: Person | null) => {
    const browser: Browser = createBrowser((request) => fetch(request, browser), {
      origin: ORIGIN,
    });
    browsers.set(browser, person);
    return browser;
  };
  const world: World = {
    ...shared,
    ...start(),
    accident,
    proofs: 0,
    known: [],
    untouched: adapterOn(untouched, silent.error),
    browser: visit(null),
    browsers,
    visit,
    restart(secret) {
      Object.assign(world, start(secret));
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
      const shelves = ["user", "email", "token", ...things];
      return (await Promise.all(shelves.map((name) => records(name)))).flat();
    },
  };
  return world;
}
