import { boundedFetch, customFetch } from "../../../src/index.ts";
import type { AnyOAuthProvider } from "./types.ts";

/** The bounded fetch to ask a provider with; it ends with the request it serves. */
export function fetchFor(provider: AnyOAuthProvider, signal?: AbortSignal): typeof fetch {
  return boundedFetch(provider[customFetch], signal && { signal });
}
