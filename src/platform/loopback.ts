const LOOPBACK = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Returns whether the host name of a URL always names the local machine. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname);
}
