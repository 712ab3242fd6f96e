import { AuthError, OAuthSignInError } from "../../../src/errors.ts";
import { boundedFetch, customFetch } from "../../../src/kernel.ts";
import type { AnyOAuthProvider } from "./types.ts";

/**
 * Returns a `fetch` for requests to a provider: bounded, and aborted with the request that it
 * serves. Network errors and 5xx responses reject with `OAuthSignInError`: a retry may succeed.
 */
export function fetchFor(provider: AnyOAuthProvider, signal?: AbortSignal): typeof fetch {
  const bounded = boundedFetch(provider[customFetch], signal && { signal });
  return async (input, init) => {
    let response: Response;
    try {
      response = await bounded(input, init);
    } catch (error) {
      const { message, cause } = error as AuthError;
      throw new OAuthSignInError(`"${provider.id}": ${message}`, { cause });
    }
    const { status } = response;
    if (status < 500) return response;
    const { host } = new URL(input instanceof Request ? input.url : input);
    throw new OAuthSignInError(`"${provider.id}": ${host} responded with status ${status}.`);
  };
}
