import { AuthError, ConfigError, defineError, type ErrorLevel, SignInError } from "./auth-error.ts";

export { AuthError, ConfigError, SignInError };
export type { ErrorCause, ErrorKind, ErrorLevel, ErrorOptions } from "./auth-error.ts";

/** The credentials are wrong. `authorize` may throw this error, or a subclass with its own `code`. */
export class CredentialsSignin extends SignInError {
  static override readonly type: string = "CredentialsSignin";
  static override readonly public: boolean = true;
  static override readonly status: number = 401;
  /** Added as `code` to the URL of the sign-in page, so it must not reveal anything sensitive. */
  override code = "credentials";
}

/**
 * A tap of the `signIn` hook refused the sign-in, or threw; or the visitor canceled the sign-in at an OpenID 2.0 or AT
 * Protocol provider.
 */
export const AccessDenied: typeof AuthError = defineError("AccessDenied", AuthError, 403, "public");
export type AccessDenied = AuthError;

/** The provider account, or its address, belongs to another user. */
export const OAuthAccountNotLinked: typeof SignInError = defineError(
  "OAuthAccountNotLinked",
  SignInError,
  409,
  "public",
);
export type OAuthAccountNotLinked = SignInError;

/**
 * The provider states that the address of a new user is not verified, and the adapter could not remove the account from
 * the user once the owner of the address has verified it (`revokeUserAccess`).
 */
export const EmailNotVerified: typeof SignInError = defineError(
  "EmailNotVerified",
  SignInError,
  403,
  "public",
);
export type EmailNotVerified = SignInError;

/** The passkey, or its address, belongs to another user. */
export const AccountNotLinked: typeof SignInError = defineError(
  "AccountNotLinked",
  SignInError,
  409,
  "public",
);
export type AccountNotLinked = SignInError;

/** The sign-in method is the user's only one and is not removed. Scripts receive this error as JSON. */
export const LastSignInMethod: typeof AuthError = defineError(
  "LastSignInMethod",
  AuthError,
  409,
  "public",
  "debug",
);
export type LastSignInMethod = AuthError;

/** The operation, such as linking an account, requires a session, but there is none, or it is another user's. */
export const SessionRequired: typeof SignInError = defineError(
  "SessionRequired",
  SignInError,
  401,
  "public",
  "debug",
);
export type SessionRequired = SignInError;

/**
 * The browser sent sessions of different users, one of which a sibling host may have set. Requests that change
 * something are refused.
 */
export const AmbiguousSession: typeof AuthError = defineError(
  "AmbiguousSession",
  AuthError,
  409,
  "public",
);
export type AmbiguousSession = AuthError;

/**
 * The operation requires a sign-in within `session.freshAge`, because it adds or removes a sign-in method, or ends
 * other sessions.
 */
export const FreshSessionRequired: typeof SignInError = defineError(
  "FreshSessionRequired",
  SignInError,
  401,
  "public",
  "debug",
);
export type FreshSessionRequired = SignInError;

/**
 * A session does not identify its user: a tap of the `jwt` hook removed `sub`, a flow returned a user without an id, or
 * a strategy a session without one.
 */
export const MissingUserId: typeof AuthError = defineError("MissingUserId", AuthError);
export type MissingUserId = AuthError;

/** The identity provider's authorization response is an error, such as a refused consent (RFC 6749 section 4.1.2.1). */
export const OAuthCallbackError: typeof SignInError = defineError(
  "OAuthCallbackError",
  SignInError,
  401,
  "public",
);
export type OAuthCallbackError = SignInError;

/** The POST does not contain the CSRF token of this browser, or comes from another site. */
export const MissingCSRF: typeof SignInError = defineError(
  "MissingCSRF",
  SignInError,
  403,
  "public",
);
export type MissingCSRF = SignInError;

/** The sign-in link was used before, is expired, or was not issued by this application. */
export const Verification: typeof AuthError = defineError("Verification", AuthError, 403, "public");
export type Verification = AuthError;

/** The passkey could not be verified. */
export const WebAuthnVerificationError: typeof AuthError = defineError(
  "WebAuthnVerificationError",
  AuthError,
  401,
  "public",
);
export type WebAuthnVerificationError = AuthError;

/** The request is malformed: its body, path or parameters. */
export const BadRequest: typeof AuthError = defineError(
  "BadRequest",
  AuthError,
  400,
  "public",
  "debug",
);
export type BadRequest = AuthError;

/** The request body exceeds the size limit. */
export const ContentTooLarge: typeof BadRequest = defineError("ContentTooLarge", BadRequest, 413);
export type ContentTooLarge = BadRequest;

/** The body of the request did not arrive in time. */
export const RequestTimeout: typeof BadRequest = defineError("RequestTimeout", BadRequest, 408);
export type RequestTimeout = BadRequest;

/** The request body was read before Keyhook received it: a body parser is mounted ahead of Keyhook. */
export const BodyUsed: typeof AuthError = defineError("BodyUsed", AuthError);
export type BodyUsed = AuthError;

/** There is no route for the path. */
export const UnknownAction: typeof AuthError = defineError(
  "UnknownAction",
  AuthError,
  404,
  "internal",
  "debug",
);
export type UnknownAction = AuthError;

/** There is a route for the path, but not for the method. `allow` lists the methods that exist. */
export class MethodNotAllowed extends UnknownAction {
  static override readonly type: string = "MethodNotAllowed";
  static override readonly status: number = 405;
  /** Value of the `Allow` header (RFC 9110 section 15.5.6). */
  readonly allow: string;

  constructor(message: string, allow: string) {
    super(message);
    this.allow = allow;
  }
}

/** A tap of the `request` hook, or the route, refused a server-side call. */
export class Refused extends AuthError {
  static override readonly type: string = "Refused";
  static override readonly status: number = 403;
  static override readonly level: ErrorLevel = "debug";
  /** The refusal, with its own status, such as 429. */
  readonly response: Response;

  constructor(message: string, response: Response) {
    super(message);
    this.response = response;
  }
}

/** The provider is not configured, or does not support the operation. */
export const InvalidProvider: typeof AuthError = defineError("InvalidProvider", AuthError, 404);
export type InvalidProvider = AuthError;

/**
 * The attempt cannot be completed: a check cookie is missing, expired, or was set for another attempt or provider; the
 * attempt was completed before; or the browser has another user's session since it began.
 */
export const InvalidCheck: typeof SignInError = defineError(
  "InvalidCheck",
  SignInError,
  400,
  "public",
);
export type InvalidCheck = SignInError;

/** A flow returned an invalid identity: the user or the account's id is missing or not usable. */
export const InvalidIdentity: typeof AuthError = defineError("InvalidIdentity", AuthError);
export type InvalidIdentity = AuthError;

/** Exists in Auth.js, for code that compares with it. Keyhook never throws it. */
export const InvalidCallbackUrl: typeof AuthError = defineError(
  "InvalidCallbackUrl",
  AuthError,
  400,
);
export type InvalidCallbackUrl = AuthError;

/** An error that is not an `AuthError` was thrown during a sign-in or sign-out; `cause.err` is that error. */
export const CallbackRouteError: typeof AuthError = defineError("CallbackRouteError", AuthError);
export type CallbackRouteError = AuthError;

/** The identity provider could not be reached, or its metadata cannot be used. */
export const OAuthSignInError: typeof SignInError = defineError(
  "OAuthSignInError",
  SignInError,
  503,
  "public",
);
export type OAuthSignInError = SignInError;

/** The `profile` function of a provider threw, or returned no id. */
export const OAuthProfileParseError: typeof AuthError = defineError(
  "OAuthProfileParseError",
  AuthError,
);
export type OAuthProfileParseError = AuthError;

/** The e-mail with the link or code could not be sent, or the input is not an e-mail address (status 400). */
export const EmailSignInError: typeof SignInError = defineError(
  "EmailSignInError",
  SignInError,
  503,
  "public",
);
export type EmailSignInError = SignInError;

/**
 * A session token could not be read, or was issued for another origin or `storeNamespace`; or a tap of the `jwt` or
 * `session` hook threw (`jwt` and `hybrid` strategies).
 */
export const JWTSessionError: typeof AuthError = defineError("JWTSessionError", AuthError);
export type JWTSessionError = AuthError;

/**
 * A stored session could not be read, extended or, beyond `session.maxPerUser`, ended; or a tap of the `session` hook
 * threw (`database` strategy).
 */
export const SessionTokenError: typeof AuthError = defineError("SessionTokenError", AuthError);
export type SessionTokenError = AuthError;

/** A session could not be ended completely. The browser is signed out anyway. */
export const SignOutError: typeof AuthError = defineError("SignOutError", AuthError);
export type SignOutError = AuthError;

/** A session token exceeds `jwt.maxSize`, or the cookies that it may be split into. */
export const SessionTooLarge: typeof AuthError = defineError(
  "SessionTooLarge",
  AuthError,
  500,
  "public",
);
export type SessionTooLarge = AuthError;

/** A listener of an event threw, or exceeded its time limit. Logged only. */
export const EventError: typeof AuthError = defineError("EventError", AuthError);
export type EventError = AuthError;

/** A method of the adapter threw, or exceeded its time limit. */
export const AdapterError: typeof AuthError = defineError("AdapterError", AuthError, 503);
export type AdapterError = AuthError;

/** The store threw, or exceeded its time limit. The operation may or may not have taken effect. */
export const StoreError: typeof AuthError = defineError("StoreError", AuthError, 503);
export type StoreError = AuthError;

/**
 * The `init` of a plugin failed, or it or the configuration function exceeded its time limit. The next request runs it
 * again. `cause.err` is the thrown error.
 */
export const InitError: typeof AuthError = defineError("InitError", AuthError, 503);
export type InitError = AuthError;

/** Exists in Auth.js, for code that compares with it. Keyhook never throws it. */
export const ErrorPageLoop: typeof AuthError = defineError("ErrorPageLoop", AuthError);
export type ErrorPageLoop = AuthError;

/** A server-side method was called without a request, or has none to pass to a configuration function. */
export const MissingRequest: typeof AuthError = defineError("MissingRequest", AuthError);
export type MissingRequest = AuthError;

/** Several faults were found at boot. `faults` contains each of them, with the fix in its message. */
export class BootError extends ConfigError {
  static override readonly type: string = "BootError";
  readonly faults: readonly AuthError[];

  constructor(faults: readonly AuthError[]) {
    const list = faults.map((fault, at) => `${at + 1}. ${fault.type}: ${fault.message}`);
    super(`${faults.length} faults in the configuration:\n${list.join("\n")}`);
    this.faults = faults;
  }
}

/** No secret is set, or the given one is empty. */
export class MissingSecretError extends ConfigError {
  static override readonly type: string = "MissingSecret";
}

/** The host of the request is not trusted. */
export const UntrustedHost: typeof ConfigError = defineError("UntrustedHost", ConfigError, 400);
export type UntrustedHost = ConfigError;

/**
 * A plugin is missing, duplicated, in conflict or in a circle, its `setup` threw, or it registered something after
 * boot.
 */
export const PluginError: typeof ConfigError = defineError("PluginError", ConfigError);
export type PluginError = ConfigError;

/** A field of the configuration has an invalid value. */
export const InvalidConfig: typeof ConfigError = defineError("InvalidConfig", ConfigError);
export type InvalidConfig = ConfigError;

/** A provider has neither a required endpoint nor an issuer to discover it from. */
export const InvalidEndpoints: typeof ConfigError = defineError("InvalidEndpoints", ConfigError);
export type InvalidEndpoints = ConfigError;

/** A configured feature requires an adapter, but none is set. */
export const MissingAdapter: typeof ConfigError = defineError("MissingAdapter", ConfigError);
export type MissingAdapter = ConfigError;

/** The adapter does not have the methods that the configuration requires. */
export const MissingAdapterMethods: typeof ConfigError = defineError(
  "MissingAdapterMethods",
  ConfigError,
);
export type MissingAdapterMethods = ConfigError;

/** A credentials provider has no `authorize`. */
export const MissingAuthorize: typeof ConfigError = defineError("MissingAuthorize", ConfigError);
export type MissingAuthorize = ConfigError;

/** No plugin provides the configured session strategy. */
export const UnsupportedStrategy: typeof ConfigError = defineError(
  "UnsupportedStrategy",
  ConfigError,
);
export type UnsupportedStrategy = ConfigError;

/** An experimental feature is used but not enabled. */
export const ExperimentalFeatureNotEnabled: typeof ConfigError = defineError(
  "ExperimentalFeatureNotEnabled",
  ConfigError,
);
export type ExperimentalFeatureNotEnabled = ConfigError;

/** Two passkey providers enable conditional UI (autofill). */
export const DuplicateConditionalUI: typeof ConfigError = defineError(
  "DuplicateConditionalUI",
  ConfigError,
);
export type DuplicateConditionalUI = ConfigError;

/** A passkey form has no field with `autocomplete="... webauthn"`, which conditional UI requires. */
export const MissingWebAuthnAutocomplete: typeof ConfigError = defineError(
  "MissingWebAuthnAutocomplete",
  ConfigError,
);
export type MissingWebAuthnAutocomplete = ConfigError;

export {
  /** The name under which Auth.js exports `MissingSecretError`. */
  MissingSecretError as MissingSecret,
};
