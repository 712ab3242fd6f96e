import {
  createLoader,
  isLoopback,
  isPublicHost,
  isSecureUrl,
  parseUrl,
  raceSignal,
} from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import { readObject } from "../_response-json.ts";
import { fetchFor } from "./fetch.ts";
import type { AnyOAuthProvider, OpenId, Server } from "./types.ts";

const MAX_DOCUMENTS = 100;
const TTL_MS = 3_600_000;
const RETRY_AFTER_MS = 5000;

/** Returns the URL of a provider's metadata. */
function getDiscoveryUrl({ wellKnown, issuer }: AnyOAuthProvider): string | undefined {
  if (wellKnown !== undefined) return wellKnown;
  return issuer && `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
}

// RFC 8414 section 3.3. A missing slash after the host is tolerated, because Auth0 adds one.
function isSameIssuer(one: string, other: string): boolean {
  return one === other || new URL(one).href === parseUrl(other)?.href;
}

// A document from the internet must not direct requests to this machine, to its network, or to a URL without https.
function mayLeadTo(text: unknown, from: URL): boolean {
  const url = typeof text === "string" ? parseUrl(text) : undefined;
  if (!url || !isSecureUrl(url)) return false;
  if (isPublicHost(from)) return isPublicHost(url);
  return isLoopback(from) || !isLoopback(url);
}

function checkEndpoints(document: Record<string, unknown>, from: URL): void {
  for (const [name, value] of Object.entries(document)) {
    const isUsed = /^(?:authorization|token|userinfo)_endpoint$|^jwks_uri$/.test(name);
    if (isUsed && typeof value === "string" && !mayLeadTo(value, from)) {
      throw new AuthError(`The metadata at ${from.host} has an unusable ${name}.`);
    }
  }
}

// Unusable members that a sign-in does not need are removed instead of reported.
function withoutUnusable(document: Record<string, unknown>, from: URL): Server {
  const { end_session_endpoint: endSession, revocation_endpoint: revocation, ...rest } = document;
  return {
    ...rest,
    ...(mayLeadTo(endSession, from) && { end_session_endpoint: endSession as string }),
    ...(mayLeadTo(revocation, from) && { revocation_endpoint: revocation as string }),
  };
}

const describeUrl = ({ host, pathname }: URL) => `The metadata at ${host}${pathname}`;

async function fetchMetadata(provider: AnyOAuthProvider): Promise<Record<string, unknown>> {
  const url = new URL(getDiscoveryUrl(provider) ?? "");
  const what = describeUrl(url);
  const response = await fetchFor(provider)(url, { headers: { accept: "application/json" } });
  if (response.status !== 200) {
    throw new AuthError(`${what} could not be fetched (status ${response.status}).`);
  }
  return readObject(response, what);
}

// Applies a provider's own changes to the published metadata. Another provider of the same issuer may differ.
function complete(provider: AnyOAuthProvider, published: Record<string, unknown>): Server {
  const url = new URL(getDiscoveryUrl(provider) ?? "");
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
  return withoutUnusable(document, url);
}

/** Creates the cache of the issuers' metadata. It keeps a document for an hour, and a failure for 5 seconds. */
export function createDiscovery(kernel: Kernel): Pick<OpenId, "discover" | "forget"> {
  const { documents, loadedAt } = kernel.remember("flows/oauth documents", (createCache) => ({
    documents: createLoader<Record<string, unknown>>({
      loads: createCache("flows/oauth documents", { max: MAX_DOCUMENTS }),
      ttl: TTL_MS,
      retryAfter: RETRY_AFTER_MS,
    }),
    // When a load began, or 0 for a document that may be outdated.
    loadedAt: createCache<number>("flows/oauth times of loads", { max: MAX_DOCUMENTS }),
  }));

  return {
    async discover(provider, signal) {
      const url = getDiscoveryUrl(provider) ?? "";
      const load = () => {
        loadedAt.set(url, Date.now());
        return fetchMetadata(provider);
      };
      if (loadedAt.get(url) === 0) {
        // Anyone can make a sign-in fail. While the issuer is down, its previous metadata stays in use.
        await raceSignal(documents.refresh(url, load), signal).catch(() => {});
      }
      return complete(provider, await raceSignal(documents.get(url, load), signal));
    },
    forget(provider) {
      const url = getDiscoveryUrl(provider) ?? "";
      const age = Date.now() - (loadedAt.get(url) ?? 0);
      if (age >= RETRY_AFTER_MS) loadedAt.set(url, 0);
    },
  };
}
