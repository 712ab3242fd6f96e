import type { AuthError } from "../../src/errors.ts";
import { boundedFetch, customFetch, type FetchBounds } from "../../src/kernel.ts";

/**
 * Returns a `fetch` for requests to a provider. Network errors and responses with a status of 500 and above reject with
 * `Unreachable`, since a retry may succeed. Its message names the provider but never the query.
 */
export function createProviderFetch(
  provider: { readonly id: string; readonly [customFetch]?: typeof fetch },
  bounds: FetchBounds,
  Unreachable: typeof AuthError,
): typeof fetch {
  const bounded = boundedFetch(provider[customFetch], bounds);
  return async (input, init) => {
    let response: Response;
    try {
      response = await bounded(input, init);
    } catch (error) {
      const { message, cause } = error as AuthError;
      throw new Unreachable(`"${provider.id}": ${message}`, { cause });
    }
    const { status } = response;
    if (status < 500) return response;
    const { host } = new URL(input instanceof Request ? input.url : input);
    throw new Unreachable(`"${provider.id}": ${host} responded with status ${status}.`);
  };
}
