import type { JWT } from "../types/models.ts";

// Five parts of base64url (RFC 7516 section 7.1); that of the encrypted key is empty with `dir`.
const SEALED = /^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+$/;

/** Returns whether a text has the form of a sealed token. */
export function isSealed(text: string): boolean {
  return SEALED.test(text);
}

const getStart = ({ auth_time: began, iat }: JWT): number =>
  Number(began ?? iat ?? Number.MAX_SAFE_INTEGER);

/** Compares two session tokens for `sort`: the one whose session began first comes first. */
export function compareStart(one: JWT, other: JWT): number {
  return getStart(one) - getStart(other);
}

/**
 * The claim with the address that was verified at the sign-in, or with `false`. Not `email_verified`: applications keep
 * that of the profile in their tokens.
 */
export const VERIFIED_CLAIM = "keyhook.email_verified";
/** The claim with the public origin that a token was issued for (`jwt.bindOrigin`). */
export const ORIGIN_CLAIM = "keyhook.origin";
/** The claim with the `storeNamespace` under which a token was issued; tokens of the default one have none. */
export const NAMESPACE_CLAIM = "keyhook.namespace";
/**
 * Seconds that what is sealed into a record is valid: a century, since a sealed token must state an end, and the record
 * has its own.
 */
export const CENTURY_S: number = 36_525 * 24 * 60 * 60;
