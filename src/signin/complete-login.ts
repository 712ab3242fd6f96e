import { callHookAfter } from "../hooks/hooks.ts";
import { describeResponse } from "../request/log.ts";
import { pageUrl } from "../request/redirect.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Login } from "../types/sign-in.ts";
import { allowRedirect, runDecision } from "./check-sign-in.ts";
import { sealPendingLogin } from "./pending-login.ts";
import { getStoredUsers } from "./stored-users.ts";

// Runs the taps of the `login` hook that follow `after`. If one pauses the login, emits `signInPaused` and returns its
// response.
async function pause(
  ctx: AuthContext,
  login: Login,
  callbackUrl: string,
  after: string | undefined,
): Promise<Response | undefined> {
  const { login: hook } = ctx.kernel.hooks;
  if (!hook.isUsed()) return undefined;
  const paused = await runDecision(() => callHookAfter(hook, after, login, ctx));
  if (!paused) return undefined;
  const { value, tap } = paused;
  ctx.debug?.("a tap of `login` pauses the sign-in", { tap });
  await sealPendingLogin(ctx, { login, callbackUrl, tap });
  const response =
    value instanceof Response ? value : ctx.redirect(await allowRedirect(ctx, "login", value));
  const { user, account } = login;
  await ctx.kernel.emit("signInPaused", { user, account, tap }, ctx);
  return response;
}

/**
 * Runs the `login` hook; for a resumed login, only the taps that follow `after`. Unless a tap pauses the login, starts
 * the session, emits `signIn` and redirects.
 */
export async function completeLogin(
  ctx: AuthContext,
  login: Login,
  callbackUrl: string,
  after?: string,
): Promise<Response> {
  const { kernel } = ctx;
  const paused = await pause(ctx, login, callbackUrl, after);
  if (paused) return paused;
  const { newUser } = kernel.config.pages;
  const newUserPage = login.isNewUser && newUser;
  // The response is built before the session, so that nothing can fail once the user is signed in.
  const response = ctx.redirect(
    newUserPage ? pageUrl(newUserPage, ctx.origin, { callbackUrl }) : callbackUrl,
  );
  const setSession = await kernel.strategy.create(ctx, login);
  ctx.debug?.("the session is created", {
    strategy: kernel.config.session.strategy,
    isNewUser: login.isNewUser ?? "not known",
  });
  await getStoredUsers(kernel)?.confirm(ctx, login);
  await setSession();
  const { outcome: _, emailVerified: __, ...message } = login;
  ctx.debug?.("the user is signed in", describeResponse(response));
  await kernel.emit("signIn", message, ctx);
  return response;
}
