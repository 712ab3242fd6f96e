import { memoizeAsync } from "../../platform/awaitable.ts";
import type { Json } from "./types.ts";

/** The signing key of an identity provider, created on first use. */
export interface Signer {
  readonly alg: string;
  sign(claims: Json, header?: Json): Promise<string>;
  /** Returns the public key as a JWK. */
  publicKey(): Promise<Json>;
}

/** Creates a signer with its own key. */
export function createSigner(alg: string): Signer {
  const load = memoizeAsync(async () => {
    const jose = await import("jose");
    const { privateKey, publicKey } = await jose.generateKeyPair(alg);
    const jwk = await jose.exportJWK(publicKey);
    // RFC 7638: keys of different providers have different ids.
    const kid = await jose.calculateJwkThumbprint(jwk);
    return { jose, privateKey, kid, jwk: { ...jwk, kid, alg, use: "sig" } };
  });
  return {
    alg,
    async sign(claims, header) {
      const { jose, privateKey, kid } = await load();
      const jwt = new jose.SignJWT(claims).setProtectedHeader({ alg, kid, ...header });
      return jwt.sign(privateKey);
    },
    publicKey: async () => (await load()).jwk,
  };
}
