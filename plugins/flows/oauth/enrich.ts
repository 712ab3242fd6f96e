import { parseJson } from "../../../src/index.ts";
import type { EnrichRequest, Profile, TokenSet } from "../../../src/index.ts";
import { readJson } from "./answer-json.ts";
import { fillParams, fillUrl } from "./fill.ts";
import type { Exchange } from "./types.ts";

/** Longest picture that is put into a profile, in bytes. */
const MAX_PICTURE = 65_536;

async function dataUrl(response: Response): Promise<string | undefined> {
  const type = /^image\/[\w.+-]+/.exec(response.headers.get("content-type") ?? "")?.[0];
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (type === undefined || bytes.length === 0 || bytes.length > MAX_PICTURE) return undefined;
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `data:${type};base64,${btoa(binary)}`;
}

async function ask(
  request: EnrichRequest,
  exchange: Exchange,
  tokens: TokenSet,
  profile: Profile,
): Promise<unknown> {
  const values = { ...exchange.values, profile };
  const headers = new Headers(fillParams(request.headers, values));
  if (!headers.has("accept") && request.as !== "data-url")
    headers.set("accept", "application/json");
  if (!headers.has("authorization")) {
    headers.set("authorization", `Bearer ${tokens.access_token ?? ""}`);
  }
  const response = await exchange.fetch(fillUrl(request.url, values), { headers });
  if (!response.ok) return undefined;
  if (request.as === "data-url") return dataUrl(response);
  return readJson(response, `The answer for "${request.into}"`);
}

/** Asks what follows the profile, one after another. What fails is left out and told to the log. */
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
      const answer = await ask(request, exchange, tokens, enriched);
      if (answer !== undefined) enriched[request.into] = answer;
    } catch (error) {
      kernel.logger.debug(`"${provider.id}" did not answer for "${request.into}"`, { error });
    }
  }
  return enriched;
}

/** Lays the JSON of callback parameters into the profile: it comes from the browser and proves nothing. */
export function withPosted(exchange: Exchange, profile: Profile): Profile {
  const posted: Profile = { ...profile };
  for (const name of exchange.ctx.provider.profileParams ?? []) {
    const text = exchange.answer.get(name);
    // What the provider itself says goes first.
    if (!text || Object.hasOwn(profile, name)) continue;
    try {
      posted[name] = parseJson(text);
    } catch {
      exchange.ctx.kernel.logger.debug(`The posted "${name}" is no JSON.`);
    }
  }
  return posted;
}
