import { useRequestEvent } from "#imports";
import type { EventAuth } from "../../_event-auth.ts";

interface ServerContext {
  readonly auth?: EventAuth;
  readonly cache?: unknown;
  readonly routeRules?: Rules;
  readonly _nitro?: { readonly routeRules?: Rules };
}

type Rules = Readonly<Record<string, unknown>>;

// Includes caches of the platform that Nitro does not know: `isr` on Vercel and Netlify.
function isShared({ cache, routeRules, _nitro }: ServerContext): boolean {
  const rules = { ..._nitro?.routeRules, ...routeRules };
  return cache !== undefined || ["cache", "swr", "isr", "prerender"].some((name) => rules[name]);
}

/**
 * Returns `auth` of the event for which a page is rendered. Returns `undefined` in the browser, and for a page that
 * other visitors receive too.
 */
export function findEventAuth(isSpa: boolean): EventAuth | undefined {
  const context = useRequestEvent()?.context as ServerContext | undefined;
  if (!context?.auth || isSpa || import.meta.prerender || isShared(context)) return undefined;
  return context.auth;
}
