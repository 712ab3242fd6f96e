import {
  decodeText,
  getPlatform,
  hkdfSha256,
  isObject,
  openJwe,
  splitJwe,
} from "../../../src/_kit.ts";
import { JWTSessionError } from "../../../src/errors.ts";
import type { JWT } from "../../../src/kernel.ts";
import { isOldToken } from "./cookie.ts";

/** The HKDF info (RFC 5869) with which the keys of session tokens are derived. There is no salt. */
const INFO = "NextAuth.js Generated Encryption Key";
const KEY_BYTES = 32;

/** A token of next-auth 4, which contains when it was issued and when it ends. */
export interface OldToken extends JWT {
  readonly iat: number;
  readonly exp: number;
}

// Before 4.24.5, the cookies of a sign-in attempt were sealed with the key of sessions. Anyone could get such a cookie,
// and it was accepted as a session without a user (CVE-2023-48309).
const CHECK_CLAIMS = ["value", "state", "code_verifier", "nonce", "provider", "iat", "exp", "jti"];
const isCheck = (claims: JWT): boolean =>
  Object.keys(claims).every((name) => CHECK_CLAIMS.includes(name));

/**
 * Opens a session token of next-auth 4.
 * @throws JWTSessionError for a token that was sealed with none of the secrets, or is not a session's.
 */
export async function openOldToken(token: string, secrets: readonly string[]): Promise<OldToken> {
  const platform = getPlatform();
  if (!isOldToken(token)) throw new JWTSessionError("The token is not from next-auth 4.");
  const jwe = splitJwe(token, platform);
  for (const secret of secrets) {
    const key = await hkdfSha256(secret, "", INFO, KEY_BYTES);
    const bytes = await openJwe("A256GCM", key, jwe, platform);
    if (bytes) return checkClaims(JSON.parse(decodeText(bytes) ?? "null"));
  }
  throw new JWTSessionError("The token was not sealed by next-auth 4 under a configured secret.");
}

function checkClaims(claims: unknown): OldToken {
  const { iat, exp } = (isObject(claims) ? claims : {}) as JWT;
  if (typeof iat !== "number" || typeof exp !== "number" || isCheck(claims as JWT)) {
    throw new JWTSessionError("The token is not a session token.");
  }
  return claims as OldToken;
}
