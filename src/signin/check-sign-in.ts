import { AccessDenied, AuthError } from "../errors/errors.ts";
import { callHook } from "../hooks/hooks.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { SignInParams } from "../types/options.ts";

/**
 * Runs the decision of a hook about a sign-in.
 * @throws AccessDenied for an error of a tap, unless that is an `AuthError`.
 */
export async function runDecision<T>(decide: () => Awaitable<T>): Promise<T> {
  try {
    return await decide();
  } catch (error) {
    if (error instanceof AuthError) throw error;
    const thrown = error as Error;
    throw new AccessDenied(thrown.message, { cause: { err: thrown } });
  }
}

/**
 * Calls the `signIn` hook. Resolves to the URL that a tap redirects to instead of the sign-in, else to
 * `undefined`.
 * @throws AccessDenied when a tap refuses or throws; an `AuthError` of a tap is thrown as it is.
 */
export async function checkSignIn(
  ctx: AuthContext,
  params: SignInParams,
): Promise<string | undefined> {
  const verdict = await runDecision(() => callHook(ctx.kernel.hooks.signIn, params, ctx));
  if (verdict === false) throw new AccessDenied("A tap of the `signIn` hook refused the sign-in.");
  return typeof verdict === "string" ? ctx.safeRedirect(verdict) : undefined;
}
