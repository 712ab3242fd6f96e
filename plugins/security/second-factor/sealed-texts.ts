import type { Kernel } from "../../../src/kernel.ts";

/** Seals texts for one purpose, each for one user. */
export interface SealedTexts {
  seal(userId: string, text: string): Promise<string>;
  /** Resolves to the text, or to `undefined` if it was sealed elsewhere, for another user, or too long ago. */
  open(userId: string, sealed: string): Promise<string | undefined>;
}

/**
 * Creates the functions for a purpose. Texts that were sealed with another `salt` are never accepted. `maxAge` is in
 * seconds.
 */
export function createSealedTexts(kernel: Kernel, salt: string, maxAge: number): SealedTexts {
  return {
    async seal(sub, text) {
      const { secret } = kernel.config;
      return kernel.tokens.encode({ token: { sub, text }, secret, salt, maxAge });
    },
    async open(userId, token) {
      try {
        const { secret } = kernel.config;
        const claims = await kernel.tokens.decode({ token, secret, salt });
        return claims?.sub === userId && typeof claims.text === "string" ? claims.text : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
