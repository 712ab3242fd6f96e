import { UnknownAction } from "../../../src/errors.ts";
import type { AuthContext } from "../../../src/kernel.ts";

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
// A server that also listens on IPv6 reports IPv4 addresses in their mapped form.
const LOOPBACK_IP = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1)$/i;

function listValues(headers: Headers, name: string): string[] {
  const header = headers.get(name);
  return header === null ? [] : header.split(",").map((value) => value.trim());
}

function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host.toLowerCase().replace(/:\d{1,5}$/, ""));
}

/**
 * Returns whether a request comes from this machine. Its host, its public origin and, if known, the client's address
 * must be loopback, and no proxy may report another address. A name that an attacker resolves to 127.0.0.1 (DNS
 * rebinding) is another host.
 */
export function isLocal({ request, url, ip }: AuthContext): boolean {
  const { headers } = request;
  const hosts = [new URL(request.url).host, url.host, ...listValues(headers, "x-forwarded-host")];
  const ips = [
    ...(ip === undefined ? [] : [ip]),
    ...listValues(headers, "x-forwarded-for"),
    ...listValues(headers, "x-real-ip"),
  ];
  return (
    hosts.every(isLoopbackHost) &&
    ips.every((one) => LOOPBACK_IP.test(one)) &&
    !headers.has("forwarded")
  );
}

/**
 * @param isAllowed The test of the request. Default `isLocal`.
 * @throws UnknownAction for requests from elsewhere, as for a path without a route.
 */
export function expectLocal(ctx: AuthContext, isAllowed: typeof isLocal = isLocal): void {
  if (isAllowed(ctx)) return;
  throw new UnknownAction(`There is no route for ${ctx.request.method} ${ctx.url.pathname}.`);
}

/**
 * Returns whether a server reports that a request comes from this machine. Headers alone are no proof, because any
 * client may send `Host: localhost`.
 */
export function isReportedLocal(ctx: AuthContext): boolean {
  return ctx.ip !== undefined && isLocal(ctx);
}
