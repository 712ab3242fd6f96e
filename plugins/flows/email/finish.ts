import { randomUUID } from "../../../src/_kit.ts";
import { Verification } from "../../../src/errors.ts";
import type { AdapterUser, Identity, VerificationToken } from "../../../src/kernel.ts";
import type { Limiter } from "../../security/rate-limit.ts";
import { parseAddress } from "./address.ts";
import { admitAttempt, countAttempts } from "./attempts.ts";
import { redeemCode } from "./code.ts";
import { confirmPage, forgetBrowser, type Link, mayRedeem } from "./confirm.ts";
import type { Requests } from "./requests.ts";
import { redeemToken, restoreToken } from "./token.ts";
import type { EmailContext } from "./types.ts";

// Mail programs break long links, and users copy only part of them. This is not a misconfiguration.
async function parseLink(ctx: EmailContext): Promise<Link> {
  const isPost = ctx.request.method === "POST";
  const given: Record<string, unknown> = isPost
    ? await ctx.body()
    : Object.fromEntries(ctx.url.searchParams);
  const { email, token } = given;
  if (typeof token !== "string" || token === "" || typeof email !== "string") {
    throw new Verification("The link has no token or no address.");
  }
  try {
    return { token, email: parseAddress(ctx.provider, email) };
  } catch (error) {
    throw new Verification("The link has no valid address.", { cause: error });
  }
}

function buildIdentity(email: string): Identity {
  const user: AdapterUser = { id: randomUUID(), email, emailVerified: null };
  return {
    user,
    account: { providerAccountId: email },
    emailVerified: true,
  };
}

/** The flow's state that is needed to complete a sign-in. */
export interface FinishTools {
  limiter: Limiter;
  requests: Requests;
  /** The rows of redeemed tokens, by the identities that they established. */
  redeemed: WeakMap<Identity, VerificationToken>;
}

/**
 * Redeems the token of a link and returns the identity, or returns a page that asks for a confirmation first.
 * @throws Verification when the link is used, expired or for another address, or the limit of attempts is reached.
 */
export async function finish(
  ctx: EmailContext,
  { limiter, redeemed }: FinishTools,
): Promise<Response | Identity> {
  const link = await parseLink(ctx);
  const isConfirmed = await mayRedeem(ctx, link);
  ctx.debug?.(
    isConfirmed ? "the link may be used" : "the link is from another browser: the page asks first",
  );
  if (!isConfirmed) return confirmPage(ctx, link);

  const { email, token } = link;
  const attempts = countAttempts(ctx, email, limiter);
  const isAdmitted = await admitAttempt(ctx, attempts);
  const row = isAdmitted ? await redeemToken(ctx, email, token) : undefined;
  ctx.debug?.("the token of the link", { admitted: isAdmitted, redeemed: row !== undefined });
  if (!row)
    throw new Verification(
      "The link is used, expired or for another address, or too many were tried.",
    );
  await attempts?.refund();
  const identity = buildIdentity(email);
  redeemed.set(identity, row);
  return identity;
}

/**
 * Redeems the posted code of an e-mail and returns the identity.
 * @throws InvalidEmailCode when the code is wrong, used or expired, or too many were tried.
 */
export async function finishWithCode(
  ctx: EmailContext,
  { limiter, redeemed }: FinishTools,
): Promise<Identity> {
  const { row, check } = await redeemCode(ctx, limiter);
  const { value, callbackUrl, session } = check;
  const identity = { ...buildIdentity(value), callbackUrl, session };
  redeemed.set(identity, row);
  return identity;
}

/**
 * Stores the token again after a failed sign-in, so that the link works once the cause is fixed. Returns the error to
 * report.
 */
export async function restore(
  ctx: EmailContext,
  error: unknown,
  identity: Identity,
  { redeemed }: FinishTools,
): Promise<unknown> {
  const row = redeemed.get(identity);
  if (row && (await restoreToken(ctx, row))) return error;
  return new Verification("The sign-in failed and its link could not be restored.", {
    cause: error,
  });
}

/** Forgets the request for the link, so that the user can request another one at once. */
export async function forget(
  ctx: EmailContext,
  { account }: Identity,
  { requests }: FinishTools,
): Promise<void> {
  forgetBrowser(ctx);
  await requests.forget(ctx, account.providerAccountId);
}
