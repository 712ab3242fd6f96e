import { type Adapter, type User } from "../../../src/kernel.ts";

// Version 8 of a UUID is for applications (RFC 9562 section 5.8), so a UUID column accepts it too.
const RANDOM_UUID = /^([\da-f]{8}-[\da-f]{4}-)4([\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12})/;
const MARKED_UUID = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/;
// For tokens of `generateSessionToken`.
const MARK = "unverified.";

/**
 * Marks the token of a session whose user has not verified the address. The session is looked up by the whole token, so
 * the browser cannot remove the mark.
 */
export function markUnverified(token: string): string {
  return RANDOM_UUID.test(token) ? token.replace(RANDOM_UUID, "$18$2") : MARK + token;
}

/**
 * Returns whether a session began before its user verified the address. It may then belong to another person who had
 * claimed the address (SECURITY.md R5).
 */
export function isSuperseded(
  token: string,
  { emailVerified }: { emailVerified?: unknown },
): boolean {
  return Boolean(emailVerified) && (token.startsWith(MARK) || MARKED_UUID.test(token));
}

/**
 * Returns whether to mark the token of a new session. An adapter with `revokeUserAccess` ends such sessions in the
 * write that verifies the address.
 */
export function isUnverified(
  { revokeUserAccess }: Adapter,
  user: User & { emailVerified?: unknown },
  emailVerified: boolean | undefined,
): boolean {
  return !revokeUserAccess && emailVerified !== true && Boolean(user.email) && !user.emailVerified;
}
