import type {
  Adapter,
  Awaitable,
  CredentialInput,
  ProviderBase,
  User,
} from "../../../src/kernel.ts";

declare module "../../../src/types/provider.ts" {
  interface ProviderTypes {
    webauthn: WebAuthnProvider;
  }
}

declare module "../../../src/types/cookie.ts" {
  interface CookieKeys {
    webauthnChallenge: true;
  }
}

/**
 * A provider of sign-in by passkeys (WebAuthn level 3). Requires `experimental.enableWebAuthn` and an adapter that
 * stores passkeys.
 *
 * A sign-in does not ask for a name: the browser offers its passkeys for this host, so that no response reveals who has
 * an account. A registration with an address does not verify the address. A user who later verifies it by a link takes
 * the account over, without its passkeys (`Adapter.revokeUserAccess`).
 *
 * A challenge is valid for 15 minutes, in one browser and for one response. With a store, all processes know which
 * challenges are used. Without a store, each process knows only its own: an attacker who also has this browser's
 * cookies could replay a response to another process.
 */
export interface WebAuthnProvider extends ProviderBase {
  type: "webauthn";
  /** The relying party. The property name is spelled as in Auth.js. */
  relayingParty?: RelyingPartyOptions;
  /** Returns the relying party for each request, instead of `relayingParty`. */
  getRelayingParty?(
    inquiry: PasskeyContext<WebAuthnProvider>,
    request: PasskeyRequest,
  ): RelyingParty;
  /**
   * Returns the user to register from the form's fields, or `null` if they do not identify a user. Default: the field
   * `email`, and `name` if there is one. The route's responses are the same whether or not the user exists.
   */
  getUserInfo?(
    inquiry: PasskeyContext<WebAuthnProvider>,
    request: PasskeyRequest,
  ): Awaitable<PasskeyUser | null>;
  /** The form's fields by name. Default: `email`. */
  formFields?: Record<string, CredentialInput>;
  /**
   * Whether browsers offer passkeys in the autofill of a field (conditional UI). Only one provider
   * may enable it. Default `true`.
   */
  enableConditionalUI?: boolean;
  /**
   * Who may register a passkey: `open` (everyone, including visitors without a session) or `signed-in`. Default:
   * `open`, but `signed-in` if a provider sends links by e-mail and the adapter lacks `revokeUserAccess`.
   */
  registration?: "open" | "signed-in";
  /** Options that a browser receives for a sign-in. */
  authenticationOptions?: PasskeySignInOptions;
  /** Options that a browser receives for a registration. */
  registrationOptions?: PasskeyRegistrationOptions;
  /** Requirements for the response to a sign-in. */
  verifyAuthenticationOptions?: PasskeyVerification;
  /** Requirements for the response to a registration. */
  verifyRegistrationOptions?: PasskeyVerification;
  /** @deprecated Has no effect: the page uses the script of this package. */
  simpleWebAuthnBrowserVersion?: string | false;
  /**
   * Imports `@simplewebauthn/server` 14, so that bundlers find it. By default it is imported by name on first use. The
   * functions that Auth.js accepts here are of another version and have no effect.
   */
  simpleWebAuthn?: (() => Promise<object>) | object;
}

/** Options of the relying party. If there are several ids or names, the first one is sent to the browser. */
export interface RelyingPartyOptions {
  /**
   * The host, or a parent domain whose hosts share passkeys. Default: the host of the public URL.
   */
  id?: string | readonly string[];
  /** The name that an authenticator shows. Default: the host with its port. */
  name?: string | readonly string[];
  /** Origins from which responses are accepted. Default: the public origin. */
  origin?: string | readonly string[];
}

/** The relying party of a request. */
export interface RelyingParty {
  id: string;
  name: string;
  /** Origins from which responses are accepted. */
  origin: string | readonly string[];
}

/** The first argument of a passkey provider's functions, which describes the application. */
export interface PasskeyContext<P = object> {
  /** The provider, as it is configured. */
  provider: P;
  /** The adapter, to look users up. */
  adapter: Adapter;
  /** The request's URL on the public origin. */
  url: URL;
}

/** The second argument of a passkey provider's functions, which describes the request. */
export interface PasskeyRequest {
  method: string;
  url: URL;
  headers: Headers;
  /** The form's fields, and `action`. */
  query: Readonly<Record<string, string>>;
}

/** A user who wants to register a passkey. With `exists`, the user is already stored and must sign in first. */
export interface PasskeyUser {
  /** The user, with the fields that a new user is stored with. An `id` is replaced. */
  user: User;
  exists: boolean;
}

/** The user verification to request from an authenticator (WebAuthn level 3, section 5.8.6). */
export type UserVerification = "required" | "preferred" | "discouraged";

/**
 * The inputs of WebAuthn's extensions by their identifiers, like `AuthenticationExtensionsClientInputs` in browsers.
 */
export interface PasskeyExtensions {
  appid?: string;
  credProps?: boolean;
  [identifier: string]: unknown;
}

/** Options of a sign-in. */
export interface PasskeySignInOptions {
  /** Milliseconds that the user may take. Default 300000. */
  timeout?: number;
  /**
   * Always `required`, unless `verifyAuthenticationOptions` sets `requireUserVerification: false`. Then the default is
   * `preferred`.
   */
  userVerification?: UserVerification;
  extensions?: PasskeyExtensions;
}

/** Options of a registration. */
export interface PasskeyRegistrationOptions {
  /** Milliseconds that the user may take. Default 300000. */
  timeout?: number;
  /**
   * Requirements for the authenticator. `residentKey` is always `required`: a sign-in does not ask
   * for a name.
   */
  authenticatorSelection?: {
    authenticatorAttachment?: "platform" | "cross-platform";
    residentKey?: "required" | "preferred" | "discouraged";
    /**
     * Always `required`, unless `verifyRegistrationOptions` sets `requireUserVerification: false`. Then the default is
     * `preferred`.
     */
    userVerification?: UserVerification;
  };
  /**
   * Attestation to request. With `none`, the default, a response with an attestation is refused, except a self
   * attestation (`packed` without certificates). With `direct` or `enterprise`, the formats `packed`, `fido-u2f`, `tpm`
   * and `apple` are verified too. They may have up to 6 certificates of 4096 bytes each, which must not name a
   * revocation list, since none is fetched. The chain is checked against the root certificates of `SettingsService` of
   * `@simplewebauthn/server`. These are only Apple's unless the application sets others. The result is not used
   * further.
   */
  attestationType?: "none" | "direct" | "enterprise";
  /**
   * COSE algorithms in order of preference. Default -8, -7, -257. Boot refuses algorithms whose signatures a sign-in
   * could not verify.
   */
  supportedAlgorithmIDs?: readonly number[];
  extensions?: PasskeyExtensions;
}

/** Requirements for a browser's response. */
export interface PasskeyVerification {
  /** Whether the authenticator must have verified the user, for example by a fingerprint or a PIN. Default `true`. */
  requireUserVerification?: boolean;
}
