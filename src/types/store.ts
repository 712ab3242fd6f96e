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
  /** The plugin can do without: its calls throw `PluginError` where nobody has set a store. */
  readonly optional?: boolean;
  /** Whether a value is one of the plugin's; another one counts as unreadable. Default: all are. */
  readonly isSound?: (value: unknown) => boolean;
}

/** One page of a scan; it may be empty and not the last. */
export interface StorePage {
  readonly keys: readonly string[];
  /** Where to go on; absent at the end. */
  readonly cursor?: string;
}

/**
 * Where records lie. Keys are short plain text made by the store (`[a-z0-9-]` and dots, at most 240
 * characters), values are text. `expires` is in milliseconds since the epoch by the caller's clock; a
 * record past it counts as absent in every operation, also one that was written that way. An error is
 * thrown, never answered as absence.
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
  /**
   * Adds to a counter that starts at 0 and answers the sum; `expires` counts from its first write.
   * The record is the sum in decimal digits. Throws when there is a record that is no such number.
   */
  increment(key: string, by: number, expires?: number): Promise<number>;
  /** Answers whether something was there. */
  delete(key: string): Promise<boolean>;
  /**
   * Keys that start with `prefix`, which ends in a dot; about `limit` a page, in no order. What is
   * there from the first page to the last is told at least once.
   */
  scan(prefix: string, options: { limit: number; cursor?: string }): Promise<StorePage>;
  /**
   * Removes expired records, at most `limit`, in bounded time; the next call goes on from there.
   * Answers how many. Absent where TTL is native.
   */
  sweep?(limit: number): Promise<number>;
  /** Releases connections that the backend itself opened. */
  close?(): Promise<void>;
}

/** A key from outside: one value, or up to three of which the first ones group (`scan`). */
export type StoreKey =
  | string
  | readonly [string]
  | readonly [string, string]
  | readonly [string, string, string];

/** A record as read, to be changed only if nobody else has changed it. */
export interface StoreEntry<T> {
  readonly value: T;
  /** The record's text, for `compareAndSet`. */
  readonly raw: string;
  /** When it ends, in milliseconds since the epoch. */
  readonly expires?: number;
}

/** Options of a write. */
export interface StoreWrite {
  /** Lifetime in milliseconds. Without it, or `Infinity`: none, but `compareAndSet` keeps the old end. */
  readonly ttl?: number;
}

/** How a backend is set. */
export interface StoreSetting {
  /** Serves only where nobody sets another one, and never in production. */
  readonly fallback?: boolean;
}

/**
 * A plugin's own shelf. Every part of a key is hashed (no outside value stands in a key), values are
 * JSON in an envelope with its own expiry. Whatever the backend throws, and its silence for two
 * seconds, becomes a `StoreError`; what was asked may then have happened or not.
 *
 * An unreadable record counts as absent: it is logged once and moved aside, so that its key can be
 * used again. A record of a newer version of the library counts as absent too, but stays where it is.
 * @template T what a record holds: JSON values; dates as ISO text.
 */
export interface Store<T> {
  get(key: StoreKey): Promise<T | undefined>;
  /** The record with what `compareAndSet` needs. */
  read(key: StoreKey): Promise<StoreEntry<T> | undefined>;
  put(key: StoreKey, value: T, options?: StoreWrite): Promise<void>;
  /** Whether it wrote. After `false` a read may still find nothing: the record has just gone. */
  putIfAbsent(key: StoreKey, value: T, options?: StoreWrite): Promise<boolean>;
  /** Reads and deletes; of many at once exactly one gets the value. */
  take(key: StoreKey): Promise<T | undefined>;
  /** Whether it wrote: only over the very record that was read. */
  compareAndSet(
    key: StoreKey,
    expected: StoreEntry<T>,
    value: T,
    options?: StoreWrite,
  ): Promise<boolean>;
  /** Adds to a counter and answers the sum; its lifetime counts from its first write. */
  increment(key: StoreKey, by?: number, options?: StoreWrite): Promise<number>;
  delete(key: StoreKey): Promise<boolean>;
  /** Values whose keys go on after `group`, or all of this shelf; read page by page, in no order. */
  scan(group?: StoreKey): AsyncIterable<T>;
}
