import { defineNuxtRouteMiddleware, navigateTo, type RouteMiddleware, useNuxtApp } from "#app";
import { base, basePath, guestRedirect, rules } from "#build/keyhook.mjs";
import { createRuleMatcher } from "../../_route-rules.ts";
import type { NuxtAuth } from "./state.ts";

const isGuarded = createRuleMatcher(rules);

/** Holds `definePageMeta({ auth })`, and the route rules where a link leads to a page without asking the server. */
export const authRouteMiddleware: RouteMiddleware = defineNuxtRouteMiddleware(async (to) => {
  const rule = to.meta.auth ?? isGuarded(to.path);
  if (rule === false) return undefined;
  const { $keyhook: auth } = useNuxtApp() as unknown as { $keyhook: NuxtAuth };
  // A page that is rendered for all visitors: the browser decides.
  if (import.meta.server && auth.state.value.status === "loading") return undefined;
  const { status } = await auth.settle();
  if (rule === "guest") return status === "authenticated" ? navigateTo(guestRedirect) : undefined;
  // A read that failed is no sign-out; what the page needs the server still refuses.
  if (status !== "unauthenticated") return undefined;
  const callbackUrl = encodeURIComponent(base.replace(/\/$/, "") + to.fullPath);
  return navigateTo(`${basePath}/signin?callbackUrl=${callbackUrl}`, { external: true });
});

export default authRouteMiddleware;
