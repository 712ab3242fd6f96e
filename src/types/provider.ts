import type { EmailLimits, Mail, MailApi, Mailer, MailMessages } from "./mail.ts";
import type { customFetch } from "../symbols.ts";
import type { Account, Awaitable, Profile, TokenSet, User } from "./models.ts";
import type { Theme } from "./options.ts";
import type {
  PasskeyInquiry,
  PasskeyPerson,
  PasskeyRegistrationOptions,
  PasskeyRequest,
  PasskeySignInOptions,
  PasskeyVerification,
  RelyingParty,
  RelyingPartyOptions,
} from "./webauthn.ts";

/**
 * Provider types and the shape of their configuration. A plugin that brings a type of its own adds
 * it here by augmentation: `declare module "keyhook/types" { interface ProviderTypes { sms: Sms } }`.
 */
export interface ProviderTypes {
  oauth: OAuthProvider;
  oidc: OIDCProvider;
  credentials: CredentialsProvider;
  email: EmailProvider;
  webauthn: WebAuthnProvider;
}

/** Any provider, discriminated by `type`. */
export type Provider = ProviderTypes[keyof ProviderTypes];

/** What every provider has. */
export interface ProviderBase {
  /** Unique among the configured providers; part of the URLs. */
  id: string;
  /** Label of its button on the sign-in page. */
  name: string;
  type: string;
  /** Look of its button. */
  style?: ProviderStyle;
  /** Links a sign-in to the stored user of the same address, when the provider vouches for it. */
  allowDangerousEmailAccountLinking?: boolean;
  /** What the application passed, laid over the provider's own values when it is resolved. */
  options?: Record<string, unknown>;
}

/** Look of a provider's button. */
export interface ProviderStyle {
  brandColor?: string;
  logo?: string;
  /** @deprecated use `brandColor` */
  bg?: string;
  /** @deprecated has no effect */
  text?: string;
}

/** A provider as requests see it, with its two URLs for the present origin. */
export type ResolvedProvider<P extends ProviderBase = ProviderBase> = P & {
  readonly callbackUrl: string;
  readonly signinUrl: string;
};

/** A field of a form: its label and HTML `input` attributes. */
export interface CredentialInput {
  label?: string;
  type?: string;
  placeholder?: string;
  value?: string;
  required?: boolean;
  autocomplete?: string;
  [attribute: string]: string | number | boolean | undefined;
}

/** Sign-in by whatever the application itself verifies. */
export interface CredentialsProvider<
  Fields extends Record<string, CredentialInput> = Record<string, CredentialInput>,
> extends ProviderBase {
  type: "credentials";
  /** The form's fields by name; without any, the sign-in page shows no form for it. */
  credentials: Fields;
  /**
   * Checks the posted fields. Answers the user, or `null` when they are wrong; may throw
   * `CredentialsSignin` (or a subclass with a `code`) to say why.
   */
  authorize(
    credentials: Partial<Record<keyof Fields, unknown>>,
    request: Request,
  ): Awaitable<User | null>;
}

/** What is known of a mail that is to be sent. */
export interface VerificationRequest {
  /** The address, normalised. */
  identifier: string;
  /** The link. */
  url: string;
  /** What the link proves; it is stored hashed only. */
  token: string;
  expires: Date;
  provider: ResolvedProvider<EmailProvider>;
  theme: Theme;
  /** The request that asked for it; its body is JSON. */
  request: Request;
  /** The mail as the senders of the catalogue send it, in the reader's language. */
  mail: Mail;
}

/**
 * Sign-in by a link that is mailed. Who sends it is said by one of `sendVerificationRequest`, `api` and
 * `smtp`.
 */
export interface EmailProvider extends ProviderBase {
  type: "email";
  /** The sender: an address, or `Name <address>`. */
  from?: string;
  /** How long a link works, in seconds. Default 86400 (a day). */
  maxAge?: number;
  /** Hashes the tokens instead of the configuration's `secret`. The first of several is used, all count. */
  secret?: string | readonly string[];
  /** Key of the HTTP API. */
  apiKey?: string;
  /** SMTP URL, options of a Nodemailer transport, or a transport. */
  server?: string | object;
  /** Loads Nodemailer, to send through `server`. */
  smtp?(): Promise<Mailer>;
  api?: MailApi;
  /** Sends the mail; throws when that fails. Waited for at most 10 seconds. */
  sendVerificationRequest?(params: VerificationRequest): Awaitable<void>;
  /** Default: 32 random bytes. */
  generateVerificationToken?(): Awaitable<string>;
  /** Makes one spelling of all that mean the same address; throws for what is none. */
  normalizeIdentifier?(identifier: string): string;
  /**
   * Whether a link asks for a click on a page before it is used up. `auto` (default): not in the browser
   * that asked for it; programs that look at links in mails come from elsewhere. `never` lets them use
   * it up.
   */
  confirm?: "auto" | "always" | "never";
  limits?: EmailLimits;
  /** Texts by language tag, over those there are. */
  messages?: Readonly<Record<string, Partial<MailMessages>>>;
}

/**
 * Sign-in by passkeys (WebAuthn level 3). Needs `experimental.enableWebAuthn` and an adapter that keeps
 * passkeys.
 *
 * Sign-in asks for no name: a browser offers the passkeys it has for this host, so that nothing tells
 * who has an account. A registration with an address proves nothing about it; whoever proves it later
 * by a link takes the account over, without the passkeys it had (`Adapter.resetUser`).
 *
 * A challenge is good for 15 minutes, one browser and one answer. Where a store is set, all
 * processes know what was answered; else each its own, and another one could be shown the same answer
 * by somebody who has this browser's cookies too.
 */
export interface WebAuthnProvider extends ProviderBase {
  type: "webauthn";
  /** Who asks for passkeys. The spelling is that of Auth.js. */
  relayingParty?: RelyingPartyOptions;
  /** Says it for each request, instead of `relayingParty`. */
  getRelayingParty?(
    inquiry: PasskeyInquiry<WebAuthnProvider>,
    request: PasskeyRequest,
  ): RelyingParty;
  /**
   * Who wants to register, by the form's fields; `null` when that is not said. Default: the field
   * `email`, with `name` if there is one. Answers of the route are the same whether they exist or not.
   */
  getUserInfo?(
    inquiry: PasskeyInquiry<WebAuthnProvider>,
    request: PasskeyRequest,
  ): Awaitable<PasskeyPerson | null>;
  /** The form's fields by name. Default: `email`. */
  formFields?: Record<string, CredentialInput>;
  /** Whether browsers offer passkeys where a name is filled in. One provider alone may. Default `true`. */
  enableConditionalUI?: boolean;
  /**
   * Who may register a passkey: `open`, also somebody new, or `signed-in`. Default `open`, unless there
   * are links by mail and an adapter without `resetUser`: then it is `signed-in`.
   */
  registration?: "open" | "signed-in";
  authenticationOptions?: PasskeySignInOptions;
  registrationOptions?: PasskeyRegistrationOptions;
  verifyAuthenticationOptions?: PasskeyVerification;
  verifyRegistrationOptions?: PasskeyVerification;
  /** @deprecated has no effect: the page's script is our own. */
  simpleWebAuthnBrowserVersion?: string | false;
  /**
   * Loads `@simplewebauthn/server` 14, so that bundlers find it. Without it, it is looked for when it is
   * needed. The functions that Auth.js takes here are of another version, and have no effect.
   */
  simpleWebAuthn?: (() => Promise<object>) | object;
}

/** How an OAuth answer is tied to the request that asked for it. */
export type Check = "pkce" | "state" | "nonce" | "none";

/** Query, header or body values of a request; `{placeholder}`s are filled, `undefined` is left out. */
export type Params = Record<string, string | number | boolean | object | null | undefined>;

/** A request that follows the profile and lays its answer into it. */
export interface EnrichRequest {
  /** Name of the profile member that receives the answer. */
  into: string;
  url: string;
  headers?: Record<string, string>;
  /** `json` (default), or `data-url`: the bytes as a `data:` URL, for pictures. */
  as?: "json" | "data-url";
  /** Asked only when this says so. */
  when?(profile: Profile): boolean;
}

/** The authorization endpoint and what is peculiar about asking it. */
export interface AuthorizationEndpoint {
  url?: string;
  /** Static parameters. `scope` is one of them; objects (`claims`) are sent as JSON. */
  params?: Params;
  /** Parameters a caller may add at each sign-in, beside the generally allowed ones. */
  allow?: readonly string[];
  /** Default `S256`; `plain` protects less and is for servers that know nothing else. */
  codeChallengeMethod?: "S256" | "plain";
  /** Name under which the client id is sent. Default `client_id`. */
  clientIdParam?: string;
  /** Appended as the URL's fragment. */
  fragment?: string;
}

/** What a custom token request is given. */
export interface TokenRequestContext<P = OAuthProvider> {
  provider: ResolvedProvider<P & ProviderBase>;
  /** The callback's parameters. */
  params: Record<string, string>;
  /** `code_verifier` and the like. */
  checks: { code_verifier?: string };
  redirectUri: string;
  /** Bounded fetch of the flow (time, size, no redirects). */
  fetch: typeof fetch;
}

/** The token endpoint and what is peculiar about it. */
export interface TokenEndpoint {
  url?: string;
  /** Extra body parameters. */
  params?: Params;
  headers?: Record<string, string>;
  /** Names of callback parameters copied into the request's body. */
  forward?: readonly string[];
  /** Mends the answer's JSON before it is read (missing `token_type`, `scope` as an array, ...). */
  transform?(body: Record<string, unknown>): Record<string, unknown>;
  /** Member that means failure although the status is 200; `error` is always one. */
  errorMember?: string;
  /** Replaces the whole response before it is read. */
  conform?(response: Response): Awaitable<Response | undefined>;
  /** Replaces the request. */
  request?(context: TokenRequestContext): Awaitable<{ tokens: TokenSet }>;
  /** Key for `private_key_jwt`. */
  clientPrivateKey?: CryptoKey | { key: CryptoKey; kid?: string };
}

/** What a custom userinfo request is given. */
export interface UserinfoRequestContext<P = OAuthProvider> {
  tokens: TokenSet;
  provider: ResolvedProvider<P & ProviderBase>;
  /** Bounded fetch of the flow (time, size, no redirects). */
  fetch: typeof fetch;
}

/** The userinfo endpoint and what is peculiar about it. */
export interface UserinfoEndpoint {
  url?: string;
  params?: Params;
  /** Default `GET`. */
  method?: "GET" | "POST";
  headers?: Record<string, string>;
  /** JSON body of a `POST`. */
  body?: object;
  /** Where the access token goes: `Bearer` and other words are schemes of the `Authorization` header,
   * `query:name` is a query parameter, `none` leaves it to `headers`. Default `Bearer`. */
  token?: string;
  /** Member that means failure although the status is 200. */
  errorMember?: string;
  /** Path of the profile inside the answer, such as `data` or `bot.owner.user`. */
  root?: string;
  /** Replaces the request. */
  request?(context: UserinfoRequestContext): Awaitable<Profile>;
}

/** Client metadata (RFC 7591) that overrides how we speak to the server. */
export interface OAuthClient {
  token_endpoint_auth_method?:
    | "client_secret_basic"
    | "client_secret_post"
    | "client_secret_jwt"
    | "private_key_jwt"
    | "none";
  id_token_signed_response_alg?: string;
  userinfo_signed_response_alg?: string;
  authorization_signed_response_alg?: string;
  require_auth_time?: boolean;
  default_max_age?: number;
  [metadata: string]: unknown;
}

/** What OAuth 2 and OpenID Connect providers share. */
export interface OAuthProviderBase<P> extends ProviderBase {
  clientId?: string;
  /** The secret, or a function that makes one (Apple's is a signed token). */
  clientSecret?: string | ((provider: OAuthProviderBase<P>) => Awaitable<string>);
  /** Issuer identifier (RFC 8414), compared exactly. */
  issuer?: string;
  /** Discovery document, when it is not `{issuer}/.well-known/openid-configuration`. */
  wellKnown?: string;
  jwks_endpoint?: string;
  authorization?: string | AuthorizationEndpoint;
  token?: string | TokenEndpoint;
  userinfo?: string | UserinfoEndpoint;
  /** Default `["pkce"]`. */
  checks?: readonly Check[];
  /** Which of the token set is stored with the account. */
  account?(tokens: TokenSet): TokenSet | undefined | void;
  /** Maps what the provider tells to a user; its `id` is the account's and must be there. */
  profile?(profile: P, tokens: TokenSet): Awaitable<User>;
  /** Whether the provider vouches for the address. Default: the `email_verified` claim. */
  emailVerified?(profile: P): boolean;
  /** Requests that follow the profile. A failing one leaves its member out. */
  enrich?: readonly EnrichRequest[];
  /** Callback parameters (form_post) that carry profile data as JSON, laid under the same name. */
  profileParams?: readonly string[];
  /** Rewrites the discovery document before it is checked. */
  discovery?(
    metadata: Record<string, unknown>,
    provider: OAuthProviderBase<P>,
  ): Record<string, unknown>;
  client?: OAuthClient;
  redirectProxyUrl?: string;
  /** Stands in for `fetch` when this provider is asked. */
  [customFetch]?: typeof fetch;
}

/** A provider of plain OAuth 2 (RFC 6749). */
export interface OAuthProvider<P = Profile> extends OAuthProviderBase<P> {
  type: "oauth";
}

/** A provider of OpenID Connect. */
export interface OIDCProvider<P = Profile> extends OAuthProviderBase<P> {
  type: "oidc";
  /** `false`: the profile comes from userinfo; an ID token must still arrive. */
  idToken?: boolean;
  /** Expected issuer when it depends on the token: a template over its claims, such as `.../{tid}/v2.0`. */
  issuerFromIdToken?: string;
  /** Accepts an empty `nonce` claim where none was sent. */
  lenientNonce?: boolean;
}

/** What the application may pass to a provider of the catalogue: every field is optional. */
export type ProviderOptions<P extends ProviderBase> = Partial<Omit<P, "options" | "type">>;

/** Public part of a provider, as `GET /providers` lists it. */
export interface PublicProvider {
  id: string;
  name: string;
  type: string;
  signinUrl: string;
  callbackUrl: string;
}

/** Account fields kept by the default `account` mapping. */
export type StoredTokens = Pick<
  Account,
  "access_token" | "id_token" | "refresh_token" | "expires_at" | "scope" | "token_type"
>;
