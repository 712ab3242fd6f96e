import type {
  Awaitable,
  customFetch,
  Parsed,
  Profile,
  ProviderBase,
  ResolvedProvider,
  TokenSet,
  User,
} from "../../../src/kernel.ts";

declare module "../../../src/types/provider.ts" {
  // The profile of a provider in a plain object has the type of its own `profile`, if it has one.
  interface ProviderTypes {
    oauth: OAuthProvider<Parsed>;
    oidc: OIDCProvider<Parsed>;
  }
}

declare module "../../../src/types/cookie.ts" {
  interface CookieKeys {
    pkceCodeVerifier: true;
    state: true;
    nonce: true;
    oauthAttempt: true;
    postedResponse: true;
  }
}

/**
 * A check that binds an authorization response to the request that started the attempt. `none` must be the only entry
 * and disables the checks.
 */
export type Check = "pkce" | "state" | "nonce" | "none";

/**
 * Query, header or body parameters of a request. `{placeholder}`s are filled. Parameters that are empty, or whose
 * placeholder has no value, are left out. Objects are sent as JSON.
 */
export type Params = Record<string, string | number | boolean | object | null | undefined>;

/** A request that is sent after the profile is fetched. Its response becomes a member of the profile. */
export interface EnrichRequest {
  /** Name of the profile member that receives the response. */
  into: string;
  /** URL of a GET request, with placeholders such as `{profile.id}`. */
  url: string;
  /** Additional headers, with placeholders. Default: `Authorization` with the access token as `Bearer`. */
  headers?: Record<string, string>;
  /** Reads the response, such as `readDataUrl` for an image. `undefined` is left out. Default: parses JSON. */
  read?(response: Response): Promise<unknown>;
  /** The request is sent only if this returns `true`. Default: always. */
  when?(profile: Profile): boolean;
}

/** The authorization endpoint and how its requests differ from the standard. */
export interface AuthorizationEndpoint {
  /** URL, with placeholders such as `{clientId}`. Default: `authorization_endpoint` of the metadata. */
  url?: string;
  /** Static parameters, including `scope`. Objects (`claims`) are sent as JSON. */
  params?: Params;
  /**
   * Parameters that a browser may add at each sign-in, in addition to the generally allowed ones (`prompt`,
   * `login_hint`, ...). `auth.signIn` on the server may add any parameter.
   */
  allow?: readonly string[];
  /**
   * PKCE method (RFC 7636). Default `S256`. `plain` protects less; use it only for servers that support nothing else.
   */
  codeChallengeMethod?: "S256" | "plain";
  /** Name of the parameter that carries the client id. Default `client_id`. */
  clientIdParam?: string;
  /** Fragment of the authorization URL. */
  fragment?: string;
}

/** The argument of a custom token request (`TokenEndpoint.request`). */
export interface TokenRequestContext<P = OAuthProvider> {
  provider: ResolvedProvider<P & ProviderBase>;
  /** Parameters of the authorization response. */
  params: Record<string, string>;
  /** Secrets of the attempt that the token request needs, such as `code_verifier`. */
  checks: { code_verifier?: string };
  redirectUri: string;
  /** The flow's `fetch`, which limits time and size and rejects redirects. */
  fetch: typeof fetch;
}

// A `CryptoKey`. The global type of that name exists only in browsers' libraries.
type PrivateKey = Parameters<typeof crypto.subtle.sign>[1];

/** The token endpoint and how its requests and responses differ from the standard. */
export interface TokenEndpoint {
  /** URL, with placeholders. Default: `token_endpoint` of the metadata. */
  url?: string;
  /** Additional body parameters. */
  params?: Params;
  /** Additional headers. `content-type` replaces the default, a form in UTF-8. */
  headers?: Record<string, string>;
  /** Names of callback parameters that are copied into the request's body. */
  forward?: readonly string[];
  /**
   * Fixes the response's JSON before it is validated (missing `token_type`, `scope` as an array,
   * ...).
   */
  transform?(body: Record<string, unknown>): Record<string, unknown>;
  /** Member of the response that reports a failure even with status 200; `error` always does. */
  errorMember?: string;
  /** Path of the tokens within the response, such as `body`. */
  root?: string;
  /** Replaces the whole response before it is read. Receives a clone; `undefined` keeps the original. */
  conform?(response: Response): Awaitable<Response | undefined>;
  /** Replaces the token request. */
  request?(context: TokenRequestContext): Awaitable<{ tokens: TokenSet }>;
  /**
   * Audience of the assertions by which the client authenticates (`private_key_jwt`, `client_secret_jwt`). Default: the
   * issuer, so that no other server accepts them. Some servers accept only the URL of the token endpoint.
   */
  assertionAudience?: string;
  /** Private key for `private_key_jwt`. */
  clientPrivateKey?: PrivateKey | { key: PrivateKey; kid?: string };
}

/** The argument of a custom userinfo request (`UserinfoEndpoint.request`). */
export interface UserinfoRequestContext<P = OAuthProvider> {
  tokens: TokenSet;
  provider: ResolvedProvider<P & ProviderBase>;
  /** The flow's `fetch`, which limits time and size and rejects redirects. */
  fetch: typeof fetch;
}

/** The userinfo endpoint and how its requests and responses differ from the standard. */
export interface UserinfoEndpoint {
  /** URL, with placeholders. Default: `userinfo_endpoint` of the metadata. */
  url?: string;
  /** Query parameters. With `token: "form:name"`, they are fields of the form. */
  params?: Params;
  /** Default `GET`. With `token: "form:name"`, always `POST`. */
  method?: "GET" | "POST";
  /** Additional headers, with placeholders. */
  headers?: Record<string, string>;
  /** JSON body of a `POST`. */
  body?: object;
  /**
   * How the access token is sent. Default `Bearer`.
   * - `Bearer`, or another word: as the scheme of the `Authorization` header
   * - `query:name`: as a query parameter
   * - `form:name`: as a field of a posted form, which also contains `params`
   * - `none`: only through `url` and `headers`
   */
  token?: string;
  /** Member of the response that reports a failure even with status 200. */
  errorMember?: string;
  /** Path of the profile within the response, such as `data`, `data.0` or `bot.owner.user`. */
  root?: string;
  /**
   * The source of the profile if there is no userinfo endpoint:
   * - `tokens`: the other members of the token response
   * - `access_token`: the claims of the access token, a JWT that is verified with the keys at `jwks_endpoint`
   */
  from?: "tokens" | "access_token";
  /** Replaces the userinfo request. */
  request?(context: UserinfoRequestContext): Awaitable<Profile>;
}

/**
 * Client metadata (RFC 7591) as registered at the server. It overrides the defaults of requests and of response
 * validation.
 */
export interface OAuthClient {
  /**
   * How the client authenticates. Default: `none` without a client secret, `client_secret_post` if the metadata lists it
   * but not `client_secret_basic`, otherwise `client_secret_basic`.
   */
  token_endpoint_auth_method?:
    | "client_secret_basic"
    | "client_secret_post"
    | "client_secret_jwt"
    | "private_key_jwt"
    | "none";
  /** Algorithm of ID tokens. Default: the asymmetric ones that the metadata lists, or else `RS256`. */
  id_token_signed_response_alg?: string;
  /** Algorithm of userinfo responses that are signed. Default: they are not signed. */
  userinfo_signed_response_alg?: string;
  /** Whether ID tokens must have `auth_time`. Default `false`. */
  require_auth_time?: boolean;
  /** Maximum age in seconds of the sign-in at the provider, if a request has no `max_age`. Default: any age. */
  default_max_age?: number;
  [metadata: string]: unknown;
}

/** An option that only this provider has, or that it requires. Boot reports a missing or wrong value. */
export interface Setting {
  /** An example for the error message. Other values must have its type. */
  example: string | number | object;
  /** Whether the option must be set. */
  required?: true;
  /** The allowed values. Default: all values of the type. */
  oneOf?: readonly (string | number)[];
}

/** How tokens are refreshed (RFC 6749, section 6) where it differs from the standard. */
export interface RefreshRequest {
  /** Default: the URL of the token endpoint. */
  url?: string;
  /** Additional body parameters. */
  params?: Params;
}

/** How a provider ends its own session, where it differs from OpenID Connect RP-Initiated Logout 1.0. */
export interface EndSessionEndpoint {
  /** Default: `end_session_endpoint` of the metadata. */
  url?: string;
  /** Name of the parameter with the URL to which the visitor returns. Default `post_logout_redirect_uri`. */
  returnParam?: string;
  /** `false`: the provider does not accept an `id_token_hint`. */
  hint?: false;
  /** `false`: the provider does not return the `state`. */
  state?: false;
}

/** How a provider revokes tokens, where it differs from RFC 7009. */
export interface RevocationEndpoint {
  /** Default: `revocation_endpoint` of the metadata. */
  url?: string;
  /** Default `POST`. */
  method?: "POST" | "DELETE";
  /**
   * Member of a JSON body that carries the access token instead of the form. The client then authenticates with
   * `Basic`.
   */
  json?: string;
}

/** Options that OAuth 2 and OpenID Connect providers share. */
export interface OAuthProviderBase<P> extends ProviderBase {
  /** Client id. Default: `AUTH_<ID>_ID`. */
  clientId?: string;
  /**
   * Client secret, or a function that creates it (Apple's is a signed token). Default:
   * `AUTH_<ID>_SECRET`.
   */
  clientSecret?: string | ((provider: OAuthProviderBase<P>) => Awaitable<string>);
  /** Issuer identifier (RFC 8414), compared exactly. Default: `AUTH_<ID>_ISSUER`. */
  issuer?: string;
  /** URL of the discovery document, unless it is `{issuer}/.well-known/openid-configuration`. */
  wellKnown?: string;
  /** URL of the key set (JWKS). Default: the `jwks_uri` of the discovery document. */
  jwks_endpoint?: string;
  /** Authorization endpoint, as a URL or with options. The discovery document supplies a missing URL. */
  authorization?: string | AuthorizationEndpoint;
  /** Token endpoint, as a URL or with options. The discovery document supplies a missing URL. */
  token?: string | TokenEndpoint;
  /** Userinfo endpoint, as a URL or with options. The discovery document supplies a missing URL. */
  userinfo?: string | UserinfoEndpoint;
  /**
   * The checks of each attempt. Default: `["pkce"]`, and `state` (for OpenID Connect also `nonce`) unless the server's
   * discovered metadata lists `S256`. If `pkce` is set explicitly, these are added only if discovered metadata does not
   * list `S256`. `["none"]` sends no check: a response is accepted only in a browser with an attempt for this provider
   * in progress. Boot warns about it, because it could accept an attacker's response there (SECURITY.md R9).
   */
  checks?: readonly Check[];
  /** Returns the part of the token set that is stored with the account. `undefined` stores nothing. */
  account?(tokens: TokenSet): TokenSet | undefined | void;
  /**
   * Maps the provider's profile to a user. The user's `id` becomes the account's id and is
   * required.
   */
  profile?(profile: P, tokens: TokenSet): Awaitable<User>;
  /**
   * Returns whether the provider has verified `email`, the address that `profile` returned, or `undefined` if the
   * provider does not say. An application's mapping may choose another address than the provider's mapping, so compare
   * it (`isSameEmail`). Default: the claim `email_verified`, if the address is the claim `email`.
   */
  emailVerified?(profile: P, email: string): boolean | undefined;
  /** Requests that are sent after the profile is fetched. If one fails, its member is left out. */
  enrich?: readonly EnrichRequest[];
  /** Returns additional members of the profile, for `profile`, hooks, callbacks and events. */
  derive?(profile: P): object;
  /**
   * Names of callback parameters (form_post) that carry profile data as JSON. Each is added to the profile under its
   * name, unless the profile already has that member.
   */
  profileParams?: readonly string[];
  /** Rewrites the discovery document before it is validated. */
  discovery?(
    metadata: Record<string, unknown>,
    provider: OAuthProviderBase<P>,
  ): Record<string, unknown>;
  /** Client metadata as registered at the provider, such as how the client authenticates. */
  client?: OAuthClient;
  /** The options that only this provider has and the options that it requires, by name. */
  settings?: Readonly<Record<string, Setting>>;
  /** What happened to the service and what to use instead, in sentences. Boot warns with this text. */
  deprecated?: string;
  /** Like `deprecated`, for a service that has ended. Boot refuses the provider with this text. */
  retired?: string;
  /** Where tokens are revoked (RFC 7009), if the metadata does not say it (`providerLogout`). */
  revocation?: string | RevocationEndpoint;
  /** Where the provider ends its own session, if the metadata does not say it (`providerLogout`). */
  endSession?: string | EndSessionEndpoint;
  /** How tokens are refreshed (`accessTokens`). */
  refresh?: RefreshRequest;
  /** Base URL of the deployment that receives the provider's redirects and forwards them to this one. */
  redirectProxyUrl?: string;
  /** Replaces `fetch` for requests to this provider. */
  [customFetch]?: typeof fetch;
}

/** An identity provider of plain OAuth 2 (RFC 6749). */
export interface OAuthProvider<P = Profile> extends OAuthProviderBase<P> {
  type: "oauth";
}

/** The profile of an OpenID provider, whose `sub` is verified (OpenID Connect Core, section 2). */
export interface OIDCProfile extends Profile {
  sub: string;
}

/** An identity provider of OpenID Connect. */
export interface OIDCProvider<P = OIDCProfile> extends OAuthProviderBase<P> {
  type: "oidc";
  /**
   * `false`: the profile is fetched from the userinfo endpoint, and the token response must still contain an ID token.
   * Default: the profile is the ID token's claims.
   */
  idToken?: boolean;
  /**
   * Expected issuer, if it differs from the metadata's: a template over the claims of the ID token, such as
   * `https://login.example/{tid}/v2.0`, or a function that returns one from the metadata.
   */
  issuerFromIdToken?: string | ((metadata: Readonly<Record<string, unknown>>) => string);
  /** Accepts an empty `nonce` claim if no nonce was sent. */
  lenientNonce?: boolean;
}
