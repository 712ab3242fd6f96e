import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of osu!'s `GET /api/v2/me`. */
export interface OsuProfile {
  id: number;
  username: string;
  avatar_url?: string;
  country_code?: string;
}

/**
 * Adds sign-in with osu!. The callback is `/auth/callback/osu`. Reads `AUTH_OSU_ID` and `AUTH_OSU_SECRET`. osu! returns
 * no address.
 *
 * @see https://osu.ppy.sh/docs/index.html#authorization-code-grant
 */
export const osuPlugin: ProviderFactory<OAuthProvider<OsuProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "osu",
    name: "osu!",
    type: "oauth",
    style: { brandColor: "#ff66aa", icon: () => import("./_icons/osu.ts") },
    authorization: { url: "https://osu.ppy.sh/oauth/authorize", params: { scope: "identify" } },
    token: { url: "https://osu.ppy.sh/oauth/token" },
    userinfo: { url: "https://osu.ppy.sh/api/v2/me" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ id, username: name, avatar_url: image }) => ({
      id: id.toString(),
      name,
      email: null,
      image: image ?? null,
    }),
  }),
);

export default osuPlugin;
