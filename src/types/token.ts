import type { Awaitable, JWT } from "./models.ts";

/** What a token is sealed from. */
export interface EncodeParams<T = JWT> {
  /** The claims. Default: none. */
  token?: T;
  /** The secret that the key is derived from; the first of several is used. */
  secret: string | readonly string[];
  /** Binds the key to one purpose: the name of the cookie that carries the token. */
  salt: string;
  /** Lifetime in seconds. Default 2592000 (30 days). */
  maxAge?: number;
}

/** What a token is opened with. */
export interface DecodeParams {
  token?: string | undefined;
  /** The secrets that the token may be sealed under, tried in order. */
  secret: string | readonly string[];
  /** The salt that the token was sealed under. */
  salt: string;
}

/**
 * Parameters of the application's `jwt.encode`. The list of secrets is a mutable copy, as in Auth.js, where it is
 * typed `string[]`.
 */
export interface JWTEncodeParams<T = JWT> extends EncodeParams<T> {
  secret: string | string[];
}

/** Parameters of the application's `jwt.decode`. */
export interface JWTDecodeParams extends DecodeParams {
  secret: string | string[];
}

/** Options of session tokens, under the strategies `jwt` and `hybrid`. */
export interface JWTOptions {
  /** Default: the configuration's `secret`. */
  secret?: string | readonly string[];
  /** Lifetime in seconds. Default: the session's. */
  maxAge?: number;
  /**
   * Seals the public origin into the tokens, and accepts only tokens of this origin: for deployments that share a
   * secret, such as stages. Tokens without an origin are then rejected; pass it to `getToken` as `origin`. Default
   * `false`, as in Auth.js.
   */
  bindOrigin?: boolean;
  /**
   * Maximum size of a sealed token in characters: servers refuse requests with larger cookies, and the user could not
   * even sign out. A sign-in beyond it fails with `SessionTooLarge`; a session that is already larger stays, but must
   * not grow. At most 39,000, default 12,000; Node accepts 16 kB of headers, many proxies 8 kB.
   */
  maxSize?: number;
  /** Replaces the built-in encoder. */
  encode?(params: JWTEncodeParams): Awaitable<string>;
  /** Replaces the built-in decoder. */
  decode?(params: JWTDecodeParams): Awaitable<JWT | null>;
}

/** An opened token: its claims, and the JSON text that they were parsed from. */
export interface ReadToken {
  payload: JWT;
  json: string;
}

/**
 * Seals and opens the encrypted tokens of session and check cookies, byte-compatible with Auth.js v5. If the
 * platform's cryptography is synchronous, values are returned and errors thrown synchronously.
 */
export interface Tokens {
  /**
   * Seals claims under the first secret; `iat`, `exp` and `jti` are always set here.
   * @throws TypeError when the claims are not a plain object, `salt` not a string, or `maxAge` not a number;
   * MissingSecretError without a secret.
   */
  encode(params: EncodeParams): Awaitable<string>;
  /**
   * Returns the claims of a token, or `null` without a token.
   * @throws JWTSessionError when the token was sealed under another secret or salt, is malformed, not yet valid, or
   * expired; MissingSecretError without a secret.
   */
  decode(params: DecodeParams): Awaitable<JWT | null>;
  /** Like `decode`, but also returns the JSON text of the claims, to detect later whether they changed. */
  read(params: DecodeParams): Awaitable<ReadToken | null>;
}
