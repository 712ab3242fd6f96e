import { AuthError } from "../../../src/errors.ts";
import { type AuthContext, type Kernel, providerAt, type TokenSet } from "../../../src/kernel.ts";
import { getEndpoint, isOidc } from "./endpoint.ts";
import { createExchange } from "./exchange.ts";
import { loadOpenId } from "./load-openid.ts";
import {
  buildEndSessionUrl,
  type LogoutRequest,
  requestRevocation,
  type RevocableTokens,
} from "./logout.ts";
import { requestRefresh } from "./refresh.ts";
import { findServer, forgetServer } from "./servers.ts";
import type { AnyOAuthProvider, LogoutClaims, OAuthContext, Server } from "./types.ts";

/**
 * The part of the application's request that a request to a provider needs. The request to the provider may outlive it.
 */
export interface Cause extends Pick<AuthContext, "base" | "origin"> {
  /** Aborts the request to the provider. */
  readonly signal: AbortSignal;
}

/** Requests to identity providers after the sign-in. */
export interface ProviderClient {
  /**
   * Requests new tokens with a refresh token (RFC 6749, section 6). Resolves to `undefined` when the provider has
   * refused it permanently (`invalid_grant`).
   * @throws AuthError for any other failure; its message quotes no token.
   */
  refresh(
    provider: AnyOAuthProvider,
    refreshToken: string,
    cause: Cause,
  ): Promise<TokenSet | undefined>;
  /**
   * Resolves to the URL at which a provider ends its own session (OpenID Connect RP-Initiated Logout 1.0, or the
   * provider's own method), or to `undefined`.
   * @throws AuthError when its metadata cannot be fetched.
   */
  getEndSessionUrl(
    provider: AnyOAuthProvider,
    request: LogoutRequest,
    cause: Cause,
  ): Promise<URL | undefined>;
  /**
   * Revokes a grant by its tokens (RFC 7009, or the provider's own method). Resolves to `false` if the provider has no
   * URL for it.
   * @throws AuthError when the provider does not confirm it.
   */
  revoke(provider: AnyOAuthProvider, tokens: RevocableTokens, cause: Cause): Promise<boolean>;
  /**
   * Verifies a logout token of a provider (OpenID Connect Back-Channel Logout 1.0, section 2.6). It does not check that
   * the token is used only once.
   * @throws AuthError, or an error of jose, when the token is not valid, or the provider's keys cannot be fetched.
   */
  verifyLogoutToken(provider: AnyOAuthProvider, token: string, cause: Cause): Promise<LogoutClaims>;
  /** Resolves to the issuer of a provider. */
  getIssuer(provider: AnyOAuthProvider, cause: Cause): Promise<string | undefined>;
}

/** Creates the requests. This module is imported when the first one is needed. */
export function createProviderClient(kernel: Kernel): ProviderClient {
  // The parts of a context that a request to a provider needs, without the browser's.
  const createContext = (given: AnyOAuthProvider, { base, origin, signal }: Cause): OAuthContext =>
    ({ kernel, base, origin, provider: providerAt({ base }, given), signal }) as OAuthContext;

  // Discovers only what the provider's configuration does not set.
  const findLogoutServer = async (ctx: OAuthContext, isKnown: boolean): Promise<Server> => {
    const configured = await findServer(ctx, []);
    if (isKnown || !isOidc(ctx.provider)) return configured;
    const { discover } = await loadOpenId(kernel);
    return { ...(await discover(ctx.provider, ctx.signal)), ...configured };
  };

  return {
    async getEndSessionUrl(provider, request, cause) {
      const ctx = createContext(provider, cause);
      const isKnown = getEndpoint(provider, "endSession").url !== undefined;
      const exchange = await createExchange(ctx, await findLogoutServer(ctx, isKnown));
      return buildEndSessionUrl(exchange, request);
    },
    async revoke(provider, tokens, cause) {
      const ctx = createContext(provider, cause);
      const isKnown = getEndpoint(provider, "revocation").url !== undefined;
      const exchange = await createExchange(ctx, await findLogoutServer(ctx, isKnown));
      return requestRevocation(exchange, tokens);
    },
    async verifyLogoutToken(provider, token, cause) {
      const ctx = createContext(provider, cause);
      const exchange = await createExchange(ctx, await findServer(ctx, ["jwks_uri"]));
      return (await loadOpenId(kernel)).verifyLogoutToken(token, exchange);
    },
    async getIssuer(provider, cause) {
      return (await findLogoutServer(createContext(provider, cause), false)).issuer;
    },
    async refresh(provider, refreshToken, cause) {
      const ctx = createContext(provider, cause);
      const required = provider.refresh?.url === undefined ? (["token_endpoint"] as const) : [];
      try {
        const exchange = await createExchange(ctx, await findServer(ctx, required));
        return await requestRefresh(exchange, refreshToken);
      } catch (error) {
        // The provider's endpoints may have changed.
        if (error instanceof AuthError) await forgetServer(kernel, provider);
        throw error;
      }
    },
  };
}
