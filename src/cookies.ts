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
const CHECK_AGE = 900;

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

/** A cookie of a `Cookie` header, percent-decoded. */
export function readCookie(header: string | null, name: string): string | undefined {
  const raw = parse(header).get(name);
  return raw === undefined ? undefined : decode(raw);
}

/** A cookie of a `Cookie` header that may be split into `name.0`, `name.1`, ... (at most 10). */
export function readChunked(header: string | null, name: string): string | undefined {
  const sent = parse(header);
  return join((part) => {
    const raw = sent.get(part);
    return raw === undefined ? undefined : decode(raw);
  }, name);
}

/** The cookies of one request. */
export function createCookies(header: string | null, table: CookieTable): Cookies {
  let sent: Map<string, string> | undefined;
  let pending: Map<string, CookieToSet> | undefined;
  const read = () => (sent ??= parse(header));

  const get = (name: string): string | undefined => {
    const later = pending?.get(name);
    if (later) return later.value || undefined;
    const raw = read().get(name);
    return raw === undefined ? undefined : decode(raw);
  };
  const set = (name: string, value: string, attributes: CookieAttributes): void => {
    (pending ??= new Map()).set(name, { name, value, attributes });
  };
  const clear = (name: string, attributes: CookieAttributes): void => {
    const { expires: _, ...rest } = attributes;
    set(name, "", { ...rest, maxAge: 0 });
  };
  const parts = (name: string): string[] =>
    [...read().keys(), ...(pending?.keys() ?? [])].filter((sentName) => {
      if (sentName === name) return true;
      return sentName.startsWith(`${name}.`) && /^\d{1,3}$/.test(sentName.slice(name.length + 1));
    });
  const clearChunked = (name: string, attributes: CookieAttributes): void => {
    for (const part of parts(name)) clear(part, attributes);
  };

  return {
    spec: (key) => table[key],
    get,
    names: () => [...read().keys()],
    set,
    clear,
    getChunked: (name) => join(get, name),
    setChunked(name, value, attributes) {
      const count = Math.ceil(value.length / CHUNK);
      if (count > MAX_CHUNKS) {
        throw new SessionTooLarge(
          `The session token has ${value.length} characters; ${MAX_CHUNKS} cookies hold ` +
            `${MAX_CHUNKS * CHUNK}. Keep less in the jwt callback, or use database sessions.`,
        );
      }
      clearChunked(name, attributes);
      if (count <= 1) return set(name, value, attributes);
      for (let at = 0; at < count; at++) {
        set(`${name}.${at}`, value.slice(at * CHUNK, (at + 1) * CHUNK), attributes);
      }
    },
    clearChunked,
    get pending() {
      return pending ? [...pending.values()] : [];
    },
  };
}

const SAME_SITE = { true: "Strict", strict: "Strict", lax: "Lax", none: "None" };

/** A `Set-Cookie` value. Throws `TypeError` for what would not be a valid one. */
export function serializeCookie({ name, value, attributes }: CookieToSet): string {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) throw new TypeError("Invalid cookie name.");
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
