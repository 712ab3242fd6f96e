import {
  isRewritten,
  isSafeMethod,
  JSON_HEADERS,
  parseUrl,
  PRIVATE_HEADERS,
  wantsPage,
  withoutEndSlash,
} from "../../src/_kit.ts";
import type { Auth, Connection, RequestSource } from "../../src/kernel.ts";
import { getSignInUrl } from "./_action.ts";

// Returns whether the sign-in page is the page at a path of the application. The page may be on another site, so its
// origin is compared with that of the URL to which it leads back, which is public like its own.
function isPage({ origin, pathname, searchParams }: URL, path: string): boolean {
  const back = parseUrl(searchParams.get("callbackUrl") ?? "");
  return back?.origin === origin && withoutEndSlash(pathname) === withoutEndSlash(path);
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
  const { pathname, search } = new URL(req.url);
  if (!isSafeMethod(req.method) || !wantsPage(req)) {
    const body = JSON.stringify({ error: "SessionRequired" });
    return new Response(body, { status: 401, headers: { ...JSON_HEADERS, ...PRIVATE_HEADERS } });
  }
  const location = await getSignInUrl(auth, source, pathname + search);
  // The sign-in page itself must remain reachable. A router may read `/admin/../login` literally, so such a path is not
  // the sign-in page.
  if (isPage(new URL(location), pathname) && !isRewritten(target)) return undefined;
  return new Response(null, { status: 302, headers: { location, ...PRIVATE_HEADERS } });
}
