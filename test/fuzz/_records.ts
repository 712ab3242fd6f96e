import { expect } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { AuthError, StoreError } from "../../src/errors.ts";
import { createStore } from "../../src/storage/store.ts";
import type { Adapter, StoreBackend } from "../../src/types.ts";
import { createTestAuth, ORIGIN } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { createClaimsApp } from "../kernel/_claims-app.ts";
import { type Target, within } from "./_target.ts";

const ADA = { id: "ada-1", email: "ada@example.com", emailVerified: null };
const ACCOUNT = { provider: "github", providerAccountId: "octo", type: "oauth" } as const;
const PASSKEY = {
  ...{ credentialID: "key", credentialPublicKey: "a2V5", counter: 0, providerAccountId: "key" },
  ...{ credentialDeviceType: "multiDevice" as const, credentialBackedUp: true },
};

/** Returns a backend with a user and all records that belong to a user. */
async function fill(): Promise<{ entries: Map<string, unknown>; backend: StoreBackend }> {
  const entries = new Map<string, unknown>();
  const backend = memoryBackend(entries);
  const adapter = adapterOn(backend);
  const expires = new Date(Date.now() + 3_600_000);
  await adapter.createUser(ADA);
  await adapter.linkAccount({ ...ACCOUNT, userId: ADA.id });
  await adapter.createAuthenticator({ ...PASSKEY, userId: ADA.id });
  const session = { sessionToken: "secret", userId: ADA.id, expires };
  await adapter.createSession(session, { description: "Firefox, Windows" });
  await adapter.createVerificationToken({ identifier: ADA.email, token: "hash", expires });
  return { entries, backend };
}

const getRaw = (entry: unknown) => (entry as { value: string }).value;

/** Every read method of the adapter, with arguments that match a record. */
const READS: readonly (readonly [keyof Adapter, ...unknown[]])[] = [
  ["getUser", ADA.id],
  ["getUserByEmail", ADA.email],
  ["getUserByAccount", ACCOUNT],
  ["getAccount", "octo", "github"],
  ["listAccountsByUserId", ADA.id],
  ["getAuthenticator", "key"],
  ["listAuthenticatorsByUserId", ADA.id],
  ["getSessionAndUser", "secret"],
  ["listSessionsByUserId", ADA.id],
  ["useVerificationToken", { identifier: ADA.email, token: "hash" }],
];

/** What a store and an adapter return. */
export const RECORDS: readonly Target[] = [
  {
    name: "records of a store",
    async seeds() {
      const { entries } = await fill();
      return [...[...entries.values()].map(getRaw), '{"v":1,"e":null,"d":1}', "12", '{"v":2}'];
    },
    words: [
      '"v":1',
      '"v":2',
      '"e":',
      '"d":',
      "null",
      '"data":',
      '"dates":["x"]',
      '"userId":',
      '"description":7',
    ],
    async run(input) {
      const errors: unknown[] = [];
      const logger = { error: (error: unknown) => void errors.push(error) };
      const { entries, backend } = await fill();
      const store = createStore({ namespace: "x", backend: () => backend, logger });
      await store.put("a", 1);
      const adapter = adapterOn(backend, logger.error);
      for (const [key] of entries) entries.set(key, { value: input, expires: Infinity });
      await within(async () => {
        await store.get("a");
        await store.putIfAbsent("a", 2);
        for await (const value of store.scan()) expect(value).toBeDefined();
        await store.take("a");
        for (const [method, ...given] of READS) {
          const call = adapter[method] as (...given: unknown[]) => Promise<unknown>;
          await call(...given);
        }
      });
      for (const error of errors) expect(error).toBeInstanceOf(StoreError);
    },
  },
  {
    name: "rows of an adapter",
    seeds() {
      const expires = new Date(Date.now() + 3_600_000).toISOString();
      const user = { id: "1", name: "Ada", email: "ada@example.com", emailVerified: null };
      const session = { sessionToken: "secret", userId: "1", expires };
      return [
        JSON.stringify([session, user]),
        JSON.stringify([{ ...session, expires: null }, user]),
      ];
    },
    words: ['"expires":', '"id":', '"userId":', '"sessionToken":', "1e400", '"toString":1'],
    async run(input) {
      let rows: [session: unknown, user: unknown];
      try {
        rows = JSON.parse(input) as typeof rows;
        if (!Array.isArray(rows)) return;
      } catch {
        return;
      }
      const [session, user] = rows;
      const full = adapterOn(memoryBackend());
      const row = () => structuredClone(user) as never;
      const adapter: Adapter = {
        ...full,
        getSessionAndUser: async () => structuredClone({ session, user }) as never,
        extendSession: async () => structuredClone(session) as never,
        deleteSession: async () => structuredClone(session) as never,
        getUser: async () => row(),
        getUserByEmail: async () => row(),
        getUserByAccount: async () => row(),
      };
      const app = createTestAuth({ adapter, strategy: "database", errors: "allowed" });
      const headers = { cookie: "authjs.session-token=secret", accept: "application/json" };
      const request = new Request(`${ORIGIN}/auth/session`, { headers });
      const response = await within(() => app.auth.fetch(request));
      const text = await response.text();
      // Whatever an adapter returns, the response is a session with an expiry, or an error.
      if (response.status === 200 && text !== "null") {
        const { expires } = JSON.parse(text) as { expires: string };
        expect(Date.parse(expires)).toBeGreaterThan(Date.now());
      }
      for (const error of app.log.errors) expect(error, error.stack).toBeInstanceOf(AuthError);
      const claims = createClaimsApp({ adapter, errors: "allowed" });
      const entered = await within(() => claims.signIn({ sub: "1", email: "ada@example.com" }));
      expect(entered.status).toBe(302);
      for (const error of claims.log.errors) expect(error, error.stack).toBeInstanceOf(AuthError);
    },
  },
];
