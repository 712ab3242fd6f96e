import { PluginError } from "../errors/errors.ts";
import { forbidCaching, forbidSharedCaching } from "../http/caching.ts";
import { serializeCookie, toWholeName, withoutSet } from "../http/cookies.ts";
import type { CookieToSet } from "../types/cookie.ts";
import type { AuthContext } from "../types/kernel.ts";
import { getMethod, hasReadSession, isOwn, isUncached } from "./context.ts";
import { plainFailure } from "./failure.ts";

// Writes cookies into the headers of a response; returns whether there are any.
function writeCookies(
  { kernel: { sessionTransport }, route }: AuthContext,
  headers: Headers,
  pending: readonly CookieToSet[],
): boolean {
  if (route?.cookies === false) return false;
  const lines =
    sessionTransport?.send(pending).filter(([name]) => !headers.has(name)) ??
    pending.map((cookie) => ["set-cookie", serializeCookie(cookie)] as const);
  for (const [name, value] of lines) headers.append(name, value);
  return lines.length > 0;
}

/**
 * Returns the response to a request that failed while its response was finished. The only cookies sent are those that
 * end something, such as a session that was signed out of, or an attempt.
 */
export function finishFailed(ctx: AuthContext): Response {
  const response = plainFailure(500);
  const { pending } = ctx.cookies;
  // A part that is cleared because the cookie is being set in another number of parts ends nothing.
  const set = pending.flatMap(({ name, value }) => (value ? [toWholeName(name)] : []));
  const ended = pending.filter(({ name, value }) => !value && !set.includes(toWholeName(name)));
  try {
    writeCookies(ctx, response.headers, ended);
  } catch {
    // The cookie itself may be the fault, such as one with an invalid attribute.
  }
  return response;
}

// A response of the application may be shared among visitors, or have immutable headers.
function toOwn(ctx: AuthContext, response: Response): Response {
  if (isOwn(ctx, response)) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body, { status, statusText, headers });
}

// For speed: without a tap of `response`, the headers of such a response are as they were made.
function isKeptUncached(ctx: AuthContext, response: Response): boolean {
  return !ctx.kernel.hooks.response.isUsed() && isUncached(ctx, response);
}

/** Returns a response of the application that depends on the session, with the cookies that are to be set. */
export function withSession(ctx: AuthContext, response: Response): Response {
  const own = toOwn(ctx, response);
  // The application may have signed the visitor out, or another one in, since the session was read.
  const { pending } = ctx.cookies;
  const due = own === response ? pending : withoutSet(pending, ({ name }) => name, own.headers);
  // Whatever the route set: no cache may give these cookies to another visitor (SECURITY.md R10).
  const hasCookies = writeCookies(ctx, own.headers, due);
  if (isKeptUncached(ctx, own)) return own;
  if (hasCookies) forbidCaching(own.headers);
  else forbidSharedCaching(own.headers);
  return own;
}

/** Returns a response with the cookies that are to be set; with any, it is not cacheable. */
export function withCookies(ctx: AuthContext, response: Response): Response {
  return ctx.cookies.pending.length ? withSession(ctx, response) : response;
}

// A response that depends on the session is not cacheable, whatever the route or a tap set; any other one is not
// unless it says so: most depend on the request's host.
function withCaching(ctx: AuthContext, response: Response): Response {
  if (isKeptUncached(ctx, response)) return response;
  const isPersonal = ctx.route?.auth || hasReadSession(ctx);
  if (!isPersonal && response.headers.has("cache-control")) return response;
  const own = toOwn(ctx, response);
  forbidCaching(own.headers);
  return own;
}

/**
 * Returns the response of a route as it is sent: its caching, the cookies, and no body for HEAD.
 * @throws PluginError when its body was read: it cannot be sent.
 */
export function finish(ctx: AuthContext, response: Response): Response {
  if (response.bodyUsed) {
    throw new PluginError(
      `The Response to ${getMethod(ctx)} /${ctx.action} was read. Return a new one, or read its \`clone()\`.`,
    );
  }
  const final = withCookies(ctx, withCaching(ctx, response));
  if (getMethod(ctx) !== "HEAD") return final;
  return new Response(null, { status: final.status, headers: final.headers });
}
