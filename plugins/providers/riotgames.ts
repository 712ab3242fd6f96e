import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of Riot's ID token, with `account` from the account API. */
export interface RiotGamesProfile {
  sub: string;
  account?: { puuid?: string; gameName?: string; tagLine?: string };
}

/** Options of `riotgamesPlugin`, in addition to those of every provider. */
export interface RiotGamesOptions {
  /** The host of the account API. Set the nearest one. Default `europe`. */
  region?: "americas" | "asia" | "europe";
}

/**
 * Adds sign-in with Riot Games. The callback is `/auth/callback/riotgames`. Reads `AUTH_RIOTGAMES_ID` and
 * `AUTH_RIOTGAMES_SECRET`. The account's id is `sub`. Riot returns no address.
 *
 * @see https://support-developer.riotgames.com/hc/en-us/articles/22801670382739-RSO-Riot-Sign-On
 */
export const riotgamesPlugin: ProviderFactory<
  OIDCProvider<RiotGamesProfile>,
  RiotGamesOptions
> = defineProvider(oidcFlow, ({ region = "europe" }) => ({
  id: "riotgames",
  name: "Riot Games",
  type: "oidc",
  style: { brandColor: "#eb0029", icon: () => import("./_icons/riotgames.ts") },
  settings: { region: { example: "europe", oneOf: ["americas", "asia", "europe"] } },
  issuer: "https://auth.riotgames.com",
  authorization: { params: { scope: "openid" } },
  enrich: [
    { into: "account", url: `https://${region}.api.riotgames.com/riot/account/v1/accounts/me` },
  ],
  client: { token_endpoint_auth_method: "client_secret_post" },
  // Riot does not document PKCE.
  checks: ["state"],
  profile: ({ sub, account }) => ({
    id: sub,
    name: account?.gameName ? `${account.gameName}#${account.tagLine ?? ""}` : null,
    email: null,
    image: null,
  }),
}));

export default riotgamesPlugin;
