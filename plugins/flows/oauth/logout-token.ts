import { decodeProtectedHeader, type JWTPayload } from "jose";
import { isObject } from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import { expectIssuer, listAlgorithms, verifySigned } from "./id-token.ts";
import type { Keys } from "./jwks.ts";
import type { Exchange, LogoutClaims } from "./types.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** Maximum number of characters. A logout token contains only identifiers. */
const MAX_LENGTH = 8192;
const MAX_ID_LENGTH = 1024;
const CLOCK_SKEW_S = 60;
/** Maximum age in seconds, less than the time for which a used `jti` is remembered. */
const MAX_AGE_S = 600;

function readId(claims: JWTPayload, name: "sub" | "sid" | "jti"): string | undefined {
  const value: unknown = claims[name];
  if (value === undefined) return undefined;
  if (typeof value === "string" && value !== "" && value.length <= MAX_ID_LENGTH) return value;
  throw new AuthError(
    `The logout token's \`${name}\` must be non-empty text of at most ${MAX_ID_LENGTH} characters.`,
  );
}

/**
 * Verifies a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6). It does not check that the token is
 * used only once.
 * @throws AuthError, or an error of jose.
 */
export async function verifyLogoutToken(
  token: string,
  exchange: Exchange,
  keys: Keys,
): Promise<LogoutClaims> {
  if (token.length > MAX_LENGTH) throw new AuthError("The logout token is too long.");
  const { ctx, server } = exchange;
  // Explicit typing (RFC 8725 section 3.11) is recommended. A token with another `typ` is not a logout token.
  const { typ } = decodeProtectedHeader(token);
  if (typ !== undefined && !/^(?:(?:application\/)?logout\+jwt|JWT)$/i.test(`${typ}`)) {
    throw new AuthError(`A token of type "${String(typ).slice(0, 40)}" is not a logout token.`);
  }
  const claims = await verifySigned(token, exchange, keys, {
    algorithms: listAlgorithms(
      ctx.provider.client?.id_token_signed_response_alg,
      server.id_token_signing_alg_values_supported,
    ),
    audience: ctx.provider.clientId ?? "",
    clockTolerance: CLOCK_SKEW_S,
    maxTokenAge: MAX_AGE_S,
    requiredClaims: ["iss", "aud", "iat", "exp", "jti", "events"],
  });
  expectIssuer(claims, exchange, "logout token");
  if (!isObject(claims.events) || !isObject(claims.events[EVENT])) {
    throw new AuthError("The logout token's `events` has no back-channel logout.");
  }
  // With a nonce, the logout token and an ID token could be mistaken for each other.
  if (Object.hasOwn(claims, "nonce")) throw new AuthError("The logout token has a nonce.");
  const [sub, sid, jti] = [readId(claims, "sub"), readId(claims, "sid"), readId(claims, "jti")];
  if (sub === undefined && sid === undefined) {
    throw new AuthError("The logout token has neither `sub` nor `sid`.");
  }
  return { jti: jti ?? "", ...(sub !== undefined && { sub }), ...(sid !== undefined && { sid }) };
}
