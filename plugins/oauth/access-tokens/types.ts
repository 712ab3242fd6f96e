import type { AuthContext, ProviderBase, TokenSet } from "../../../src/kernel.ts";

/** Options of `accessTokens`. */
export interface AccessTokensOptions {
  /**
   * Seconds for which a returned token must still be valid, from 0 to 86400. A token that expires earlier is refreshed.
   * Default 60. A call may set another value.
   */
  minValidity?: number;
  /**
   * Seconds for which the outcome of a refresh is kept under the refresh token that it used up, from 0 to 86400. This
   * serves other processes, a browser that has not received its cookie, and a crash before the tokens are stored.
   * Default 600.
   */
  grace?: number;
}

/** Which access token is requested. */
export interface AccessTokenRequest {
  /** Id of the provider. */
  provider: string;
  /** The user's id at the provider, for a user with several accounts there. */
  providerAccountId?: string;
  /**
   * Seconds for which the token must still be valid. Default: the plugin's `minValidity`. With the default, a token
   * that is still valid is returned even if it could not be refreshed.
   */
  minValidity?: number;
  /**
   * The access token that the provider's API has rejected (RFC 6750: status 401, `invalid_token`). It is refreshed,
   * unless another call has done so since. If the provider returns the same token again, that token is returned.
   */
  rejected?: string;
}

/** A valid access token of the user of a session. */
export interface AccessToken {
  /** The token, as the provider issued it. */
  accessToken: string;
  /** Scheme of the `Authorization` header, such as `bearer`. */
  tokenType: string;
  /** In seconds since the epoch. Absent if the provider gives no expiry. */
  expiresAt?: number;
  /** The granted scopes, as the provider reports them. */
  scope?: string;
}

/** The part of a token set that is kept. */
export type KeptTokens = Pick<
  TokenSet,
  "access_token" | "refresh_token" | "expires_at" | "scope" | "token_type"
>;

/** The tokens of an account, and their owner. */
export interface KeptAccount {
  readonly userId: string;
  /** Id of the user who has the account, if an adapter knows it. The session may have another id. */
  readonly ownerId?: string;
  readonly provider: string;
  readonly providerAccountId: string;
  readonly type: string;
  /** The user whom the ID token of the sign-in identifies, if known. */
  readonly subject?: string;
  readonly tokens: KeptTokens;
}

/** The place that keeps the tokens of accounts. */
export interface TokenPlace {
  /** Whether each request of a browser has its own copy, as in a cookie. */
  readonly isPerRequest: boolean;
  /** Resolves to the accounts of a user at a provider. */
  list(ctx: AuthContext, userId: string, provider: ProviderBase): Promise<KeptAccount[]>;
  /** Writes new tokens of an account. */
  write(ctx: AuthContext, account: KeptAccount): Promise<void>;
  /** Removes the refresh token of an account, or all of its tokens. */
  forget(ctx: AuthContext, account: KeptAccount, what: "refresh_token" | "all"): Promise<void>;
}
