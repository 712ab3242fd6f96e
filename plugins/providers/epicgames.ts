import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Epic's userinfo endpoint. */
export interface EpicGamesProfile {
  /** The account's id. */
  sub: string;
  preferred_username?: string;
}

/**
 * Adds sign-in with Epic Games. The callback is `/auth/callback/epicgames`. Reads `AUTH_EPICGAMES_ID` and
 * `AUTH_EPICGAMES_SECRET`. Epic returns no address.
 *
 * @see https://dev.epicgames.com/docs/web-api-ref/authentication
 */
export const epicgamesPlugin: ProviderFactory<OAuthProvider<EpicGamesProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "epicgames",
    name: "Epic Games",
    type: "oauth",
    style: { brandColor: "#313131", icon: () => import("./_icons/epicgames.ts") },
    authorization: {
      url: "https://www.epicgames.com/id/authorize",
      params: { scope: "basic_profile" },
    },
    token: { url: "https://api.epicgames.dev/epic/oauth/v2/token" },
    userinfo: { url: "https://api.epicgames.dev/epic/oauth/v2/userInfo" },
    // Epic does not document PKCE for clients with a secret.
    checks: ["state"],
    revocation: "https://api.epicgames.dev/epic/oauth/v2/revoke",
    profile: ({ sub, preferred_username: name }) => ({
      id: sub,
      name: name ?? null,
      email: null,
      image: null,
    }),
  }),
);

export default epicgamesPlugin;
