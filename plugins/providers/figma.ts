import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Figma's `GET /v1/me`. */
export interface FigmaProfile {
  id: string;
  handle: string;
  email?: string;
  img_url?: string;
}

/**
 * Adds sign-in with Figma. The callback is `/auth/callback/figma`. Reads `AUTH_FIGMA_ID` and `AUTH_FIGMA_SECRET`.
 * Whether the address is verified is unknown.
 *
 * @see https://www.figma.com/developers/api#oauth2
 */
export const figmaPlugin: ProviderFactory<OAuthProvider<FigmaProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "figma",
    name: "Figma",
    type: "oauth",
    style: { brandColor: "#f24e1e", icon: () => import("./_icons/figma.ts") },
    authorization: { url: "https://www.figma.com/oauth", params: { scope: "current_user:read" } },
    token: { url: "https://api.figma.com/v1/oauth/token" },
    userinfo: { url: "https://api.figma.com/v1/me" },
    refresh: { url: "https://api.figma.com/v1/oauth/refresh" },
    profile: ({ id, handle: name, email, img_url: image }) => ({
      id,
      name,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default figmaPlugin;
