import { InvalidCheck } from "../errors/errors.ts";
import type { AuthContext } from "../types/kernel.ts";
import { openPendingLogin, reloadLogin } from "./pending-login.ts";

/**
 * Continues the paused login of this browser, once, after the tap that paused it: the taps that follow, the
 * session, the event `signIn` and the redirect. Call it in a route that is protected against CSRF, when
 * what the tap asked for has been verified.
 * @throws InvalidCheck when no login is pending, or it was resumed before.
 */
export async function resumeLogin(ctx: AuthContext): Promise<Response> {
  const sealed = await openPendingLogin(ctx);
  const { name, attributes } = ctx.cookies.spec("pendingLogin");
  ctx.cookies.clearChunked(name, attributes);
  const isFirst = sealed && (await ctx.kernel.useOnce("pending-login", sealed.id));
  const login = sealed && isFirst ? await reloadLogin(ctx, sealed) : undefined;
  if (!sealed || !login) {
    throw new InvalidCheck(
      "No sign-in is pending in this browser, or it is too old or was completed before.",
    );
  }
  const { completeLogin } = await import("./complete-login.ts");
  return completeLogin(ctx, login, sealed.callbackUrl, sealed.tap);
}
