import { compareStart, isSealed, NAMESPACE_CLAIM, ORIGIN_CLAIM } from "../crypto/sealed.ts";
import { createTokens } from "../crypto/token.ts";
import { MissingSecretError } from "../errors/errors.ts";
import { readNamesakes } from "../http/cookies.ts";
import { listSecrets, processEnv } from "../kernel/env.ts";
import { createLogger } from "../kernel/logger.ts";
import type { Awaitable, DefaultJWT, JWT } from "../types/models.ts";
import type { Env, Logger } from "../types/options.ts";
import type {
  DecodeParams,
  EncodeParams,
  JWTDecodeParams,
  JWTEncodeParams,
  JWTOptions,
} from "../types/token.ts";

export type { DefaultJWT, JWT, JWTDecodeParams, JWTEncodeParams, JWTOptions };

/** The headers of a request: a `Headers`, or an object like Node's `req.headers`. */
export type HeadersLike =
  | Pick<Headers, "get">
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Parameters of `getToken`. */
export interface GetTokenParams<R extends boolean = false> {
  /** A `Request`, or any object with its `headers`. */
  req: { readonly headers: HeadersLike };
  /** Default: `AUTH_SECRET_3`, `_2`, `_1` and `AUTH_SECRET`, else `NEXTAUTH_SECRET`. */
  secret?: string | readonly string[] | undefined;
  /** Default: the cookie's name. */
  salt?: string | undefined;
  /** Default: `authjs.session-token`, with the prefix `__Secure-` if `secureCookie`. */
  cookieName?: string | undefined;
  /**
   * Whether the default cookie name has its secure prefix. Default: whether `AUTH_URL`, else `NEXTAUTH_URL`,
   * is set and not `http:`.
   */
  secureCookie?: boolean | undefined;
  /** Resolves to the token as it was sent, neither decrypted nor checked. Default `false`. */
  raw?: R | undefined;
  /**
   * The public origin that the token must have been issued for. Required if `jwt.bindOrigin` is set, since nothing else
   * checks it here. Default: any.
   */
  origin?: string | undefined;
  /**
   * The `storeNamespace` that the token must have been issued under, such as a tenant's. Default: none, as for an Auth
   * without one.
   */
  storeNamespace?: string | undefined;
  /** Replaces `decode`, for a configuration with its own `jwt.decode`. */
  decode?: ((params: JWTDecodeParams) => Awaitable<JWT | null>) | undefined;
  /** Receives a `debug` message when a token is refused, without the token's content. */
  logger?: Logger | undefined;
}

// Module state that callers cannot observe: a bounded cache of pure functions (keys derived from secret and salt,
// claims of decrypted tokens), so that a stateless call is cheap.
const tokens = createTokens();

/**
 * Seals claims into an encrypted token (JWE, RFC 7516: `dir` with A256CBC-HS512) that expires after `maxAge`
 * seconds, 30 days by default.
 *
 * @throws TypeError when `token` is not a plain object, `salt` not a string, or `maxAge` not a number;
 * MissingSecretError when the secret is empty.
 * @example
 * const token = await encode({ token: { sub: "42" }, secret, salt: "authjs.session-token" });
 */
export async function encode<T = JWT>(params: EncodeParams<T>): Promise<string> {
  return tokens.encode(params as EncodeParams);
}

/**
 * Opens a token of `encode` or of Auth.js v5 and resolves to its claims, or to `null` without a token.
 *
 * @throws JWTSessionError when the token is malformed, was sealed under another secret or salt, was changed, is not yet
 * valid, or is expired (by more than 15 seconds); MissingSecretError when the secret is empty; TypeError when `salt` is
 * not a string.
 * @example
 * const claims = await decode({ token, secret, salt: "authjs.session-token" });
 */
export async function decode<T = JWT>(params: DecodeParams): Promise<T | null> {
  return (await tokens.decode(params)) as T | null;
}

/**
 * Reads the session token of a request, from its cookies or else as a bearer token (RFC 6750). Resolves to its claims,
 * or to `null` if there is no valid token. Of several valid cookies, the one whose session began first counts, as on
 * the server.
 *
 * @throws MissingSecretError when there is a token, and neither `secret` nor a variable sets a secret, unless `raw` is
 * set; TypeError without `req.headers`.
 * @example
 * const claims = await getToken({ req: request });
 * if (!claims) return new Response(null, { status: 401 });
 */
export async function getToken(params: GetTokenParams): Promise<JWT | null>;
export async function getToken(params: GetTokenParams<true>): Promise<string | null>;
export async function getToken(params: GetTokenParams<boolean>): Promise<JWT | string | null>;
export async function getToken(params: GetTokenParams<boolean>): Promise<JWT | string | null> {
  const { req, raw, decode: open = decode, logger } = params;
  if (!req?.headers) {
    throw new TypeError("getToken() needs `req`: a Request, or an object with its headers.");
  }
  const env = processEnv();
  const secure = params.secureCookie ?? isSecure(env);
  const cookieName = params.cookieName ?? `${secure ? "__Secure-" : ""}authjs.session-token`;

  const header = getHeader(req.headers, "cookie");
  const isLikely = params.decode ? () => true : isSealed;
  // A sibling host may have set cookies of the same name (SECURITY.md R8).
  const sent = readNamesakes(header, cookieName, { isLikely });
  const bearer = sent.length ? undefined : getBearerToken(req.headers);
  const candidates = bearer ? [bearer] : sent;
  if (!candidates.length) return null;
  if (raw) return candidates[0] ?? null;

  const given = params.secret ?? listSecrets(env);
  const secret = typeof given === "string" ? given : [...given];
  if (![secret].flat().some(Boolean)) {
    throw new MissingSecretError("getToken() needs a secret. Pass `secret`, or set AUTH_SECRET.");
  }
  const log = createLogger(logger);
  const opened: JWT[] = [];
  for (const token of candidates) {
    try {
      const claims = await open({ token, secret, salt: params.salt ?? cookieName });
      const foreign = claims && findForeign(claims, params);
      if (claims && !foreign) opened.push(claims);
      else if (claims) log.debug("getToken() refused a token", { reason: foreign });
    } catch (error) {
      const reason = error instanceof Error ? error.name : typeof error;
      log.debug("getToken() refused a token", { reason });
    }
  }
  return opened.sort(compareStart)[0] ?? null;
}

// Returns the name of a claim that does not match the expected origin or namespace; `undefined` if both match.
function findForeign(
  claims: JWT,
  { origin, storeNamespace }: GetTokenParams<boolean>,
): string | undefined {
  if (origin !== undefined && claims[ORIGIN_CLAIM] !== origin) return "origin";
  return claims[NAMESPACE_CLAIM] === storeNamespace ? undefined : "storeNamespace";
}

function getBearerToken(headers: HeadersLike): string | undefined {
  const [scheme, credentials] = getHeader(headers, "authorization")?.split(" ", 2) ?? [];
  if (scheme !== "Bearer" || !credentials) return undefined;
  try {
    return decodeURIComponent(credentials);
  } catch {
    return undefined;
  }
}

function getHeader(headers: HeadersLike, name: string): string | null {
  if (typeof headers.get === "function") return headers.get(name);
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() !== name || value === undefined) continue;
    return typeof value === "string" ? value : value.join("; ");
  }
  return null;
}

function isSecure(env: Env): boolean {
  const url = env.AUTH_URL || env.NEXTAUTH_URL;
  return url ? !/^http:\/\//i.test(url) : false;
}
