/** Where the user is led by an error: back to the sign-in page, or to the error page. */
export type ErrorKind = "signIn" | "error";

/** Facts that belong to an error; never sent to a browser. */
export interface ErrorCause extends Record<string, unknown> {
  err?: Error;
}

/** Options of an error's constructor. */
export interface ErrorOptions {
  cause?: ErrorCause | Error | unknown;
}

/**
 * Base of every error Keyhook raises. `type` is stable and is what logs and pages name; the message
 * is for the developer, never for the visitor.
 */
export class AuthError extends Error {
  /** Stable name of the class's meaning. */
  static readonly type: string = "AuthError";
  /** Page the visitor is led to. */
  static readonly kind: ErrorKind = "error";
  /** Whether `type` may be shown to the visitor; otherwise `Configuration` stands in. */
  static readonly public: boolean = false;
  /** HTTP status where the answer is not a redirect. */
  static readonly status: number = 500;

  readonly type: string;
  readonly kind: ErrorKind;
  readonly status: number;
  override readonly cause?: ErrorCause;

  constructor(message?: string | Error | ErrorOptions, options?: ErrorOptions) {
    const text = typeof message === "string" ? message : "";
    super(text);
    const given = message instanceof Error ? { err: message } : (message as ErrorOptions)?.cause;
    const cause = typeof message === "string" || message === undefined ? options?.cause : given;
    if (cause !== undefined || options?.cause !== undefined) {
      this.cause = { ...asCause(options?.cause), ...asCause(cause) };
    }
    const made = new.target as typeof AuthError;
    this.type = made.type;
    this.kind = made.kind;
    this.status = made.status;
    this.name = made.name;
  }

  /** Whether the visitor may be told this error's `type`. */
  get public(): boolean {
    return (this.constructor as typeof AuthError).public;
  }
}

function asCause(cause: unknown): ErrorCause {
  if (cause instanceof Error) return { err: cause };
  return typeof cause === "object" && cause !== null ? (cause as ErrorCause) : {};
}

/** Base of the errors that lead back to the sign-in page. */
export class SignInError extends AuthError {
  static override readonly type: string = "SignInError";
  static override readonly kind: ErrorKind = "signIn";
}

/** Wrong credentials. Throw it from `authorize`, or a subclass with a `code` of its own. */
export class CredentialsSignin extends SignInError {
  static override readonly type: string = "CredentialsSignin";
  static override readonly public: boolean = true;
  static override readonly status: number = 401;
  /** Shown in the URL, so it must not hint at anything sensitive. */
  code = "credentials";
}

/** The `signIn` hook refused, or threw. */
export class AccessDenied extends AuthError {
  static override readonly type: string = "AccessDenied";
  static override readonly public: boolean = true;
  static override readonly status: number = 403;
}

/** The provider account, or its address, belongs to another user. */
export class OAuthAccountNotLinked extends SignInError {
  static override readonly type: string = "OAuthAccountNotLinked";
  static override readonly public: boolean = true;
  static override readonly status: number = 409;
}

/** The passkey, or its address, belongs to another user. */
export class AccountNotLinked extends SignInError {
  static override readonly type: string = "AccountNotLinked";
  static override readonly public: boolean = true;
  static override readonly status: number = 409;
}

/** The identity provider answered with an error, such as a refused consent. */
export class OAuthCallbackError extends SignInError {
  static override readonly type: string = "OAuthCallbackError";
  static override readonly public: boolean = true;
  static override readonly status: number = 401;
}

/** A POST without the CSRF token of this browser, or from another site. */
export class MissingCSRF extends SignInError {
  static override readonly type: string = "MissingCSRF";
  static override readonly public: boolean = true;
  static override readonly status: number = 403;
}

/** The sign-in link is used up, expired or foreign. */
export class Verification extends AuthError {
  static override readonly type: string = "Verification";
  static override readonly public: boolean = true;
  static override readonly status: number = 403;
}

/** A passkey could not be verified. */
export class WebAuthnVerificationError extends AuthError {
  static override readonly type: string = "WebAuthnVerificationError";
  static override readonly public: boolean = true;
  static override readonly status: number = 401;
}

/** The request itself is malformed: its body, path or parameters. */
export class BadRequest extends AuthError {
  static override readonly type: string = "BadRequest";
  static override readonly public: boolean = true;
  static override readonly status: number = 400;
}

/** No route answers this path. */
export class UnknownAction extends AuthError {
  static override readonly type: string = "UnknownAction";
  static override readonly status: number = 404;
}

/** A route answers this path, but not by this method; `allow` names those it has. */
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

/** The provider is not configured, or cannot do what was asked. */
export class InvalidProvider extends AuthError {
  static override readonly type: string = "InvalidProvider";
  static override readonly status: number = 404;
}

/** A check cookie is missing, expired, or made for another attempt or provider. */
export class InvalidCheck extends SignInError {
  static override readonly type: string = "InvalidCheck";
  static override readonly public: boolean = true;
  static override readonly status: number = 400;
}

/** A URL that must be one of our own is not. */
export class InvalidCallbackUrl extends AuthError {
  static override readonly type: string = "InvalidCallbackUrl";
  static override readonly status: number = 400;
}

/** Something that is no `AuthError` was thrown while a sign-in was finished. */
export class CallbackRouteError extends AuthError {
  static override readonly type: string = "CallbackRouteError";
}

/** The provider could not be asked, or its metadata is unusable. */
export class OAuthSignInError extends SignInError {
  static override readonly type: string = "OAuthSignInError";
  static override readonly public: boolean = true;
  static override readonly status: number = 503;
}

/** A `profile` mapping threw, or gave no id. */
export class OAuthProfileParseError extends AuthError {
  static override readonly type: string = "OAuthProfileParseError";
}

/** The mail with the link could not be sent, or what was entered is no address. */
export class EmailSignInError extends SignInError {
  static override readonly type: string = "EmailSignInError";
  static override readonly public: boolean = true;
  static override readonly status: number = 503;
}

/** A session token could not be read, or a `jwt`/`session` tap threw while it was. */
export class JWTSessionError extends AuthError {
  static override readonly type: string = "JWTSessionError";
}

/** A stored session could not be read. */
export class SessionTokenError extends AuthError {
  static override readonly type: string = "SessionTokenError";
}

/** A session could not be ended properly; the browser is signed out all the same. */
export class SignOutError extends AuthError {
  static override readonly type: string = "SignOutError";
}

/** A session cookie would grow beyond what browsers keep. */
export class SessionTooLarge extends AuthError {
  static override readonly type: string = "SessionTooLarge";
}

/** An event's listener threw or hung. Logged only. */
export class EventError extends AuthError {
  static override readonly type: string = "EventError";
}

/** An adapter's method threw, or did not answer in time. */
export class AdapterError extends AuthError {
  static override readonly type: string = "AdapterError";
  static override readonly status: number = 503;
}

/** The store threw, or did not answer in time; what it was asked may have happened or not. */
export class StoreError extends AuthError {
  static override readonly type: string = "StoreError";
  static override readonly status: number = 503;
}

/** The page configured for errors needs a session itself. Logged only. */
export class ErrorPageLoop extends AuthError {
  static override readonly type: string = "ErrorPageLoop";
}

/** A server verb was called where no request can be found. */
export class MissingRequest extends AuthError {
  static override readonly type: string = "MissingRequest";
}

/** Base of the faults found at boot. */
export class ConfigError extends AuthError {
  static override readonly type: string = "ConfigError";
}

/** Several faults, found together at boot; `faults` has each, with its mend. */
export class BootError extends ConfigError {
  static override readonly type: string = "BootError";
  readonly faults: readonly AuthError[];

  constructor(faults: readonly AuthError[]) {
    const list = faults.map((fault, at) => `${at + 1}. ${fault.type}: ${fault.message}`);
    super(`${faults.length} faults in the configuration:\n${list.join("\n")}`);
    this.faults = faults;
  }
}

/** No secret is set. */
export class MissingSecretError extends ConfigError {
  static override readonly type: string = "MissingSecret";
}

/** The host of the request is not to be trusted. */
export class UntrustedHost extends ConfigError {
  static override readonly type: string = "UntrustedHost";
  static override readonly status: number = 400;
}

/** A plugin is missing, twice there, in conflict or in a circle, or its `setup` threw. */
export class PluginError extends ConfigError {
  static override readonly type: string = "PluginError";
}

/** A configuration field has a value that cannot be used. */
export class InvalidConfig extends ConfigError {
  static override readonly type: string = "InvalidConfig";
}

/** A provider lacks an endpoint and has no issuer to discover it from. */
export class InvalidEndpoints extends ConfigError {
  static override readonly type: string = "InvalidEndpoints";
}

/** Something needs an adapter and none is set. */
export class MissingAdapter extends ConfigError {
  static override readonly type: string = "MissingAdapter";
}

/** The adapter lacks methods that the configuration needs. */
export class MissingAdapterMethods extends ConfigError {
  static override readonly type: string = "MissingAdapterMethods";
}

/** A credentials provider has no `authorize`. */
export class MissingAuthorize extends ConfigError {
  static override readonly type: string = "MissingAuthorize";
}

/** No plugin keeps sessions in the configured way. */
export class UnsupportedStrategy extends ConfigError {
  static override readonly type: string = "UnsupportedStrategy";
}

/** An experimental feature is used without being switched on. */
export class ExperimentalFeatureNotEnabled extends ConfigError {
  static override readonly type: string = "ExperimentalFeatureNotEnabled";
}

/** Two passkey providers ask for conditional UI. */
export class DuplicateConditionalUI extends ConfigError {
  static override readonly type: string = "DuplicateConditionalUI";
}

/** A passkey form lacks the field that conditional UI needs. */
export class MissingWebAuthnAutocomplete extends ConfigError {
  static override readonly type: string = "MissingWebAuthnAutocomplete";
}

export {
  /** Name under which Auth.js exports `MissingSecretError`. */
  MissingSecretError as MissingSecret,
};
