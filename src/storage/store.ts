import { randomHex, sha256Hex } from "../crypto/crypto.ts";
import { PluginError, StoreError } from "../errors/errors.ts";
import { andThen, isPromise, orElse } from "../platform/awaitable.ts";
import { createCache } from "../platform/cache.ts";
import { withTimeout } from "../platform/timeout.ts";
import type { BoundedCache } from "../types/cache.ts";
import type { Awaitable } from "../types/models.ts";
import type { Logger } from "../types/options.ts";
import type {
  DirectStore,
  Store,
  StoreBackend,
  StoreEntry,
  StoreKey,
  StoreRequirements,
  StorePage,
} from "../types/store.ts";
import { toStore } from "./direct-store.ts";
import {
  getExpiry,
  getTtl,
  groupPrefix,
  openRecord,
  recordKey,
  sealRecord,
  type StoreSpace,
} from "./record.ts";
import type { FindSpace } from "./space.ts";

/** Options of `createStore`. */
export interface StoreOptions {
  readonly namespace: string;
  /**
   * Returns the backend. Called for every operation, because a plugin may set the backend after another plugin got its
   * store.
   */
  backend(): StoreBackend;
  readonly logger: Pick<Required<Logger>, "error">;
  /** Time limit of a backend call in milliseconds. Default 2000. */
  readonly timeout?: number;
  /** Whether a value is a valid record of this store. Default: all are. */
  readonly validate?: StoreRequirements["validate"];
  /** What an unreadable record counts as. Default `absent`. */
  readonly unreadable?: StoreRequirements["unreadable"];
  /** Finds the space of the records. Default: they are in none. */
  readonly space?: FindSpace;
  /** Keys of the unreadable records that were reported, so that each is reported once. Default: a separate cache. */
  readonly reported?: BoundedCache<true>;
  /** Called after each write, but not after a removal: `delete`, or `take` of the backend. */
  written?(backend: StoreBackend): void;
}

/** Number of records per page of a scan. The records of one page are read concurrently. */
const PAGE_SIZE = 50;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** How long an unreadable record is kept for inspection. */
const QUARANTINE_MS = 30 * DAY_MS;

/** Creates a store in a namespace of a backend. The namespace must have been checked. */
export function createStore<T>(settings: StoreOptions): Store<T> {
  const { namespace, backend, logger, timeout = 2000, validate = () => true, written } = settings;
  const { reported = createCache<true>({ max: 1000 }) } = settings;
  const isError = settings.unreadable === "error";

  const call = <R>(what: string, work: (on: StoreBackend) => Awaitable<R>): Awaitable<R> => {
    const on = backend();
    const explain = () =>
      new Error(`The backend did not respond within ${timeout} ms (\`storageTimeout\`).`);
    return orElse(
      () => {
        const result = work(on);
        // A backend that never settles costs one timer, and nothing else is retained.
        return isPromise(result) ? withTimeout(result, timeout, explain) : result;
      },
      // A rejection, even if the backend throws: with two concurrent operations, neither may go unawaited.
      async (cause) => {
        throw new StoreError(`The store (${on.name}) could not ${what} in "${namespace}".`, {
          cause,
        });
      },
    );
  };
  const write = <R>(what: string, work: (on: StoreBackend) => Awaitable<R>): Awaitable<R> =>
    andThen(call(what, work), (result) => {
      written?.(backend());
      return result;
    });

  let known: { readonly on: StoreBackend; readonly space: StoreSpace } | undefined;
  const loadSpace = async (find: FindSpace): Promise<StoreSpace> => {
    // During setup, another plugin may set the backend before the first call continues.
    if (!known) await undefined;
    const on = backend();
    if (known?.on !== on) known = { on, space: await call("find the records", find) };
    return known.space;
  };
  const findSpace = (): Awaitable<StoreSpace | undefined> => {
    const { space: find } = settings;
    if (!find) return undefined;
    return known && known.on === backend() ? known.space : loadSpace(find);
  };
  const toKey = (key: StoreKey): Awaitable<string> =>
    andThen(findSpace(), (space) => recordKey(namespace, key, space));

  // Two records of the same value must differ, because the marker that one of them was used may outlive it.
  const seal = (value: unknown, expires: number | undefined) =>
    sealRecord(value, expires, backend().take ? undefined : randomHex(8));

  const getQuarantineKey = (key: string) =>
    `${namespace}--unreadable${key.slice(namespace.length)}`;

  // A backend has no conditional delete, so the record is replaced with one that has expired, even for a process with a
  // slow clock.
  const deleteExact = (what: string, key: string, raw: string): Awaitable<boolean> => {
    const ended = Date.now() - DAY_MS;
    return write(what, (on) => on.compareAndSet(key, raw, seal(null, ended), ended));
  };

  // A process that repaired the record concurrently wins.
  const quarantine = async (key: string, raw: string): Promise<void> => {
    const kept = Date.now() + QUARANTINE_MS;
    await write("move", (on) => on.put(getQuarantineKey(key), raw, kept));
    await deleteExact("move", key, raw);
  };
  const moveAside = async (key: string, raw: string): Promise<undefined> => {
    await quarantine(key, raw).catch((error: Error) => logger.error(error));
  };

  const reportOnce = (key: string, why: string, then: string): void => {
    const cause = { record: key };
    if (isError) throw new StoreError(`A record of "${namespace}" ${why}.`, { cause });
    if (reported.get(key)) return;
    reported.set(key, true);
    logger.error(new StoreError(`A record of "${namespace}" ${why}${then}.`, { cause }));
  };

  const open = (
    key: string,
    raw: string | null,
    isTaken = false,
  ): Awaitable<StoreEntry<T> | undefined> => {
    if (raw === null) return undefined;
    const opened = openRecord(raw);
    if (opened.kind === "newer") {
      reportOnce(key, "was written by a newer version", " and counts as absent");
      return undefined;
    }
    if (opened.kind === "value") {
      const { value, expires } = opened;
      if (expires !== undefined && expires <= Date.now()) return undefined;
      if (validate(value))
        return { value: value as T, raw, ...(expires !== undefined && { expires }) };
    }
    const isKept = typeof raw === "string" && !isTaken;
    const then = isKept ? ", counts as absent and is moved aside" : " and counts as absent";
    reportOnce(key, "is unreadable", then);
    return isKept ? moveAside(key, raw) : undefined;
  };

  const read = (key: string): Awaitable<StoreEntry<T> | undefined> =>
    andThen(
      call("get", (on) => on.get(key)),
      (raw) => open(key, raw),
    );

  // Implements `take` for backends without it: the caller that writes the record's marker gets its value.
  const takeByMarker = async (key: string): Promise<T | undefined> => {
    const found = await read(key);
    if (!found) return undefined;
    const { raw, expires = Date.now() + DAY_MS } = found;
    const marker = `${namespace}--burnt.${await sha256Hex(`${key} ${raw}`)}`;
    // A caller that read the record before its deletion must still find the marker.
    const won = await write("take", (on) => on.putIfAbsent(marker, "", expires + 10 * MINUTE_MS));
    if (expires <= Date.now()) return undefined;
    // The record can no longer be taken. A caller that lost deletes it too, since the first may have died.
    await deleteExact("delete", key, raw);
    return won ? found.value : undefined;
  };

  const direct: DirectStore<T> = {
    isAvailable: true,
    get: (key) => andThen(direct.read(key), (entry) => entry?.value),
    read: (key) => andThen(toKey(key), read),
    put: (key, value, options) =>
      andThen(toKey(key), (name) => {
        const expires = getExpiry(getTtl(namespace, options));
        const text = seal(value, expires);
        return write("put", (on) => on.put(name, text, expires));
      }),
    putIfAbsent: (key, value, options) =>
      andThen(toKey(key), (name) => {
        const expires = getExpiry(getTtl(namespace, options));
        const text = seal(value, expires);
        return write("put", (on) => on.putIfAbsent(name, text, expires));
      }),
    take: (key) =>
      andThen(toKey(key), (name): Awaitable<T | undefined> => {
        if (!backend().take) return takeByMarker(name);
        const taken = call("take", (on) => (on as Required<StoreBackend>).take(name));
        const opened = andThen(taken, (raw) => open(name, raw, true));
        return andThen(opened, (entry) => entry?.value);
      }),
    compareAndSet: (key, expected, value, options) =>
      andThen(toKey(key), (name) => {
        const ttl = getTtl(namespace, options);
        const expires = ttl === undefined ? expected.expires : getExpiry(ttl);
        const text = seal(value, expires);
        return write("change", (on) => on.compareAndSet(name, expected.raw, text, expires));
      }),
    compareAndDelete: (key, expected) =>
      andThen(toKey(key), (name) => deleteExact("delete", name, expected.raw)),
    increment: (key, by = 1, options) =>
      andThen(toKey(key), (name) => {
        if (!Number.isSafeInteger(by)) {
          throw new PluginError(
            "A counter can only be incremented by a safe integer: increment(key, 1, { ttl: milliseconds }).",
          );
        }
        const expires = getExpiry(getTtl(namespace, options));
        return write("count", (on) => on.increment(name, by, expires));
      }),
    delete: (key) => andThen(toKey(key), (name) => call("delete", (on) => on.delete(name))),
    async *scan(group) {
      const space = await findSpace();
      const prefix =
        group === undefined
          ? groupPrefix(namespace, space)
          : await recordKey(namespace, group, space);
      // Some backends list a key twice while they reorganize their data.
      const seen = new Set<string>();
      let cursor: string | undefined;
      do {
        const from = cursor;
        const page: StorePage = await call("list", (on) =>
          on.scan(`${prefix}.`, { limit: PAGE_SIZE, ...(from !== undefined && { cursor: from }) }),
        );
        const fresh = page.keys.filter((key) => !seen.has(key));
        for (const key of fresh) seen.add(key);
        for (const entry of await Promise.all(fresh.map(read))) if (entry) yield entry.value;
        cursor = page.cursor;
      } while (cursor !== undefined);
    },
  };
  return toStore(direct);
}
