import type { FlowContext } from "../../../src/kernel.ts";
import { createProviderFetch } from "../_provider-fetch.ts";
import { OpenId2Unreachable } from "./errors.ts";
import type { OpenId2Provider } from "./provider.ts";

/**
 * Sends a request to the provider.
 * @throws OpenId2Unreachable, also for a response with a status of 500 and above. No message contains the URL's query.
 */
export function request(
  { provider, signal }: FlowContext<OpenId2Provider>,
  url: string,
  init?: RequestInit,
): Promise<Response> {
  return createProviderFetch(provider, { signal }, OpenId2Unreachable)(url, init);
}
