import { AuthError, defineError, SignInError } from "../../../src/errors.ts";

/**
 * No tokens of the provider are kept for the user: there is no account, or the sign-in was before the plugin was added.
 * Also thrown when the user has several accounts there and the call does not choose one.
 */
export const AccessTokenMissing: typeof SignInError = defineError(
  "AccessTokenMissing",
  SignInError,
  401,
  "public",
  "debug",
);
export type AccessTokenMissing = SignInError;

/**
 * The access token has expired, and the provider has not issued a refresh token or has no endpoint for it. The user has
 * to sign in with the provider again.
 */
export const AccessTokenExpired: typeof SignInError = defineError(
  "AccessTokenExpired",
  SignInError,
  401,
  "public",
  "debug",
);
export type AccessTokenExpired = SignInError;

/**
 * The provider has refused the refresh token permanently (`invalid_grant`): it has expired, was revoked or was used
 * twice. The user must sign in with the provider again.
 */
export const RefreshTokenRejected: typeof SignInError = defineError(
  "RefreshTokenRejected",
  SignInError,
  401,
  "public",
);
export type RefreshTokenRejected = SignInError;

/**
 * New tokens could not be fetched: the provider is down or slow, or did not return a token response. A later call may
 * succeed.
 */
export const TokenRefreshFailed: typeof AuthError = defineError(
  "TokenRefreshFailed",
  AuthError,
  503,
  "public",
);
export type TokenRefreshFailed = AuthError;
