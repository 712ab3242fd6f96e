import type { AuthContext, ProviderBase, TokenSet } from "../../../src/kernel.ts";

/** Options of `accessTokens`. */
export interface AccessTokensOptions {
  /**
   * Seconds for which a token must still be valid when it is returned; one that expires earlier is refreshed. Default
   * 60. A call may ask for more.
   */
  minValidity?: number;
  /**
   * Seconds for which the outcome of a refresh is kept under the refresh token that it has used up: for other processes,
   * for a browser that has not received its cookie, and for a crash before the tokens are stored. Default 600.
   */
  grace?: number;
}

/** Which access token is wanted. */
export interface AccessTokenRequest {
  /** Id of the provider. */
  provider: string;
  /** The user's id at the provider, for a user with several accounts there. */
  providerAccountId?: string;
  /**
   * Seconds for which the token must still be valid. Default: that of the plugin, where a token that is still valid is
   * returned although it could not be refreshed.
   */
  minValidity?: number;
  /**
   * The access token that the provider's API has rejected (RFC 6750: status 401, `invalid_token`): it is refreshed, unless another
   * call has done so since. A provider that returns it once more is believed.
   */
  rejected?: string;
}

/** A valid access token of the user of a session. */
export interface AccessToken {
  accessToken: string;
  /** Word of the `Authorization` header, such as `bearer`. */
  tokenType: string;
  /** In seconds since the epoch; absent where the provider states no end. */
  expiresAt?: number;
  /** The granted scopes, as the provider states them. */
  scope?: string;
}

/** The part of a token set that is kept. */
export type KeptTokens = Pick<
  TokenSet,
  "access_token" | "refresh_token" | "expires_at" | "scope" | "token_type"
>;

/** The tokens of an account, and whose they are. */
export interface KeptAccount {
  readonly userId: string;
  /** Id of the user who has the account, where an adapter knows: the session may state another id. */
  readonly ownerId?: string;
  readonly provider: string;
  readonly providerAccountId: string;
  readonly type: string;
  /** The user whom the ID token of the sign-in identifies, if it is known. */
  readonly subject?: string;
  readonly tokens: KeptTokens;
}

/** Where the tokens of accounts are kept. */
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
