import type { Adapter, VerificationToken } from "../../../src/kernel.ts";
import { pack, unpack } from "./dated-json.ts";
import { hashToken, type AdapterStores } from "./records.ts";

type Tokens = Pick<Required<Adapter>, "createVerificationToken" | "useVerificationToken">;

/**
 * Creates the adapter's methods for one-time tokens, which are stored only as hashes. `useVerificationToken` is atomic:
 * of N concurrent callers exactly one gets the token, so a token cannot be used twice (SECURITY.md R2).
 */
export function createTokens({ tokens }: AdapterStores): Tokens {
  return {
    async createVerificationToken({ token, ...rest }) {
      const hash = await hashToken(token);
      const ttl = rest.expires.getTime() - Date.now();
      await tokens.put([rest.identifier, hash], { hash, what: pack(rest) }, { ttl });
      return { ...rest, token };
    },
    async useVerificationToken({ identifier, token }) {
      const hash = await hashToken(token);
      const record = await tokens.take([identifier, hash]);
      if (!record) return null;
      return { ...unpack<Omit<VerificationToken, "token">>(record.what), token };
    },
  };
}
