import { InvalidConfig } from "../errors/errors.ts";
import { type BoundedCache, createCache } from "../platform/cache.ts";
import { parseUrl } from "../platform/parse-url.ts";
import { trimEnd } from "../platform/trim-end.ts";
import type { Sharing } from "./sharing.ts";

/** Maximum number of providers whose servers are remembered. */
const MAX_PROVIDERS = 10_000;

// The fields of a provider that name the server which assigns user ids.
interface Served {
  readonly issuer?: unknown;
  readonly wellKnown?: unknown;
  readonly token?: unknown;
  readonly authorization?: unknown;
}

const getUrl = (endpoint: unknown): unknown =>
  typeof endpoint === "string" ? endpoint : (endpoint as { url?: unknown } | undefined)?.url;

function getServer({ issuer, wellKnown, token, authorization }: Served): string | undefined {
  const server = issuer ?? wellKnown ?? getUrl(token) ?? getUrl(authorization);
  const url = typeof server === "string" ? parseUrl(server) : undefined;
  if (!url) return undefined;
  // Neither query parameters nor the path of the metadata document make it another server.
  return trimEnd(url.origin + url.pathname.replace(/\/\.well-known\/.*/, ""), "/");
}

const NAMESPACE_FIX = "Give each tenant a `storeNamespace`, or the provider its own `id`.";
const ADAPTER_FIX =
  "`storeNamespace` does not apply to this adapter. Give the provider a separate `id` for each tenant, or each tenant an adapter.";

/**
 * Returns a function that checks the kernels of an Auth, given the `adapter` of their configurations. In one adapter,
 * and under one secret and `storeNamespace`, a provider id must stand for one server. Accounts are stored by this id
 * and the user's id at the server, and two servers may give the same id to different users.
 */
export function createServerCheck(): Sharing["check"] {
  const createServers = () => createCache<string>({ max: MAX_PROVIDERS });
  const servers = createServers();
  // Adapters are compared by object identity: two objects for one database count as two databases.
  const ofAdapter = new WeakMap<object, BoundedCache<string>>();
  return ({ config: { secret, storeNamespace }, providers }, adapter) => {
    const found: [id: string, key: string, server: string][] = [];
    const inAdapter = (adapter && ofAdapter.get(adapter)) ?? createServers();
    for (const [id, provider] of providers) {
      const server = getServer(provider as Served);
      if (server === undefined) continue;
      const key = JSON.stringify([secret, storeNamespace, id]);
      // An adapter conflict comes last so that it is reported first: setting `storeNamespace`, the fix for the other
      // conflict, does not solve it.
      const places = [
        [servers.get(key), NAMESPACE_FIX],
        [inAdapter.get(id), ADAPTER_FIX],
      ] as const;
      const [known, fix] = places.findLast(([one]) => one !== undefined && one !== server) ?? [];
      if (known !== undefined) {
        throw new InvalidConfig(
          `The provider "${id}" is ${server} in this configuration, but ${known} in another that the function returned: their users ` +
            `would share accounts. ${fix} If one server has replaced the other, restart the process.`,
        );
      }
      found.push([id, key, server]);
    }
    // Stored only after all checks, so that a refused configuration does not block the one that fixes it.
    for (const [id, key, server] of found) {
      servers.set(key, server);
      inAdapter.set(id, server);
    }
    if (adapter) ofAdapter.set(adapter, inAdapter);
  };
}
