import { isListedOrigin, isSecureUrl, parseUrl, randomBase64url } from "../../../src/_kit.ts";
import { InvalidCheck } from "../../../src/errors.ts";
import { isFormPost } from "./endpoint.ts";
import { STATE_SALT } from "./state-salt.ts";
import type { OAuthContext } from "./types.ts";

// In seconds. The same as in Auth.js, so that deployments of both can share a proxy.
const STATE_TTL_S = 900;

// The proxy cannot forward a posted form by a redirect.
function getProxy({ provider }: OAuthContext): string | undefined {
  return isFormPost(provider) ? undefined : provider.redirectProxyUrl;
}

function proxyCallback(ctx: OAuthContext): string | undefined {
  const proxy = getProxy(ctx);
  return proxy && `${proxy}/callback/${ctx.provider.id}`;
}

function isProxy(ctx: OAuthContext): boolean {
  const proxy = getProxy(ctx);
  return proxy !== undefined && new URL(proxy).origin === ctx.origin;
}

/** Returns the redirect URI: the proxy's callback, or this deployment's own. */
export function getRedirectUri(ctx: OAuthContext): string {
  return (!isProxy(ctx) && proxyCallback(ctx)) || ctx.provider.callbackUrl;
}

/**
 * Creates a `state`. It is random, or sealed with this deployment's callback URL if the response goes to a proxy, which
 * opens it.
 */
export async function createState(ctx: OAuthContext): Promise<string> {
  const random = randomBase64url(32);
  if (proxyCallback(ctx) === undefined || isProxy(ctx)) return random;
  return ctx.kernel.tokens.encode({
    token: { origin: ctx.provider.callbackUrl, random },
    secret: ctx.kernel.config.secret,
    salt: STATE_SALT,
    maxAge: STATE_TTL_S,
  });
}

// The token was sealed with the shared secret, but perhaps by a deployment that trusts any Host header. In production
// its host must therefore be listed in `trustHost`. The path must be the callback of this provider.
function isCallback(target: unknown, { provider, kernel }: OAuthContext): target is string {
  const url = typeof target === "string" ? parseUrl(target) : undefined;
  if (!url) return false;
  const { username, password, search, hash, pathname } = url;
  const { trustHost, production } = kernel.config;
  const isListed = typeof trustHost === "boolean" ? !production : isListedOrigin(url, trustHost);
  const isPlain = !username && !password && !search && !hash;
  return isPlain && isListed && isSecureUrl(url) && pathname.endsWith(`/callback/${provider.id}`);
}

/**
 * On the proxy: returns the redirect to the deployment whose attempt the response belongs to. Returns `undefined` if
 * the attempt is the proxy's own.
 * @throws InvalidCheck when the deployment's host is not trusted.
 */
export async function forward(
  ctx: OAuthContext,
  params: URLSearchParams,
): Promise<Response | undefined> {
  const state = params.get("state");
  if (!state || !isProxy(ctx)) return undefined;
  let callback: unknown;
  try {
    const secret = ctx.kernel.config.secret;
    callback = (await ctx.kernel.tokens.decode({ token: state, secret, salt: STATE_SALT }))?.origin;
  } catch {
    // The `state` of the proxy's own attempts is not a token.
    return undefined;
  }
  if (callback === undefined) return undefined;
  if (!isCallback(callback, ctx)) {
    throw new InvalidCheck(
      "The callback belongs to a deployment whose host is not trusted. List it in `trustHost`.",
    );
  }
  if (new URL(callback).origin === ctx.origin) return undefined;
  return ctx.redirect(`${callback}?${params}`);
}
