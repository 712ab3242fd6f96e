import { VERIFIED_CLAIM as VERIFIED } from "../crypto/sealed.ts";
import { opensUsers } from "../kernel/opens-users.ts";
import { callAdapter } from "../storage/adapter.ts";
import type { Adapter, AdapterUser } from "../types/adapter.ts";
import type { Kernel } from "../types/kernel.ts";
import type { JWT } from "../types/models.ts";
import { getVerifiedAt } from "./verified-at.ts";

/**
 * Resolves to the session token, or to `null` if the user's address was proved, or given to its owner, after the
 * sign-in: the session may then belong to someone else (SECURITY.md R5). If the address was verified at the sign-in,
 * the user is looked up only when the session is extended, in case the address has changed.
 */
export async function checkTokenOwner(
  kernel: Kernel,
  token: JWT,
  isDue: () => boolean,
): Promise<JWT | null> {
  const { adapter } = kernel;
  const { sub, email, iat, auth_time: began, [VERIFIED]: verified } = token;
  if (!sub || !adapter?.getUser || (verified && !isDue())) return token;
  if (verified !== false && !opensUsers(kernel)) return token;
  const user = await callAdapter(adapter, "getUser", sub);
  if (!user) return token;
  if (email && !user.email) return null;
  const provedAt = getVerifiedAt(user);
  // Compares with the address of the sign-in: the session's other claims may have been updated since.
  if (verified) {
    return Number(began ?? iat) < provedAt && verified !== user.email ? null : token;
  }
  // Tokens of Auth.js contain neither claim, so `iat` decides. The first token after the proof may be issued in the
  // same second.
  const isForeign = began === undefined && verified === undefined;
  if (provedAt && (!isForeign || Number(iat) < provedAt - 1)) return null;
  // A renewal sets a new `iat`, which says nothing about the sign-in, so the result is kept in the claim.
  return isForeign ? { ...token, [VERIFIED]: provedAt > 0 && (user.email ?? true) } : token;
}

/** Resolves to the stored user whose session a token is; `null` if there is none. */
export async function getTokenOwner(kernel: Kernel, token: JWT): Promise<AdapterUser | null> {
  const { sub = "", iat, auth_time: began = iat } = token;
  const user = await callAdapter(kernel.adapter as Adapter, "getUser", sub);
  // The session may belong to another user, who signed in before the owner verified the address (SECURITY.md R5). No
  // write ended that session, but it gets no more access.
  return user && Number(began) >= getVerifiedAt(user) ? user : null;
}
