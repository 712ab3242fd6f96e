import { isLocalIp } from "../../../src/_kit.ts";
import type { AuthContext } from "../../../src/kernel.ts";

const FORWARDED = ["x-forwarded-for", "forwarded", "x-real-ip"];

// One client may have a whole network of IPv6 addresses (/64), so a limit on single addresses would have no effect.
function toNetwork(ip: string): string {
  if (!ip.includes(":")) return ip;
  const [head = "", tail = ""] = ip.split("::", 2);
  const first = head.split(":").filter(Boolean);
  const last = tail.split(":").filter(Boolean);
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`;
}

// A local address with a forwarding header is that of a proxy on this machine or network which the configuration does
// not mention. All visitors share its address: counted as one client, any visitor could lock out all others. A client on
// another network cannot have such an address, so its forged header lifts no limit.
function isProxy({ kernel, request, ip = "" }: AuthContext): boolean {
  if (kernel.config.trustProxy !== 0 || !isLocalIp(ip)) return false;
  return FORWARDED.some((name) => request.headers.has(name));
}

/**
 * Returns the client for which a request counts: its address, or for IPv6 its network (/64). Returns `undefined` when
 * the address is unknown.
 * @param warned Warnings that were already logged. If given, an unknown address is logged once in production.
 */
export function getClient(ctx: AuthContext, warned?: Set<string>): string | undefined {
  if (ctx.ip !== undefined && !isProxy(ctx)) return toNetwork(ctx.ip);
  if (warned && ctx.kernel.config.production && !warned.has("client")) {
    warned.add("client");
    ctx.kernel.logger.warn(
      "rate-limit-client",
      "The address of the client is not known, so the rules that count by client do not apply. Set `trustProxy`, or " +
        "AUTH_TRUST_PROXY, to the number of proxies in front of this server, or to the header in which the platform " +
        "sends the address.",
    );
  }
  return undefined;
}
