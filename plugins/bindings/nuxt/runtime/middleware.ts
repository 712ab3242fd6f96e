import type { RouteMiddleware } from "#app";
import { defineNuxtRouteMiddleware, useNuxtApp } from "#imports";
import { getRule } from "./rule.ts";
import type { NuxtAuth } from "./state.ts";

/** Holds `definePageMeta({ auth })`, and the route rules where a link leads to a page without asking the server. */
const authRouteMiddleware: RouteMiddleware = defineNuxtRouteMiddleware(async (to) => {
  const rule = getRule(to);
  if (rule === false) return undefined;
  const { $keyhook: auth } = useNuxtApp() as unknown as { $keyhook: NuxtAuth };
  const { status } = await auth.settle();
  // Of a page that is rendered for all visitors, the browser decides. A read that failed is no sign-out; what the page needs
  // the server still refuses.
  if (status !== (rule === "guest" ? "authenticated" : "unauthenticated")) return undefined;
  const { leave } = await import("./leave.ts");
  return leave(to.fullPath, status);
});

export default authRouteMiddleware;
