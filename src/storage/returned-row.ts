import { normalizeEmail } from "../platform/email-address.ts";
import type { Adapter } from "../types/adapter.ts";

type AdapterFunction<M extends keyof Adapter> = NonNullable<Adapter[M]>;

/** Returns whether the row that a method returned has the key that the method was called with. */
type RowCheck<M extends keyof Adapter> = (
  row: NonNullable<Awaited<ReturnType<AdapterFunction<M>>>>,
  ...args: Parameters<AdapterFunction<M>>
) => boolean;

// Some databases use numbers or objects as ids.
function isSameKey(one: unknown, other: unknown): boolean {
  return String(one) === String(other);
}

function isSameEmail(one: string | null | undefined, other: string | null | undefined): boolean {
  return (normalizeEmail(one) ?? one ?? null) === (normalizeEmail(other) ?? other ?? null);
}

// A row returned by a write contains no key if the adapter returns the database's report instead of the row.
function hasSameKeys<T extends object>(
  row: Partial<T>,
  given: T,
  keys: readonly (keyof T)[],
): boolean {
  return keys.every((key) => {
    const [one, other] = [row[key] ?? given[key], given[key]];
    return other === undefined || isSameKey(one, other);
  });
}

const ACCOUNT = ["provider", "providerAccountId", "userId"] as const;

/**
 * Checks the key of each row that an adapter finds or changes. Depending on their collation, databases ignore case,
 * accents, width or trailing blanks when they compare text. The row found may therefore be another user's, whose
 * address, subject or passkey only resembles the requested one. The callers of `getUserByAccount` and
 * `useVerificationToken` check the rows themselves. The rows of other methods are not used, or, like those of
 * `listSessionsByUserId`, do not contain the key.
 */
const ROW_CHECKS: { readonly [M in keyof Adapter]?: RowCheck<M> } = {
  createSession: (session, given) => hasSameKeys(session, given, ["sessionToken", "userId"]),
  createVerificationToken: (token, given) => hasSameKeys(token, given, ["identifier", "token"]),
  createAuthenticator: (passkey, given) => hasSameKeys(passkey, given, ["credentialID", "userId"]),
  updateAuthenticatorCounter: (passkey, credentialID) =>
    hasSameKeys(passkey, { credentialID }, ["credentialID"]),
  recordAuthenticatorUse: (passkey, credentialID) =>
    hasSameKeys(passkey, { credentialID }, ["credentialID"]),
  linkAccount: (account, given) => hasSameKeys(account, given, ACCOUNT),
  updateAccount: (account, given) => hasSameKeys(account, given, ACCOUNT),
  unlinkAccount: (account, given) => hasSameKeys(account, given, ["provider", "providerAccountId"]),
  deleteSession: (session, sessionToken) =>
    hasSameKeys(session, { sessionToken }, ["sessionToken"]),
  createUser: (user, { email }) => isSameEmail(user.email, email),
  createUserWithAccount: (user, { id }) => isSameKey(user.id, id),
  getUser: (user, id) => isSameKey(user.id, id),
  getUserByEmail: (user, email) => isSameEmail(user.email, email),
  updateUser: (user, { id }) => isSameKey(user.id, id),
  revokeUserAccess: (user, id) => isSameKey(user.id, id),
  getAccount: (account, providerAccountId, provider) =>
    isSameKey(account.providerAccountId, providerAccountId) && account.provider === provider,
  listAccountsByUserId: (accounts, userId) =>
    accounts.every((one) => isSameKey(one.userId, userId)),
  getSessionAndUser: ({ session, user }, sessionToken) =>
    isSameKey(session.sessionToken, sessionToken) && isSameKey(session.userId, user.id),
  extendSession: (session, sessionToken) => isSameKey(session.sessionToken, sessionToken),
  updateSession: (session, given) =>
    isSameKey(session.sessionToken, given.sessionToken) && hasSameKeys(session, given, ["userId"]),
  getAuthenticator: (passkey, credentialID) => passkey.credentialID === credentialID,
  listAuthenticatorsByUserId: (passkeys, userId) =>
    passkeys.every((one) => isSameKey(one.userId, userId)),
};

/** Returns whether a method returned nothing, or a row with the key that the method was called with. */
export function hasKey<M extends keyof Adapter>(
  method: M,
  returned: unknown,
  args: Parameters<AdapterFunction<M>>,
): boolean {
  const check = ROW_CHECKS[method] as ((row: unknown, ...args: unknown[]) => boolean) | undefined;
  return !check || returned === null || returned === undefined || check(returned, ...args);
}
