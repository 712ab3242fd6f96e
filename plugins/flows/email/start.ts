import {
  findUserByEmail,
  isLinkRequest,
  randomHex,
  randomUUID,
  toJsonRequest,
  toMailedUrl,
} from "../../../src/_kit.ts";
import { BadRequest } from "../../../src/errors.ts";
import { checkSignIn } from "../../../src/kernel.ts";
import type { Adapter, AdapterUser, Identity } from "../../../src/kernel.ts";
import { expectStable, parseAddress, parseSender } from "./address.ts";
import { createCode, getCodeAge, isCodeAttempt } from "./code.ts";
import { rememberBrowser } from "./confirm.ts";
import { refuseCodes } from "./errors.ts";
import { finishWithCode, type FinishTools } from "./finish.ts";
import { getMailTranslation } from "./language.ts";
import type { NewestTokens } from "./newest.ts";
import { getNoticeUrl } from "./notice.ts";
import { checkLinkOrigin } from "./origin.ts";
import type { VerificationRequest } from "./provider.ts";
import type { Sent } from "./requests.ts";
import type { Send } from "./send.ts";
import { issueToken, type IssuedToken, withdrawToken } from "./token.ts";
import type { EmailContext } from "./types.ts";

/** The flow's state between requests. */
export interface EmailTools extends FinishTools {
  newest: NewestTokens;
  send: Send;
}

// The response is the same whether or not the address can sign in, so that it does not reveal accounts (SECURITY.md
// R15).
async function redirectToNotice(
  ctx: EmailContext,
  address: string,
  token: string | undefined,
): Promise<Response> {
  await rememberBrowser(ctx, address, ctx.provider.code ? token : undefined);
  return ctx.redirect(getNoticeUrl(ctx));
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
  const code = provider.code ? await createCode(ctx, stored.token) : undefined;
  const { theme } = kernel.config;
  const url = await buildLink(ctx, address, token);
  return {
    identifier: address,
    url,
    token,
    ...(code !== undefined && { code }),
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
      ...(code !== undefined && {
        code: { digits: code, maxAge: Math.min(maxAge, getCodeAge(ctx)) },
      }),
      translation: getMailTranslation(
        kernel.use("pages").catalogue,
        await ctx.languages(),
        messages,
      ),
    }),
  };
}

// Sends a link by e-mail, unless the `signIn` hook redirects instead.
async function sendLink(
  ctx: EmailContext,
  address: string,
  { send, newest }: EmailTools,
): Promise<Sent> {
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
  if (redirectUrl !== undefined) return { redirectUrl };

  // The token is stored before the e-mail is sent, so that a link that arrives works.
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
  return { token: issued.stored.token };
}

/**
 * Sends a link to the posted address, one e-mail for each request, and redirects to the verify-request page. If the
 * code of such an e-mail is posted, returns the identity.
 * @throws BadRequest for a request to link the address; InvalidEmailCode for a wrong code; UntrustedHost when the
 * request would choose the host of the link; EmailSignInError for an invalid address, or an e-mail that could not be
 * sent.
 */
export async function start(ctx: EmailContext, tools: EmailTools): Promise<Response | Identity> {
  // The user of the address, who may be a new one, would replace the signed-in user.
  if (await isLinkRequest(ctx)) {
    throw new BadRequest(
      `"${ctx.provider.id}" cannot link an address to a user: its link signs in the user who has that address. Leave ` +
        "`link` out; to change a user's address, see plugins/flows/README.md#a-change-of-address.",
    );
  }
  if (await isCodeAttempt(ctx)) return finishWithCode(ctx, tools);
  checkLinkOrigin(ctx);
  const address = parseAddress(ctx.provider, (await ctx.body()).email);
  expectStable(ctx.provider, address);
  const { redirectUrl, token } = await tools.requests.once(ctx, address, () =>
    sendLink(ctx, address, tools),
  );
  return redirectUrl === undefined
    ? redirectToNotice(ctx, address, token)
    : ctx.redirect(redirectUrl);
}

/** Returns the response of `start` when a rate limit is exceeded. The response is the same, but no e-mail is sent. */
export async function limited(ctx: EmailContext): Promise<Response> {
  ctx.debug?.("a rate limit is exceeded: no e-mail is sent");
  if (await isCodeAttempt(ctx)) throw refuseCodes("A rate limit refuses codes.");
  await ctx.callbackUrl();
  // A random hash belongs to no token, so no code matches it.
  return redirectToNotice(ctx, parseAddress(ctx.provider, (await ctx.body()).email), randomHex(32));
}
