import { UntrustedHost } from "../errors/errors.ts";
import { isLoopbackHost } from "../platform/loopback.ts";
import { parseUrl } from "../platform/parse-url.ts";
import type { ResolvedConfig } from "../types/options.ts";
import type { LazyRequest } from "../types/request-source.ts";
import { findIpv4, isLocalIp, parseIp } from "./ip.ts";
import type { RequestUrl } from "./request-url.ts";

// A name or IPv4 address with an optional port, or a bracketed IPv6 address: no character that could end the host of a
// URL.
const HOST =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

// An entry of `trustHost`: a host or `*.` pattern, optionally with scheme and port.
const ENTRY = /^(?:(https?):\/\/)?(\*\.)?([^*/?#@\\]+)$/;

// For a WebSocket, some proxies send its own scheme, which corresponds to the page's scheme.
const toHttp = (scheme: string): string =>
  scheme === "wss" ? "https" : scheme === "ws" ? "http" : scheme;

// Proxies append their values, so the outermost proxy's value comes first.
function getFirst(header: string | null): string | undefined {
  return header?.split(",", 1)[0]?.trim() || undefined;
}

interface HostEntry {
  scheme: string | undefined;
  isPattern: boolean;
  host: string;
}

function parseEntry(entry: string): HostEntry | undefined {
  const [, scheme, star, host = ""] = ENTRY.exec(entry.toLowerCase()) ?? [];
  return HOST.test(host) ? { scheme, isPattern: star !== undefined, host } : undefined;
}

/** Returns whether a text can be an entry of `trustHost`: `app.example`, `*.app.example`, `http://a.example:3000`. */
export function isHostEntry(entry: string): boolean {
  const parsed = parseEntry(entry);
  return parsed !== undefined && URL.canParse(`https://${parsed.host}`);
}

function matches({ scheme, isPattern, host }: HostEntry, url: URL): boolean {
  if (scheme !== undefined && `${scheme}:` !== url.protocol) return false;
  const { hostname, port } = parseUrl(`${url.protocol}//${host}`) ?? {};
  // An entry without a port means the scheme's default port.
  if (hostname === undefined || port !== url.port) return false;
  return isPattern ? url.hostname.endsWith(`.${hostname}`) : url.hostname === hostname;
}

/**
 * Returns whether the origin of a URL is listed. An entry names a host, or with `*.` all hosts below one. Without a
 * port it means the default port, and without a scheme both http and https.
 */
export function isListedOrigin(url: URL, list: readonly string[]): boolean {
  return list.some((entry) => {
    const parsed = parseEntry(entry);
    return parsed !== undefined && matches(parsed, url);
  });
}

// A header never downgrades the request's own https. An entry of the list may upgrade http to https.
function findOrigin(
  { trustHost }: ResolvedConfig,
  url: RequestUrl,
  { host, scheme }: { host: string; scheme: string },
): string | undefined {
  if (!HOST.test(host) || !/^https?$/.test(scheme)) return undefined;
  // The request's URL is already parsed.
  const isStated = host === url.host && `${scheme}:` === url.protocol;
  if (isStated && trustHost === true) return url.origin;
  const [given, secure] = [scheme, "https"].map((one) => parseUrl(`${one}://${host}`));
  if (!given || !secure) return undefined;
  if (typeof trustHost === "boolean") return trustHost ? given.origin : undefined;
  if (isListedOrigin(given, trustHost)) return given.origin;
  return isListedOrigin(secure, trustHost) ? secure.origin : undefined;
}

/**
 * Returns the public origin of a request: from `AUTH_URL` if it is set, else from `X-Forwarded-Host` and
 * `X-Forwarded-Proto` (the first entries), else from the request's URL (SECURITY.md R4).
 * @throws UntrustedHost when the host is malformed or not trusted.
 */
export function getPublicOrigin(
  config: ResolvedConfig,
  url: RequestUrl,
  headers: Pick<Headers, "get">,
): string {
  if (config.origin) return config.origin;
  const host = getFirst(headers.get("x-forwarded-host")) ?? url.host;
  const forwarded = getFirst(headers.get("x-forwarded-proto"))?.toLowerCase();
  const own = url.protocol.slice(0, -1);
  // A malformed scheme is also refused.
  const stated = toHttp(forwarded ?? own);
  const scheme = own === "https" && stated === "http" ? own : stated;
  const origin = findOrigin(config, url, { host, scheme });
  if (origin !== undefined) return origin;
  throw new UntrustedHost(
    "The request's host is not trusted. Set AUTH_URL, or add the host to `trustHost`, with its port unless " +
      "that is the default.",
  );
}

/**
 * Returns a URL of the public origin in the form in which it may be mailed. A visitor who requests a mail must not be
 * able to choose plain http for its reader; only `AUTH_URL` can. Loopback URLs are unchanged.
 */
export function toMailedUrl({ origin }: ResolvedConfig, text: string): string {
  const url = new URL(text);
  if (origin === undefined && !isLoopback(url)) url.protocol = "https:";
  return url.href;
}

/** Returns whether a URL may be fetched: https, or http on the local machine. */
export function isSecureUrl(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname));
}

/** Returns whether a URL names the local machine. */
export function isLoopback(url: URL): boolean {
  return isLoopbackHost(url.hostname);
}

// Addresses that also lead to this network: 0.0.0.0/8, the unspecified address and local NAT64 (RFC 8215).
const LOCAL_TARGET = /^(?:0\.|::$|64:ff9b:1:)/;
// Names that no public server has: single labels, and domains that are reserved for local use.
const PRIVATE_NAME = /^[^.]+$|\.(?:local|internal|lan|test|home\.arpa)$/;

/** Returns whether the host of a URL may be in another network: neither loopback nor private. */
export function isPublicHost(url: URL): boolean {
  const name = url.hostname.replace(/\.$/, "");
  const ip = parseIp(name.replace(/^\[(.*)\]$/, "$1"));
  if (ip === undefined) return !isLoopbackHost(name) && !PRIVATE_NAME.test(name);
  // `[::ffff:10.0.0.1]` is 10.0.0.1, and a gateway may route `[64:ff9b::10.0.0.1]` there.
  const address = findIpv4(ip) ?? ip;
  return !isLocalIp(address) && !LOCAL_TARGET.test(address);
}

// Headers that proxies, tunnels and platforms add to a request.
const FORWARDED =
  /^(?:forwarded|via|true-client-ip|cf-|fly-|x-(?:forwarded|real-ip|client-ip|original-))/;

/**
 * Returns whether a request has not left the machine: both ends are loopback addresses, and no proxy or tunnel has
 * added a header. Returns `false` if the address of the connection is unknown.
 */
export function isLocalRequest(
  request: Pick<LazyRequest, "url" | "headers">,
  ip: string | undefined,
): boolean {
  const address = ip === undefined ? undefined : parseIp(ip);
  if (address !== "::1" && !address?.startsWith("127.")) return false;
  return (
    isLoopback(new URL(request.url)) &&
    ![...request.headers.keys()].some((name) => FORWARDED.test(name))
  );
}
