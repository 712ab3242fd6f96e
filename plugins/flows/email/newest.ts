import { sha256Base64url } from "../../../src/_kit.ts";
import { AuthError, StoreError } from "../../../src/errors.ts";
import type { Kernel, Store } from "../../../src/kernel.ts";
import type { IssuedToken } from "./token.ts";

/** The newest short token of each address. */
export interface NewestTokens {
  /**
   * Records the newest token of its address, atomically, and returns the hashes of the tokens that it replaces. Of N
   * concurrent tokens, all except one are replaced.
   */
  replace(issued: IssuedToken): Promise<string[]>;
}

/** Length from which a token may have 128 random bits, too many to guess. */
const LONG = 22;
/** Maximum number of addresses that one process remembers. */
const MAX_ADDRESSES = 10_000;
/** More than the number of concurrent requests that the limit of an address admits. */
const MAX_TRIES = 30;

/**
 * Creates the memory of the newest tokens, in this process and in the store if there is one. A token that can be
 * guessed, such as a code of six digits, replaces the previous one: each additional valid token would raise the chance
 * of a guess (SECURITY.md R19). Long tokens do not replace each other, as in Auth.js, because the visitor may open any
 * of the e-mails.
 */
export function createNewestTokens(kernel: Kernel, store: Store<string>): NewestTokens {
  const known = kernel.remember(
    "flows/email newest",
    (createCache) => createCache<string>("flows/email newest tokens", { max: MAX_ADDRESSES }),
    { perApplication: true },
  );

  const replaceStored = async (address: string, token: string, ttl: number) => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await store.read(address);
      const isDone = before
        ? await store.compareAndSet(address, before, token, { ttl })
        : await store.putIfAbsent(address, token, { ttl });
      if (isDone) return before?.value;
    }
    throw new AuthError("Too many tokens for one address were requested at once.");
  };

  return {
    async replace({ token: text, stored: { identifier, token, expires } }) {
      if (text.length >= LONG) return [];
      const name = await sha256Base64url(identifier);
      const before = new Set([known.get(name)]);
      known.set(name, token);
      try {
        if (store.isAvailable) {
          before.add(await replaceStored(identifier, token, expires.getTime() - Date.now()));
        }
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        // A store that is down must not prevent sign-ins: the tokens of this process are still replaced.
        kernel.logger.error(error);
      }
      // The application may have generated the same token again.
      before.delete(token);
      return [...before].filter((hash) => hash !== undefined);
    },
  };
}
