import { inspect } from "node:util";
import { expect } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store/store.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { type AuthConfig, createAuth } from "../../presets/index.ts";
import { defineStore } from "../../src/index.ts";
import { type Browser, createBrowser } from "../../src/testing.ts";
import type { AdapterUser, Auth, EmailProvider, StoreBackend } from "../../src/types.ts";
import type { Op } from "../_op.ts";
import { locationOf, pathOf } from "../flows/_mail.ts";
import { oidc } from "../flows/_oauth.ts";

export const ORIGIN = "http://localhost:3000";
export const SECRET = "keyhook-test-secret-0123456789abcdef";
export const SESSION = "authjs.session-token";
export const ADA = "ada@example.com";
export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

const OPERATIONS = [
  "get",
  "put",
  "putIfAbsent",
  "take",
  "compareAndSet",
  "increment",
  "delete",
  "scan",
] as const;

/** An operation on its way to the records. */
export interface Call {
  readonly operation: (typeof OPERATIONS)[number];
  readonly key: string;
}

/** What becomes of an operation; `go` does it. */
export type Way = (call: Call, go: () => Promise<unknown>) => Promise<unknown>;

interface Entry {
  value: string;
  expires: number;
}

/** Storage between which and its users any fault may lie. */
export interface Storage {
  readonly backend: StoreBackend;
  /** Everything that is stored, by the backend's keys. */
  readonly entries: Map<string, Entry>;
  /** What was asked, in order. */
  readonly calls: Call[];
  way: Way;
  /** Records of a shelf that are not over: keys and texts. */
  shelf(namespace: string): [key: string, text: string][];
}

export const straight: Way = (_, go) => go();
export const refused: Way = () => Promise.reject(new Error("connect ECONNREFUSED 10.0.0.7:6379"));

/** Makes storage. `without` drops operations, as some backends do. */
export function createStorage(without: readonly "take"[] = []): Storage {
  const entries = new Map<string, unknown>();
  const records = memoryBackend(entries);
  const backend: Record<string, unknown> = { ...records };
  for (const operation of OPERATIONS) {
    const work = records[operation] as (...args: unknown[]) => Promise<unknown>;
    backend[operation] = async (key: string, ...args: unknown[]) => {
      const call = { operation, key };
      storage.calls.push(call);
      return storage.way(call, () => work(key, ...args));
    };
  }
  for (const operation of without) delete backend[operation];
  const storage: Storage = {
    backend: backend as unknown as StoreBackend,
    entries: entries as Map<string, Entry>,
    calls: [],
    way: straight,
    shelf: (namespace) =>
      [...storage.entries].flatMap(([key, { value, expires }]) =>
        key.startsWith(`${namespace}.`) && expires > Date.now() ? [[key, value]] : [],
      ),
  };
  return storage;
}

/** One server of the application. */
export interface Node {
  readonly auth: Auth;
  readonly errors: Error[];
  readonly warnings: string[];
}

/** What nodes share. */
export interface World {
  readonly storage: Storage;
  /** Paths of the links that were mailed. */
  readonly outbox: string[];
  /** Starts a server over the same records. */
  node(config?: AuthConfig, mail?: Partial<EmailProvider>): Node;
}

/** Makes a world; `op` is who visitors can sign in with beside mailed links. */
export function createWorld(
  options: { strategy?: string; op?: Op; storage?: Storage } = {},
): World {
  const { strategy = "database", op, storage = createStorage() } = options;
  const outbox: string[] = [];
  return {
    storage,
    outbox,
    node(config = {}, mail = {}) {
      const errors: Error[] = [];
      const warnings: string[] = [];
      const auth = createAuth({
        secret: SECRET,
        env: { AUTH_URL: ORIGIN },
        logger: {
          error: (error) => void errors.push(error),
          warn: (code) => void warnings.push(code),
          debug() {},
        },
        providers: [
          {
            id: "mail",
            name: "Mail",
            type: "email",
            sendVerificationRequest: ({ url }) => void outbox.push(pathOf(url)),
            ...mail,
          } as EmailProvider,
          ...(op ? [oidc(op)] : []),
        ],
        plugins: [defineStore(storage.backend), storeAdapter()],
        ...config,
        session: { strategy, ...config.session },
      });
      return { auth, errors, warnings };
    },
  };
}

/** A browser; `at` says which server answers its next request. */
export function visit(at: Node | (() => Node)): Browser {
  const node = typeof at === "function" ? at : () => at;
  return createBrowser((request) => node().auth.fetch(request), { origin: ORIGIN });
}

/** Another browser with the same cookies, as they are now. */
export function twinOf(browser: Browser, at: Node | (() => Node)): Browser {
  const twin = visit(at);
  for (const [name, value] of browser.cookies) twin.cookies.set(name, value);
  return twin;
}

/** Asks for a link: where the browser is led, and the link's path if one was mailed. */
export async function ask(world: World, browser: Browser, email = ADA) {
  const before = world.outbox.length;
  const response = await browser.signIn("mail", { email });
  return { led: locationOf(response), link: world.outbox[before] ?? "" };
}

/** Goes to the provider, and answers the path that leads back. */
export async function setOut(op: Op, browser: Browser): Promise<string> {
  const response = await browser.signIn("op");
  const { url } = await op.authorize(response.headers.get("location") ?? "");
  return pathOf(url);
}

/** Signs in with the provider: where the browser is led. */
export async function come(op: Op, browser: Browser): Promise<string> {
  return locationOf(await browser.get(await setOut(op, browser)));
}

/** Signs in by a mailed link: where the browser is led. */
export async function comeByLink(world: World, browser: Browser, email = ADA): Promise<string> {
  return locationOf(await browser.get((await ask(world, browser, email)).link));
}

/** `GET /session`, as a script asks. */
export function look(browser: Browser): Promise<Response> {
  return browser.get("/auth/session", { headers: { accept: "application/json" } });
}

/** The server's own look at a browser's session. */
export function getterOf({ auth }: Node, { cookies }: Browser): Promise<unknown> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return auth.getSession(new Request(`${ORIGIN}/`, { headers: { cookie } }));
}

export async function isIn(browser: Browser): Promise<boolean> {
  const response = await look(browser);
  expect(response.status).toBe(200);
  return (await response.json()) !== null;
}

/** Everybody who is there, from the records themselves. */
export function people(storage: Storage): AdapterUser[] {
  return storage.shelf("adapter-user").flatMap(([, text]) => {
    const { d } = JSON.parse(text) as { d: { gone?: true; user?: { data: AdapterUser } } };
    return d.user && !d.gone ? [d.user.data] : [];
  });
}

/** I7: nothing that opens a door stands in the log. */
export function expectNoSecrets(node: Node, secrets: readonly (string | undefined)[]): void {
  const said = node.errors.map((error) => inspect(error, { depth: 10 })).join("\n");
  for (const secret of [SECRET, ...secrets]) if (secret) expect(said).not.toContain(secret);
}

/** A seeded choice (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
