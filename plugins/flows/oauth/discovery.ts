import {
  createCache,
  createLoader,
  isLoopback,
  isPublicHost,
  isSecureUrl,
  raceSignal,
} from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import { getEndpoint } from "./endpoint.ts";
import { fetchFor } from "./fetch.ts";
import { readObject } from "./response-json.ts";
import type { AnyOAuthProvider, OAuthContext, Server } from "./types.ts";

/** A metadata member that a step of the flow requires. */
export type Requirement =
  | "authorization_endpoint"
  | "token_endpoint"
  | "userinfo_endpoint"
  | "jwks_uri";

/**
 * The authorization servers of the providers: configured endpoints first, discovery for the rest.
 */
export interface Servers {
  /**
   * Resolves to a provider's server. Rejects with an `AuthError` when a required member is missing.
   */
  of(ctx: OAuthContext, requirements: readonly Requirement[]): Promise<Server>;
  /** Tests whether discovery is required for these members. */
  isDiscovered(provider: AnyOAuthProvider, requirements: readonly Requirement[]): boolean;
  /**
   * Drops the metadata so that the next call fetches it again; for metadata that may be outdated.
   */
  forget(provider: AnyOAuthProvider): void;
}

const MAX_DOCUMENTS = 100;
const TTL_MS = 3_600_000;
const RETRY_AFTER_MS = 5000;

/** Returns the URL of a provider's metadata. */
export function discoveryUrl({ wellKnown, issuer }: AnyOAuthProvider): string | undefined {
  if (wellKnown !== undefined) return wellKnown;
  return issuer && `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
}

function getConfigured(provider: AnyOAuthProvider): Server {
  const given = {
    issuer: provider.issuer,
    authorization_endpoint: getEndpoint(provider, "authorization").url,
    token_endpoint: getEndpoint(provider, "token").url,
    userinfo_endpoint: getEndpoint(provider, "userinfo").url,
    jwks_uri: provider.jwks_endpoint,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

// RFC 8414 section 3.3. A missing slash after the host is tolerated: Auth0 adds one.
function isSameIssuer(one: string, other: string): boolean {
  return one === other || (URL.canParse(other) && new URL(one).href === new URL(other).href);
}

// A document from the internet must not direct requests to this machine, to its network, or to a URL without https.
function mayLeadTo(url: URL, from: URL): boolean {
  if (!isSecureUrl(url)) return false;
  if (isPublicHost(from)) return isPublicHost(url);
  return isLoopback(from) || !isLoopback(url);
}

function checkEndpoints(document: Record<string, unknown>, from: URL): void {
  for (const [name, value] of Object.entries(document)) {
    if (typeof value !== "string" || !/_(?:endpoint|uri)$/.test(name)) continue;
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isUsable = url !== undefined && mayLeadTo(url, from);
    if (!isUsable && /^(?:authorization|token|userinfo)_endpoint$|^jwks_uri$/.test(name)) {
      throw new AuthError(`The metadata at ${from.host} has an unusable ${name}.`);
    }
  }
}

const describeUrl = ({ host, pathname }: URL) => `The metadata at ${host}${pathname}`;

async function fetchMetadata(provider: AnyOAuthProvider): Promise<Record<string, unknown>> {
  const url = new URL(discoveryUrl(provider) ?? "");
  const what = describeUrl(url);
  const response = await fetchFor(provider)(url, { headers: { accept: "application/json" } });
  if (response.status !== 200) {
    throw new AuthError(`${what} could not be fetched (status ${response.status}).`);
  }
  return readObject(response, what);
}

// What a provider makes of the metadata of its issuer: another one of the same issuer may differ.
function complete(provider: AnyOAuthProvider, published: Record<string, unknown>): Server {
  const url = new URL(discoveryUrl(provider) ?? "");
  const what = describeUrl(url);
  const document = provider.discovery?.(published, provider) ?? published;
  const { issuer } = document;
  if (typeof issuer !== "string" || !URL.canParse(issuer)) {
    throw new AuthError(`${what} has no issuer.`);
  }
  if (provider.issuer !== undefined && !isSameIssuer(provider.issuer, issuer)) {
    throw new AuthError(`${what} has the issuer ${issuer}, not ${provider.issuer}.`);
  }
  checkEndpoints(document, url);
  return document as Server;
}

/** Creates the cache of the providers' servers: metadata for an hour, a failure for 5 seconds. */
export function createServers(kernel: Kernel): Servers {
  const { documents, loadedAt } = kernel.remember("flows/oauth documents", () => ({
    documents: createLoader<Record<string, unknown>>({
      max: MAX_DOCUMENTS,
      ttl: TTL_MS,
      retryAfter: RETRY_AFTER_MS,
    }),
    loadedAt: createCache<number>({ max: MAX_DOCUMENTS }),
  }));
  const isDiscovered = (provider: AnyOAuthProvider, requirements: readonly Requirement[]) => {
    const given = getConfigured(provider);
    return requirements.some((requirement) => given[requirement] === undefined);
  };

  return {
    isDiscovered,
    async of({ provider, signal }, requirements) {
      const given = getConfigured(provider);
      if (!isDiscovered(provider, requirements)) return given;
      const url = discoveryUrl(provider) ?? "";
      const load = () => {
        loadedAt.set(url, Date.now());
        return fetchMetadata(provider);
      };
      const published = await raceSignal(documents.get(url, load), signal);
      const document = complete(provider, published);
      // The issuer as the server spells it: from here on it is compared exactly.
      const server = { ...document, ...given, issuer: document.issuer ?? "" };
      const missing = requirements.find((requirement) => typeof server[requirement] !== "string");
      if (missing === undefined) return server;
      throw new AuthError(`The metadata has no ${missing}, and none is configured.`);
    },
    forget(provider) {
      const url = discoveryUrl(provider) ?? "";
      const age = Date.now() - (loadedAt.get(url) ?? 0);
      if (age >= RETRY_AFTER_MS) documents.delete(url);
    },
  };
}
