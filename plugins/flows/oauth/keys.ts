import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { AuthError, createCache, createLoader, until } from "../../../src/index.ts";
import type { Kernel } from "../../../src/index.ts";
import { readObject } from "./answer-json.ts";
import { fetchFor } from "./ask.ts";
import type { AnyOAuthProvider, OAuthContext } from "./types.ts";

/** The issuers' public keys. */
export interface Keys {
  /**
   * Runs a check with a provider's keys, and once more with new ones when no key fits: the issuer
   * may have changed them a moment ago.
   */
  check<T>(ctx: OAuthContext, uri: string, run: (keys: JWTVerifyGetKey) => Promise<T>): Promise<T>;
}

const LIFE = 600_000;
const RETRY = 5000;
const MAX = 100;

function isKeyFault(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "ERR_JWKS_NO_MATCHING_KEY" || code === "ERR_JWS_SIGNATURE_VERIFICATION_FAILED";
}

async function load(provider: AnyOAuthProvider, uri: string): Promise<JWTVerifyGetKey> {
  const { createLocalJWKSet } = await import("./jose.ts");
  const url = new URL(uri);
  const what = `The key set at ${url.host}${url.pathname}`;
  const response = await fetchFor(provider)(url, {
    headers: { accept: "application/jwk-set+json, application/json" },
  });
  if (response.status !== 200) {
    throw new AuthError(`${what} cannot be had: status ${response.status}.`);
  }
  const { keys } = await readObject(response, what);
  if (!Array.isArray(keys)) throw new AuthError(`${what} has no keys.`);
  // A key of another kind, or a broken one, must not spoil the others.
  const usable = keys.filter(
    (key) => typeof key === "object" && key !== null && typeof key.kty === "string",
  );
  return createLocalJWKSet({ keys: usable.slice(0, MAX) } as JSONWebKeySet);
}

/** Makes the memory of the issuers' keys: ten minutes, or until no key fits. */
export function createKeys(kernel: Kernel): Keys {
  const sets = createLoader<JWTVerifyGetKey>({ max: MAX, ttl: LIFE, retryAfter: RETRY }, (key) => {
    const [id = "", uri = ""] = key.split("\n");
    return load(kernel.providers.get(id) as AnyOAuthProvider, uri);
  });
  // Only looking in vain is held back: keys may change twice within seconds.
  const inVain = createCache<true>({ max: MAX, ttl: RETRY });

  return {
    async check({ provider, signal }, uri, run) {
      const key = `${provider.id}\n${uri}`;
      const known = sets.get(key);
      try {
        return await run(await until(known, signal));
      } catch (error) {
        if (!isKeyFault(error) || inVain.get(key)) throw error;
      }
      // Unless another sign-in has asked for new ones meanwhile.
      if (sets.get(key) === known) sets.delete(key);
      try {
        return await run(await until(sets.get(key), signal));
      } catch (error) {
        inVain.set(key, true);
        throw error;
      }
    },
  };
}
