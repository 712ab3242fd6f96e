import { randomHex, randomUUID, sha256Base64url } from "../../../src/_kit.ts";
import { normalizeEmail, type User } from "../../../src/kernel.ts";
import type { PasskeyContext, PasskeyUser, PasskeyRequest, WebAuthnProvider } from "./provider.ts";
import { getAdapter, type WebAuthnContext } from "./types.ts";

/**
 * Bytes of randomness in a handle. The base64url of its hex has 64 characters, the maximum length of a handle in bytes.
 */
const RANDOM_HANDLE_BYTES = 24;
const MAX_NAME_LENGTH = 100;

/** Returns the arguments of a provider's own functions. */
export function buildPasskeyContext(
  ctx: WebAuthnContext,
): [PasskeyContext<WebAuthnProvider>, PasskeyRequest] {
  const { provider, url, request } = ctx;
  const { method, headers } = request;
  const query = Object.fromEntries(url.searchParams);
  return [
    { provider, adapter: getAdapter(ctx), url },
    { method, url, headers, query },
  ];
}

/**
 * Returns the user to register from the form's default fields, or `null` without a valid address. It looks nothing up,
 * so no response can reveal whether the user exists.
 */
export function getRequestedUser({ query }: PasskeyRequest): PasskeyUser | null {
  const email = normalizeEmail(query.email);
  if (email === null) return null;
  const name = query.name?.trim().slice(0, MAX_NAME_LENGTH);
  return { user: { email, ...(name && { name }) }, exists: false };
}

/** Derives the handle of a user. It is always the same, and differs from every other id of the user. */
export async function deriveUserHandle(userId: string): Promise<string> {
  return sha256Base64url(`keyhook passkey ${userId}`);
}

/** Creates the id of a new user, and the handle for it. */
export async function createNewUser(ctx: WebAuthnContext): Promise<{ id: string; handle: string }> {
  const id = randomUUID();
  // An adapter without `createUserWithAccount` may assign another id. A random handle is better than a wrong one.
  const keepsIds = getAdapter(ctx).createUserWithAccount !== undefined;
  return { id, handle: keepsIds ? await deriveUserHandle(id) : randomHex(RANDOM_HANDLE_BYTES) };
}

/**
 * Returns whether a handle is random and so does not identify a user. Such handles are from `createNewUser`, or from
 * Auth.js (32 bytes).
 */
export function isRandomHandle(handle: string): boolean {
  return /^(?:[\da-f]{48}|[\da-f]{64})$/.test(handle);
}

/** Returns the names that an authenticator shows for a user. */
export function getUserNames({ email, name, id }: User): {
  userName: string;
  userDisplayName: string;
} {
  const userName = email || name || String(id);
  return { userName, userDisplayName: name || userName };
}
