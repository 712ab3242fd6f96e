import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of Battle.net's ID token. */
export interface BattleNetProfile {
  sub: string;
  /** The name with a number, such as `Ada#1234`. */
  battle_tag?: string;
}

/**
 * Adds sign-in with Battle.net. The callback is `/auth/callback/battlenet`. Reads `AUTH_BATTLENET_ID`,
 * `AUTH_BATTLENET_SECRET` and `AUTH_BATTLENET_ISSUER`. The default `issuer` serves all regions except China, which has
 * `https://oauth.battlenet.com.cn`. Battle.net returns no address.
 *
 * Unsure: whether the ID token returns the nonce in every region.
 *
 * @see https://community.developer.battle.net/documentation/guides/using-oauth/authorization-code-flow
 */
export const battlenetPlugin: ProviderFactory<OIDCProvider<BattleNetProfile>> = defineProvider(
  oidcFlow,
  () => ({
    id: "battlenet",
    name: "Battle.net",
    type: "oidc",
    style: { brandColor: "#148eff", icon: () => import("./_icons/battlenet.ts") },
    issuer: "https://oauth.battle.net",
    authorization: { params: { scope: "openid" } },
    // Battle.net refuses requests without a state, and does not support PKCE.
    checks: ["state", "nonce"],
    profile: ({ sub, battle_tag: name }) => ({
      id: sub,
      name: name ?? null,
      email: null,
      image: null,
    }),
  }),
);

export default battlenetPlugin;
