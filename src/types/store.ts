/** What a backend promises. */
export interface StoreGuarantees {
  /** Who sees the same records: this process, all processes of this host, or everybody. */
  readonly scope: "process" | "host" | "global";
  /** `strong`: a read after an acknowledged write sees it, and the atomic operations are atomic. */
  readonly consistency: "strong" | "eventual";
  /** How expired records leave: by the backend itself, or by `sweep`. */
  readonly ttl: "native" | "sweep";
  /** Whether acknowledged writes outlive the process. */
  readonly durable: boolean;
}

/** What a plugin needs of the store it asks for. */
export interface StoreNeeds {
  /** One-time values or unique claims: `putIfAbsent` must be atomic. */
  readonly atomic?: boolean;
  /** Records must outlive the process, in production. */
  readonly durable?: boolean;
}

/** One page of a scan. */
export interface StorePage {
  readonly keys: readonly string[];
  /** Where to go on; absent at the end. */
  readonly cursor?: string;
}

/**
 * Where records lie. Keys are short plain text made by the store (`[a-z0-9-]` and dots, at most 200
 * characters), values are text. `expires` is in milliseconds since the epoch; a record past it counts
 * as absent in every operation. An error is thrown, never answered as absence.
 */
export interface StoreBackend {
  /** Name of the driver, for messages. */
  readonly name: string;
  readonly guarantees: StoreGuarantees;
  /** Whether `putIfAbsent` is atomic among all who share the records. */
  readonly atomic: boolean;
  get(key: string): Promise<string | null>;
  put(key: string, value: string, expires?: number): Promise<void>;
  /** Writes when nothing is there; of many at once exactly one is told `true`. */
  putIfAbsent(key: string, value: string, expires?: number): Promise<boolean>;
  /** Reads and deletes; of many at once exactly one gets the value. Without it, burn markers serve. */
  take?(key: string): Promise<string | null>;
  /** Writes when the value is still `expected`; of many at once exactly one is told `true`. */
  compareAndSet(key: string, expected: string, value: string, expires?: number): Promise<boolean>;
  /** Adds to a counter that starts at 0; `expires` counts from its first write. Answers the sum. */
  increment(key: string, by: number, expires?: number): Promise<number>;
  /** Answers whether something was there. */
  delete(key: string): Promise<boolean>;
  /** Keys that start with `prefix`, at most `limit` a page, in no order. */
  scan(prefix: string, options: { limit: number; cursor?: string }): Promise<StorePage>;
  /** Removes expired records, at most `limit`. Answers how many. Absent where TTL is native. */
  sweep?(limit: number): Promise<number>;
  /** Releases connections that the backend itself opened. */
  close?(): Promise<void>;
}

/** A key from outside: one value, or several of which the first ones group (`scan`). */
export type StoreKey = string | readonly [string, ...string[]];

/** A record as read, to be changed only if nobody else has changed it. */
export interface StoreEntry<T> {
  readonly value: T;
  /** The record's text, for `compareAndSet`. */
  readonly raw: string;
}

/** Options of a write. */
export interface StoreWrite {
  /** Lifetime in milliseconds. */
  readonly ttl?: number;
}

/**
 * A plugin's own shelf. Every part of a key is hashed (no outside value stands in a key), values are
 * JSON in an envelope with its own expiry.
 * @template T what a record holds: JSON values; dates as ISO text.
 */
export interface Store<T> {
  get(key: StoreKey): Promise<T | undefined>;
  /** The record with what `compareAndSet` needs. */
  read(key: StoreKey): Promise<StoreEntry<T> | undefined>;
  put(key: StoreKey, value: T, options?: StoreWrite): Promise<void>;
  putIfAbsent(key: StoreKey, value: T, options?: StoreWrite): Promise<boolean>;
  /** Reads and deletes, once. */
  take(key: StoreKey): Promise<T | undefined>;
  compareAndSet(key: StoreKey, expected: StoreEntry<T>, value: T, options?: StoreWrite): Promise<boolean>;
  increment(key: StoreKey, by?: number, options?: StoreWrite): Promise<number>;
  delete(key: StoreKey): Promise<boolean>;
  /** Values whose keys start with `group`, a page at a time. */
  scan(group: StoreKey): AsyncIterable<T>;
}
