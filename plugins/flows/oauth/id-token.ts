import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from "jose";
import { AuthError, encodeText, equal } from "../../../src/index.ts";
import { endpointOf, isOidc } from "./endpoint.ts";
import type { Keys } from "./keys.ts";
import type { AnyOAuthProvider, Exchange } from "./types.ts";

/** Clocks may differ by a minute. */
const SKEW = 60;
/** No older than an attempt can be: what is older was made for another one. */
const MAX_AGE = 900;

const ASYMMETRIC = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/;

/** The algorithms a token may be signed with: ours by registration, else the server's, else RS256. */
export function algorithmsOf(registered: string | undefined, offered: unknown): string[] {
  if (registered !== undefined) return [registered];
  if (!Array.isArray(offered)) return ["RS256"];
  // Never "none", and no HS256 just because the server knows it: its key would be a public one.
  return offered.filter((alg) => typeof alg === "string" && ASYMMETRIC.test(alg));
}

/** Verifies a token's signature, with every key that may be meant when it names none. */
export async function verifySigned(
  token: string,
  exchange: Exchange,
  keys: Keys,
  options: JWTVerifyOptions & { algorithms: string[] },
): Promise<JWTPayload> {
  const { errors, jwtVerify } = await import("./jose.ts");
  const { ctx, server, clientSecret } = exchange;
  if (options.algorithms[0]?.startsWith("HS")) {
    return (await jwtVerify(token, encodeText(clientSecret ?? ""), options)).payload;
  }
  if (!server.jwks_uri) throw new AuthError("The server's keys are unknown; set `jwks_endpoint`.");

  const run = async (set: JWTVerifyGetKey): Promise<JWTPayload> => {
    try {
      return (await jwtVerify(token, set, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      let last: unknown = error;
      for await (const key of error) {
        try {
          return (await jwtVerify(token, key, options)).payload;
        } catch (fault) {
          if (!(fault instanceof errors.JWSSignatureVerificationFailed)) throw fault;
          last = fault;
        }
      }
      throw last;
    }
  };
  return keys.check(ctx, server.jwks_uri, run);
}

// The expected issuer of a server with many, such as https://login.example/{tid}/v2.0.
function issuerFrom(template: string, claims: JWTPayload): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = claims[name];
    if (typeof value === "string" && /^[A-Za-z0-9-]{1,64}$/.test(value)) return value;
    throw new AuthError(`The ID token's claim "${name}" is missing or odd.`);
  });
}

function checkNonce(claims: JWTPayload, nonce: string | undefined, isLenient: boolean): void {
  const given = claims.nonce;
  if (nonce === undefined) {
    if (given === undefined || (isLenient && given === "")) return;
    throw new AuthError("The ID token has a nonce that was not sent.");
  }
  if (typeof given !== "string" || !equal(given, nonce)) {
    throw new AuthError("The ID token's nonce is not the one that was sent.");
  }
}

// OpenID Connect Core, section 3.1.3.7: rules 4 and 5.
function checkParty({ aud, azp }: JWTPayload, clientId: string): void {
  const isShared = Array.isArray(aud) && aud.length > 1;
  if (azp === undefined ? isShared : azp !== clientId) {
    throw new AuthError("The ID token was issued to another party.");
  }
}

function checkAuthTime({ auth_time: time }: JWTPayload, provider: AnyOAuthProvider): void {
  const { require_auth_time: required, default_max_age: byDefault } = provider.client ?? {};
  const asked = Number(endpointOf(provider, "authorization").params?.max_age ?? byDefault);
  const isLimited = Number.isFinite(asked);
  if (!required && !isLimited) return;
  if (typeof time !== "number") throw new AuthError("The ID token has no auth_time.");
  if (isLimited && time + asked + SKEW < Date.now() / 1000) {
    throw new AuthError("The sign-in at the provider is older than `max_age` allows.");
  }
}

/**
 * Verifies the signature and claims of an ID token (OpenID Connect Core, section 3.1.3.7) and
 * answers the claims.
 */
export async function verifyIdToken(
  idToken: string,
  exchange: Exchange,
  keys: Keys,
): Promise<JWTPayload & { sub: string }> {
  const { decodeProtectedHeader } = await import("./jose.ts");
  const { ctx, server, secrets, answer } = exchange;
  const { provider } = ctx;
  const oidc = isOidc(provider) ? (provider as { issuerFromIdToken?: string }) : {};
  const { lenientNonce = false } = provider as { lenientNonce?: boolean };
  const clientId = provider.clientId ?? "";

  // Other tokens of the same issuer for the same client (RFC 8725 section 3.11).
  const { typ } = decodeProtectedHeader(idToken);
  if (/^(?:application\/)?(?:at|logout)\+jwt$/i.test(`${typ}`)) {
    throw new AuthError(`A token of type ${typ} is no ID token.`);
  }
  const claims = await verifySigned(idToken, exchange, keys, {
    algorithms: algorithmsOf(
      provider.client?.id_token_signed_response_alg,
      server.id_token_signing_alg_values_supported,
    ),
    audience: clientId,
    clockTolerance: SKEW,
    maxTokenAge: MAX_AGE,
    requiredClaims: ["iss", "sub", "aud", "exp", "iat"],
  });
  const { sub, iss } = claims;
  const template = oidc.issuerFromIdToken;
  const issuer = template === undefined ? server.issuer : issuerFrom(template, claims);
  if (!issuer || iss !== issuer) throw new AuthError("The ID token is of another issuer.");
  // Where the issuer was not known before, the callback's is compared now (RFC 9207).
  if (template !== undefined && answer.has("iss") && answer.get("iss") !== iss) {
    throw new AuthError("The ID token and the callback name different issuers.");
  }
  if (typeof sub !== "string" || sub === "") throw new AuthError("The ID token has no subject.");
  checkParty(claims, clientId);
  checkNonce(claims, secrets.nonce, lenientNonce);
  checkAuthTime(claims, provider);
  return { ...claims, sub };
}
