import { isSecureUrl } from "../../../src/index.ts";
import { endpointOf } from "./endpoint.ts";
import { withoutPlaceholders } from "./fill.ts";
import type { AnyOAuthProvider } from "./types.ts";

/** Every URL of a provider's configuration, by the name of its option. */
function urlsOf(provider: AnyOAuthProvider): [name: string, url: unknown][] {
  const endpoints = (["authorization", "token", "userinfo"] as const).map(
    (name): [string, unknown] => [`${name}.url`, endpointOf(provider, name).url],
  );
  return [
    ["issuer", provider.issuer],
    ["wellKnown", provider.wellKnown],
    ["jwks_endpoint", provider.jwks_endpoint],
    ...endpoints,
    ...(provider.enrich ?? []).map(({ into, url }): [string, unknown] => [`enrich "${into}"`, url]),
    ["redirectProxyUrl", provider.redirectProxyUrl],
    ["issuerFromIdToken", "issuerFromIdToken" in provider ? provider.issuerFromIdToken : undefined],
  ];
}

function faultOf(name: string, given: unknown): string | undefined {
  if (typeof given !== "string") return `has an unusable \`${name}\`; it must be a URL`;
  const plain =
    name === "issuerFromIdToken" ? given.replace(/\{\w+\}/g, "x") : withoutPlaceholders(given);
  // What a template writes for an option that nobody set.
  if (/[{}]|\[object |(?:^|[/.:=])undefined(?:[/.:&]|$)/.test(plain)) {
    return `has an unfilled \`${name}\`: ${plain}; set the option it is made of`;
  }
  if (!URL.canParse(plain)) return `has an unusable \`${name}\`; it must be an absolute URL`;
  const url = new URL(plain);
  if (url.username || url.password) return `has credentials in \`${name}\`; leave them out`;
  if (name === "redirectProxyUrl" && /^https?:$/.test(url.protocol) && !url.search)
    return undefined;
  if (isSecureUrl(url)) return undefined;
  return `has an unsafe \`${name}\`; it must be https, or http on localhost`;
}

/** What is wrong with a provider's URLs. */
export function urlFaults(provider: AnyOAuthProvider): string[] {
  return urlsOf(provider).flatMap(([name, given]) => {
    if (given === undefined) return [];
    return faultOf(name, given) ?? [];
  });
}
