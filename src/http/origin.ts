import { UntrustedHost } from "../errors/errors.ts";
import type { ResolvedConfig } from "../types/options.ts";

// Name or IPv4 with an optional port, or a bracketed IPv6: no character that could end the host of a URL.
const HOST =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** Host names that always name the local machine. */
const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

// Proxies append their values: that of the outermost one comes first.
function first(header: string | null): string | undefined {
  return header?.split(",", 1)[0]?.trim() || undefined;
}

/** Returns whether a host (with or without port) matches a list of names and `*.` patterns. */
export function isListedHost(host: string, list: readonly string[]): boolean {
  const name = host.toLowerCase();
  return list.some((entry) => {
    const known = entry.toLowerCase();
    if (!known.startsWith("*.")) return name === known || name.replace(/:\d+$/, "") === known;
    const bare = name.replace(/:\d+$/, "");
    return bare.endsWith(known.slice(1)) && bare.length > known.length - 1;
  });
}

/**
 * Returns the public origin of a request: that of `AUTH_URL` if it is set, else of `X-Forwarded-Host` and
 * `X-Forwarded-Proto` (the first entries), else of the request's URL (SECURITY.md R4).
 * @throws UntrustedHost when the host is malformed or not trusted.
 */
export function publicOrigin(config: ResolvedConfig, url: URL, headers: Headers): string {
  if (config.origin) return config.origin;
  const host = first(headers.get("x-forwarded-host")) ?? url.host;
  const scheme = first(headers.get("x-forwarded-proto")) ?? url.protocol.slice(0, -1);
  const trusted =
    typeof config.trustHost === "boolean" ? config.trustHost : isListedHost(host, config.trustHost);
  if (!trusted || !HOST.test(host) || !/^https?$/i.test(scheme)) {
    throw new UntrustedHost(
      "The request's host is not trusted. Set AUTH_URL, or add the host to `trustHost`.",
    );
  }
  const origin = `${scheme.toLowerCase()}://${host}`;
  if (!URL.canParse(origin)) throw new UntrustedHost("The request's host is malformed.");
  return origin === url.origin ? origin : new URL(origin).origin;
}

/** Returns whether a URL may be fetched: https, or http on the local machine. */
export function isSecureUrl(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
}

/** Returns whether a URL names the local machine. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

// RFC 1918, RFC 6598 (shared address space), RFC 3927 (link-local) and 0.0.0.0/8; RFC 4193 and link-local of IPv6.
const PRIVATE_ADDRESS =
  /^(?:(?:0|10)(?:\.\d{1,3}){3}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}|(?:192\.168|169\.254)(?:\.\d{1,3}){2}|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])(?:\.\d{1,3}){2}|\[(?:f[cd]|fe[89ab])[0-9a-f:]*\]|\[::\])$/;
// Names that no public server answers: one label, and the domains that are reserved for local use.
const PRIVATE_NAME = /^[^.[\]:]+$|\.(?:local|internal|lan|test|home\.arpa)$/;

/** Returns whether the host of a URL may be that of another network: neither loopback nor private. */
export function isPublicHost(url: URL): boolean {
  const host = url.hostname.replace(/\.$/, "");
  return !LOOPBACK.test(host) && !PRIVATE_ADDRESS.test(host) && !PRIVATE_NAME.test(host);
}
