import type { CookieToSet } from "../../../src/kernel.ts";

/** The response header with the session token. It is empty once the session has ended. */
export const TOKEN_HEADER = "set-auth-token";

// The syntax of a bearer token (RFC 6750 section 2.1), with percent-encoding for tokens in an application's own format.
// Servers limit the length of a request's headers; this limit is above the ten cookies that a token may fill.
const CREDENTIALS = /^Bearer +([\w.~+/%-]{1,65536}=*)$/i;
const SCHEME = /^Bearer(?: |$)/i;

/** Returns the bearer token of a request, or `undefined` without a token or with several. */
export function readBearerToken(headers: Pick<Headers, "get">): string | undefined {
  return CREDENTIALS.exec(headers.get("authorization") ?? "")?.[1];
}

/** Returns whether a request has credentials of the Bearer scheme, valid or not. */
export function hasBearerCredentials(headers: Pick<Headers, "get">): boolean {
  return SCHEME.test(headers.get("authorization") ?? "");
}

const isSet = ({ value, attributes }: CookieToSet): boolean =>
  value !== "" && (attributes.maxAge ?? 1) > 0;

/**
 * Returns the value that a cookie has after these cookies were set, joined from its parts. The value is empty when the
 * cookie was cleared, and `undefined` when it was not set.
 */
export function joinCookie(cookies: readonly CookieToSet[], name: string): string | undefined {
  const byName = new Map(cookies.map((cookie) => [cookie.name, cookie]));
  const whole = byName.get(name);
  if (whole && isSet(whole)) return whole.value;
  let value = "";
  let at = 0;
  for (; ; at++) {
    const part = byName.get(`${name}.${at}`);
    if (!part || !isSet(part)) break;
    value += part.value;
  }
  const isCleared = whole !== undefined || byName.has(`${name}.0`);
  return at > 0 || isCleared ? value : undefined;
}
