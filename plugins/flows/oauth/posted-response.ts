import { openSealed, sealForOrigin, withMaxAge } from "../../../src/_kit.ts";
import type { FlowContext } from "../../../src/kernel.ts";
import { isLinking } from "./attempt.ts";

/** Seconds from the posted response to the request that the redirect leads to. */
const MAX_AGE_S = 60;
/** Characters; servers refuse requests with more than 16 kB of headers. */
const MAX_LENGTH = 6000;
const SENT = ["code", "error", "state"];

/**
 * Keeps an authorization response that the provider's site posted, and returns the redirect to the callback
 * itself. Browsers send the session cookie (`SameSite=Lax`) with the GET that follows but not with the POST of
 * another site, so that the user who asked to link the account is known only then. Returns `undefined` when
 * the response can be handled at once: no one asked to link, or the session is there.
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
 * Takes the authorization response that `deferLinking` kept in this browser for this provider; `undefined`
 * when there is none, or when the request has a response of its own.
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
