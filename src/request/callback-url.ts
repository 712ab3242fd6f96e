import { isSafeMethod } from "../http/method.ts";
import type { AuthContext } from "../types/kernel.ts";
import { safeRedirect } from "./redirect.ts";

/** Maximum length of a URL that the `callbackUrl` cookie remembers. Longer ones are only in the form. */
const MAX_REMEMBERED_URL_LENGTH = 1024;
/** Maximum length of a target: every form of a page contains it, and no common server accepts a longer URL. */
const MAX_URL_LENGTH = 8192;

// For targets that may be dropped. A browser may keep the cookie for long, and a sibling host may have set it, so an
// unusable value is not an error.
async function trySafeRedirect(ctx: AuthContext, target: string): Promise<string | undefined> {
  if (!target.startsWith("/") && !URL.canParse(target)) return undefined;
  try {
    return await safeRedirect(ctx, target);
  } catch (error) {
    const reason = error instanceof Error ? error.name : typeof error;
    ctx.log.debug("a target was dropped", { reason });
    return undefined;
  }
}

/**
 * Resolves to where visitors without a target are led: the origin, or the page that the `redirect` hook returns for it,
 * such as the start page of an application below a path.
 */
export async function getHome(ctx: AuthContext): Promise<string> {
  return (await trySafeRedirect(ctx, ctx.origin)) ?? ctx.origin;
}

// Returns the target of the cookie, which is cleared if it is unusable.
async function getRemembered(ctx: AuthContext): Promise<string> {
  const { name, attributes } = ctx.cookies.spec("callbackUrl");
  const all = ctx.cookies.getAll(name);
  for (const remembered of all) {
    const target = await trySafeRedirect(ctx, remembered);
    if (target !== undefined) return target;
  }
  if (all.length) ctx.cookies.clear(name, attributes);
  // A `redirect` callback that leads everyone to one page also applies to visitors without a target.
  return getHome(ctx);
}

/**
 * Resolves to the URL to redirect to after the sign-in: from the request, else from the cookie, else the origin, each
 * as the `redirect` hook allows it. A new target is remembered in the cookie. A remembered target is cleared if it
 * cannot be parsed or a tap of `redirect` throws for it.
 */
export async function getCallbackUrl(ctx: AuthContext): Promise<string> {
  const { name, attributes } = ctx.cookies.spec("callbackUrl");
  const given = (await ctx.body()).callbackUrl ?? ctx.url.searchParams.get("callbackUrl");
  if (typeof given !== "string" || given === "" || given.length > MAX_URL_LENGTH) {
    return getRemembered(ctx);
  }
  // A link, such as one in an e-mail, also remembers its target.
  const isLink = isSafeMethod(ctx.request.method);
  const target = isLink ? await trySafeRedirect(ctx, given) : await safeRedirect(ctx, given);
  if (target === undefined) return getRemembered(ctx);
  const isNew = target !== ctx.cookies.get(name) && target.length <= MAX_REMEMBERED_URL_LENGTH;
  if (isNew) ctx.cookies.set(name, target, attributes);
  return target;
}
