import type { Kernel, Store } from "../../../src/kernel.ts";

/** The operations of a store that counting needs. */
export type Records = Pick<Store<number>, "get" | "increment" | "putIfAbsent" | "delete">;

interface LocalRecord {
  readonly value: number;
  readonly at: number;
  readonly ttl: number;
}

/** Maximum number of records in one process without a store. The least recently used are dropped. */
const MAX_IN_PROCESS = 50_000;
/** Milliseconds before a failed store is tried again. Each call may take two seconds to fail. */
const RETRY_MS = 5000;

// The lower bound ensures that a clock that was set back does not extend a lock.
function isLive({ at, ttl }: LocalRecord): boolean {
  const age = Date.now() - at;
  return age >= 0 && age < ttl;
}

/** Creates records in the memory of this process. */
export function createLocalRecords(max: number = MAX_IN_PROCESS): Records {
  // A Map iterates in insertion order, so the first record is the least recently used.
  const records = new Map<string, LocalRecord>();

  // Before its first record, a Map skips all deleted ones, so many are dropped at once.
  const kept = max - Math.floor(max / 16);

  const find = (name: string): LocalRecord | undefined => {
    const record = records.get(name);
    return record && isLive(record) ? record : undefined;
  };
  const write = (name: string, record: LocalRecord): void => {
    records.delete(name);
    records.set(name, record);
    if (records.size <= max) return;
    for (const oldest of records.keys()) {
      if (records.size <= kept) break;
      records.delete(oldest);
    }
  };

  return {
    async get(key) {
      const name = JSON.stringify(key);
      const found = find(name);
      // Reading a lock counts as use.
      if (found) write(name, found);
      return found?.value;
    },
    async increment(key, by = 1, { ttl = Infinity } = {}) {
      const name = JSON.stringify(key);
      const found = find(name) ?? { value: 0, at: Date.now(), ttl };
      write(name, { ...found, value: found.value + by });
      return found.value + by;
    },
    async putIfAbsent(key, value, { ttl = Infinity } = {}) {
      const name = JSON.stringify(key);
      const found = find(name);
      write(name, found ?? { value, at: Date.now(), ttl });
      return !found;
    },
    delete: async (key) => records.delete(JSON.stringify(key)),
  };
}

/**
 * Creates records in the store. While the store fails, or if there is none, this process counts alone: a store that is
 * down neither prevents sign-ins nor lifts the limits.
 */
export function createRecords(kernel: Kernel, namespace: string): Records {
  const store = kernel.store<number>(namespace, { optional: true });
  // Applications in one process must not use up each other's limits.
  const local = kernel.remember(`security/rate-limit ${namespace}`, () => createLocalRecords(), {
    perApplication: true,
  });
  let retryAt = 0;

  const call = async <T>(work: (records: Records) => Promise<T>): Promise<T> => {
    if (!store.isAvailable || retryAt > Date.now()) return work(local);
    try {
      return await work(store);
    } catch (error) {
      retryAt = Date.now() + RETRY_MS;
      kernel.logger.error(error as Error);
      return work(local);
    }
  };

  return {
    get: (key) => call((records) => records.get(key)),
    increment: (key, by, write) => call((records) => records.increment(key, by, write)),
    putIfAbsent: (key, value, write) => call((records) => records.putIfAbsent(key, value, write)),
    delete: (key) => call((records) => records.delete(key)),
  };
}
