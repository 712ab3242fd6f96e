import type { JWT } from "../types/models.ts";

// Five base64url parts (RFC 7516 section 7.1). With `dir`, the part with the encrypted key is empty.
const SEALED = /^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/;

/** Returns whether a text has the form of a sealed token. */
export function isSealed(text: string): boolean {
  return SEALED.test(text);
}

const getStart = ({ auth_time: began, iat }: JWT): number =>
  Number(began ?? iat ?? Number.MAX_SAFE_INTEGER);

/** Compares two session tokens for `sort`: the token whose session began first comes first. */
export function compareStart(one: JWT, other: JWT): number {
  return getStart(one) - getStart(other);
}

/**
 * The claim with the address that was verified at the sign-in, or with `false`. It is not `email_verified`, because
 * applications keep the profile's claim of that name in their tokens.
 */
export const VERIFIED_CLAIM = "keyhook.email_verified";
/** The claim with the public origin that a token was issued for (`jwt.bindOrigin`). */
export const ORIGIN_CLAIM = "keyhook.origin";
/**
 * The claim with the `storeNamespace` under which a token was issued. Tokens of the default namespace do not have it.
 */
export const NAMESPACE_CLAIM = "keyhook.namespace";
/**
 * Validity in seconds of tokens sealed into a record: a century, since a sealed token must expire, and the record has
 * its own expiry.
 */
export const CENTURY_S: number = 36_525 * 24 * 60 * 60;
