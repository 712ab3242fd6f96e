import { AuthError, createLoader, isLoopback, isSecureUrl, until } from "../../../src/index.ts";
import type { Kernel } from "../../../src/index.ts";
import { readObject } from "./answer-json.ts";
import { fetchFor } from "./ask.ts";
import { endpointOf } from "./endpoint.ts";
import type { AnyOAuthProvider, OAuthContext, Server } from "./types.ts";

/** What a step needs to know of the server. */
export type Need = "authorization_endpoint" | "token_endpoint" | "userinfo_endpoint" | "jwks_uri";

/** The providers' servers: explicit configuration first, discovery for the rest. */
export interface Servers {
  /** Rejects with an `AuthError` when a need cannot be met. */
  of(ctx: OAuthContext, needs: readonly Need[]): Promise<Server>;
  /** Whether the server's own metadata was needed for that. */
  isDiscovered(provider: AnyOAuthProvider, needs: readonly Need[]): boolean;
  /** Looks anew the next time: something does not fit. */
  forget(provider: AnyOAuthProvider): void;
}

const HOUR = 3_600_000;
const RETRY = 5000;

/** Where a provider's metadata is published. */
export function discoveryUrl({ wellKnown, issuer }: AnyOAuthProvider): string | undefined {
  if (wellKnown !== undefined) return wellKnown;
  return issuer && `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
}

function explicit(provider: AnyOAuthProvider): Server {
  const given = {
    issuer: provider.issuer,
    authorization_endpoint: endpointOf(provider, "authorization").url,
    token_endpoint: endpointOf(provider, "token").url,
    userinfo_endpoint: endpointOf(provider, "userinfo").url,
    jwks_uri: provider.jwks_endpoint,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

// RFC 8414 section 3.3. A missing slash after the host is forgiven: Auth0 adds it.
function isSameIssuer(one: string, other: string): boolean {
  return one === other || (URL.canParse(other) && new URL(one).href === new URL(other).href);
}

// A document from the internet must not lead us to our own machine, or off https.
function checkEndpoints(document: Record<string, unknown>, from: URL): void {
  for (const [name, value] of Object.entries(document)) {
    if (typeof value !== "string" || !/_(?:endpoint|uri)$/.test(name)) continue;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const usable = url && isSecureUrl(url) && (isLoopback(from) || !isLoopback(url));
    if (!usable && /^(?:authorization|token|userinfo)_endpoint$|^jwks_uri$/.test(name)) {
      throw new AuthError(`The metadata at ${from.host} names an unusable ${name}.`);
    }
  }
}

async function discover(provider: AnyOAuthProvider): Promise<Server> {
  const url = new URL(discoveryUrl(provider) ?? "");
  const what = `The metadata at ${url.host}${url.pathname}`;
  const response = await fetchFor(provider)(url, { headers: { accept: "application/json" } });
  if (response.status !== 200) {
    throw new AuthError(`${what} cannot be had: status ${response.status}.`);
  }
  const published = await readObject(response, what);
  const document = provider.discovery?.(published, provider) ?? published;
  const { issuer } = document;
  if (typeof issuer !== "string" || !URL.canParse(issuer)) {
    throw new AuthError(`${what} names no issuer.`);
  }
  if (provider.issuer !== undefined && !isSameIssuer(provider.issuer, issuer)) {
    throw new AuthError(`${what} is of the issuer ${issuer}, not of ${provider.issuer}.`);
  }
  checkEndpoints(document, url);
  return document as Server;
}

/** Makes the memory of the providers' servers: an hour, and 5 seconds for a failure. */
export function createServers(kernel: Kernel): Servers {
  const loadedAt = new Map<string, number>();
  const documents = createLoader<Server>({ max: 100, ttl: HOUR, retryAfter: RETRY }, (id) => {
    loadedAt.set(id, Date.now());
    return discover(kernel.providers.get(id) as AnyOAuthProvider);
  });
  const isDiscovered = (provider: AnyOAuthProvider, needs: readonly Need[]) => {
    const given = explicit(provider);
    return needs.some((need) => given[need] === undefined);
  };

  return {
    isDiscovered,
    async of({ provider, signal }, needs) {
      const given = explicit(provider);
      if (!isDiscovered(provider, needs)) return given;
      const document = await until(documents.get(provider.id), signal);
      // The issuer as the server writes it, for it is compared exactly from here on.
      const server = { ...document, ...given, issuer: document.issuer ?? "" };
      const missing = needs.find((need) => typeof server[need] !== "string");
      if (missing === undefined) return server;
      throw new AuthError(`The metadata has no ${missing}, and none is configured.`);
    },
    forget(provider) {
      const age = Date.now() - (loadedAt.get(provider.id) ?? 0);
      if (age >= RETRY) documents.delete(provider.id);
    },
  };
}
