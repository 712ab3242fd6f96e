import { allow, callAdapter, pageUrl, randomUUID } from "../../../src/index.ts";
import type { Adapter, AdapterUser, VerificationRequest } from "../../../src/index.ts";
import { addressOf, senderOf } from "./address.ts";
import { rememberAsker } from "./confirm.ts";
import { readingFor } from "./language.ts";
import { type Limits, networkOfRequest } from "./limits.ts";
import type { Requests } from "./requests.ts";
import type { Send } from "./send.ts";
import { issueToken, type IssuedToken, withdrawToken } from "./token.ts";
import type { EmailContext } from "./types.ts";

/** What the flow keeps between requests. */
export interface Tools {
  limits: Limits;
  requests: Requests;
  send: Send;
}

// Whoever can be asked, and whoever cannot: the answer is the same.
async function answer(ctx: EmailContext, address: string): Promise<Response> {
  const { provider, kernel, base, origin } = ctx;
  await rememberAsker(ctx, address);
  const own = kernel.route("GET", "/verify-request")
    ? undefined
    : kernel.config.pages.verifyRequest;
  const page = own ?? `${base}/verify-request`;
  return ctx.redirect(pageUrl(page, origin, { provider: provider.id, type: "email" }));
}

// The request as a sender may want to look at it; its body can be read once more.
function requestOf(ctx: EmailContext, fields: Record<string, unknown>): Request {
  const headers = new Headers(ctx.request.headers);
  headers.delete("content-length");
  headers.set("content-type", "application/json");
  return new Request(ctx.url, { method: "POST", headers, body: JSON.stringify(fields) });
}

async function linkOf(ctx: EmailContext, address: string, token: string): Promise<string> {
  const callbackUrl = await ctx.callbackUrl();
  const query = new URLSearchParams({ callbackUrl, token, email: address });
  return `${ctx.provider.callbackUrl}?${query}`;
}

async function requestFor(
  ctx: EmailContext,
  address: string,
  { token, stored }: IssuedToken,
): Promise<VerificationRequest> {
  const { writeMail } = await import("./mail.ts");
  const { provider, kernel } = ctx;
  const { from, maxAge = 0, messages } = provider;
  const { theme } = kernel.config;
  const url = await linkOf(ctx, address, token);
  return {
    identifier: address,
    url,
    token,
    expires: stored.expires,
    provider,
    theme,
    request: requestOf(ctx, await ctx.body()),
    mail: writeMail({
      to: address,
      from: from === undefined ? undefined : senderOf(from),
      url,
      theme,
      maxAge,
      reading: readingFor(kernel, await ctx.languages(), messages),
    }),
  };
}

// Mails a link, unless there were too many; or answers where the `signIn` hook leads instead.
async function mail(
  ctx: EmailContext,
  address: string,
  { limits, send }: Tools,
): Promise<string | undefined> {
  const { provider, kernel } = ctx;
  const network = networkOfRequest(ctx);
  const isFew = await limits.admit(ctx, "network", network);
  if (!isFew || !(await limits.admit(ctx, "address", address))) return undefined;

  const known = await callAdapter(kernel.adapter as Adapter, "getUserByEmail", address);
  const stranger: AdapterUser = { id: randomUUID(), email: address, emailVerified: null };
  const user = known ?? stranger;
  const elsewhere = await allow(ctx, {
    user,
    account: {
      provider: provider.id,
      type: "email",
      providerAccountId: address,
      userId: String(user.id),
    },
    email: { verificationRequest: true },
  });
  if (elsewhere !== undefined) return elsewhere;

  // Stored first: a link that arrives works.
  const issued = await issueToken(ctx, address);
  try {
    await send(ctx, await requestFor(ctx, address, issued));
  } catch (error) {
    await withdrawToken(ctx, issued);
    await limits.forgive(ctx, "address", address);
    throw error;
  }
  return undefined;
}

/**
 * Mails a link to the address that was entered, one for each request.
 * @throws EmailSignInError when that is none, or the mail cannot be sent.
 */
export async function start(ctx: EmailContext, tools: Tools): Promise<Response> {
  const address = addressOf(ctx.provider, (await ctx.body()).email);
  const elsewhere = await tools.requests.once(ctx, address, () => mail(ctx, address, tools));
  return elsewhere === undefined ? answer(ctx, address) : ctx.redirect(elsewhere);
}
