import { InvalidProvider } from "../../../src/errors.ts";
import type { AuthContext, Kernel, ProviderBase } from "../../../src/kernel.ts";
import { findOAuthProvider } from "../_provider.ts";
import {
  AccessTokenExpired,
  AccessTokenMissing,
  RefreshTokenRejected,
  TokenRefreshFailed,
} from "./errors.ts";
import { hasSameAccessToken, hasSameRefreshToken, isValidFor } from "./kept-tokens.ts";
import { isInFirstHalf, type Outcome } from "./outcomes.ts";
import type { Refresher } from "./refresher.ts";
import type {
  AccessToken,
  AccessTokenRequest,
  KeptAccount,
  KeptTokens,
  TokenPlace,
} from "./types.ts";

/** The parts that read and refresh access tokens. */
export interface TokenParts {
  readonly place: TokenPlace;
  readonly refresher: Refresher;
  /** Seconds for which a returned token remains valid, unless a call sets another value. */
  readonly minValidity: number;
}

/**
 * Maximum number of refreshes that one call follows. Each one has used up the refresh token before it. There are
 * several if the call has older tokens than the store, such as from a cookie that a browser kept.
 */
const MAX_STEPS = 5;

function getProvider(kernel: Kernel, id: string): ProviderBase {
  const provider = findOAuthProvider(kernel, id);
  if (provider) return provider;
  throw new InvalidProvider(
    `"${id}" is not a configured provider of type oauth or oidc, so it has no access tokens.`,
  );
}

async function findAccount(
  { place }: TokenParts,
  ctx: AuthContext,
  { provider, providerAccountId }: AccessTokenRequest,
): Promise<KeptAccount> {
  const { id } = await ctx.requireSession();
  const all = await place.list(ctx, id, getProvider(ctx.kernel, provider));
  const found = all.filter(
    (one) => providerAccountId === undefined || one.providerAccountId === providerAccountId,
  );
  const [account] = found;
  if (found.length > 1) {
    throw new AccessTokenMissing(
      `The user has ${found.length} accounts of "${provider}". Choose one with \`providerAccountId\`.`,
    );
  }
  if (account?.tokens.access_token !== undefined || account?.tokens.refresh_token !== undefined) {
    return account;
  }
  throw new AccessTokenMissing(
    `No tokens of "${provider}" are kept for the user. The user must sign in with it or link it. A provider whose ` +
      "`account` returns no `access_token` keeps none.",
  );
}

function toResult({ tokens }: KeptAccount): AccessToken {
  const { access_token: accessToken = "", token_type: type, expires_at: end, scope } = tokens;
  return {
    accessToken,
    tokenType: type ?? "bearer",
    ...(end !== undefined && { expiresAt: end }),
    ...(scope !== undefined && { scope }),
  };
}

const toMessage = ({ userId, provider, providerAccountId }: KeptAccount) => ({
  userId,
  provider,
  providerAccountId,
});

// Reads the account again, as it is stored now.
async function readAgain(
  { place }: TokenParts,
  ctx: AuthContext,
  { userId, provider, providerAccountId }: KeptAccount,
): Promise<KeptAccount | undefined> {
  const stored = await place.list(ctx, userId, getProvider(ctx.kernel, provider));
  return stored.find((one) => one.providerAccountId === providerAccountId);
}

const hasSameToken = (one: KeptAccount | undefined, other: KeptAccount): boolean =>
  one !== undefined && hasSameRefreshToken(one.tokens, other.tokens);

// A failure to store the tokens is no reason to withhold them: their outcome is kept, and the next call stores them.
async function report(ctx: AuthContext, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    ctx.log.error(new TokenRefreshFailed(what, { cause: { err: error as Error } }));
  }
}

async function settle(
  parts: TokenParts,
  ctx: AuthContext,
  sent: KeptAccount,
  [outcome, isOwn]: [outcome: Outcome, isOwn: boolean],
): Promise<void> {
  const { place } = parts;
  const { provider } = sent;
  if ("tokens" in outcome) {
    await report(ctx, `The refreshed tokens of "${provider}" could not be stored.`, async () => {
      if (place.isPerRequest) return;
      // Must not replace what a sign-in has stored since, or restore what a sign-out has removed.
      if (!hasSameToken(await readAgain(parts, ctx, sent), sent)) return;
      // Another process has stored what it received, unless it has crashed in between.
      if (isOwn || !hasSameRefreshToken(outcome.tokens, sent.tokens)) {
        await place.write(ctx, { ...sent, tokens: outcome.tokens });
      }
    });
    if (isOwn) await ctx.kernel.emit("tokensRefreshed", toMessage(sent), ctx);
  } else if (outcome.failure === "rejected" && isOwn) {
    await report(
      ctx,
      `The refused refresh token of "${provider}" could not be removed.`,
      async () => {
        // Must not remove a token that a sign-in has stored since.
        if (hasSameToken(await readAgain(parts, ctx, sent), sent))
          await place.forget(ctx, sent, "refresh_token");
      },
    );
    await ctx.kernel.emit("refreshTokenRejected", toMessage(sent), ctx);
  }
}

/**
 * Resolves to a valid access token for the user of the request's session, refreshed when it is due.
 * @throws SessionRequired, InvalidProvider, AccessTokenMissing, AccessTokenExpired, RefreshTokenRejected,
 * TokenRefreshFailed, AdapterError, StoreError.
 */
export async function getAccessToken(
  parts: TokenParts,
  ctx: AuthContext,
  request: AccessTokenRequest,
): Promise<AccessToken> {
  const { provider, minValidity = parts.minValidity, rejected } = request;
  const began = Date.now();
  let isRefreshed = false;
  const isRejected = (tokens: KeptTokens) =>
    rejected !== undefined && hasSameAccessToken(tokens, { access_token: rejected });
  const suits = (tokens: KeptTokens, validity: number) =>
    isValidFor(tokens, validity) && !isRejected(tokens);
  // A token with at most this lifetime, in seconds, is not refreshed in the first half of it. If the call sets
  // `minValidity`, these are only tokens whose lifetime cannot meet it.
  const shortLife = request.minValidity ?? 2 * minValidity;
  // A new token counts however short its lifetime is, and so does a token that another call has obtained since. Another
  // refresh would not bring a longer one.
  const isNew = (outcome: Outcome, { tokens }: KeptAccount) => {
    if (!("tokens" in outcome)) return false;
    // The provider was asked for another token and has returned the same one.
    if (isRejected(outcome.tokens)) return isRefreshed;
    return outcome.at >= began || isInFirstHalf(outcome, tokens, shortLife);
  };
  let account = await findAccount(parts, ctx, request);

  for (let step = 0; step < MAX_STEPS && !suits(account.tokens, minValidity); step++) {
    const sent = account;
    // Checked again after the refresh, because the token may have expired during it.
    const isStillValid = () => request.minValidity === undefined && suits(sent.tokens, 0);
    if (sent.tokens.refresh_token === undefined) {
      if (isStillValid()) break;
      throw new AccessTokenExpired(
        `The access token of "${provider}" has expired or was rejected, and there is no refresh token. Request one at the sign-in (many ` +
          "providers require the scope offline_access or a parameter of `authorization`), or let the user sign in again.",
      );
    }
    const outcome = await parts.refresher.refresh(ctx, {
      account: sent,
      // A refresh token that is not used up, such as of a grant without rotation, is sent again unless its outcome is a
      // valid token.
      isUsable: (known) =>
        !("tokens" in known) ||
        !hasSameRefreshToken(known.tokens, sent.tokens) ||
        isNew(known, sent) ||
        // The application removes an access token that was refused, and the known one may be that token.
        (sent.tokens.access_token !== undefined &&
          !hasSameAccessToken(known.tokens, sent.tokens) &&
          suits(known.tokens, minValidity)),
      settle(outcome, isOwn) {
        isRefreshed ||= isOwn;
        return settle(parts, ctx, sent, [outcome, isOwn]);
      },
    });
    if ("tokens" in outcome) {
      account = { ...sent, tokens: outcome.tokens };
      const isKnown = hasSameAccessToken(outcome.tokens, sent.tokens);
      if (parts.place.isPerRequest && !isKnown) await parts.place.write(ctx, account);
      if (isNew(outcome, sent)) break;
    } else if (outcome.failure === "rejected") {
      const current = await readAgain(parts, ctx, sent);
      if (!current || hasSameToken(current, sent) || !current.tokens.refresh_token) {
        throw new RefreshTokenRejected(
          `"${provider}": ${outcome.reason}. The user must sign in with the provider again.`,
        );
      }
      account = current;
    } else if (isStillValid()) {
      break;
    } else {
      throw new TokenRefreshFailed(
        `The tokens of "${provider}" could not be refreshed: ${outcome.reason}`,
      );
    }
  }
  return toResult(account);
}

/** Removes the tokens that are kept for a user at a provider, and resolves to them. */
export async function takeTokens(
  { place }: TokenParts,
  ctx: AuthContext,
  userId: string,
  provider: string,
): Promise<KeptTokens[]> {
  const accounts = await place.list(ctx, userId, getProvider(ctx.kernel, provider));
  for (const account of accounts) await place.forget(ctx, account, "all");
  return accounts.map(({ tokens }) => tokens);
}
