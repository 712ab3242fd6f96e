import { createStore, type StoreBackend } from "keyhook/kernel";
import { createStoreAdapter } from "keyhook/plugins/adapters/store/store";
import memoryStore from "keyhook/plugins/stores/memory";
import type { Row } from "./backends.ts";

const BATCH = 10_000;
const PERSON = 10;
const MONTH = 30 * 24 * 60 * 60 * 1000;

/** An adapter that writes into a list what it would write into a backend. */
function recorded(rows: Row[]) {
  const put = async (...row: Row) => {
    rows.push(row);
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
  const logger = { error() {} };
  return createStoreAdapter({
    store: (namespace) => createStore({ namespace, logger, backend: () => recording }),
  });
}

/** So many sessions, ten a person, in batches: the records, and the tokens that the cookies have. */
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
