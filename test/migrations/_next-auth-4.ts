import { hkdfSync } from "node:crypto";
import { EncryptJWT } from "jose";
import { SECRET } from "../_app.ts";

/** The session cookie of next-auth 4 over http. */
export const OLD = "next-auth.session-token";

const ADA = { name: "Ada", email: "ada@example.com", picture: null, sub: "1" };

/** How a token is sealed. */
export interface SealOptions {
  secret?: string;
  /** Seconds. Default: 30 days. */
  maxAge?: number;
  /** Seconds since the epoch. Default: now. */
  iat?: number;
  /** The salt. Tokens of sign-in attempts have one since 4.24.5. */
  salt?: string;
}

/** Seals claims as next-auth 4 does. */
export async function sealOld(
  claims: Record<string, unknown> = ADA,
  { secret = SECRET, maxAge = 2_592_000, salt = "", iat = Date.now() / 1000 }: SealOptions = {},
): Promise<string> {
  const info = `NextAuth.js Generated Encryption Key${salt && ` (${salt})`}`;
  const key = new Uint8Array(hkdfSync("sha256", secret, salt, info, 32));
  return new EncryptJWT(claims)
    .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
    .setIssuedAt(Math.floor(iat))
    .setExpirationTime(Math.floor(iat) + maxAge)
    .setJti(crypto.randomUUID())
    .encrypt(key);
}
