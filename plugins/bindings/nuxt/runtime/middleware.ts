import type { RouteMiddleware } from "#app";
import { defineNuxtRouteMiddleware, useNuxtApp } from "#imports";
import { getRule } from "./rule.ts";
import type { NuxtAuth } from "./state.ts";

/**
 * Enforces `definePageMeta({ auth })`, and the route rules when a link leads to a page without a request to the server.
 */
const authRouteMiddleware: RouteMiddleware = defineNuxtRouteMiddleware(async (to) => {
  const rule = getRule(to);
  if (rule === false) return undefined;
  const { $keyhook: auth } = useNuxtApp() as unknown as { $keyhook: NuxtAuth };
  const { status } = await auth.settle();
  // The browser decides on a page that is rendered for all visitors. A failed read is not a sign-out; the server still
  // protects the page's data.
  if (status !== (rule === "guest" ? "authenticated" : "unauthenticated")) return undefined;
  const { leave } = await import("./leave.ts");
  return leave(to.fullPath, status);
});

export default authRouteMiddleware;
