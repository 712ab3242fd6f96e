import { createAuth } from "keyhook";
import { type StoreAdapter, storeAdapter } from "keyhook/adapters/store";
import { defineStore, type StoreBackend } from "keyhook/kernel";
import { memoryStore } from "keyhook/stores/memory";
import type { Row } from "./backends.ts";
import { SECRET } from "./subjects.ts";

const BATCH = 10_000;
const PERSON = 10;
const MONTH = 30 * 24 * 60 * 60 * 1000;

/** Creates an adapter that records into a list what it would write to a backend. */
function recorded(rows: Row[]): StoreAdapter {
  // The application that reads makes its own keyring, which leads to the same space.
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

/** Creates sessions, ten per user, in batches: their records, and the tokens of their cookies. */
export async function* manySessions(
  count: number,
): AsyncGenerator<{ rows: Row[]; tokens: string[] }> {
  const expires = new Date(Date.now() + MONTH);
  for (let first = 0; first < count; first += BATCH) {
    const rows: Row[] = [];
    const tokens: string[] = [];
    const adapter = recorded(rows);
    for (let at = first; at < Math.min(count, first + BATCH); at++) {
      const id = `person-${Math.floor(at / PERSON)}`;
      if (at % PERSON === 0) {
        const email = `${id}@example.com`;
        await adapter.createUser({ id, name: "Ada Lovelace", email, emailVerified: null });
      }
      const sessionToken = crypto.randomUUID();
      await adapter.createSession({ sessionToken, userId: id, expires });
      tokens.push(sessionToken);
    }
    yield { rows, tokens };
  }
}
