import { AuthError, boundedFetch, customFetch, OAuthSignInError } from "../../../src/index.ts";
import type { AnyOAuthProvider } from "./types.ts";

/**
 * The fetch to ask a provider with: bounded, and ended with the request it serves. What keeps a
 * provider from answering is an `OAuthSignInError`: another try may go through.
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
    throw new OAuthSignInError(`"${provider.id}": ${host} failed with status ${status}.`);
  };
}
