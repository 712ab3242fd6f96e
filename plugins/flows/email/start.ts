import { findUserByEmail, randomUUID, toJsonRequest, toMailedUrl } from "../../../src/_kit.ts";
import { checkSignIn, pageUrl } from "../../../src/kernel.ts";
import type { Adapter, AdapterUser } from "../../../src/kernel.ts";
import { expectStable, parseAddress, parseSender } from "./address.ts";
import { rememberBrowser } from "./confirm.ts";
import { getMailTranslation } from "./language.ts";
import type { NewestTokens } from "./newest.ts";
import { checkLinkOrigin } from "./origin.ts";
import type { VerificationRequest } from "./provider.ts";
import type { Requests } from "./requests.ts";
import type { Send } from "./send.ts";
import { issueToken, type IssuedToken, withdrawToken } from "./token.ts";
import type { EmailContext } from "./types.ts";

/** The flow's state between requests. */
export interface EmailTools {
  requests: Requests;
  newest: NewestTokens;
  send: Send;
}

// The response is the same whether or not the address can sign in (SECURITY.md R15).
async function redirectToNotice(ctx: EmailContext, address: string): Promise<Response> {
  const { provider, kernel, base, origin } = ctx;
  await rememberBrowser(ctx, address);
  const own = kernel.route("GET", "/verify-request")
    ? undefined
    : kernel.config.pages.verifyRequest;
  const page = own ?? `${base}/verify-request`;
  return ctx.redirect(pageUrl(page, origin, { provider: provider.id, type: "email" }));
}

async function buildLink(ctx: EmailContext, address: string, token: string): Promise<string> {
  const { config } = ctx.kernel;
  const target = await ctx.callbackUrl();
  const isOwn = new URL(target).origin === ctx.origin;
  const callbackUrl = isOwn ? toMailedUrl(config, target) : target;
  const query = new URLSearchParams({ callbackUrl, token, email: address });
  return `${toMailedUrl(config, ctx.provider.callbackUrl)}?${query}`;
}

async function buildRequest(
  ctx: EmailContext,
  address: string,
  { token, stored }: IssuedToken,
): Promise<VerificationRequest> {
  const { writeMail } = await import("./mail.ts");
  const { provider, kernel } = ctx;
  const { from, maxAge = 0, messages } = provider;
  const { theme } = kernel.config;
  const url = await buildLink(ctx, address, token);
  return {
    identifier: address,
    url,
    token,
    expires: stored.expires,
    provider,
    theme,
    request: toJsonRequest(ctx, await ctx.body()),
    mail: writeMail({
      to: address,
      from: from === undefined ? undefined : parseSender(from),
      url,
      theme,
      maxAge,
      translation: getMailTranslation(
        kernel.use("pages").catalogue,
        await ctx.languages(),
        messages,
      ),
    }),
  };
}

// Sends a link by e-mail. Resolves to a URL if the `signIn` hook redirects instead.
async function sendLink(
  ctx: EmailContext,
  address: string,
  { send, newest }: EmailTools,
): Promise<string | undefined> {
  const { provider, kernel } = ctx;
  const known = await findUserByEmail(kernel.adapter as Adapter, address);
  const newUser: AdapterUser = { id: randomUUID(), email: address, emailVerified: null };
  const user = known ?? newUser;
  const redirectUrl = await checkSignIn(ctx, {
    user,
    storedUser: known,
    account: {
      provider: provider.id,
      type: "email",
      providerAccountId: address,
      userId: String(user.id),
    },
    email: { verificationRequest: true },
  });
  if (redirectUrl !== undefined) return redirectUrl;

  // Stored before it is sent: a link that arrives must work.
  const issued = await issueToken(ctx, address);
  ctx.debug?.("the token of the link is stored");
  try {
    const replaced = await newest.replace(issued);
    await Promise.all(replaced.map((token) => withdrawToken(ctx, address, token)));
    await send(ctx, await buildRequest(ctx, address, issued));
    ctx.debug?.("the e-mail is sent");
  } catch (error) {
    await withdrawToken(ctx, address, issued.stored.token);
    throw error;
  }
  return undefined;
}

/**
 * Sends a link to the posted address, one e-mail for each request, and redirects to the
 * verify-request page.
 * @throws UntrustedHost when the request chose the link's host, and EmailSignInError when the address is invalid or
 * the e-mail could not be sent.
 */
export async function start(ctx: EmailContext, tools: EmailTools): Promise<Response> {
  checkLinkOrigin(ctx);
  const address = parseAddress(ctx.provider, (await ctx.body()).email);
  expectStable(ctx.provider, address);
  const redirectUrl = await tools.requests.once(ctx, address, () => sendLink(ctx, address, tools));
  return redirectUrl === undefined ? redirectToNotice(ctx, address) : ctx.redirect(redirectUrl);
}

/** Returns the response of `start` when a rate limit is exceeded: the same, and no e-mail is sent. */
export async function limited(ctx: EmailContext): Promise<Response> {
  ctx.debug?.("a rate limit is exceeded: no e-mail is sent");
  await ctx.callbackUrl();
  return redirectToNotice(ctx, parseAddress(ctx.provider, (await ctx.body()).email));
}
