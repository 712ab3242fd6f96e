import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Spotify's `GET /v1/me`. */
export interface SpotifyProfile {
  id: string;
  display_name?: string | null;
  email?: string;
  images?: { url: string }[];
  country?: string;
}

/**
 * Adds sign-in with Spotify. The callback is `/auth/callback/spotify`. Reads `AUTH_SPOTIFY_ID` and
 * `AUTH_SPOTIFY_SECRET`.
 *
 * @see https://developer.spotify.com/documentation/web-api/tutorials/code-flow
 */
export const spotifyPlugin: ProviderFactory<OAuthProvider<SpotifyProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "spotify",
    name: "Spotify",
    type: "oauth",
    style: { brandColor: "#1ed760", icon: () => import("./_icons/spotify.ts") },
    authorization: {
      url: "https://accounts.spotify.com/authorize",
      params: { scope: "user-read-email" },
      allow: ["show_dialog"],
    },
    token: { url: "https://accounts.spotify.com/api/token" },
    userinfo: { url: "https://api.spotify.com/v1/me" },
    profile: ({ id, display_name: name, email, images }) => ({
      id,
      name: name ?? null,
      email: email ?? null,
      image: images?.[0]?.url ?? null,
    }),
    // Spotify does not verify addresses.
    emailVerified: () => false,
  }),
);

export default spotifyPlugin;
