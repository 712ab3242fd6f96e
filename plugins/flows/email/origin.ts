import { isLoopback, isOnVercel } from "../../../src/_kit.ts";
import { UntrustedHost } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import type { EmailContext } from "./types.ts";

/** Returns whether the configuration decides the hosts of links. Vercel sets the request's host itself. */
export function isOriginConfigured({ config, env }: Kernel): boolean {
  return config.origin !== undefined || Array.isArray(config.trustHost) || isOnVercel(env);
}

/**
 * Checks the origin of a link: a link goes to another person's mailbox, so an attacker who chooses its host receives the
 * token (SECURITY.md R4).
 * @throws UntrustedHost when the request chose the host, and it is not the local machine.
 */
export function checkLinkOrigin({ kernel, origin, provider }: EmailContext): void {
  if (isOriginConfigured(kernel) || isLoopback(new URL(origin))) return;
  throw new UntrustedHost(
    `"${provider.id}" sent no link to ${origin}: only the request states this host. Set AUTH_URL to the public ` +
      "URL, or `trustHost` to the list of your hosts.",
  );
}
