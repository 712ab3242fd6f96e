import type { Awaitable } from "./models.ts";

/** The guarantees that a backend declares. */
export interface StoreGuarantees {
  /** Which processes share the records: this process only, all processes of this host, or all. */
  readonly scope: "process" | "host" | "global";
  /** `strong`: a read sees every acknowledged write, and the atomic operations are atomic. */
  readonly consistency: "strong" | "eventual";
  /** How expired records are removed: by the backend itself, or by `sweep`. */
  readonly ttl: "native" | "sweep";
  /** Whether acknowledged writes outlive the process. */
  readonly durable: boolean;
}

/** What a plugin requires of its store; boot reports what the backend does not meet. */
export interface StoreRequirements {
  /** The plugin keeps one-time values or unique claims: `putIfAbsent` must be atomic. */
  readonly atomic?: boolean;
  /** Records must outlive the process in production. */
  readonly durable?: boolean;
  /** The plugin also works without a store; calls of its store then reject with `PluginError`. */
  readonly optional?: boolean;
  /**
   * Returns whether a value is a valid record of the plugin; an invalid one counts as unreadable. Default: all are
   * valid.
   */
  readonly validate?: (value: unknown) => boolean;
  /**
   * How a record that is unreadable, or of a newer version, is treated. `error`: reading it rejects with `StoreError`,
   * and it stays in place; for records whose absence grants access. Such records are found under any secret, so
   * applications on one store share them unless `storeNamespace` separates them. Default `absent`.
   */
  readonly unreadable?: "absent" | "error";
}

/** One page of a scan. A page may be empty without being the last. */
export interface StorePage {
  readonly keys: readonly string[];
  /** Position of the next page; absent on the last page. */
  readonly cursor?: string;
}

/**
 * A driver that keeps records. Keys are short plain text created by the store (`[a-z0-9-]` and dots, at most 240
 * characters); values are text. `expires` is in milliseconds since the epoch by the caller's clock; an expired record
 * counts as absent in every operation, even if it was already expired when written. A failure rejects; it is never
 * reported as an absent record. A synchronous backend may return values instead of promises, and throw.
 */
export interface StoreBackend {
  /** Name of the driver, for messages. */
  readonly name: string;
  readonly guarantees: StoreGuarantees;
  /** Whether `putIfAbsent` is atomic among all processes that share the records. */
  readonly atomic: boolean;
  /** Resolves to the value, or `null` when there is no record. */
  get(key: string): Awaitable<string | null>;
  /** Writes a record, over any that exists. */
  put(key: string, value: string, expires?: number): Awaitable<void>;
  /** Writes if there is no record. Atomic: of N concurrent callers exactly one gets `true`. */
  putIfAbsent(key: string, value: string, expires?: number): Awaitable<boolean>;
  /**
   * Reads and deletes. Atomic: of N concurrent callers exactly one gets the value. Without this method, the store
   * marks records as used by `putIfAbsent`.
   */
  take?(key: string): Awaitable<string | null>;
  /** Writes if the value is still `expected`. Atomic: of N concurrent callers exactly one gets `true`. */
  compareAndSet(key: string, expected: string, value: string, expires?: number): Awaitable<boolean>;
  /**
   * Adds to a counter that starts at 0, and resolves to the sum. `expires` takes effect only when the counter is
   * created. The record is the sum in decimal digits. Rejects if the record is not a number.
   */
  increment(key: string, by: number, expires?: number): Awaitable<number>;
  /** Resolves to whether there was a record. */
  delete(key: string): Awaitable<boolean>;
  /**
   * Lists keys that start with `prefix`, which ends in a dot; about `limit` keys per page, in no particular order. A
   * key that exists throughout the scan is listed at least once.
   */
  scan(prefix: string, options: { limit: number; cursor?: string }): Promise<StorePage>;
  /**
   * Removes expired records, at most `limit`, in bounded time; the next call continues from there. Resolves to the
   * number of removed records. Absent if `ttl` is `native`.
   */
  sweep?(limit: number): Promise<number>;
  /** Releases connections that the backend itself opened. */
  close?(): Promise<void>;
}

/** Bounds of a sweep. */
export interface SweepOptions {
  /** Maximum number of records to remove. Default 10000. */
  limit?: number;
}

/** The key of a record: one value, or up to three, of which the leading ones form groups (`scan`). */
export type StoreKey =
  | string
  | readonly [string]
  | readonly [string, string]
  | readonly [string, string, string];

/** A record as it was read, for an optimistic update by `compareAndSet` or `compareAndDelete`. */
export interface StoreEntry<T> {
  readonly value: T;
  /** The record's text, for `compareAndSet` and `compareAndDelete`. */
  readonly raw: string;
  /** Expiry in milliseconds since the epoch; absent if the record does not expire. */
  readonly expires?: number;
}

/** Options of a write. */
export interface StoreWrite {
  /**
   * Lifetime in milliseconds. Without it, or with `Infinity`, the record does not expire; `compareAndSet` without it
   * keeps the record's expiry.
   */
  readonly ttl?: number;
}

/** Options of `kernel.setStore`. */
export interface SetStoreOptions {
  /** Uses the backend only if no other one is set, and never in production. */
  readonly fallback?: boolean;
}

/**
 * A plugin's own store. Every part of a key is hashed, so that no outside value becomes part of a key (SECURITY.md
 * R1); values are JSON in an envelope with its own expiry. Every method rejects with `StoreError` if the backend
 * throws or does not settle within `storageTimeout`; the operation may or may not have taken effect then. It rejects
 * with `PluginError` if no store is set, or for an invalid key.
 *
 * An unreadable record counts as absent: it is logged once and moved aside, so that its key can be used again. A
 * record of a newer version of the library counts as absent too, but stays in place. With `unreadable: "error"`
 * reading either one rejects.
 * @template T the content of a record: JSON values; dates as ISO 8601 text.
 */
export interface Store<T> {
  /**
   * Whether the operations have a backend. `false` for an optional store if the application sets none, and during
   * `setup`, before a plugin has set it: each operation then throws PluginError. The development fallback does not count
   * for an optional store.
   */
  readonly isAvailable: boolean;
  /** Resolves to the value, or `undefined` when there is no readable record. */
  get(key: StoreKey): Promise<T | undefined>;
  /** Resolves to the record with the text that `compareAndSet` needs, or to `undefined` as `get` does. */
  read(key: StoreKey): Promise<StoreEntry<T> | undefined>;
  /** Writes a record, over any that exists. */
  put(key: StoreKey, value: T, options?: StoreWrite): Promise<void>;
  /**
   * Writes if there is no record. Atomic: of N concurrent callers exactly one gets `true`. After `false`, a read may
   * still find no record: it may have expired or been deleted in between.
   */
  putIfAbsent(key: StoreKey, value: T, options?: StoreWrite): Promise<boolean>;
  /** Reads and deletes. Atomic: of N concurrent callers exactly one gets the value. */
  take(key: StoreKey): Promise<T | undefined>;
  /** Writes over exactly the record that was read; resolves to whether it did. */
  compareAndSet(
    key: StoreKey,
    expected: StoreEntry<T>,
    value: T,
    options?: StoreWrite,
  ): Promise<boolean>;
  /** Deletes exactly the record that was read; resolves to whether it did. */
  compareAndDelete(key: StoreKey, expected: StoreEntry<T>): Promise<boolean>;
  /**
   * Adds a whole number (default 1) to a counter that starts at 0, and resolves to the sum. The lifetime is set when
   * the counter is created.
   */
  increment(key: StoreKey, by?: number, options?: StoreWrite): Promise<number>;
  /** Resolves to whether there was a record. */
  delete(key: StoreKey): Promise<boolean>;
  /**
   * Iterates over the values whose keys begin with the parts of `group` and have more parts, or over the whole store;
   * reads page by page, in no particular order.
   */
  scan(group?: StoreKey): AsyncIterable<T>;
}

type Direct<Operation> = Operation extends (...args: infer Args) => Promise<infer Result>
  ? (...args: Args) => Awaitable<Result>
  : Operation;

/**
 * A store whose operations return a value if the backend is synchronous, else a promise. A failure of the backend is a
 * rejection in either case.
 */
export type DirectStore<T> = { [Name in keyof Store<T>]: Direct<Store<T>[Name]> };
