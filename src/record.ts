import { sha256Hex } from "./crypto.ts";
import { PluginError } from "./errors.ts";
import type { StoreKey } from "./types/store.ts";

/** A record's text, read: what it holds, or why it cannot be used. */
export type Opened =
  | { readonly kind: "value"; readonly value: unknown; readonly expires?: number }
  | { readonly kind: "newer" }
  | { readonly kind: "broken" };

const VERSION = 1;
const COUNTER = /^-?\d{1,16}$/;
const NAMESPACE = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const NAMESPACE_LENGTH = 24;
const KEY_PARTS = 3;

/** Fails unless a text may be a namespace: single hyphens, since the double one is the store's own. */
export function checkNamespace(namespace: string): void {
  if (NAMESPACE.test(namespace) && namespace.length <= NAMESPACE_LENGTH) return;
  throw new PluginError(
    `"${namespace}" is no namespace of a store: lower-case words joined by "-", at most ` +
      `${NAMESPACE_LENGTH} characters.`,
  );
}

/**
 * The backend's key of a record: namespace and one SHA-256 for each part, joined by dots. The hashes
 * are not keyed by the secret: a secret rotates, and a claim must stay the same claim when it does.
 */
export async function recordKey(namespace: string, key: StoreKey): Promise<string> {
  const parts: readonly unknown[] = Array.isArray(key) ? key : [key];
  if (!parts.length || parts.length > KEY_PARTS || parts.some((part) => typeof part !== "string")) {
    throw new PluginError(`A key of the store "${namespace}" must be one to three strings.`);
  }
  let name = namespace;
  for (const [at, part] of parts.entries()) {
    // JSON tells the fields apart, and lone surrogates too, which UTF-8 would all make one.
    name += `.${await sha256Hex(JSON.stringify(["keyhook record", namespace, at, part]))}`;
  }
  return name;
}

/** When a life of so many milliseconds ends; `undefined`: never. */
export function endOf(ttl: number | undefined): number | undefined {
  if (ttl === undefined || ttl === Infinity) return undefined;
  if (typeof ttl !== "number" || Number.isNaN(ttl)) {
    throw new PluginError("The `ttl` of a record must be a number of milliseconds.");
  }
  return Math.ceil(Date.now() + ttl);
}

/** The text of a record; `nonce` tells two records of the same value apart. */
export function sealRecord(value: unknown, expires?: number, nonce?: string): string {
  const data = JSON.stringify(value) as string | undefined;
  if (data === undefined) throw new PluginError("A record must be a JSON value.");
  const mark = nonce === undefined ? "" : `,"n":${JSON.stringify(nonce)}`;
  return `{"v":${VERSION},"e":${expires ?? null}${mark},"d":${data}}`;
}

/** Reads a record's text; a counter is its bare digits. */
export function openRecord(raw: unknown): Opened {
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
