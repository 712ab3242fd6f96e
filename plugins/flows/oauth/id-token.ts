import {
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from "jose";
import {
  decodeBase64url,
  decodeText,
  encodeBase64url,
  encodeText,
  parseJson,
  timingSafeEqual,
} from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import { getAuthorizationParam, isOidc } from "./endpoint.ts";
import type { Keys } from "./jwks.ts";
import type { OIDCProvider } from "./provider.ts";
import type { Exchange } from "./types.ts";

/** Allowed difference between clocks, in seconds. */
const CLOCK_SKEW_S = 60;
/** The lifetime of an attempt, in seconds. An older token was issued for another attempt. */
const MAX_AGE_S = 900;

const ASYMMETRIC = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/;

/** Returns the algorithms that may sign a token: the registered one, else those that the server offers, else RS256. */
export function listAlgorithms(registered: string | undefined, offered: unknown): string[] {
  if (registered !== undefined) return [registered];
  if (!Array.isArray(offered)) return ["RS256"];
  // Never "none", and HS256 only if it is registered. Otherwise a public key would be used as the HMAC secret.
  return offered.filter((alg) => typeof alg === "string" && ASYMMETRIC.test(alg));
}

// Parses the claims like the provider's other responses. jose would round large integers, so that two ids become equal,
// and would keep a member named `__proto__`.
function readClaims(token: string): JWTPayload {
  const payload = decodeBase64url(token.split(".")[1] ?? "");
  return parseJson(payload ? (decodeText(payload) ?? "") : "", { exact: true }) as JWTPayload;
}

/**
 * Verifies a token's signature. If the token has no `kid` and several keys match, each is tried.
 */
export async function verifySigned(
  token: string,
  exchange: Exchange,
  keys: Keys,
  options: JWTVerifyOptions & { algorithms: string[] },
): Promise<JWTPayload> {
  const { ctx, server, clientSecret } = exchange;
  if (options.algorithms[0]?.startsWith("HS")) {
    await jwtVerify(token, encodeText(clientSecret ?? ""), options);
    return readClaims(token);
  }
  if (!server.jwks_uri)
    throw new AuthError("The URL of the server's keys is unknown. Set `jwks_endpoint`.");

  const run = async (set: JWTVerifyGetKey): Promise<void> => {
    try {
      await jwtVerify(token, set, options);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      let last: unknown = error;
      for await (const key of error) {
        try {
          await jwtVerify(token, key, options);
          return;
        } catch (failure) {
          if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
          last = failure;
        }
      }
      throw last;
    }
  };
  await keys.verifyWith(ctx, server.jwks_uri, run);
  return readClaims(token);
}

// Fills the issuer template of a server with several issuers, such as https://login.example/{tid}/v2.0.
function fillIssuer(template: string, claims: JWTPayload, what: string): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = claims[name];
    if (typeof value === "string" && /^[A-Za-z0-9-]{1,64}$/.test(value)) return value;
    throw new AuthError(`The ${what}'s claim "${name}" is missing or malformed.`);
  });
}

/**
 * Checks that the issuer of a token matches exactly. Returns the template of a server with several issuers.
 * @throws AuthError
 */
export function expectIssuer(
  claims: JWTPayload,
  { ctx: { provider }, server }: Pick<Exchange, "ctx" | "server">,
  what: string,
): string | undefined {
  const { issuerFromIdToken } = (isOidc(provider) ? provider : {}) as Partial<OIDCProvider>;
  const template =
    typeof issuerFromIdToken === "function" ? issuerFromIdToken({ ...server }) : issuerFromIdToken;
  const issuer = template === undefined ? server.issuer : fillIssuer(template, claims, what);
  if (!issuer || claims.iss !== issuer) {
    throw new AuthError(`The ${what} is from another issuer.`);
  }
  return template;
}

function checkNonce(claims: JWTPayload, nonce: string | undefined, isLenient: boolean): void {
  const given = claims.nonce;
  if (nonce === undefined) {
    if (given === undefined || (isLenient && given === "")) return;
    throw new AuthError("The ID token has a nonce, and none was sent.");
  }
  if (typeof given !== "string" || !timingSafeEqual(given, nonce)) {
    throw new AuthError("The ID token's nonce differs from the one that was sent.");
  }
}

// OpenID Connect Core, section 3.1.3.7: rules 4 and 5.
function checkParty({ aud, azp }: JWTPayload, clientId: string): void {
  const isShared = Array.isArray(aud) && aud.length > 1;
  if (azp === undefined ? isShared : azp !== clientId) {
    throw new AuthError("The ID token was issued to another party.");
  }
}

function checkAuthTime(
  { auth_time: time }: JWTPayload,
  { ctx: { provider }, maxAge: asked }: Exchange,
): void {
  const { require_auth_time: required, default_max_age: byDefault } = provider.client ?? {};
  const maxAge = Number(asked ?? getAuthorizationParam(provider, "max_age") ?? byDefault);
  const isLimited = Number.isFinite(maxAge);
  if (!required && !isLimited) return;
  if (typeof time !== "number") throw new AuthError("The ID token has no auth_time.");
  if (isLimited && time + maxAge + CLOCK_SKEW_S < Date.now() / 1000) {
    throw new AuthError("The sign-in at the provider is older than `max_age` allows.");
  }
}

// OpenID Connect Core, section 3.1.3.6: the access token that came with the ID token may be from another sign-in.
async function checkAccessToken(
  given: unknown,
  alg: string | undefined,
  accessToken: string | undefined,
): Promise<void> {
  if (given === undefined || accessToken === undefined) return;
  // The hash function of EdDSA, which is also named Ed25519, is SHA-512.
  const [, size = "512"] = /^[A-Z]{2}(256|384|512)$/.exec(alg ?? "") ?? [];
  const digest = await crypto.subtle.digest(`SHA-${size}`, encodeText(accessToken));
  const expected = encodeBase64url(new Uint8Array(digest).slice(0, digest.byteLength / 2));
  if (typeof given !== "string" || !timingSafeEqual(given, expected)) {
    throw new AuthError("The access token does not match the ID token (`at_hash`).");
  }
}

/**
 * Verifies the signature and claims of an ID token (OpenID Connect Core, section 3.1.3.7) and
 * returns the claims.
 * @throws AuthError, or an error of jose.
 */
export async function verifyIdToken(
  idToken: string,
  exchange: Exchange,
  keys: Keys,
  accessToken?: string,
): Promise<JWTPayload & { sub: string }> {
  const { ctx, server, secrets, callbackParams } = exchange;
  const { provider } = ctx;
  const { lenientNonce = false } = provider as { lenientNonce?: boolean };
  const clientId = provider.clientId ?? "";

  // RFC 8725 section 3.11: the issuer also signs other kinds of tokens for the same client.
  const { typ, alg } = decodeProtectedHeader(idToken);
  if (/^(?:application\/)?(?:at|logout)\+jwt$/i.test(`${typ}`)) {
    throw new AuthError(`A token of type "${typ}" is not an ID token.`);
  }
  const claims = await verifySigned(idToken, exchange, keys, {
    algorithms: listAlgorithms(
      provider.client?.id_token_signed_response_alg,
      server.id_token_signing_alg_values_supported,
    ),
    audience: clientId,
    clockTolerance: CLOCK_SKEW_S,
    maxTokenAge: MAX_AGE_S,
    requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
  });
  const { sub, iss } = claims;
  const template = expectIssuer(claims, exchange, "ID token");
  // RFC 9207: compared here if the issuer was still unknown when the callback was validated.
  if (template !== undefined && callbackParams.has("iss") && callbackParams.get("iss") !== iss) {
    throw new AuthError("The ID token and the callback have different issuers.");
  }
  if (typeof sub !== "string" || sub === "") throw new AuthError("The ID token has no subject.");
  checkParty(claims, clientId);
  checkNonce(claims, secrets.nonce, lenientNonce);
  checkAuthTime(claims, exchange);
  await checkAccessToken(claims.at_hash, alg, accessToken);
  return { ...claims, sub };
}
