import type { AuthContext } from "../types/kernel.ts";
import { getStoredUsers } from "./stored-users.ts";

/**
 * Returns the fingerprint of the signed-in user if the request has the field `link`, else `undefined`. A flow seals it
 * into the attempt as `linkTo`. The field requires the CSRF token, so only a POST of this browser can contain it.
 * Otherwise, an attacker could lure a user into a sign-in and link the attacker's account to that user (SECURITY.md
 * R13).
 * @throws SessionRequired when there is no session; FreshSessionRequired when the user signed in too long ago.
 */
export async function getLinkFingerprint(ctx: AuthContext): Promise<string | undefined> {
  return getStoredUsers(ctx.kernel)?.getLinkFingerprint(ctx);
}
