import { parseUrl } from "../platform/parse-url.ts";

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const IPV6 = /^[\da-f:.]{2,45}$/i;
const MAPPED = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;

function toIpv4(high: string, low: string): string {
  const number = parseInt(high, 16) * 0x10000 + parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join(".");
}

/**
 * Returns an IP address in its normal form, so that one address is always the same text: IPv6 in lower case and
 * shortened (RFC 5952), IPv4 inside IPv6 (`::ffff:192.0.2.1`) as IPv4, without a zone. Returns `undefined` for any
 * other text.
 */
export function parseIp(text: string): string | undefined {
  if (IPV4.test(text)) return text;
  // A zone such as `%eth0` names an interface of this machine.
  const [address = ""] = text.split("%", 1);
  const normal = IPV6.test(address) && parseUrl(`http://[${address}]`)?.hostname.slice(1, -1);
  if (!normal) return undefined;
  const [, high, low] = MAPPED.exec(normal) ?? [];
  return high !== undefined && low !== undefined ? toIpv4(high, low) : normal;
}

// NAT64 (RFC 6052) and 6to4 (RFC 3056). The short form omits zeros.
const NAT64 = /^64:ff9b::(?:([\da-f]{1,4}):)?([\da-f]{0,4})$/;
const SIX_TO_FOUR = /^2002:([\da-f]{0,4}):([\da-f]{0,4})/;

/**
 * Returns the IPv4 address that a normalized address leads to: itself, or the address that a gateway extracts from it;
 * `undefined` if there is none.
 */
export function findIpv4(address: string): string | undefined {
  if (address.includes(".")) return address;
  const [, high, low] = NAT64.exec(address) ?? SIX_TO_FOUR.exec(address) ?? [];
  return low === undefined ? undefined : toIpv4(high || "0", low || "0");
}

// Loopback, private (RFC 1918, RFC 4193), link-local (RFC 3927, RFC 4291) and shared (RFC 6598) addresses.
const LOCAL =
  /^(?:127|10|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.|^(?:::1$|f[cd][\da-f]{2}:|fe[89ab][\da-f]:)/;

/** Returns whether a normalized address is of this machine or its network. No client in another network has one. */
export function isLocalIp(address: string): boolean {
  return LOCAL.test(address);
}

// Some proxies append the port of the connection: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
function withoutPort(entry: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry)?.[1];
  return bracketed ?? entry.replace(/^([\d.]+):\d{1,5}$/, "$1");
}

/** The address of the connection, and how far headers about the client's address are trusted. */
export interface IpSources {
  /** Address of the connection. */
  connection: string | undefined;
  headers: Pick<Headers, "get">;
  /** `trustProxy` of the configuration. */
  trustProxy: number | string;
}

/**
 * Returns the client's IP address: that of the connection, or with `trustProxy` the one that the proxies report.
 * `X-Forwarded-For` is read from the right, since every proxy appends the address from which it received the request.
 * Whatever the client wrote is further to the left. A header that the platform sets contains one address.
 */
export function getClientIp({ connection, headers, trustProxy }: IpSources): string | undefined {
  if (trustProxy === 0) return connection === undefined ? undefined : parseIp(connection);
  const entries =
    typeof trustProxy === "string"
      ? [headers.get(trustProxy)]
      : (headers.get("x-forwarded-for") ?? "").split(",").slice(-trustProxy);
  // With fewer entries than proxies, the request has not passed through all of them.
  if (typeof trustProxy === "number" && entries.length < trustProxy) return undefined;
  return parseIp(withoutPort((entries[0] ?? "").trim()));
}
