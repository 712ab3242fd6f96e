import type { RelyingParty } from "../../../src/index.ts";
import { inquiryOf } from "./person.ts";
import type { WebAuthnContext } from "./types.ts";

const first = (given: string | readonly string[] | undefined): string | undefined =>
  [given ?? []].flat()[0];

/** Who asks for passkeys: as configured, else the public origin. */
export function relyingPartyOf(ctx: WebAuthnContext): RelyingParty {
  const { provider, origin } = ctx;
  if (provider.getRelayingParty) return provider.getRelayingParty(...inquiryOf(ctx));
  const { hostname, host } = new URL(origin);
  const { id, name, origin: origins } = provider.relayingParty ?? {};
  const listed = [origins ?? []].flat();
  return {
    id: first(id) ?? hostname,
    name: first(name) ?? host,
    origin: listed.length ? listed : [origin],
  };
}
