import { isLoopback } from "../../../src/_kit.ts";
import { UntrustedHost } from "../../../src/errors.ts";
import { isOriginConfigured } from "../_origin.ts";
import type { EmailContext } from "./types.ts";

/**
 * Checks the origin of a link. The link goes to another person's mailbox, so an attacker who chooses its host would
 * receive the token (SECURITY.md R4).
 * @throws UntrustedHost when the request chose the host, unless it is the local machine.
 */
export function checkLinkOrigin({ kernel, origin, provider }: EmailContext): void {
  if (isOriginConfigured(kernel) || isLoopback(new URL(origin))) return;
  throw new UntrustedHost(
    `"${provider.id}" sent no link to ${origin}: only the request names this host. Set AUTH_URL to the public ` +
      "URL, or `trustHost` to the list of your hosts.",
  );
}
