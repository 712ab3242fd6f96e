import type { CookieToSet } from "../../../src/kernel.ts";

/** The response header with the session token: empty once the session has ended. */
export const TOKEN_HEADER = "set-auth-token";

// The syntax of a bearer token (RFC 6750 section 2.1), and percent-encoding for tokens of an application's own form.
// Servers bound the length of a request's headers; this bound is above the ten cookies that a token may have.
const CREDENTIALS = /^Bearer +([\w.~+/%-]{1,65536}=*)$/i;
const SCHEME = /^Bearer(?: |$)/i;

/** Returns the bearer token of a request; `undefined` without one, and for more than one. */
export function readBearerToken(headers: Pick<Headers, "get">): string | undefined {
  return CREDENTIALS.exec(headers.get("authorization") ?? "")?.[1];
}

/** Returns whether a request has credentials of the scheme, valid or not. */
export function hasBearerCredentials(headers: Pick<Headers, "get">): boolean {
  return SCHEME.test(headers.get("authorization") ?? "");
}

const isSet = ({ value, attributes }: CookieToSet): boolean =>
  value !== "" && (attributes.maxAge ?? 1) > 0;

/**
 * Returns the value that a cookie has after these were set, joined from its parts: empty when it was cleared, `undefined`
 * when it is not among them.
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
