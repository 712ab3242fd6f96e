import { inspect } from "node:util";
import { expect } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { defineStore } from "../../src/kernel.ts";
import { type Browser, createBrowser } from "../../src/testing/testing.ts";
import type { AdapterUser, StoreBackend } from "../../src/types.ts";
import {
  createTestAuth,
  locationOf,
  ORIGIN,
  SECRET,
  type TestAuth,
  type TestAuthOptions,
  toPath,
} from "../_app.ts";
import type { Op } from "../_op.ts";
import { oidc } from "../flows/_oauth.ts";
import { OPERATIONS } from "../stores/_operations.ts";

export const SESSION = "authjs.session-token";
export const ADA = "ada@example.com";
export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;

/** A call of a storage operation. */
export interface Call {
  readonly operation: (typeof OPERATIONS)[number];
  readonly key: string;
}

/** Decides the outcome of an operation. `go` runs it. */
export type Way = (call: Call, go: () => Promise<unknown>) => Promise<unknown>;

interface Entry {
  value: string;
  expires: number;
}

/** Storage whose operations can be made to fail. */
export interface Storage {
  readonly backend: StoreBackend;
  /** All stored entries by the backend's keys. */
  readonly entries: Map<string, Entry>;
  /** The calls in order. */
  readonly calls: Call[];
  way: Way;
  /** Lists the unexpired records of a namespace: keys and texts. */
  store(namespace: string): [key: string, text: string][];
}

export const straight: Way = (_, go) => go();
export const refused: Way = () => Promise.reject(new Error("connect ECONNREFUSED 10.0.0.7:6379"));

/** Creates a storage. `without` removes operations that some backends do not have. */
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
    store: (namespace) =>
      [...storage.entries].flatMap(([key, { value, expires }]) =>
        key.startsWith(`${namespace}.`) && expires > Date.now() ? [[key, value]] : [],
      ),
  };
  return storage;
}

/** Nodes of one application. */
export interface Cluster {
  readonly storage: Storage;
  /** Paths of the e-mail links. */
  readonly links: string[];
  /** Starts a node over the same records. */
  node(options?: TestAuthOptions): TestAuth;
}

/** Creates a cluster. Users can sign in at `op` or by e-mail links. */
export function createCluster(
  options: { strategy?: string; op?: Op; storage?: Storage } = {},
): Cluster {
  const { strategy = "database", op, storage = createStorage() } = options;
  const links: string[] = [];
  return {
    storage,
    links,
    // If providers are given, they replace all others.
    node: ({ mail, ...more } = {}) =>
      createTestAuth({
        preset: standardPreset,
        errors: "read",
        env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
        strategy,
        ...(op && { providers: [oidc(op)] }),
        ...(!more.providers && {
          mail: { sendVerificationRequest: ({ url }) => void links.push(toPath(url)), ...mail },
        }),
        plugins: [defineStore(storage.backend), storeAdapter()],
        ...more,
      }),
  };
}

/** Creates a browser. `at` selects the server of its next request. */
export function openBrowser(at: TestAuth | (() => TestAuth)): Browser {
  const node = typeof at === "function" ? at : () => at;
  return createBrowser((request) => node().auth.fetch(request), { origin: ORIGIN });
}

/** Creates another browser with the current cookies of this browser. */
export function cloneBrowser(browser: Browser, at: TestAuth | (() => TestAuth)): Browser {
  const twin = openBrowser(at);
  for (const [name, value] of browser.cookies) twin.cookies.set(name, value);
  return twin;
}

/** Requests a link. Returns the redirect's path, and the link's path if it was sent. */
export async function requestLink(cluster: Cluster, browser: Browser, email = ADA) {
  const before = cluster.links.length;
  const response = await browser.signIn("mail", { email });
  return { led: locationOf(response), link: cluster.links[before] ?? "" };
}

/** Starts a sign-in at the provider and returns the path of the callback. */
export async function startSignIn(op: Op, browser: Browser): Promise<string> {
  const response = await browser.signIn("op");
  const { url } = await op.authorize(response.headers.get("location") ?? "");
  return toPath(url);
}

/** Signs in at the provider, and returns the path of the redirect. */
export async function signIn(op: Op, browser: Browser): Promise<string> {
  return locationOf(await browser.get(await startSignIn(op, browser)));
}

/** Signs in by an e-mail link, and returns the path of the redirect. */
export async function signInByLink(
  cluster: Cluster,
  browser: Browser,
  email = ADA,
): Promise<string> {
  return locationOf(await browser.get((await requestLink(cluster, browser, email)).link));
}

/** Calls `auth.getSession()` with the cookies of a browser. */
export function getServerSession({ auth }: TestAuth, { cookies }: Browser): Promise<unknown> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return auth.getSession(new Request(`${ORIGIN}/`, { headers: { cookie } }));
}

/** Lists the users in the records. */
export function listUsers(storage: Storage): AdapterUser[] {
  return storage.store("adapter-user").flatMap(([, text]) => {
    const { d } = JSON.parse(text) as { d: { gone?: true; user?: { data: AdapterUser } } };
    return d.user && !d.gone ? [d.user.data] : [];
  });
}

/** I7: asserts that the log contains no secrets. */
export function expectNoSecrets(node: TestAuth, secrets: readonly (string | undefined)[]): void {
  const said = node.log.errors.map((error) => inspect(error, { depth: 10 })).join("\n");
  for (const secret of [SECRET, ...secrets]) if (secret) expect(said).not.toContain(secret);
}

/** A seeded random number generator (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
