import { InvalidCheck, isListedHost, isSecureUrl, randomBase64url } from "../../../src/index.ts";
import type { OAuthContext } from "./types.ts";

// Auth.js's, so that deployments of both may share a proxy.
const SALT = "encodedState";
const LIFE = 900;

function proxyCallback({ provider }: OAuthContext): string | undefined {
  const { redirectProxyUrl, id } = provider;
  return redirectProxyUrl && `${redirectProxyUrl}/callback/${id}`;
}

function isProxy(ctx: OAuthContext): boolean {
  const { redirectProxyUrl } = ctx.provider;
  return redirectProxyUrl !== undefined && new URL(redirectProxyUrl).origin === ctx.origin;
}

/** The redirect URI in force: the proxy's callback, or our own. */
export function redirectUriOf(ctx: OAuthContext): string {
  return (!isProxy(ctx) && proxyCallback(ctx)) || ctx.provider.callbackUrl;
}

/** A new `state`: random, and readable by the proxy when the answer goes there. */
export async function newState(ctx: OAuthContext): Promise<string> {
  const random = randomBase64url(32);
  if (proxyCallback(ctx) === undefined || isProxy(ctx)) return random;
  return ctx.kernel.tokens.encode({
    token: { origin: ctx.provider.callbackUrl, random },
    secret: ctx.kernel.config.secret,
    salt: SALT,
    maxAge: LIFE,
  });
}

// Our secret sealed it, but perhaps for a deployment that believes any Host header: in production its
// host must be one that `trustHost` lists. The shape is this very provider's callback.
function isCallback(target: unknown, { provider, kernel }: OAuthContext): target is string {
  if (typeof target !== "string" || !URL.canParse(target)) return false;
  const url = new URL(target);
  const { username, password, search, hash, pathname, host } = url;
  const { trustHost, production } = kernel.config;
  const isListed = typeof trustHost === "boolean" ? !production : isListedHost(host, trustHost);
  const isPlain = !username && !password && !search && !hash;
  return isPlain && isListed && isSecureUrl(url) && pathname.endsWith(`/callback/${provider.id}`);
}

/** On the proxy: sends an answer on to the deployment whose attempt it belongs to. */
export async function forward(
  ctx: OAuthContext,
  answer: URLSearchParams,
): Promise<Response | undefined> {
  const state = answer.get("state");
  if (!state || !isProxy(ctx)) return undefined;
  let origin: unknown;
  try {
    const secret = ctx.kernel.config.secret;
    origin = (await ctx.kernel.tokens.decode({ token: state, secret, salt: SALT }))?.origin;
  } catch {
    // A state of the proxy's own attempts is no token.
    return undefined;
  }
  if (origin === undefined) return undefined;
  if (!isCallback(origin, ctx)) {
    throw new InvalidCheck(
      "The callback belongs to a deployment that this proxy does not know. List its host in `trustHost`.",
    );
  }
  if (new URL(origin).origin === ctx.origin) return undefined;
  return ctx.redirect(`${origin}?${answer}`);
}
