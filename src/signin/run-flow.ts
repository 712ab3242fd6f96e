import { AccessDenied, AuthError } from "../errors/errors.ts";
import { callHook } from "../kernel/hooks.ts";
import { pageUrl } from "../request/redirect.ts";
import type { AuthContext, FlowContext } from "../types/kernel.ts";
import type { SignInParams } from "../types/options.ts";
import type { Identity } from "../types/sign-in.ts";

/**
 * Calls the `signIn` hook. Resolves to the URL that a tap redirects to instead of the sign-in, else to
 * `undefined`.
 * @throws AccessDenied when a tap refuses or throws; an `AuthError` of a tap is thrown as it is.
 */
export async function checkSignIn(
  ctx: AuthContext,
  params: SignInParams,
): Promise<string | undefined> {
  let verdict: boolean | string | undefined;
  try {
    verdict = await callHook(ctx.kernel.hooks.signIn, params, ctx);
  } catch (error) {
    if (error instanceof AuthError) throw error;
    const thrown = error as Error;
    throw new AccessDenied(thrown.message, { cause: { err: thrown } });
  }
  if (verdict === false) throw new AccessDenied("A tap of the `signIn` hook refused the sign-in.");
  return typeof verdict === "string" ? ctx.safeRedirect(verdict) : undefined;
}

/**
 * Completes the sign-in of an identity: the `signIn` hook, linking, the session, the event and the redirect.
 */
async function completeSignIn(ctx: FlowContext, identity: Identity): Promise<Response> {
  const { kernel, provider } = ctx;
  const flow = kernel.flow(provider.type);
  const links = flow.links ?? "account";
  const { account, profile, credentials } = identity;

  // Loaded with the first sign-in: reading a session does not need it.
  const { confirm, lookUpUsers, resolveUser } = await import("./resolve-user.ts");
  const facts = await lookUpUsers(ctx, identity, links);
  const redirectTo = await checkSignIn(ctx, {
    user: facts.userByAccount ?? (links === "email" ? facts.userByEmail : null) ?? identity.user,
    account,
    ...(profile && { profile }),
    ...(credentials && { credentials }),
  });
  if (redirectTo !== undefined) return ctx.redirect(redirectTo);

  const login = await resolveUser(ctx, identity, links, facts);
  await flow.linked?.(ctx, login);
  const target = identity.callbackUrl ?? (await ctx.callbackUrl());
  const { newUser } = kernel.config.pages;
  const newUserPage = login.isNewUser && newUser;
  // The response is built before the session: nothing may fail once the user is signed in.
  const response = ctx.redirect(
    newUserPage ? pageUrl(newUserPage, ctx.origin, { callbackUrl: target }) : target,
  );
  const setSession = await kernel.strategy.create(ctx, login);
  await confirm(ctx, links, login);
  await setSession();
  await kernel.emit("signIn", login, ctx);
  return response;
}

/**
 * Runs a step of the flow of the request's provider and completes the sign-in of the identity that it
 * resolves to. All sign-ins, of every provider type, pass through this function.
 */
export async function runFlow(ctx: FlowContext, step: "start" | "finish"): Promise<Response> {
  const flow = ctx.kernel.flow(ctx.provider.type);
  // Sets the cookie too, so that the target is known if this attempt fails.
  if (step === "start" || flow.direct) await ctx.callbackUrl();
  const outcome = await flow[step]?.(ctx);
  if (outcome instanceof Response) return outcome;
  const identity = outcome as Identity;
  let response: Response;
  try {
    response = await completeSignIn(ctx, identity);
  } catch (error) {
    throw (await flow.failed?.(ctx, error, identity)) ?? error;
  }
  try {
    await flow.completed?.(ctx, identity);
  } catch (error) {
    // The user is signed in: reporting a failure to the visitor would be wrong.
    ctx.kernel.logger.error(error as Error);
  }
  return response;
}
