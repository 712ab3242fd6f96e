import { base, basePath, guestRedirect } from "#build/keyhook.mjs";
import { navigateTo } from "#imports";

/**
 * Redirects from a page that the visitor may not see: users from pages for guests, other visitors to the sign-in page.
 */
export function leave(path: string, status: "authenticated" | "unauthenticated"): unknown {
  if (status === "authenticated") return navigateTo(guestRedirect);
  const callbackUrl = encodeURIComponent(base.replace(/\/$/, "") + path);
  return navigateTo(`${basePath}/signin?callbackUrl=${callbackUrl}`, { external: true });
}
