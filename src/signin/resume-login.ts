import { InvalidCheck, MethodNotAllowed } from "../errors/errors.ts";
import type { AuthContext } from "../types/kernel.ts";
import { completeLogin } from "./complete-login.ts";
import { getBegun, openPendingLogin, reloadLogin } from "./pending-login.ts";
import { reportFailure } from "./report-failure.ts";

/**
 * Continues, once, the login that the named tap paused in this browser: runs the taps that follow it, starts the
 * session, emits `signIn` and redirects. Call it in a route that is protected against CSRF, after verifying what the
 * tap asked for.
 * @throws InvalidCheck when this tap has paused no login here, or it was resumed before or is no longer valid
 * (`reloadLogin`); MethodNotAllowed for a HEAD request.
 */
export async function resumeLogin(ctx: AuthContext, tap: string): Promise<Response> {
  if (ctx.request.method === "HEAD") {
    throw new MethodNotAllowed("A HEAD request cannot resume a sign-in. Use POST.", "GET, POST");
  }
  const sealed = await openPendingLogin(ctx, tap);
  const { name, attributes } = ctx.cookies.spec("pendingLogin");
  if (sealed) ctx.cookies.clearChunked(name, attributes);
  const isFirst = sealed && (await ctx.kernel.useOnce("pending-login", sealed.id));
  const login = sealed && isFirst ? await reloadLogin(ctx, sealed) : undefined;
  if (!sealed || !login) {
    throw new InvalidCheck(
      `This browser has no sign-in that the tap "${tap}" paused, or it has expired or was ` +
        "already completed.",
    );
  }
  ctx.debug?.("the sign-in is resumed", { tap });
  Object.assign(getBegun(ctx), sealed.begun);
  try {
    return await completeLogin(ctx, login, sealed.callbackUrl, sealed.tap);
  } catch (error) {
    const { user, account, profile } = login;
    await reportFailure(ctx, account.provider, error, {
      user,
      account,
      ...(profile && { profile }),
    });
    throw error;
  }
}
