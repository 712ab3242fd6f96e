import type { RelyingParty } from "./provider.ts";
import type { WebAuthnContext } from "./types.ts";
import { buildPasskeyContext } from "./user.ts";

const first = (given: string | readonly string[] | undefined): string | undefined =>
  [given ?? []].flat()[0];

/** Returns the configured relying party, or else the one of the public origin. */
export function getRelyingParty(ctx: WebAuthnContext): RelyingParty {
  const { provider, origin } = ctx;
  if (provider.getRelayingParty) return provider.getRelayingParty(...buildPasskeyContext(ctx));
  const { hostname, host } = new URL(origin);
  const { id, name, origin: origins } = provider.relayingParty ?? {};
  const listed = [origins ?? []].flat();
  return {
    id: first(id) ?? hostname,
    name: first(name) ?? host,
    origin: listed.length ? listed : [origin],
  };
}
