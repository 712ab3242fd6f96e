import {
  type AnyRequestSource,
  type AuthContext,
  definePlugin,
  type Kernel,
  type Plugin,
} from "../../src/kernel.ts";
import type { RevocableTokens } from "../flows/oauth.ts";
import { keepForUser } from "./_for-user.ts";
import { readSubject } from "./_id-token.ts";
import { findOAuthProvider } from "./_provider.ts";
import { canKeepTokens, createAccountPlace } from "./access-tokens/account-place.ts";
import {
  clearTokenCookies,
  createCookiePlace,
  makeRoom,
  TOKENS_COOKIE,
  writeTokens,
} from "./access-tokens/cookie-place.ts";
import {
  AccessTokenExpired,
  AccessTokenMissing,
  RefreshTokenRejected,
  TokenRefreshFailed,
} from "./access-tokens/errors.ts";
import { getAccessToken, takeTokens, type TokenParts } from "./access-tokens/get-access-token.ts";
import { pickTokens } from "./access-tokens/kept-tokens.ts";
import { openOutcomes } from "./access-tokens/outcomes.ts";
import { createRefresher } from "./access-tokens/refresher.ts";
import { resolveSettings } from "./access-tokens/settings.ts";
import type {
  AccessToken,
  AccessTokenRequest,
  AccessTokensOptions,
} from "./access-tokens/types.ts";

export {
  AccessTokenExpired,
  AccessTokenMissing,
  RefreshTokenRejected,
  TokenRefreshFailed,
} from "./access-tokens/errors.ts";
export type {
  AccessToken,
  AccessTokenRequest,
  AccessTokensOptions,
} from "./access-tokens/types.ts";

declare module "../../src/types.ts" {
  interface Services {
    /** The access tokens of users, for other plugins. */
    accessTokens: AccessTokensService;
  }
  interface EventMessages {
    /** An access token was refreshed. `providerAccountId` is the user's id at the provider. */
    tokensRefreshed: { userId: string; provider: string; providerAccountId: string };
    /** A provider has refused a refresh token permanently. The user has to sign in with that provider again. */
    refreshTokenRejected: { userId: string; provider: string; providerAccountId: string };
  }
}

/** The service `accessTokens`. */
export interface AccessTokensService {
  /** Like `getAccessToken` of `AccessTokensAuth`, for the request of a plugin. */
  get(ctx: AuthContext, request: AccessTokenRequest): Promise<AccessToken>;
  /** Removes the tokens that are kept for a user at a provider, and resolves to them so that they can be revoked. */
  take(ctx: AuthContext, userId: string, provider: string): Promise<RevocableTokens[]>;
}

/** What `accessTokens` adds to an Auth. */
export interface AccessTokensAuth {
  /**
   * Resolves to a valid access token of the session's user at a provider. The token is refreshed when it is due, with
   * one request at a time, in this process and among all processes that share the store.
   * @throws SessionRequired without a session; InvalidProvider for an id that is not a provider of type oauth or oidc;
   * AccessTokenMissing when no tokens are kept, or when the user has several accounts and `providerAccountId` is not
   * given; AccessTokenExpired when the token has expired and there is no refresh token; RefreshTokenRejected when the
   * provider has refused the refresh token; TokenRefreshFailed when the refresh failed, such as when the provider is
   * down.
   * @example const { accessToken } = await auth.getAccessToken(event, { provider: "google" });
   */
  getAccessToken(call: AnyRequestSource, request: AccessTokenRequest): Promise<AccessToken>;
}

const NAME = "oauth/access-tokens";

const ERRORS = [
  [AccessTokenMissing, "No access to the provider is stored for this user."],
  [AccessTokenExpired, "The access to the provider has expired."],
  [RefreshTokenRejected, "The provider has revoked the access."],
  [TokenRefreshFailed, "The provider cannot be reached."],
] as const;

// The adapter may be wrapped, which happens after setup.
function createParts(kernel: Kernel, options: AccessTokensOptions): TokenParts {
  const { minValidity, grace } = resolveSettings(options);
  const refresher = createRefresher(kernel, openOutcomes(kernel, grace));
  return {
    refresher,
    minValidity,
    get place() {
      const { adapter } = kernel;
      return canKeepTokens(adapter) ? createAccountPlace(adapter) : createCookiePlace();
    },
  };
}

// Warns about an adapter that stores accounts but cannot change them: an application may not notice that its tokens are
// kept elsewhere.
function checkAdapter({ adapter, logger }: Kernel): void {
  if (!adapter || canKeepTokens(adapter)) return;
  const methods = (["listAccountsByUserId", "updateAccount"] as const).filter(
    (name) => !adapter[name],
  );
  logger.warn(
    "access-tokens-in-cookie",
    `The adapter lacks ${methods.map((name) => `\`${name}\``).join(" and ")}: access tokens are kept in sealed cookies in ` +
      "each browser, not in accounts. Add the methods to the adapter.",
  );
}

/**
 * Adds `auth.getAccessToken(call, { provider })`, which resolves to the valid access token of the session's user and
 * refreshes it when it is due. Tokens are kept with the accounts of an adapter that has `listAccountsByUserId` and
 * `updateAccount` (sealed by `storeAdapter`). Otherwise a separate sealed cookie for each provider keeps them. Several
 * processes need a shared store.
 * @throws InvalidConfig at boot for an option with an invalid value.
 * @example
 * export const auth = createAuth().use(googlePlugin()).use(redisStore(client)).use(accessTokens());
 */
export const accessTokens: (options?: AccessTokensOptions) => Plugin<AccessTokensAuth> =
  definePlugin(function accessTokens(options = {}): Plugin<AccessTokensAuth> {
    return {
      name: NAME,
      provides: ["service:accessTokens"],
      setup(kernel) {
        const parts = createParts(kernel, options);
        for (const [error, message] of ERRORS) kernel.addError(error, { message });
        kernel.addCookie(TOKENS_COOKIE, { name: "keyhook.provider-tokens" });
        kernel.provide("accessTokens", {
          get: (ctx, request) => getAccessToken(parts, ctx, request),
          take: (ctx, userId, provider) => takeTokens(parts, ctx, userId, provider),
        });
        kernel.hooks.ready.tap(NAME, checkAdapter);
        keepForUser(kernel, NAME, async (ctx, { account, user }, userId) => {
          if (!parts.place.isPerRequest) return;
          // Without stored users, the user has no other account.
          if (!kernel.adapter) clearTokenCookies(ctx, account.provider);
          const provider = findOAuthProvider(kernel, account.provider);
          if (!provider) return;
          const tokens = pickTokens(provider.account ? (provider.account(account) ?? {}) : account);
          const { providerAccountId, type, id_token: idToken } = account;
          const subject = readSubject(idToken);
          await writeTokens(ctx, {
            ...{ userId, provider: provider.id, providerAccountId, type },
            ...(kernel.adapter && { ownerId: String(user.id) }),
            ...(subject !== undefined && { subject }),
            tokens,
          });
        });
        // The session cookie has been set by now.
        kernel.events.hook("signIn", ({ account }, { ctx }) => {
          if (ctx && account && parts.place.isPerRequest) makeRoom(ctx, account.provider);
        });
        kernel.events.hook("signOut", (_, { ctx }) => {
          if (ctx && parts.place.isPerRequest) clearTokenCookies(ctx);
        });
      },
      extend: (run) => ({
        getAccessToken: (call, request) =>
          run(call, (ctx) => ctx.kernel.use("accessTokens").get(ctx, request)),
      }),
    };
  });
