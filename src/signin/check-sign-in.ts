import { AccessDenied, AuthError } from "../errors/errors.ts";
import { callHookAfter } from "../hooks/hooks.ts";
import { parseUrl } from "../platform/parse-url.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { SignInParams } from "../types/options.ts";

/**
 * Runs a hook's decision about a sign-in.
 * @throws AccessDenied if a tap throws; an `AuthError` is thrown as it is.
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
 * Calls the `signIn` hook. Resolves to the URL that a tap redirects to instead of signing in, or to `undefined`.
 * @throws AccessDenied when a tap refuses or throws; an `AuthError` of a tap is thrown as it is.
 */
export async function checkSignIn(
  ctx: AuthContext,
  params: SignInParams,
): Promise<string | undefined> {
  const decided = await runDecision(() =>
    callHookAfter(ctx.kernel.hooks.signIn, undefined, params, ctx),
  );
  const { value, tap } = decided ?? {};
  if (value === false) {
    throw new AccessDenied(`The tap "${tap}" of the hook signIn refused the sign-in.`);
  }
  return typeof value === "string" ? allowRedirect(ctx, "signIn", value) : undefined;
}

/**
 * Returns the URL that a tap redirects to, as `ctx.safeRedirect` allows it. If it differs, a warning is logged, because
 * the visitor does not arrive where the tap meant.
 */
export async function allowRedirect(ctx: AuthContext, hook: string, url: string): Promise<string> {
  const allowed = await ctx.safeRedirect(url);
  if (parseUrl(url, ctx.origin)?.href !== new URL(allowed).href) {
    ctx.log.warn(
      "redirect-refused",
      `A tap of the hook ${hook} redirects to another origin: the visitor is sent to ${ctx.origin} instead. ` +
        `Return a path, or allow the URL in the \`redirect\` callback.`,
    );
  }
  return allowed;
}
