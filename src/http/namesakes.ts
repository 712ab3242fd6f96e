import type { CandidateOptions } from "../types/cookie.ts";

// Browsers keep 4096 bytes of name, value and attributes (RFC 6265 section 6.1); 160 are left for all but the
// value.
/** Bytes of a cookie's part: all parts but the last have this size. */
export const CHUNK_BYTES: number = 4096 - 160;
/** Parts of one cookie. */
export const MAX_CHUNKS = 10;

// A browser keeps one cookie of a name for each parent domain and each path prefix, so only a few.
const MAX_CANDIDATES = 32;
/** Maximum number of characters of joined parts to examine, about a hundred tokens. The likely ones are tried. */
const MAX_JOINED_CHARACTERS = 1_000_000;
/** Bytes of a character's longest escape, which is not split. */
const MAX_ESCAPE_BYTES = 12;

/**
 * Returns the value of a cookie. If there is no whole cookie, it is joined from `name.0`, `name.1`, ... without a gap,
 * so that no other cookie can become part of the value.
 */
export function readChunks(
  get: (name: string) => string | undefined,
  name: string,
): string | undefined {
  const whole = get(name);
  if (whole) return whole;
  let value = "";
  for (let at = 0; at < MAX_CHUNKS; at++) {
    const chunk = get(`${name}.${at}`);
    if (!chunk) break;
    value += chunk;
  }
  return value || undefined;
}

function isFull(chunk: string): boolean {
  if (chunk.length >= CHUNK_BYTES - MAX_ESCAPE_BYTES) return true;
  // Escapes in another encoder's tokens count too.
  return (
    chunk.length * MAX_ESCAPE_BYTES >= CHUNK_BYTES &&
    encodeURIComponent(chunk).length > CHUNK_BYTES - MAX_ESCAPE_BYTES
  );
}

// Only full parts are followed by another part, so that short ones, however many, do not multiply the combinations.
function* joinParts(parts: readonly (readonly string[])[], at = 0, start = ""): Generator<string> {
  for (const chunk of parts[at] ?? []) {
    if (isFull(chunk)) yield* joinParts(parts, at + 1, start + chunk);
    if (at > 0) yield start + chunk;
  }
}

function readParts(
  getAll: (name: string) => readonly string[],
  name: string,
): (readonly string[])[] {
  const parts: (readonly string[])[] = [];
  for (let at = 0; at < MAX_CHUNKS; at++) {
    const chunks = getAll(`${name}.${at}`);
    if (!chunks.length) break;
    parts.push(chunks.length > 1 ? [...new Set(chunks)] : chunks);
  }
  return parts;
}

// The first value of each part comes first, joined whatever its size.
function* listJoined(parts: readonly (readonly string[])[]): Generator<string> {
  if (!parts.length) return;
  yield parts.map(([chunk]) => chunk).join("");
  yield* joinParts(parts);
}

// Returns all parts joined, then joined without the last ones, which a sibling host may have added.
function joinOnce(chunks: readonly string[]): string[] {
  if (!chunks.length) return [];
  const values = [chunks.join("")];
  let [start = ""] = chunks;
  for (let at = 1; at < chunks.length - 1 && isFull(chunks[at - 1] ?? ""); at++) {
    start += chunks[at];
    values.push(start);
  }
  return values;
}

/**
 * Returns the possible values of a cookie if several cookies with its name, or the names of its parts, were sent. Each
 * value is listed once, the likely ones first, at most 32.
 */
export function listNamesakes(
  getAll: (name: string) => readonly string[],
  name: string,
  { isLikely }: CandidateOptions = {},
): string[] {
  const whole = getAll(name);
  // True for nearly all requests.
  if (whole.length === 1 && !getAll(`${name}.0`).length) return [...whole];
  const parts = readParts(getAll, name);
  // True for nearly all other requests.
  if (!whole.length && parts.every(({ length }) => length === 1)) return joinOnce(parts.flat());
  const found = new Set(whole);
  let characters = 0;
  for (const value of listJoined(parts)) {
    found.add(value);
    characters += value.length;
    if (characters > MAX_JOINED_CHARACTERS) break;
  }
  const likely: string[] = [];
  const others: string[] = [];
  for (const value of found) (isLikely?.(value) ? likely : others).push(value);
  return [...likely, ...others].slice(0, MAX_CANDIDATES);
}
