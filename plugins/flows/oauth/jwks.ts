import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { createLoader, raceSignal } from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import { readObject } from "../_response-json.ts";
import { fetchFor } from "./fetch.ts";
import type { AnyOAuthProvider, OAuthContext } from "./types.ts";

/** The public keys of the issuers. */
export interface Keys {
  /**
   * Runs a verification with a provider's keys, and again with newly fetched keys if none matched, since the issuer may
   * have rotated them.
   */
  verifyWith<T>(
    ctx: OAuthContext,
    uri: string,
    run: (keys: JWTVerifyGetKey) => Promise<T>,
  ): Promise<T>;
}

const TTL_MS = 600_000;
const RETRY_AFTER_MS = 5000;
const MAX_KEY_SETS = 100;
const MAX_KEYS_OF_SET = 100;

function isKeyError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "ERR_JWKS_NO_MATCHING_KEY" || code === "ERR_JWS_SIGNATURE_VERIFICATION_FAILED";
}

async function load(provider: AnyOAuthProvider, uri: string): Promise<JWTVerifyGetKey> {
  const url = new URL(uri);
  const what = `The key set at ${url.host}${url.pathname}`;
  const response = await fetchFor(provider)(url, {
    headers: { accept: "application/jwk-set+json, application/json" },
  });
  if (response.status !== 200) {
    throw new AuthError(`${what} could not be fetched (status ${response.status}).`);
  }
  const { keys } = await readObject(response, what);
  if (!Array.isArray(keys)) throw new AuthError(`${what} has no \`keys\`.`);
  // A malformed key, or a key of an unknown kind, must not prevent the use of the others.
  const usable = keys.filter(
    (key) => typeof key === "object" && key !== null && typeof key.kty === "string",
  );
  return createLocalJWKSet({ keys: usable.slice(0, MAX_KEYS_OF_SET) } as JSONWebKeySet);
}

/** Creates the cache of the issuers' keys, which lasts ten minutes. Keys are fetched again when none matches. */
export function createKeys(kernel: Kernel): Keys {
  const { sets, failedRefreshes } = kernel.remember("flows/oauth keys", (createCache) => ({
    sets: createLoader<JWTVerifyGetKey>({
      loads: createCache("flows/oauth keys", { max: MAX_KEY_SETS }),
      ttl: TTL_MS,
      retryAfter: RETRY_AFTER_MS,
    }),
    // Only refreshes that find no matching key are delayed: keys may be rotated twice within seconds.
    failedRefreshes: createCache<true>("flows/oauth refreshes without a key", {
      max: MAX_KEY_SETS,
      ttl: RETRY_AFTER_MS,
    }),
  }));

  return {
    async verifyWith({ provider, signal }, uri, run) {
      const fetchKeys = () => load(provider, uri);
      const known = sets.get(uri, fetchKeys);
      try {
        return await run(await raceSignal(known, signal));
      } catch (error) {
        if (!isKeyError(error) || failedRefreshes.get(uri)) throw error;
      }
      // A concurrent sign-in may already have fetched new keys. The known keys stay in use until then. Otherwise anyone
      // could send a token with an unknown `kid` and lock others out while the issuer is down.
      const current = sets.get(uri, fetchKeys);
      const next = current === known ? sets.refresh(uri, fetchKeys) : current;
      try {
        return await run(await raceSignal(next, signal));
      } catch (error) {
        failedRefreshes.set(uri, true);
        throw error;
      }
    },
  };
}
