import { sha256Base64url } from "../crypto/crypto.ts";
import { InvalidCheck, PluginError } from "../errors/errors.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { User } from "../types/models.ts";
import { isSameUser } from "./link-request.ts";

/** Characters of a hash: 132 bits. */
const LENGTH = 22;

// Hashes the session that the browser sends, valid or not. Returns an empty text without a session.
async function hashSession(ctx: AuthContext): Promise<string> {
  const key = await ctx.kernel.strategy.key?.(ctx);
  if (key === undefined) return "";
  return (await sha256Base64url(`keyhook session ${key}`)).slice(0, LENGTH);
}

/**
 * Returns when an attempt begins, in seconds since the epoch, and a hash of the browser's session. The attempt contains
 * both to tell later whether it began in this browser.
 */
export async function markSession(ctx: AuthContext): Promise<string> {
  return `${Math.floor(Date.now() / 1000)} ${await hashSession(ctx)}`;
}

/** Returns whether the browser has no session, or the session that an attempt contains. */
export async function isOwnSession(ctx: AuthContext, mark = ""): Promise<boolean> {
  const current = await hashSession(ctx);
  return current === "" || current === mark.split(" ")[1];
}

// Returns `Infinity` if sessions do not contain the time.
async function getStart(ctx: AuthContext): Promise<number> {
  const { strategy } = ctx.kernel;
  if (!strategy.authTime) return Infinity;
  try {
    return (await strategy.authTime(ctx)) ?? 0;
  } catch (error) {
    if (error instanceof PluginError) return Infinity;
    throw error;
  }
}

/**
 * Checks that an attempt does not replace another user's session that the browser already had when the attempt began:
 * an attempt of this browser would contain that session. A sibling host may have set the cookies of its own attempt to
 * replace the visitor's user with the attacker's (SECURITY.md R13).
 * @param mark What the attempt contains (`markSession`); `undefined` for an attempt of Auth.js.
 * @param user The user who would be signed in.
 * @throws InvalidCheck
 */
export async function expectOwnSession(
  ctx: AuthContext,
  mark: string | undefined,
  user: User | null,
): Promise<void> {
  if (mark === undefined || (await isOwnSession(ctx, mark))) return;
  const current = await ctx.kernel.strategy.current(ctx);
  if (!current || isSameUser(current, user)) return;
  // A younger session may come from a sign-in in another tab. If the clock was set back, it is unknown which one is
  // younger.
  const time = Number(mark.split(" ")[0]);
  if (time > Date.now() / 1000 || (await getStart(ctx)) >= time) return;
  throw new InvalidCheck(
    "The browser has another user's session, but the sign-in did not begin in it. Start again.",
  );
}
