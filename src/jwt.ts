import { readChunked } from "./cookies.ts";
import { environmentSecrets, processEnv } from "./env.ts";
import { MissingSecretError } from "./errors.ts";
import { createLogger } from "./logger.ts";
import { createTokens } from "./token.ts";
import type { Awaitable, JWT } from "./types/models.ts";
import type { Env, JWTDecodeParams, JWTEncodeParams, Logger } from "./types/options.ts";

export type { JWT, JWTDecodeParams, JWTEncodeParams };

/** Headers in any of the shapes servers have them. */
export type HeadersLike =
  | Pick<Headers, "get">
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Parameters of `getToken`. */
export interface GetTokenParams<R extends boolean = false> {
  /** A `Request`, or anything with its `headers`. */
  req: { readonly headers: HeadersLike };
  /** Default: `AUTH_SECRET_3`, `_2`, `_1` and `AUTH_SECRET`, else `NEXTAUTH_SECRET`. */
  secret?: string | readonly string[] | undefined;
  /** Default: the cookie's name. */
  salt?: string | undefined;
  /** Default: the session cookie's name. */
  cookieName?: string | undefined;
  /** Whether that name has its secure prefix. Default: whether `AUTH_URL` is set and not `http:`. */
  secureCookie?: boolean | undefined;
  /** Answers the token as it was sent, neither decrypted nor checked. Default false. */
  raw?: R | undefined;
  /** Stands in for `decode`, where the configuration has a `jwt.decode` of its own. */
  decode?: ((params: JWTDecodeParams) => Awaitable<JWT | null>) | undefined;
  /** Told at `debug` when a token is refused; never what was in it. */
  logger?: Logger | undefined;
}

// State of this module, though no caller can see it: a bounded memo of pure functions (keys derived
// from secret and salt, claims of tokens that decrypted), so that a stateless call is a cheap one.
const tokens = createTokens();

/**
 * Seals a payload into an encrypted token (JWE, `dir` with A256CBC-HS512, RFC 7516) that lives
 * `maxAge` seconds, 30 days by default.
 *
 * @example
 * const token = await encode({ token: { sub: "42" }, secret, salt: "authjs.session-token" });
 */
export async function encode<T extends JWT = JWT>(params: JWTEncodeParams<T>): Promise<string> {
  return tokens.encode(params);
}

/**
 * Opens a token made by `encode` or by Auth.js v5 and answers its claims, or `null` without a
 * token; rejects when it is foreign, changed or expired (15 seconds are forgiven).
 *
 * @example
 * const claims = await decode({ token, secret, salt: "authjs.session-token" });
 */
export async function decode<T extends JWT = JWT>(params: JWTDecodeParams): Promise<T | null> {
  return (await tokens.decode(params)) as T | null;
}

/**
 * Finds the session token of a request, in its cookies or else as bearer token (RFC 6750), and
 * answers its claims, or `null` when there is none that can be read.
 *
 * @example
 * const claims = await getToken({ req: request });
 * if (!claims) return new Response(null, { status: 401 });
 */
export async function getToken(params: GetTokenParams<true>): Promise<string | null>;
export async function getToken(params: GetTokenParams): Promise<JWT | null>;
export async function getToken(params: GetTokenParams<boolean>): Promise<JWT | string | null>;
export async function getToken(params: GetTokenParams<boolean>): Promise<JWT | string | null> {
  const { req, raw, decode: open = decode, logger } = params;
  if (!req?.headers) throw new TypeError("getToken needs `req`: a request, or its headers");
  const env = processEnv();
  const secure = params.secureCookie ?? isSecure(env);
  const cookieName = params.cookieName ?? `${secure ? "__Secure-" : ""}authjs.session-token`;

  const token = readChunked(headerOf(req.headers, "cookie"), cookieName) || bearerOf(req.headers);
  if (!token) return null;
  if (raw) return token;

  const secret = params.secret ?? environmentSecrets(env);
  if (!(typeof secret === "string" ? [secret] : secret).some(Boolean)) {
    throw new MissingSecretError("getToken needs `secret`, or AUTH_SECRET");
  }
  try {
    return await open({ token, secret, salt: params.salt ?? cookieName });
  } catch (error) {
    const reason = error instanceof Error ? error.name : typeof error;
    createLogger(logger).debug("getToken refused a token", { reason });
    return null;
  }
}

function bearerOf(headers: HeadersLike): string | undefined {
  const [scheme, credentials] = headerOf(headers, "authorization")?.split(" ", 2) ?? [];
  if (scheme !== "Bearer" || !credentials) return undefined;
  try {
    return decodeURIComponent(credentials);
  } catch {
    return undefined;
  }
}

function headerOf(headers: HeadersLike, name: string): string | null {
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
