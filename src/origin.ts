import { UntrustedHost } from "./errors.ts";
import type { ResolvedConfig } from "./types/options.ts";

// Name or IPv4 with an optional port, or a bracketed IPv6: nothing that could end a host.
const HOST =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** Host names that can only mean this machine. */
const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

// Proxies append: what the outermost one saw comes first.
function first(header: string | null): string | undefined {
  return header?.split(",", 1)[0]?.trim() || undefined;
}

/** Whether a host (with or without port) is in a list of names and `*.` patterns. */
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
 * The public origin of a request, for handlers and server verbs alike: `AUTH_URL` when it is set,
 * else, where the host is trusted, what the outermost proxy or the request says.
 * @throws UntrustedHost when the host is malformed or not in the list of trusted ones.
 */
export function publicOrigin(config: ResolvedConfig, url: URL, headers: Headers): string {
  if (config.origin) return config.origin;
  const host = first(headers.get("x-forwarded-host")) ?? url.host;
  const scheme = first(headers.get("x-forwarded-proto")) ?? url.protocol.slice(0, -1);
  const trusted =
    typeof config.trustHost === "boolean" ? config.trustHost : isListedHost(host, config.trustHost);
  if (!trusted || !HOST.test(host) || !/^https?$/i.test(scheme)) {
    throw new UntrustedHost(
      "The request's host is not a trusted one. Set AUTH_URL, or add the host to `trustHost`.",
    );
  }
  const origin = `${scheme.toLowerCase()}://${host}`;
  if (!URL.canParse(origin)) throw new UntrustedHost("The request's host is malformed.");
  return origin === url.origin ? origin : new URL(origin).origin;
}

/** Whether a URL may be asked: https, or http on this very machine. */
export function isSecureUrl(url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(url.hostname));
}

/** Whether a URL names this very machine. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}
