import { sha256Hex } from "../crypto/crypto.ts";
import { describeMisspelled } from "../errors/did-you-mean.ts";
import { PluginError } from "../errors/errors.ts";
import { all, andThen } from "../platform/awaitable.ts";
import { nameType } from "../platform/type-name.ts";
import type { Awaitable } from "../types/models.ts";
import type { StoreKey, StoreWrite } from "../types/store.ts";

/** A parsed record: its value, or the reason why it cannot be used. */
export type OpenedRecord =
  | { readonly kind: "value"; readonly value: unknown; readonly expires?: number }
  | { readonly kind: "newer" }
  | { readonly kind: "broken" };

const VERSION = 1;
const COUNTER = /^-?\d{1,16}$/;
const MAX_KEY_PARTS = 3;

/** Returns the prefix of all keys of a namespace in one space. */
export function groupPrefix(namespace: string, space?: { readonly tag: string }): string {
  return space ? `${namespace}.${space.tag}` : namespace;
}

/** Returns the text to hash for a part of a key. */
export function toHashed(namespace: string, at: number, part: string): string {
  // JSON separates the fields and keeps lone surrogates distinct, which UTF-8 would all map to U+FFFD.
  return JSON.stringify(["keyhook record", namespace, at, part]);
}

/**
 * Separates the records of one application from those of others in the same backend. Parts of keys are hashed by
 * HMAC-SHA-256 in hex with a key of the space.
 */
export interface StoreSpace {
  /** Returns the hash of a key's part by its position in the key. */
  hash(namespace: string, at: number, part: string): Awaitable<string>;
  /** Precedes the parts in a record's key, so that a namespace can be listed: 8 characters of `[a-z0-9]`. */
  readonly tag: string;
}

/**
 * Returns a record's key in the backend: the namespace, the tag of the space, and one hex hash per part, joined by
 * dots. The hashes are HMAC-SHA-256 with the space's key: a reader of the store cannot test guesses, and applications
 * with other spaces cannot find the records. Without a space, they are SHA-256.
 * @throws PluginError unless the key has one to three parts, all strings.
 */
export function recordKey(namespace: string, key: StoreKey, space?: StoreSpace): Awaitable<string> {
  const parts = (Array.isArray(key) ? key : [key]) as readonly string[];
  if (
    !parts.length ||
    parts.length > MAX_KEY_PARTS ||
    parts.some((part) => typeof part !== "string")
  ) {
    throw new PluginError(
      `A key of the store "${namespace}" must be a string, or an array of one to three strings.`,
    );
  }
  const hashes = parts.map((part, at) =>
    space ? space.hash(namespace, at, part) : sha256Hex(toHashed(namespace, at, part)),
  );
  const prefix = groupPrefix(namespace, space);
  return andThen(all(hashes), (found) => `${prefix}.${found.join(".")}`);
}

/**
 * Returns the lifetime in the options of a write.
 * @throws PluginError when the options are not an object, or misspelled.
 */
export function getTtl(namespace: string, options: StoreWrite | undefined): number | undefined {
  if (options === undefined) return undefined;
  const text = `A write to the store "${namespace}"`;
  const type = nameType(options);
  if (type !== "an object") {
    throw new PluginError(
      `${text} has ${type} instead of options. Pass an object: { ttl: milliseconds }.`,
    );
  }
  const hints = describeMisspelled(options, ["ttl"]);
  if (hints) throw new PluginError(text + hints);
  return options.ttl;
}

/**
 * Returns the expiry of a record, in milliseconds since the epoch; `undefined` if it does not expire.
 * @throws PluginError when `ttl` is not a number.
 */
export function getExpiry(ttl: number | undefined): number | undefined {
  if (ttl === undefined || ttl === Infinity) return undefined;
  if (typeof ttl !== "number" || Number.isNaN(ttl)) {
    throw new PluginError("The `ttl` of a record must be a number of milliseconds.");
  }
  return Math.ceil(Date.now() + ttl);
}

/**
 * Returns the text of a record. `nonce` makes two records of the same value differ.
 * @throws PluginError when the value is `undefined` or a function; the TypeError of `JSON.stringify`, such as for a
 * cycle.
 */
export function sealRecord(value: unknown, expires?: number, nonce?: string): string {
  const data = JSON.stringify(value) as string | undefined;
  if (data === undefined) {
    throw new PluginError(
      "The value of a record must be a JSON value, not undefined or a function.",
    );
  }
  const member = nonce === undefined ? "" : `,"n":${JSON.stringify(nonce)}`;
  return `{"v":${VERSION},"e":${expires ?? null}${member},"d":${data}}`;
}

/** Parses the text of a record. A counter consists only of its decimal digits. */
export function openRecord(raw: unknown): OpenedRecord {
  if (typeof raw !== "string") return { kind: "broken" };
  if (COUNTER.test(raw)) return { kind: "value", value: Number(raw) };
  let record: { v?: unknown; e?: unknown; d?: unknown } | null;
  try {
    record = JSON.parse(raw) as typeof record;
  } catch {
    return { kind: "broken" };
  }
  if (typeof record !== "object" || record === null) return { kind: "broken" };
  const { v, e, d } = record;
  if (typeof v === "number" && Number.isInteger(v) && v > VERSION) return { kind: "newer" };
  if (v !== VERSION || d === undefined) return { kind: "broken" };
  if (e === null) return { kind: "value", value: d };
  if (typeof e === "number") return { kind: "value", value: d, expires: e };
  return { kind: "broken" };
}
