/** The page that the visitor is redirected to after an error: the sign-in page, or the error page. */
export type ErrorKind = "signIn" | "error";

/** The level at which a failed request is logged: `debug` for errors that visitors cause themselves. */
export type ErrorLevel = "error" | "debug";

/** The facts of an error for the log, never sent to a browser. `err` is the error that caused it. */
export interface ErrorCause extends Record<string, unknown> {
  err?: Error;
}

/** Options of the `AuthError` constructor. */
export interface ErrorOptions {
  cause?: ErrorCause | Error | unknown;
}

// Lists the types of an error's class and of those that it extends, the base class last. A field `constructor` of the
// error itself is ignored: libraries copy a server's response into their errors.
function listTypes(error: Error): readonly string[] {
  const types: string[] = [];
  const { constructor } = (Object.getPrototypeOf(error) ?? {}) as Error;
  let made = constructor as typeof AuthError;
  for (; typeof made?.type === "string"; made = Object.getPrototypeOf(made)) types.push(made.type);
  return types;
}

/**
 * The base class of all errors that Keyhook throws. `type` is stable and is used in logs and in the URLs of pages. The
 * message is for the developer and is never shown to the visitor.
 */
export class AuthError extends Error {
  /** Stable identifier of the kind of error, which minifiers do not change. */
  static readonly type: string = "AuthError";
  /** The page that the visitor is redirected to. */
  static readonly kind: ErrorKind = "error";
  /** Whether `type` may be shown to the visitor; otherwise `Configuration` is shown. */
  static readonly public: boolean = false;
  /** HTTP status of a response that is not a redirect. */
  static readonly status: number = 500;
  /** The level at which the error is logged when it ends a request. */
  static readonly level: ErrorLevel = "error";

  readonly type: string;
  readonly kind: ErrorKind;
  readonly status: number;
  override readonly cause?: ErrorCause;
  /**
   * Distinguishes one reason for a public error from others, in URLs and JSON. It must not reveal anything sensitive.
   */
  declare readonly code?: string;

  /**
   * `message` is the text, or the error that caused this one. The cause may also be the second argument, as in Auth.js.
   */
  constructor(message?: string | Error | ErrorOptions, options?: ErrorOptions | Error) {
    const text = typeof message === "string" ? message : "";
    super(text);
    const given = message instanceof Error ? { err: message } : getCause(message);
    const also = options instanceof Error ? { err: options } : options?.cause;
    if (given !== undefined || also !== undefined) {
      this.cause = { ...asCause(also), ...asCause(given) };
    }
    const made = new.target as typeof AuthError;
    this.type = made.type;
    this.kind = made.kind;
    this.status = made.status;
    this.name = made.name;
  }

  /**
   * Returns whether a value is an error of this class, or of the class with the same `type` in another copy of this
   * package, which a plugin may have brought.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const isInstance = Function.prototype[Symbol.hasInstance];
    if (isInstance.call(this, value)) return true;
    // A subclass in the application without its own `type` exists in no other copy.
    if (!(value instanceof Error) || !Object.hasOwn(this, "type")) return false;
    if (isInstance.call(AuthError, value)) return false;
    const types = listTypes(value);
    return types.at(-1) === AuthError.type && types.includes(this.type);
  }

  /** Whether this error's `type` may be shown to the visitor. */
  get public(): boolean {
    return (this.constructor as typeof AuthError).public;
  }

  /** The level at which this error is logged when it ends a request. */
  get level(): ErrorLevel {
    return (this.constructor as typeof AuthError).level;
  }
}

function getCause(message: string | ErrorOptions | undefined): unknown {
  return typeof message === "object" ? message.cause : undefined;
}

function asCause(cause: unknown): ErrorCause {
  if (cause instanceof Error) return { err: cause };
  return typeof cause === "object" && cause !== null ? (cause as ErrorCause) : {};
}

/** The base class of errors after which the visitor is redirected to the sign-in page. */
export class SignInError extends AuthError {
  static override readonly type: string = "SignInError";
  static override readonly kind: ErrorKind = "signIn";
}

/** The base class of faults that are found at boot. */
export class ConfigError extends AuthError {
  static override readonly type: string = "ConfigError";
}

/**
 * Defines a class of errors: a row of the table in `errors.ts`. `status` and `level` default to those of the base
 * class. `public` errors may be named to the visitor.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineError<Base extends typeof AuthError>(
  type: string,
  base: Base,
  status: number = base.status,
  visibility: "public" | "internal" = "internal",
  level: ErrorLevel = base.level,
): Base {
  const defined = class extends (base as typeof AuthError) {};
  const statics = { name: type, type, status, public: visibility === "public", level };
  for (const [name, value] of Object.entries(statics)) {
    // Writable like static fields, because compilers may set those of a subclass by assignment.
    Object.defineProperty(defined, name, { value, writable: true, configurable: true });
  }
  return defined as Base;
}
