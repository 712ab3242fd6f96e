import { SessionTooLarge } from "../errors/errors.ts";
import { merge } from "../platform/merge.ts";
import {
  type CookieToSet,
  type Cookies,
  type CookieAttributes,
  type CookieDefaults,
  type CookieKey,
  type CookieOption,
  type CookiesOptions,
  type CandidateOptions,
} from "../types/cookie.ts";
import type { ResolvedConfig } from "../types/options.ts";
import { CHUNK_BYTES, listNamesakes, MAX_CHUNKS, readChunks } from "./namesakes.ts";

/** The names and attributes of the registered cookies by purpose, with overrides applied. */
export type CookieTable = Readonly<
  Record<CookieKey, { readonly name: string; readonly attributes: CookieAttributes }>
>;

/** Lifetime in seconds of a check cookie, and therefore of a sign-in attempt. */
export const CHECK_MAX_AGE_S = 900;

/** The cookies of the kernel. */
export const KERNEL_COOKIES: readonly [CookieKey, CookieDefaults][] = [
  ["sessionToken", { name: "authjs.session-token", prefix: "__Secure-" }],
  ["callbackUrl", { name: "authjs.callback-url", prefix: "__Secure-" }],
  ["csrfToken", { name: "authjs.csrf-token" }],
  // Auth.js has no such cookies.
  ["browser", { name: "keyhook.browser", maxAge: 86_400 }],
  ["pendingLogin", { name: "keyhook.pending-login", maxAge: 300 }],
];

/** The syntax of a cookie's name: a token of RFC 9110 (RFC 6265 section 4.1.1). */
export const COOKIE_NAME: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

// Name prefixes, in upper or lower case, for which browsers require attributes, always `Secure` (RFC 6265bis section
// 4.1.3).
const PREFIX = /^__(?:Host-Http|Host|Http|Secure)-(?=.)/i;

/** Returns the name that a cookie has over plain http, where browsers accept no prefixed name. */
export const toPlainName = (name: string): string => name.replace(PREFIX, "");

/** Returns whether cookies are those of https if no request is available to tell its origin. */
export function usesSecureCookies({
  useSecureCookies,
  origin,
  production,
}: Pick<ResolvedConfig, "useSecureCookies" | "origin" | "production">): boolean {
  return useSecureCookies ?? origin?.startsWith("https:") ?? production;
}

/** Builds the table of the registered cookies for https or http origins, with overrides applied. */
export function buildCookieTable(
  cookies: ReadonlyMap<string, CookieDefaults>,
  overrides: CookiesOptions,
  secure: boolean,
): CookieTable {
  const table = [...cookies].map(([key, { name, prefix = "__Host-", maxAge }]) => {
    const override: CookieOption = overrides[key as CookieKey] ?? {};
    const defaults: CookieAttributes = {
      httpOnly: true,
      sameSite: "lax",
      path: "/",
      secure,
      ...(maxAge !== undefined && { maxAge }),
    };
    return [
      key,
      {
        name: secure ? (override.name ?? prefix + name) : toPlainName(override.name ?? name),
        attributes: merge(defaults, override.options),
      },
    ];
  });
  return Object.fromEntries(table) as CookieTable;
}

const SPACE = 0x20;
const TAB = 0x09;
const isBlank = (code: number): boolean => code === SPACE || code === TAB;

// `trim()` also removes U+00A0 and similar characters. A browser accepts `\xA0__Host-name` from a sibling host, because
// to the browser this name has no prefix. A regular expression would take time quadratic in the number of blanks.
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  // Past the ends, `charCodeAt` returns NaN.
  while (isBlank(text.charCodeAt(start))) start++;
  while (isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Lists the cookies of a `Cookie` header as name and raw value. Names that are not tokens are left out. */
export function listCookies(header: string | null): [name: string, raw: string][] {
  const found: [string, string][] = [];
  for (const pair of header?.split(";") ?? []) {
    const at = pair.indexOf("=");
    if (at < 1) continue;
    const name = trimBlanks(pair.slice(0, at));
    if (COOKIE_NAME.test(name)) found.push([name, trimBlanks(pair.slice(at + 1))]);
  }
  return found;
}

/** The raw values of a `Cookie` header by name. The most specific cookie comes first (RFC 6265 section 5.4). */
type SentCookies = ReadonlyMap<string, readonly string[]>;

function parse(header: string | null): SentCookies {
  const found = new Map<string, string[]>();
  for (const [name, raw] of listCookies(header)) {
    const known = found.get(name);
    if (known) known.push(raw);
    else found.set(name, [raw]);
  }
  return found;
}

function decode(raw: string): string {
  const value = raw.startsWith('"') && raw.endsWith('"') && raw.length > 1 ? raw.slice(1, -1) : raw;
  if (!value.includes("%")) return value;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

// Keyhook's tokens need no escapes, but those of the application's own encoder may.
function split(value: string): string[] {
  const chunks: string[] = [];
  if (/^[\w.~-]*$/.test(value)) {
    for (let at = 0; at < value.length; at += CHUNK_BYTES)
      chunks.push(value.slice(at, at + CHUNK_BYTES));
    return chunks;
  }
  let chunk = "";
  let size = 0;
  for (const character of value) {
    const { length } = encodeURIComponent(character);
    if (size + length > CHUNK_BYTES) {
      chunks.push(chunk);
      chunk = "";
      size = 0;
    }
    chunk += character;
    size += length;
  }
  return [...chunks, chunk];
}

function decodeAll(raws: readonly string[] = []): string[] {
  return raws.map(decode).filter(Boolean);
}

/** Returns the possible values of a cookie in a `Cookie` header, as `getCandidates` of `Cookies` does. */
export function readNamesakes(
  header: string | null,
  name: string,
  options?: CandidateOptions,
): string[] {
  const sent = parse(header);
  return listNamesakes((part) => decodeAll(sent.get(part)), name, options);
}

// A class for speed, since every request creates one.
class RequestCookies implements Cookies {
  readonly #header: string | null;
  readonly #table: CookieTable;
  #sent: SentCookies | undefined;
  #pending: Map<string, CookieToSet> | undefined;

  constructor(header: string | null, table: CookieTable) {
    this.#header = header;
    this.#table = table;
  }

  spec(key: CookieKey): CookieTable[CookieKey] {
    return this.#table[key];
  }

  get(name: string): string | undefined {
    const later = this.#pending?.get(name);
    if (later) return later.value || undefined;
    const raw = this.#read().get(name)?.[0];
    return raw === undefined ? undefined : decode(raw);
  }

  getAll(name: string): string[] {
    const later = this.#pending?.get(name);
    if (later) return later.value ? [later.value] : [];
    return decodeAll(this.#read().get(name));
  }

  getCandidates(name: string, options?: CandidateOptions): string[] {
    return listNamesakes((part) => this.getAll(part), name, options);
  }

  isRepeated(name: string): boolean {
    const sent = this.#read();
    const isSplit = sent.has(`${name}.0`);
    if (sent.has(name) && isSplit) return true;
    return [...sent].some(([other, raws]) => raws.length > 1 && isPart(other, name));
  }

  names(): string[] {
    return [...this.#read().keys()];
  }

  set(name: string, value: string, attributes: CookieAttributes): void {
    this.#pending ??= new Map();
    this.#pending.set(name, { name, value, attributes });
  }

  clear(name: string, attributes: CookieAttributes): void {
    const { expires: _, ...rest } = attributes;
    this.set(name, "", { ...rest, maxAge: 0 });
  }

  getChunked(name: string): string | undefined {
    return readChunks((part) => this.get(part), name);
  }

  setChunked(name: string, value: string, attributes: CookieAttributes): void {
    const chunks = split(value);
    if (chunks.length > MAX_CHUNKS) {
      throw new SessionTooLarge(
        `"${name}" has ${value.length} characters; ${MAX_CHUNKS} cookies hold ` +
          `${MAX_CHUNKS * CHUNK_BYTES}. For a session, return fewer claims from the \`jwt\` callback, or use database sessions.`,
      );
    }
    this.clearChunked(name, attributes);
    if (chunks.length <= 1) return this.set(name, value, attributes);
    for (const [at, chunk] of chunks.entries()) this.set(`${name}.${at}`, chunk, attributes);
  }

  clearChunked(name: string, attributes: CookieAttributes): void {
    const known = [...this.names(), ...(this.#pending?.keys() ?? [])];
    for (const part of known.filter((other) => isPart(other, name))) this.clear(part, attributes);
  }

  get pending(): CookieToSet[] {
    return this.#pending ? [...this.#pending.values()] : [];
  }

  #read(): SentCookies {
    this.#sent ??= parse(this.#header);
    return this.#sent;
  }
}

// Only parts that are read (`MAX_CHUNKS`) count. A sibling host may have set any number of others. Clearing those would
// fill the response, and under a limit they would displace the session's own parts.
function isPart(known: string, name: string): boolean {
  return known === name || toWholeName(known) === name;
}

/** Returns the name of the whole cookie that a cookie may be a part of. */
export function toWholeName(name: string): string {
  return name.replace(/\.\d$/, "");
}

/**
 * Returns the cookies of which a response sets neither the whole nor a part. The response's own cookies take precedence
 * over pending ones: for example, the end of a session over its renewal.
 */
export function withoutSet<C>(
  cookies: readonly C[],
  getName: (cookie: C) => string,
  headers: Headers,
): readonly C[] {
  const set = headers.getSetCookie().map((line) => toWholeName(getLineName(line)));
  return cookies.filter((one) => !set.includes(toWholeName(getName(one))));
}

/** Returns the name in the value of a `Set-Cookie` header. */
export function getLineName(line: string): string {
  return trimBlanks(line.split("=", 1)[0] as string);
}

/** Creates the cookies of one request from its `Cookie` header. */
export function createCookies(header: string | null, table: CookieTable): Cookies {
  return new RequestCookies(header, table);
}

const SAME_SITE = { true: "Strict", strict: "Strict", lax: "Lax", none: "None" };

function serializeAttribute(name: string, label: string, value: string): string {
  // oxlint-disable-next-line no-control-regex -- response splitting
  if (/[;\u0000-\u001f\u007f-\uffff]/.test(value)) {
    throw new TypeError(`The ${label} of the cookie "${name}" contains an invalid character.`);
  }
  return `; ${label}=${value}`;
}

/**
 * Returns the value of a `Set-Cookie` header (RFC 6265 section 4.1); the cookie's value is percent-encoded.
 * @throws TypeError when name, `maxAge`, `domain` or `path` are not valid in the header.
 */
export function serializeCookie({ name, value, attributes }: CookieToSet): string {
  if (!COOKIE_NAME.test(name)) {
    throw new TypeError("A cookie's name contains a character that is not allowed in a token.");
  }
  const { maxAge, domain, path, expires, httpOnly, secure, partitioned, priority, sameSite } =
    attributes;
  let text = `${name}=${encodeURIComponent(value)}`;
  if (maxAge !== undefined) {
    if (!Number.isInteger(maxAge)) {
      throw new TypeError(`\`maxAge\` of the cookie "${name}" must be an integer.`);
    }
    text += `; Max-Age=${maxAge}`;
  }
  if (domain !== undefined) text += serializeAttribute(name, "Domain", domain);
  if (path !== undefined) text += serializeAttribute(name, "Path", path);
  if (expires) text += `; Expires=${expires.toUTCString()}`;
  if (httpOnly) text += "; HttpOnly";
  if (secure) text += "; Secure";
  if (partitioned) text += "; Partitioned";
  if (priority) text += `; Priority=${priority[0]?.toUpperCase()}${priority.slice(1)}`;
  if (sameSite) text += `; SameSite=${SAME_SITE[`${sameSite}`]}`;
  return text;
}
