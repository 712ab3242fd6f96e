import { isPublicHost, isSecureUrl, parseUrl } from "../../../src/_kit.ts";
import { getEndpoint } from "./endpoint.ts";
import { withoutPlaceholders } from "./template.ts";
import type { AnyOAuthProvider } from "./types.ts";

const ENDPOINTS = ["authorization", "token", "userinfo", "endSession", "revocation"] as const;

// A function's result is compared only with the issuer of an ID token, so it is not checked here.
function getIssuerTemplate(provider: AnyOAuthProvider): unknown {
  const given = "issuerFromIdToken" in provider ? provider.issuerFromIdToken : undefined;
  return typeof given === "function" ? undefined : given;
}

/** Lists the URLs of a provider's configuration, each with the name of its option. */
function listUrls(provider: AnyOAuthProvider): [name: string, url: unknown][] {
  const endpoints = ENDPOINTS.map((name): [string, unknown] => [
    `${name}.url`,
    getEndpoint(provider, name).url,
  ]);
  return [
    ["issuer", provider.issuer],
    ["wellKnown", provider.wellKnown],
    ["jwks_endpoint", provider.jwks_endpoint],
    ...endpoints,
    ["refresh.url", provider.refresh?.url],
    ...(provider.enrich ?? []).map(({ into, url }): [string, unknown] => [`enrich "${into}"`, url]),
    ["redirectProxyUrl", provider.redirectProxyUrl],
    ["issuerFromIdToken", getIssuerTemplate(provider)],
  ];
}

function findUrlFault(name: string, given: unknown): string | undefined {
  if (typeof given !== "string") return `has an unusable \`${name}\`; it must be a URL`;
  const plain =
    name === "issuerFromIdToken" ? given.replace(/\{\w+\}/g, "x") : withoutPlaceholders(given);
  // A template literal prints `undefined` for an option that is not set.
  if (/[{}]|\[object |(?:^|[/.:=])undefined(?:[/.:&]|$)/.test(plain)) {
    return `has an unfilled \`${name}\`: ${plain}; set the option that fills it`;
  }
  const url = parseUrl(plain);
  if (!url) return `has an unusable \`${name}\`; it must be an absolute URL`;
  if (url.username || url.password) return `has credentials in \`${name}\`; leave them out`;
  const isProxy = name === "redirectProxyUrl";
  // Paths are appended to the proxy's URL.
  if (isProxy && /[?#]/.test(given)) return `has a query or fragment in \`${name}\`; leave it out`;
  if (isSecureUrl(url)) return undefined;
  if (isProxy && url.protocol === "http:" && !isPublicHost(url)) return undefined;
  return `has an unsafe \`${name}\`; it must be https, or http on localhost`;
}

/** Returns the faults of a provider's URLs. */
export function listUrlFaults(provider: AnyOAuthProvider): string[] {
  return listUrls(provider).flatMap(([name, given]) => {
    if (given === undefined) return [];
    return findUrlFault(name, given) ?? [];
  });
}
