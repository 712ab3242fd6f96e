import { SessionTooLarge } from "./errors.ts";
import { merge } from "./merge.ts";
import type { CookieToSet, Cookies } from "./types/kernel.ts";
import type { CookieAttributes, CookieKey, CookieOption, CookiesOptions } from "./types/options.ts";

/** Name and attributes in force, by purpose. */
export type CookieTable = Readonly<
  Record<CookieKey, { readonly name: string; readonly attributes: CookieAttributes }>
>;

// Browsers keep 4096 bytes of name, value and attributes; the last two are given 160.
const CHUNK = 4096 - 160;
const MAX_CHUNKS = 10;
const MAX_CLEARED = 20;
const MAX_NAMESAKES = 5;
/** Seconds that a check cookie, and so an attempt to sign in, may take. */
export const CHECK_AGE = 900;

const NAMES: Record<CookieKey, { name: string; prefix: string; maxAge?: number }> = {
  sessionToken: { name: "authjs.session-token", prefix: "__Secure-" },
  callbackUrl: { name: "authjs.callback-url", prefix: "__Secure-" },
  csrfToken: { name: "authjs.csrf-token", prefix: "__Host-" },
  pkceCodeVerifier: { name: "authjs.pkce.code_verifier", prefix: "__Secure-", maxAge: CHECK_AGE },
  state: { name: "authjs.state", prefix: "__Secure-", maxAge: CHECK_AGE },
  nonce: { name: "authjs.nonce", prefix: "__Secure-", maxAge: CHECK_AGE },
  webauthnChallenge: { name: "authjs.challenge", prefix: "__Secure-", maxAge: CHECK_AGE },
  // Not one of Auth.js, whose links work in any browser at once.
  emailCheck: { name: "authjs.email-check", prefix: "__Secure-", maxAge: CHECK_AGE },
};

/** What a cookie may be called: a token of RFC 9110 (RFC 6265 section 4.1.1). */
export const COOKIE_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The cookies' names and attributes for secure or plain origins, overrides laid over. */
export function cookieTable(overrides: CookiesOptions, secure: boolean): CookieTable {
  const table = Object.entries(NAMES).map(([key, { name, prefix, maxAge }]) => {
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
        name: override.name ?? (secure ? prefix : "") + name,
        attributes: merge(defaults, override.options),
      },
    ];
  });
  return Object.fromEntries(table) as CookieTable;
}

// The first of several cookies of one name is the most specific one (RFC 6265 section 5.4).
function parse(header: string | null): Map<string, string> {
  const found = new Map<string, string>();
  if (!header) return found;
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at < 1) continue;
    const name = pair.slice(0, at).trim();
    if (!found.has(name)) found.set(name, pair.slice(at + 1).trim());
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

// Only `name.0`, `name.1`, ... without a gap: no other cookie may join in.
function join(get: (name: string) => string | undefined, name: string): string | undefined {
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

// Our own tokens need no escapes; those of an encoder of the application may.
function split(value: string): string[] {
  const chunks: string[] = [];
  if (/^[\w.~-]*$/.test(value)) {
    for (let at = 0; at < value.length; at += CHUNK) chunks.push(value.slice(at, at + CHUNK));
    return chunks;
  }
  let chunk = "";
  let size = 0;
  for (const character of value) {
    const { length } = encodeURIComponent(character);
    if (size + length > CHUNK) {
      chunks.push(chunk);
      chunk = "";
      size = 0;
    }
    chunk += character;
    size += length;
  }
  return [...chunks, chunk];
}

/** A cookie of a `Cookie` header that may be split into `name.0`, `name.1`, ... (at most 10). */
export function readChunked(header: string | null, name: string): string | undefined {
  const sent = parse(header);
  return join((part) => {
    const raw = sent.get(part);
    return raw === undefined ? undefined : decode(raw);
  }, name);
}

// A class for the sake of speed: every request makes one.
class RequestCookies implements Cookies {
  readonly #header: string | null;
  readonly #table: CookieTable;
  #sent: Map<string, string> | undefined;
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
    const raw = this.#read().get(name);
    return raw === undefined ? undefined : decode(raw);
  }

  getAll(name: string): string[] {
    const values: string[] = [];
    for (const pair of this.#header?.split(";") ?? []) {
      const at = pair.indexOf("=");
      if (pair.slice(0, at).trim() === name) values.push(decode(pair.slice(at + 1).trim()));
    }
    return values.slice(0, MAX_NAMESAKES);
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
    return join((part) => this.get(part), name);
  }

  setChunked(name: string, value: string, attributes: CookieAttributes): void {
    const chunks = split(value);
    if (chunks.length > MAX_CHUNKS) {
      throw new SessionTooLarge(
        `The session token has ${value.length} characters; ${MAX_CHUNKS} cookies hold ` +
          `${MAX_CHUNKS * CHUNK}. Keep less in the jwt callback, or use database sessions.`,
      );
    }
    this.clearChunked(name, attributes);
    if (chunks.length <= 1) return this.set(name, value, attributes);
    for (const [at, chunk] of chunks.entries()) this.set(`${name}.${at}`, chunk, attributes);
  }

  clearChunked(name: string, attributes: CookieAttributes): void {
    const known = [...this.names(), ...(this.#pending?.keys() ?? [])];
    const parts = known.filter((other) => isPart(other, name));
    // A bounded answer, however many somebody planted.
    for (const part of parts.slice(0, MAX_CLEARED)) this.clear(part, attributes);
  }

  get pending(): CookieToSet[] {
    return this.#pending ? [...this.#pending.values()] : [];
  }

  #read(): Map<string, string> {
    this.#sent ??= parse(this.#header);
    return this.#sent;
  }
}

function isPart(known: string, name: string): boolean {
  if (known === name) return true;
  return known.startsWith(`${name}.`) && /^\d{1,3}$/.test(known.slice(name.length + 1));
}

/** The cookies of one request. */
export function createCookies(header: string | null, table: CookieTable): Cookies {
  return new RequestCookies(header, table);
}

const SAME_SITE = { true: "Strict", strict: "Strict", lax: "Lax", none: "None" };

/** A `Set-Cookie` value. Throws `TypeError` for what would not be a valid one. */
export function serializeCookie({ name, value, attributes }: CookieToSet): string {
  if (!COOKIE_NAME.test(name)) throw new TypeError("Invalid cookie name.");
  const { maxAge, domain, path, expires, httpOnly, secure, partitioned, priority, sameSite } =
    attributes;
  let text = `${name}=${encodeURIComponent(value)}`;
  if (maxAge !== undefined) {
    if (!Number.isInteger(maxAge)) throw new TypeError("A cookie's maxAge must be an integer.");
    text += `; Max-Age=${maxAge}`;
  }
  for (const [label, part] of [
    ["Domain", domain],
    ["Path", path],
  ]) {
    if (part === undefined) continue;
    // oxlint-disable-next-line no-control-regex -- a header must not be split
    if (/[;\u0000-\u001f\u007f-\uffff]/.test(part)) throw new TypeError(`Invalid cookie ${label}.`);
    text += `; ${label}=${part}`;
  }
  if (expires) text += `; Expires=${expires.toUTCString()}`;
  if (httpOnly) text += "; HttpOnly";
  if (secure) text += "; Secure";
  if (partitioned) text += "; Partitioned";
  if (priority) text += `; Priority=${priority[0]?.toUpperCase()}${priority.slice(1)}`;
  if (sameSite) text += `; SameSite=${SAME_SITE[`${sameSite}`]}`;
  return text;
}
