import { isSafeMethod } from "../http/method.ts";
import type { AuthContext } from "../types/kernel.ts";
import { safeRedirect } from "./redirect.ts";

/** Maximum length of a URL that the `callbackUrl` cookie remembers; longer ones are in the form only. */
const MAX_REMEMBERED_URL_LENGTH = 1024;
/** Maximum length of a target: every form of a page contains it, and no common server takes a longer URL. */
const MAX_URL_LENGTH = 8192;

// For a target that is dropped if it cannot be used. A browser may keep the cookie for long, and a sibling host may have
// set it: what it contains is no error.
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
 * Resolves to where visitors are led who state no target: the origin, or the page that the `redirect` hook returns for it, such
 * as the start page of an application below a path.
 */
export async function getHome(ctx: AuthContext): Promise<string> {
  return (await trySafeRedirect(ctx, ctx.origin)) ?? ctx.origin;
}

// Clears the cookie when it leads nowhere.
async function getRemembered(ctx: AuthContext): Promise<string> {
  const { name, attributes } = ctx.cookies.spec("callbackUrl");
  const all = ctx.cookies.getAll(name);
  for (const remembered of all) {
    const target = await trySafeRedirect(ctx, remembered);
    if (target !== undefined) return target;
  }
  if (all.length) ctx.cookies.clear(name, attributes);
  // A `redirect` callback that leads everyone to one page leads those there, too, who state no target.
  return getHome(ctx);
}

/**
 * Resolves to the URL to redirect to after the sign-in: from the request, else from the cookie, else the
 * origin, each as the `redirect` hook allows it. A new one is remembered in the cookie; a remembered one that cannot be
 * parsed, or at which a tap of `redirect` throws, is cleared.
 */
export async function getCallbackUrl(ctx: AuthContext): Promise<string> {
  const { name, attributes } = ctx.cookies.spec("callbackUrl");
  const given = (await ctx.body()).callbackUrl ?? ctx.url.searchParams.get("callbackUrl");
  if (typeof given !== "string" || given === "" || given.length > MAX_URL_LENGTH) {
    return getRemembered(ctx);
  }
  // A link, such as that of an e-mail, remembers its target too.
  const isLink = isSafeMethod(ctx.request.method);
  const target = isLink ? await trySafeRedirect(ctx, given) : await safeRedirect(ctx, given);
  if (target === undefined) return getRemembered(ctx);
  const isNew = target !== ctx.cookies.get(name) && target.length <= MAX_REMEMBERED_URL_LENGTH;
  if (isNew) ctx.cookies.set(name, target, attributes);
  return target;
}
