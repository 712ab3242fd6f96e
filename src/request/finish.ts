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
 * Returns the response to a request that failed while its response was finished. It sends only the cookies that end
 * something, such as a session after a sign-out, or an attempt.
 */
export function finishFailed(ctx: AuthContext): Response {
  const response = plainFailure(500);
  const { pending } = ctx.cookies;
  // Clearing a part ends nothing if the cookie is also being set in another number of parts.
  const set = pending.flatMap(({ name, value }) => (value ? [toWholeName(name)] : []));
  const ended = pending.filter(({ name, value }) => !value && !set.includes(toWholeName(name)));
  try {
    writeCookies(ctx, response.headers, ended);
  } catch {
    // The cookie itself may be the fault, for example with an invalid attribute.
  }
  return response;
}

// A response of the application may be shared by several visitors or have immutable headers.
function toOwn(ctx: AuthContext, response: Response): Response {
  if (isOwn(ctx, response)) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body, { status, statusText, headers });
}

// For speed: without a tap of `response`, the headers of such a response are unchanged.
function isKeptUncached(ctx: AuthContext, response: Response): boolean {
  return !ctx.kernel.hooks.response.isUsed() && isUncached(ctx, response);
}

/** Returns a response of the application that depends on the session, with the pending cookies. */
export function withSession(ctx: AuthContext, response: Response): Response {
  const own = toOwn(ctx, response);
  // The application may have signed the visitor out, or another user in, since the session was read.
  const { pending } = ctx.cookies;
  const due = own === response ? pending : withoutSet(pending, ({ name }) => name, own.headers);
  // Overrides what the route set: no cache may give these cookies to another visitor (SECURITY.md R10).
  const hasCookies = writeCookies(ctx, own.headers, due);
  if (isKeptUncached(ctx, own)) return own;
  if (hasCookies) forbidCaching(own.headers);
  else forbidSharedCaching(own.headers);
  return own;
}

/** Returns a response with the pending cookies. If there are any, it is not cacheable. */
export function withCookies(ctx: AuthContext, response: Response): Response {
  return ctx.cookies.pending.length ? withSession(ctx, response) : response;
}

// A response that depends on the session is never cacheable, whatever the route or a tap set. Any other response is
// cacheable only if it says so, since most depend on the request's host.
function withCaching(ctx: AuthContext, response: Response): Response {
  if (isKeptUncached(ctx, response)) return response;
  const isPersonal = ctx.route?.auth || hasReadSession(ctx);
  if (!isPersonal && response.headers.has("cache-control")) return response;
  const own = toOwn(ctx, response);
  forbidCaching(own.headers);
  return own;
}

/**
 * Returns a route's response as it is sent: with its caching headers, the cookies, and no body for HEAD.
 * @throws PluginError when its body was already read, so that it cannot be sent.
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
