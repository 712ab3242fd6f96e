import { createCache } from "./cache.ts";
import { randomHex, sha256Hex } from "./crypto.ts";
import { PluginError, StoreError } from "./errors.ts";
import { checkNamespace, endOf, openRecord, recordKey, sealRecord } from "./record.ts";
import type { Plugin } from "./types/kernel.ts";
import type { Logger } from "./types/options.ts";
import type { Store, StoreBackend, StoreEntry, StoreNeeds, StorePage } from "./types/store.ts";

/** A shelf's place. */
export interface StoreOptions {
  readonly namespace: string;
  /** Asked at every call: a plugin may set the backend after another one took its shelf. */
  backend(): StoreBackend;
  readonly logger: Pick<Required<Logger>, "error">;
  /** Milliseconds that a backend may take. Default 2000. */
  readonly timeout?: number;
  /** Whether a value may lie in this shelf. */
  readonly isSound?: StoreNeeds["isSound"];
  /** Told of every write. */
  written?(backend: StoreBackend): void;
}

/** Records of one page of a scan, which are then read side by side. */
const PAGE = 50;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** How long an unreadable record is kept for whoever wants to look at it. */
const QUARANTINE = 30 * DAY;

// A backend that never answers costs a timer, and nothing that is left behind.
function within<T>(timeout: number, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`It did not answer within ${timeout} ms.`)),
      timeout,
    );
    // A backend may throw at once, too.
    (async () => work())()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}

/** Makes a plugin's shelf in a backend. */
export function createStore<T>(options: StoreOptions): Store<T> {
  const { namespace, backend, logger, timeout = 2000, isSound = () => true, written } = options;
  checkNamespace(namespace);
  const reported = createCache<true>({ max: 1000 });

  const call = async <R>(what: string, work: (on: StoreBackend) => Promise<R>): Promise<R> => {
    const on = backend();
    try {
      return await within(timeout, () => work(on));
    } catch (error) {
      throw new StoreError(`The store (${on.name}) could not ${what} in "${namespace}".`, {
        cause: error,
      });
    }
  };
  const write = async <R>(what: string, work: (on: StoreBackend) => Promise<R>): Promise<R> => {
    const answer = await call(what, work);
    written?.(backend());
    return answer;
  };

  const beside = (key: string, shelf: string) =>
    `${namespace}--${shelf}${key.slice(namespace.length)}`;

  // Moved by compare-and-set to a record that is over: whoever repaired it meanwhile wins.
  const quarantine = async (key: string, raw: string): Promise<void> => {
    const kept = Date.now() + QUARANTINE;
    await write("move", (on) => on.put(beside(key, "unreadable"), raw, kept));
    await write("move", (on) => on.compareAndSet(key, raw, "", Date.now()));
  };

  const reportOnce = (key: string, text: string): void => {
    if (reported.get(key)) return;
    reported.set(key, true);
    logger.error(new StoreError(`A record of "${namespace}" ${text}.`, { cause: { record: key } }));
  };

  const open = async (
    key: string,
    raw: string | null,
    taken = false,
  ): Promise<StoreEntry<T> | undefined> => {
    if (raw === null) return undefined;
    const opened = openRecord(raw);
    if (opened.kind === "newer") {
      reportOnce(key, "was written by a newer version and counts as absent");
      return undefined;
    }
    if (opened.kind === "value") {
      const { value, expires } = opened;
      if (expires !== undefined && expires <= Date.now()) return undefined;
      if (isSound(value))
        return { value: value as T, raw, ...(expires !== undefined && { expires }) };
    }
    reportOnce(key, "is unreadable, counts as absent and is moved aside");
    if (typeof raw === "string" && !taken) {
      await quarantine(key, raw).catch((error: Error) => logger.error(error));
    }
    return undefined;
  };

  const read = async (key: string) => open(key, await call("get", (on) => on.get(key)));

  // Two records of one value must differ where the mark that one of them is used up may outlive it.
  const seal = (value: unknown, expires: number | undefined) =>
    sealRecord(value, expires, backend().take ? undefined : randomHex(8));

  const burn = async (key: string): Promise<T | undefined> => {
    const found = await read(key);
    if (!found) return undefined;
    const { raw, expires = Date.now() + DAY } = found;
    const mark = `${namespace}--burnt.${await sha256Hex(`${key} ${raw}`)}`;
    // Whoever read the record before it went must still find the mark.
    const won = await write("take", (on) => on.putIfAbsent(mark, "", expires + 10 * MINUTE));
    if (expires <= Date.now()) return undefined;
    // Nobody can take it now. It is removed also by who comes second: the first may have died.
    await write("delete", (on) => on.compareAndSet(key, raw, "", Date.now()));
    return won ? found.value : undefined;
  };

  return {
    async get(key) {
      return (await read(await recordKey(namespace, key)))?.value;
    },
    async read(key) {
      return read(await recordKey(namespace, key));
    },
    async put(key, value, { ttl } = {}) {
      const name = await recordKey(namespace, key);
      const expires = endOf(ttl);
      const text = seal(value, expires);
      await write("put", (on) => on.put(name, text, expires));
    },
    async putIfAbsent(key, value, { ttl } = {}) {
      const name = await recordKey(namespace, key);
      const expires = endOf(ttl);
      const text = seal(value, expires);
      return write("put", (on) => on.putIfAbsent(name, text, expires));
    },
    async take(key) {
      const name = await recordKey(namespace, key);
      if (!backend().take) return burn(name);
      const raw = await call("take", (on) => (on as Required<StoreBackend>).take(name));
      return (await open(name, raw, true))?.value;
    },
    async compareAndSet(key, expected, value, { ttl } = {}) {
      const name = await recordKey(namespace, key);
      const expires = ttl === undefined ? expected.expires : endOf(ttl);
      const text = seal(value, expires);
      return write("change", (on) => on.compareAndSet(name, expected.raw, text, expires));
    },
    async increment(key, by = 1, { ttl } = {}) {
      const name = await recordKey(namespace, key);
      if (!Number.isSafeInteger(by)) throw new PluginError("A counter counts in whole numbers.");
      const expires = endOf(ttl);
      return write("count", (on) => on.increment(name, by, expires));
    },
    async delete(key) {
      const name = await recordKey(namespace, key);
      return call("delete", (on) => on.delete(name));
    },
    async *scan(group) {
      const prefix = group === undefined ? namespace : await recordKey(namespace, group);
      // Some backends tell a key twice while they reorganise themselves.
      const seen = new Set<string>();
      let cursor: string | undefined;
      do {
        const from = cursor;
        const page: StorePage = await call("list", (on) =>
          on.scan(`${prefix}.`, { limit: PAGE, ...(from !== undefined && { cursor: from }) }),
        );
        const fresh = page.keys.filter((key) => !seen.has(key));
        for (const key of fresh) seen.add(key);
        for (const entry of await Promise.all(fresh.map(read))) if (entry) yield entry.value;
        cursor = page.cursor;
      } while (cursor !== undefined);
    },
  };
}

/** A plugin that brings a backend. */
export interface StorePlugin extends Plugin {
  /** For `sweepStore`, tests and tools. */
  readonly backend: StoreBackend;
}

/**
 * Makes a plugin of a backend.
 * @example createAuth().use(defineStore(myBackend))
 */
export function defineStore(backend: StoreBackend): StorePlugin {
  return {
    name: `store:${backend.name}`,
    backend,
    setup: (kernel) => kernel.setStore(backend),
  };
}
