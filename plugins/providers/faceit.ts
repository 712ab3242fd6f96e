import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of FACEIT's userinfo endpoint. */
export interface FaceitProfile {
  guid: string;
  nickname?: string;
  name?: string;
  email?: string;
  email_verified?: boolean;
  picture?: string;
}

/**
 * Adds sign-in with FACEIT. The callback is `/auth/callback/faceit`. Reads `AUTH_FACEIT_ID` and `AUTH_FACEIT_SECRET`.
 * The app's registration sets the scopes.
 *
 * @see https://docs.faceit.com/docs/authentication/using-faceit-connect
 */
export const faceitPlugin: ProviderFactory<OAuthProvider<FaceitProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "faceit",
    name: "FACEIT",
    type: "oauth",
    style: { brandColor: "#ff5500", icon: () => import("./_icons/faceit.ts") },
    authorization: {
      url: "https://accounts.faceit.com/accounts",
      params: { redirect_popup: "true" },
    },
    token: { url: "https://api.faceit.com/auth/v1/oauth/token" },
    userinfo: { url: "https://api.faceit.com/auth/v1/resources/userinfo" },
    profile: ({ guid: id, nickname, name, email, picture }) => ({
      id,
      name: name ?? nickname ?? null,
      email: email ?? null,
      image: picture ?? null,
    }),
  }),
);

export default faceitPlugin;
