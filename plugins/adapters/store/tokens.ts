import type { Adapter, VerificationToken } from "../../../src/index.ts";
import { pack, unpack } from "./packed.ts";
import { hashOf, type Shelves } from "./records.ts";

type Tokens = Pick<Required<Adapter>, "createVerificationToken" | "useVerificationToken">;

/** The methods that deal with one-time tokens, which are kept as hashes alone. */
export function createTokens({ tokens }: Shelves): Tokens {
  return {
    async createVerificationToken({ token, ...rest }) {
      const hash = await hashOf(token);
      const ttl = rest.expires.getTime() - Date.now();
      await tokens.put([rest.identifier, hash], { hash, what: pack(rest) }, { ttl });
      return { ...rest, token };
    },
    async useVerificationToken({ identifier, token }) {
      const hash = await hashOf(token);
      const record = await tokens.take([identifier, hash]);
      if (!record) return null;
      return { ...unpack<Omit<VerificationToken, "token">>(record.what), token };
    },
  };
}
