import {
  isRewritten,
  isSafeMethod,
  isSamePage,
  JSON_HEADERS,
  parseUrl,
  PRIVATE_HEADERS,
  wantsPage,
} from "../../src/_kit.ts";
import type { Auth, Connection, RequestSource } from "../../src/kernel.ts";
import { getSignInUrl } from "./_action.ts";

// Returns whether a request is for the sign-in page, to which `location` leads. The page may be on another site, so its
// origin is compared with that of the URL to which it leads back, which is public like its own.
function isSignInPage(location: string, here: URL): boolean {
  const page = new URL(location);
  const back = parseUrl(page.searchParams.get("callbackUrl") ?? "");
  for (const name of ["callbackUrl", "error"]) page.searchParams.delete(name);
  return back?.origin === page.origin && isSamePage(page, here);
}

/**
 * Resolves to the response to a request without a session for a path that requires one. A browser that requests a page
 * is redirected to the sign-in page and back; other requests get 401 as JSON. Resolves to `undefined` when the request
 * may pass.
 */
export async function refuseWithoutSession(
  auth: Pick<Auth, "getSession" | "signIn">,
  source: Exclude<RequestSource, Request>,
  target: string = (source.req as Connection).target ?? source.req.url,
): Promise<Response | undefined> {
  if (await auth.getSession(source)) return undefined;
  const { req } = source;
  const here = new URL(req.url);
  if (!isSafeMethod(req.method) || !wantsPage(req)) {
    const body = JSON.stringify({ error: "SessionRequired" });
    return new Response(body, { status: 401, headers: { ...JSON_HEADERS, ...PRIVATE_HEADERS } });
  }
  const location = await getSignInUrl(auth, source, here.pathname + here.search);
  // The sign-in page itself must remain reachable. A router may read `/admin/../login` literally, so such a path is not
  // the sign-in page.
  if (isSignInPage(location, here) && !isRewritten(target)) return undefined;
  return new Response(null, { status: 302, headers: { location, ...PRIVATE_HEADERS } });
}
