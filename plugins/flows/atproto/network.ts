import { isPublicHost, parseUrl } from "../../../src/_kit.ts";
import { createProviderFetch } from "../_provider-fetch.ts";
import { AtprotoCallbackError, AtprotoUnreachable } from "./errors.ts";
import type { AtprotoContext } from "./types.ts";

/** Milliseconds for one response. A sign-in waits for several responses and has 10 s in total. */
const TIMEOUT_MS = 3000;
/** Documents of the protocol are a few kilobytes long. */
const MAX_BYTES = 65_536;
/** Maximum number of requests in one step. A sign-in needs at most ten. */
const MAX_REQUESTS = 12;

const MAX_URL_LENGTH = 2048;

/**
 * Returns a URL that a visitor, or a document of a foreign server, may make this server request: https at the default
 * port of a host with a public name. Returns `undefined` for any other URL. A public name with a private address fails
 * at TLS, because the host at that address has no certificate for the name.
 */
export function parsePublicUrl(text: unknown): URL | undefined {
  if (typeof text !== "string" || text.length > MAX_URL_LENGTH) return undefined;
  const url = parseUrl(text);
  if (!url) return undefined;
  const { protocol, port, username, password, hostname } = url;
  if (protocol !== "https:" || port || username || password) return undefined;
  // The URL parser writes every form of an IPv4 address as dotted decimals, and IPv6 in brackets.
  const isName = /\.[a-z][a-z\d-]*$/.test(hostname);
  return isName && isPublicHost(url) ? url : undefined;
}

/** Parses a public origin: a URL without a path, query or fragment. Returns `undefined` for anything else. */
export function parseOrigin(text: unknown): string | undefined {
  const url = parsePublicUrl(text);
  return url && (url.href === `${url.origin}/` ? url.origin : undefined);
}

/** The requests of one step of a sign-in. */
export interface Network {
  /** Sends a request to a server that the configuration names. */
  readonly own: typeof fetch;
  /** Sends a request to a server that a visitor, or a document of a foreign server, names. */
  readonly foreign: typeof fetch;
}

/**
 * Creates the requests of one step. They are limited in number, time and size, are aborted with the step's request, and
 * go only to public hosts. Redirects are refused.
 */
export function createNetwork({ provider, signal }: AtprotoContext): Network {
  const bounds = { signal, timeout: TIMEOUT_MS, maxBytes: MAX_BYTES };
  const send = createProviderFetch(provider, bounds, AtprotoUnreachable);
  let count = 0;
  const own: typeof fetch = async (input, init) => {
    if (++count > MAX_REQUESTS) {
      throw new AtprotoCallbackError(
        `"${provider.id}": the sign-in needs more than ${MAX_REQUESTS} requests.`,
      );
    }
    return send(input, init);
  };
  return {
    own,
    foreign: async (input, init) => {
      const url = parsePublicUrl(input instanceof Request ? input.url : String(input));
      if (url) return own(url.href, init);
      throw new AtprotoCallbackError(
        `"${provider.id}": a server leads to a URL that is not https at the default port of a public host.`,
      );
    },
  };
}
