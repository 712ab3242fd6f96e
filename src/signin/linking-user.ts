import type { AuthContext } from "../types/kernel.ts";
import { getStoredUsers } from "./stored-users.ts";

/**
 * Returns the fingerprint of the signed-in user if the request has the field `link`, else `undefined`; a flow
 * seals it into the attempt as `linkTo`. Only a POST of this browser can contain the field (it needs the CSRF
 * token), so that an attacker cannot link an account of their own to a user whom they lure into a sign-in
 * (SECURITY.md R13).
 * @throws SessionRequired when there is no session; FreshSessionRequired when the user signed in too long ago.
 */
export async function getLinkingUser(ctx: AuthContext): Promise<string | undefined> {
  return getStoredUsers(ctx.kernel)?.getLinkingUser(ctx);
}
