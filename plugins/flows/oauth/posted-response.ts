import { openSealed, sealForOrigin, withMaxAge } from "../../../src/_kit.ts";
import type { FlowContext } from "../../../src/kernel.ts";
import { isLinking } from "./attempt.ts";

/** Seconds between the posted response and the request that follows the redirect. */
const MAX_AGE_S = 60;
/** Maximum number of characters. Servers refuse requests with more than 16 kB of headers. */
const MAX_LENGTH = 6000;
const SENT = ["code", "error", "state"];

/**
 * Keeps an authorization response that the provider's site posted, and returns a redirect to the callback itself.
 * Browsers do not send the session cookie (`SameSite=Lax`) with a POST from another site, but they do with the GET that
 * follows. Only then is the user who asked to link the account known.
 * Returns `undefined` when the response can be handled at once, because no user asked to link or the session is
 * present.
 */
export async function deferLinking(
  ctx: FlowContext,
  params: URLSearchParams,
): Promise<Response | undefined> {
  if (ctx.request.method !== "POST") return undefined;
  const text = params.toString();
  if (text.length > MAX_LENGTH || !(await isLinking(ctx, params.get("state") || undefined))) {
    return undefined;
  }
  if (await ctx.kernel.strategy.current(ctx)) return undefined;
  const { name, attributes } = ctx.cookies.spec("postedResponse");
  const maxAge = attributes.maxAge ?? MAX_AGE_S;
  const token = { params: text, provider: ctx.provider.id };
  const value = await sealForOrigin(ctx, { token, salt: name, maxAge });
  ctx.cookies.setChunked(name, value, withMaxAge(attributes, maxAge));
  return ctx.redirect(ctx.provider.callbackUrl);
}

/**
 * Takes the authorization response that `deferLinking` kept in this browser for this provider. Returns `undefined` when
 * there is none, or when the request itself has a response.
 */
export async function takePostedResponse(ctx: FlowContext): Promise<URLSearchParams | undefined> {
  const { name, attributes } = ctx.cookies.spec("postedResponse");
  if (!ctx.cookies.getChunked(name) || SENT.some((field) => ctx.url.searchParams.has(field))) {
    return undefined;
  }
  const opened = await openSealed(ctx, name);
  ctx.cookies.clearChunked(name, attributes);
  const kept = opened.find(({ provider }) => provider === ctx.provider.id)?.params;
  return typeof kept === "string" ? new URLSearchParams(kept) : undefined;
}
