import { OAuthSignInError } from "../../../src/errors.ts";
import { createProviderFetch } from "../_provider-fetch.ts";
import type { AnyOAuthProvider } from "./types.ts";

/**
 * Returns a `fetch` for requests to a provider, which is bounded and aborted with the request that it serves. Network
 * errors and 5xx responses reject with `OAuthSignInError`, since a retry may succeed.
 */
export function fetchFor(provider: AnyOAuthProvider, signal?: AbortSignal): typeof fetch {
  return createProviderFetch(provider, signal ? { signal } : {}, OAuthSignInError);
}
