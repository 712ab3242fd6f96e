import { SessionRequired } from "../../../src/errors.ts";
import { type AuthContext, callAdapter, type User } from "../../../src/kernel.ts";

/** A user with an id, for whom a second factor can be stored. */
export type KnownUser = User & { id: string };

/** Returns a user with the id as text, or `undefined` without an id. Some adapters return numbers as ids. */
export function toKnownUser(user: User): KnownUser | undefined {
  const id = String(user.id ?? "");
  return id === "" ? undefined : { ...user, id };
}

/**
 * Resolves to the user of the session.
 * @throws SessionRequired without a session, or when it began before its address was verified.
 */
export async function getSignedInUser(ctx: AuthContext): Promise<KnownUser> {
  const { id, session } = await ctx.requireSession();
  const { adapter, strategy } = ctx.kernel;
  const user = await strategy.current(ctx);
  if (user) return { ...user, id };
  // An attacker who registered another user's address may still have a `jwt` cookie of that user (SECURITY.md R5).
  if (adapter && (await callAdapter(adapter, "getUser", id))) {
    throw new SessionRequired("The session began before the user's address was verified.");
  }
  // Credentials under `jwt`: the user is the one that `authorize` returned, and is not stored.
  return { ...session.user, id };
}
