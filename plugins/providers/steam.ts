import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { openid2Flow, type OpenId2Provider } from "../flows/openid2.ts";

/** A player of Steam's `ISteamUser/GetPlayerSummaries/v2`. */
export interface SteamProfile {
  steamid: string;
  personaname?: string;
  avatarfull?: string;
  profileurl?: string;
}

/**
 * Adds sign-in with Steam, by OpenID 2.0. The callback is `/auth/callback/steam`. Reads `AUTH_STEAM_KEY`, a key of the
 * Steam Web API. Without it, only the account's id is known. Steam needs no registration of the application, and
 * returns no address.
 *
 * @see https://partner.steamgames.com/doc/features/auth#website
 */
export const steamPlugin: ProviderFactory<OpenId2Provider<SteamProfile>> = defineProvider(
  openid2Flow,
  () => ({
    id: "steam",
    name: "Steam",
    type: "openid2",
    style: { brandColor: "#000000", icon: () => import("./_icons/steam.ts") },
    endpoint: "https://steamcommunity.com/openid/login",
    claimedId: "https://steamcommunity.com/openid/id/{id}",
    userinfo: {
      url: "https://api.steampowered.com/ISteamUser/GetPlayerSummaries/v2/?key={apiKey}&steamids={id}",
      root: "response.players.0",
      id: "steamid",
    },
    profile: ({ personaname: name, avatarfull: image }) => ({
      name: name ?? null,
      email: null,
      image: image ?? null,
    }),
  }),
);

export default steamPlugin;
