import { callHook } from "../hooks/hooks.ts";
import { parseAcceptLanguage, isLanguageTag } from "../i18n/messages.ts";
import { andThen } from "../platform/awaitable.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";

// The error page needs the language too, so a tap that throws must not prevent it.
async function getChosenLanguage(ctx: AuthContext): Promise<string[]> {
  try {
    const tag = await callHook(ctx.kernel.hooks.locale, ctx);
    return typeof tag === "string" && isLanguageTag(tag) ? [tag] : [];
  } catch (error) {
    ctx.log.error(error as Error);
    return [];
  }
}

/** Returns the tags of the visitor's languages, best first: from the `locale` hook, then from `Accept-Language`. */
export function listLanguages(ctx: AuthContext): Awaitable<readonly string[]> {
  const accepted = parseAcceptLanguage(ctx.request.headers.get("accept-language"));
  if (!ctx.kernel.hooks.locale.isUsed()) return accepted;
  return andThen(getChosenLanguage(ctx), (chosen) => [...chosen, ...accepted]);
}
