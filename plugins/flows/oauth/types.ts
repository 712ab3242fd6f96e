import type { JWTPayload } from "jose";
import type { ClientAuth } from "oauth4webapi";
import type { customFetch, FlowContext, Profile } from "../../../src/kernel.ts";
import type { AttemptValues } from "./attempt.ts";
import type { OAuthProvider, OIDCProvider } from "./provider.ts";
import type { Values } from "./template.ts";

/** A provider of type `oauth` or `oidc`. */
export type AnyOAuthProvider = (OAuthProvider | OIDCProvider<Profile>) & {
  [customFetch]?: typeof fetch;
};

/** The context of a request to a provider of type `oauth` or `oidc`. */
export type OAuthContext = FlowContext<AnyOAuthProvider>;

/** A client authentication by a token that the client signs (RFC 7523). */
export type AssertionMethod = "client_secret_jwt" | "private_key_jwt";

/** The claims of a verified logout token: for a session, for all sessions of a user, or for both. */
export interface LogoutClaims {
  readonly sub?: string;
  readonly sid?: string;
  /** The token's id, which is accepted once. */
  readonly jti: string;
}

/** What OpenID Connect adds to the flow: metadata, tokens that the provider signs, and tokens that the client signs. */
export interface OpenId {
  /** Resolves to the metadata of a provider's issuer. Rejects with an `AuthError` when it is not usable. */
  discover(provider: AnyOAuthProvider, signal: AbortSignal): Promise<Server>;
  /** Makes the next sign-in fetch the metadata of a provider's issuer again. */
  forget(provider: AnyOAuthProvider): void;
  /**
   * Verifies the signature and claims of an ID token, and resolves to the claims. If there is an access token, the ID
   * token must belong to it.
   * @throws AuthError, or an error of jose.
   */
  verifyIdToken(
    idToken: string,
    exchange: Exchange,
    accessToken?: string,
  ): Promise<JWTPayload & { sub: string }>;
  /**
   * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0), and resolves to its claims.
   * @throws AuthError, or an error of jose.
   */
  verifyLogoutToken(token: string, exchange: Exchange): Promise<LogoutClaims>;
  /**
   * Verifies a userinfo response in the form of a JWT, and resolves to its claims.
   * @throws AuthError, or an error of jose.
   */
  verifyUserinfo(token: string, exchange: Exchange): Promise<JWTPayload>;
  /**
   * Returns the client authentication by an assertion.
   * @throws AuthError if the client's key is missing.
   */
  signAssertion(method: AssertionMethod, exchange: Exchange): ClientAuth;
}

/** An authorization server's metadata (RFC 8414). Configured endpoints take precedence. */
export interface Server {
  /** Unknown for many providers of plain OAuth. */
  issuer?: string;
  authorization_endpoint?: string;
  token_endpoint?: string;
  userinfo_endpoint?: string;
  jwks_uri?: string;
  end_session_endpoint?: string;
  revocation_endpoint?: string;
  code_challenge_methods_supported?: readonly string[];
  token_endpoint_auth_methods_supported?: readonly string[];
  id_token_signing_alg_values_supported?: readonly string[];
  authorization_response_iss_parameter_supported?: boolean;
}

/** The state of exchanging an authorization response for a profile, or of a later request. Every step receives it. */
export interface Exchange {
  readonly ctx: OAuthContext;
  readonly server: Server;
  /** Parameters of the authorization response. */
  readonly callbackParams: URLSearchParams;
  /** The secrets of the attempt. */
  readonly secrets: AttemptValues;
  /** The `max_age` that the application's own call set. */
  readonly maxAge?: string | undefined;
  /** The client secret, or the result of the provider's function for it. */
  readonly clientSecret?: string | undefined;
  /** `fetch` with limits on time and size, aborted with the request. */
  readonly fetch: typeof fetch;
  /** The values of placeholders. */
  readonly values: Values;
}
