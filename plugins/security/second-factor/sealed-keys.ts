import type { Kernel } from "../../../src/kernel.ts";

/** Seals keys for one purpose, each for one user. */
export interface SealedKeys {
  seal(userId: string, key: string): Promise<string>;
  /** Resolves to the key; to `undefined` if it was sealed elsewhere, for another user, or is too old. */
  open(userId: string, sealed: string): Promise<string | undefined>;
}

/**
 * Creates the functions of a purpose: what was sealed under another `salt` is never accepted. `maxAge` is in
 * seconds.
 */
export function createSealedKeys(kernel: Kernel, salt: string, maxAge: number): SealedKeys {
  return {
    async seal(sub, key) {
      const { secret } = kernel.config;
      return kernel.tokens.encode({ token: { sub, key }, secret, salt, maxAge });
    },
    async open(userId, token) {
      try {
        const { secret } = kernel.config;
        const claims = await kernel.tokens.decode({ token, secret, salt });
        return claims?.sub === userId && typeof claims.key === "string" ? claims.key : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
