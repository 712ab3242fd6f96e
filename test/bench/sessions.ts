import { randomBytes } from "node:crypto";
import { createAuth } from "keyhook";
import { type StoreAdapter, storeAdapter } from "keyhook/adapters/store";
import { defineStore, type StoreBackend } from "keyhook/kernel";
import { memoryStore } from "keyhook/stores/memory";
import type { Row } from "./backends.ts";
import { SECRET } from "./subjects.ts";

const SESSIONS_PER_USER = 10;
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;
/** A key ends with a hash. */
const HASH_BYTES = 32;

/** Creates an adapter that records into a list what it would write to a backend. */
function recorded(rows: Row[]): StoreAdapter {
  // The application that reads creates its own keyring, which has the same space.
  const put = async (...row: Row) => {
    if (!row[0].startsWith("keyring.")) rows.push(row);
  };
  const { backend } = memoryStore();
  const recording: StoreBackend = {
    ...backend,
    async putIfAbsent(...row: Row) {
      await put(...row);
      return backend.putIfAbsent(...row);
    },
    async put(...row: Row) {
      await put(...row);
    },
  };
  let adapter: StoreAdapter | undefined;
  // The space of the records is derived from the secret.
  createAuth({ secret: SECRET, env: { NODE_ENV: "test" } })
    .use(defineStore(recording))
    .use(storeAdapter())
    .use({
      name: "bench",
      setup: (kernel) =>
        kernel.hooks.ready.tap("bench", () => void (adapter = kernel.adapter as StoreAdapter)),
    })
    .inspect();
  return adapter as StoreAdapter;
}

/** Creates sessions, ten per user: their records, and the tokens of their cookies. */
export async function createSessions(count: number): Promise<{ rows: Row[]; tokens: string[] }> {
  const expires = new Date(Date.now() + MONTH_MS);
  const rows: Row[] = [];
  const tokens: string[] = [];
  const adapter = recorded(rows);
  for (let at = 0; at < count; at++) {
    const id = `person-${Math.floor(at / SESSIONS_PER_USER)}`;
    if (at % SESSIONS_PER_USER === 0) {
      const email = `${id}@example.com`;
      await adapter.createUser({ id, name: "Ada Lovelace", email, emailVerified: null });
    }
    const sessionToken = crypto.randomUUID();
    await adapter.createSession({ sessionToken, userId: id, expires });
    tokens.push(sessionToken);
  }
  return { rows, tokens };
}

/**
 * Copies records to other keys of the same form: as many as other users would have. Creating them
 * would take half an hour for a million sessions.
 */
export function copy(rows: readonly Row[]): Row[] {
  const hashes = randomBytes(HASH_BYTES * rows.length).toString("hex");
  const length = 2 * HASH_BYTES;
  return rows.map(([key, value, expires], at) => [
    key.slice(0, -length) + hashes.slice(at * length, (at + 1) * length),
    value,
    expires,
  ]);
}
