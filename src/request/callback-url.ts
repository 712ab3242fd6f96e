import { isSafeMethod } from "../http/method.ts";
import type { AuthContext } from "../types/kernel.ts";
import { safeRedirect } from "./redirect.ts";

/** Maximum length of a URL that the `callbackUrl` cookie remembers; longer ones are in the form only. */
const MAX_REMEMBERED_URL_LENGTH = 1024;

/**
 * Resolves to the URL to redirect to after the sign-in: from the request, else from the cookie, else the
 * origin. A new one is remembered in the cookie.
 */
export async function getCallbackUrl(ctx: AuthContext): Promise<string> {
  const { name, attributes } = ctx.cookies.spec("callbackUrl");
  const remembered = ctx.cookies.get(name);
  const posted = isSafeMethod(ctx.request.method) ? undefined : (await ctx.body()).callbackUrl;
  const given = posted ?? ctx.url.searchParams.get("callbackUrl") ?? undefined;
  if (typeof given !== "string" || given === "") {
    return remembered ? safeRedirect(ctx, remembered) : ctx.origin;
  }
  const target = await safeRedirect(ctx, given);
  const isNew = target !== remembered && target.length <= MAX_REMEMBERED_URL_LENGTH;
  if (isNew) ctx.cookies.set(name, target, attributes);
  return target;
}
