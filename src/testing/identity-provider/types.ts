import type { customFetch } from "../../platform/symbols.ts";
import type { Awaitable, Profile } from "../../types/models.ts";
import type { ProviderOf } from "../provider-of.ts";

/** A JSON object, such as a response's. */
export type Json = Record<string, unknown>;

/** The endpoints of an identity provider. */
export type EndpointName = "discovery" | "authorization" | "token" | "userinfo" | "jwks";

/** Options of `createIdentityProvider`. */
export interface IdentityProviderOptions {
  /** Issuer identifier. Default `https://idp.example`. */
  issuer?: string;
  /**
   * URLs of endpoints, for services that have them elsewhere than below their issuer. Default: `{issuer}/authorize`,
   * `/token`, `/userinfo`, `/jwks` and `/.well-known/openid-configuration`.
   */
  endpoints?: Partial<Record<EndpointName, string>>;
  /** Further URLs of the service's API, each with the JSON that it returns to a request with a valid access token. */
  resources?: Readonly<Record<string, unknown>>;
  /** Signature algorithm of the ID tokens. Default `ES256`, whose keys are the fastest to generate. */
  alg?: "ES256" | "RS256";
  /** Default `client`. */
  clientId?: string;
  /**
   * Name of the authorization parameter with the client id, for services that use another name. Default `client_id`.
   */
  clientIdParam?: string;
  /** Default: a fixed text. An empty text makes the client public, so that it is not authenticated. */
  clientSecret?: string;
  /** The initial `user`. */
  user?: Profile;
}

/** An authorization response as the browser delivers it to the application. */
export interface AuthorizationResponse {
  /** The redirect URI, with the parameters unless they are posted. */
  url: string;
  /** The form that the browser posts with `response_mode=form_post`. */
  fields?: Record<string, string>;
}

/** A request that the identity provider received. */
export interface ReceivedRequest {
  method: string;
  url: URL;
  headers: Headers;
  /** The posted fields: of a form, or the texts in a JSON object. */
  body: URLSearchParams;
}

/**
 * Functions that change what the identity provider returns. Each receives a value and changes it, or returns a
 * replacement. A function that throws simulates a network error, and one that never resolves simulates a hanging
 * service.
 */
export interface Tamper {
  /** The discovery document. */
  discovery?(document: Json): Awaitable<Json | Response | void>;
  /** The key set. */
  jwks?(keys: { keys: Json[] }): Awaitable<Json | Response | void>;
  /** The parameters of the authorization response. */
  authorization?(params: URLSearchParams): Awaitable<URLSearchParams | void>;
  /** The claims of the ID token before they are signed. A returned text is sent instead of the token. */
  idToken?(claims: Json): Awaitable<Json | string | void>;
  /** The response of the token endpoint. */
  token?(body: Json): Awaitable<Json | Response | void>;
  /** The response of the userinfo endpoint. */
  userinfo?(claims: Json): Awaitable<Json | Response | void>;
}

/** An identity provider in this process. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly endpoints: Readonly<Record<EndpointName, string>>;
  /** Handles the provider's endpoints. Requests to any other URL fail like those to an unknown host. */
  readonly fetch: typeof fetch;
  /**
   * The options with which any OAuth provider uses this identity provider: `googlePlugin(idp.client)`, with Google's
   * issuer in `createIdentityProvider`. A provider without its own issuer also needs that: `oidcPlugin({ issuer:
   * idp.issuer, ...idp.client })`.
   */
  readonly client: { clientId: string; clientSecret: string; [customFetch]: typeof fetch };
  /**
   * Returns an entry for `providers`: type `oidc` with discovery, or plain OAuth 2 with `type: "oauth"`. The options
   * are merged over it. The default id is `idp`.
   */
  provider(options?: { type?: "oidc" } & Partial<ProviderOf<"oidc">>): ProviderOf<"oidc">;
  provider(options: { type: "oauth" } & Partial<ProviderOf<"oauth">>): ProviderOf<"oauth">;
  /** The claims of the user who consents. Without `sub`, the `id`, the address or the name is the subject. */
  user: Profile;
  /** The error with which authorization requests fail, such as `access_denied`. Default: none. */
  refuse: string | undefined;
  /** The faults that the provider simulates. Default: none. */
  tamper: Tamper;
  /** The requests received so far. */
  readonly requests: ReceivedRequest[];
  /**
   * Returns the response to an authorization request, as if `user` consented.
   * @throws Error when the request has a wrong client id or no redirect URI. A real provider then shows the visitor a
   * page.
   */
  authorize(url: string | URL, user?: Profile): Promise<AuthorizationResponse>;
  /** Signs claims as an ID token. The `sign` of another provider uses an unknown key. */
  sign(claims: Json, header?: Json): Promise<string>;
}
