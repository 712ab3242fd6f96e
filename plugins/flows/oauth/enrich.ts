import { parseJson } from "../../../src/_kit.ts";
import type { Profile, TokenSet } from "../../../src/kernel.ts";
import { readJson } from "../_response-json.ts";
import type { EnrichRequest } from "./provider.ts";
import { fillParams, fillUrl } from "./template.ts";
import type { Exchange } from "./types.ts";

async function requestEnrichment(
  request: EnrichRequest,
  exchange: Exchange,
  tokens: TokenSet,
  profile: Profile,
): Promise<unknown> {
  const values = { ...exchange.values, profile };
  const headers = new Headers(fillParams(request.headers, values));
  if (!headers.has("accept") && !request.read) headers.set("accept", "application/json");
  if (!headers.has("authorization")) {
    headers.set("authorization", `Bearer ${tokens.access_token ?? ""}`);
  }
  const response = await exchange.fetch(fillUrl(request.url, values), { headers });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return request.read?.(response) ?? readJson(response, `The response for "${request.into}"`);
}

/**
 * Sends the provider's `enrich` requests one after another, and returns the profile with their responses. A request
 * that fails is logged, and its member is left out.
 */
export async function enrich(
  exchange: Exchange,
  tokens: TokenSet,
  profile: Profile,
): Promise<Profile> {
  const { provider, kernel } = exchange.ctx;
  const enriched: Profile = { ...profile };
  for (const request of provider.enrich ?? []) {
    try {
      if (request.when && !request.when(enriched)) continue;
      const value = await requestEnrichment(request, exchange, tokens, enriched);
      if (value !== undefined) enriched[request.into] = value;
    } catch (error) {
      kernel.logger.debug(`"${provider.id}": the request for "${request.into}" failed`, { error });
    }
  }
  return enriched;
}

/**
 * Adds the JSON of callback parameters (`profileParams`) to the profile. The JSON comes from the browser and is not
 * verified.
 */
export function withProfileParams(exchange: Exchange, profile: Profile): Profile {
  const merged: Profile = { ...profile };
  for (const name of exchange.ctx.provider.profileParams ?? []) {
    const text = exchange.callbackParams.get(name);
    // The provider's own profile takes precedence.
    if (!text || Object.hasOwn(profile, name)) continue;
    try {
      merged[name] = parseJson(text);
    } catch {
      exchange.ctx.log.debug(`The callback parameter "${name}" is not JSON.`);
    }
  }
  return merged;
}
