import { decodeText } from "../../../src/_kit.ts";
import { refusal } from "./error.ts";

/** Bytes that are not in shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A CBOR value of the kinds that authenticators write. */
export type Cbor = number | string | boolean | null | undefined | Bytes | Cbor[] | CborMap;

export type CborMap = Map<number | string, Cbor>;

interface Cursor {
  bytes: Bytes;
  at: number;
  depth: number;
  items: number;
}

// CTAP 2.2, section 8: at most four levels of maps and arrays, no tags, and definite lengths.
const MAX_DEPTH = 4;
/** More items than any response has. Small items cost far more to read than their size suggests. */
const MAX_ITEMS = 256;
const SIMPLE: ReadonlyMap<number, Cbor> = new Map<number, Cbor>([
  [20, false],
  [21, true],
  [22, null],
  [23, undefined],
]);

const malformed = () => refusal("The CBOR of the response is malformed.");

function take(cursor: Cursor, length: number): Bytes {
  const end = cursor.at + length;
  if (end > cursor.bytes.length) throw malformed();
  const taken = cursor.bytes.subarray(cursor.at, end);
  cursor.at = end;
  return taken;
}

function readArgument(cursor: Cursor, info: number): number {
  if (info < 24) return info;
  if (info > 27) throw malformed();
  let value = 0;
  for (const byte of take(cursor, 2 ** (info - 24))) value = value * 256 + byte;
  if (!Number.isSafeInteger(value)) throw malformed();
  return value;
}

function readText(cursor: Cursor, length: number): string {
  const text = decodeText(take(cursor, length));
  if (text === undefined) throw malformed();
  return text;
}

// A false length does no harm: reading stops where the bytes end.
function readArray(cursor: Cursor, length: number): Cbor[] {
  const items: Cbor[] = [];
  for (let at = 0; at < length; at++) items.push(readItem(cursor));
  return items;
}

function readMap(cursor: Cursor, length: number): CborMap {
  const map: CborMap = new Map();
  for (let at = 0; at < length; at++) {
    const key = readItem(cursor);
    const isKey = typeof key === "number" || typeof key === "string";
    if (!isKey || map.has(key)) throw malformed();
    map.set(key, readItem(cursor));
  }
  return map;
}

function nest<T>(cursor: Cursor, read: () => T): T {
  if (++cursor.depth > MAX_DEPTH) throw malformed();
  const value = read();
  cursor.depth--;
  return value;
}

function readItem(cursor: Cursor): Cbor {
  if (++cursor.items > MAX_ITEMS) throw malformed();
  const [head = 0] = take(cursor, 1);
  const info = head & 31;
  const type = head >> 5;
  if (type === 7) {
    if (!SIMPLE.has(info)) throw malformed();
    return SIMPLE.get(info);
  }
  const argument = readArgument(cursor, info);
  if (type === 0) return argument;
  if (type === 1) return -1 - argument;
  if (type === 2) return take(cursor, argument);
  if (type === 3) return readText(cursor, argument);
  if (type === 4) return nest(cursor, () => readArray(cursor, argument));
  if (type === 5) return nest(cursor, () => readMap(cursor, argument));
  throw malformed();
}

/**
 * Reads the map that begins at a position. Returns the map and its end.
 * @throws WebAuthnVerificationError
 */
export function readCborMap(bytes: Bytes, start = 0): { map: CborMap; end: number } {
  const cursor: Cursor = { bytes, at: start, depth: 0, items: 0 };
  const map = readItem(cursor);
  if (!(map instanceof Map)) throw malformed();
  return { map, end: cursor.at };
}

/**
 * Reads bytes that contain one map and nothing after it.
 * @throws WebAuthnVerificationError
 */
export function decodeCborMap(bytes: Bytes): CborMap {
  const { map, end } = readCborMap(bytes);
  if (end !== bytes.length) throw refusal("The CBOR of the response has trailing bytes.");
  return map;
}
