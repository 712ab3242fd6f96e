import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { isSameEmail, oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Zoom's `GET /v2/users/me`. */
export interface ZoomProfile {
  id: string;
  first_name?: string;
  last_name?: string;
  display_name?: string;
  email?: string;
  /** 1 if the address is verified. */
  verified?: 0 | 1;
  pic_url?: string;
}

/**
 * Adds sign-in with Zoom. The callback is `/auth/callback/zoom`. Reads `AUTH_ZOOM_ID` and `AUTH_ZOOM_SECRET`.
 *
 * @see https://developers.zoom.us/docs/integrations/oauth/
 */
export const zoomPlugin: ProviderFactory<OAuthProvider<ZoomProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "zoom",
    name: "Zoom",
    type: "oauth",
    style: { brandColor: "#0b5cff" },
    // The app's settings decide the scopes. The app needs the scope for reading its user.
    authorization: { url: "https://zoom.us/oauth/authorize", params: { scope: "" } },
    token: { url: "https://zoom.us/oauth/token" },
    userinfo: { url: "https://api.zoom.us/v2/users/me" },
    revocation: "https://zoom.us/oauth/revoke",
    profile: ({
      id,
      first_name: first,
      last_name: last,
      display_name: display,
      email,
      pic_url: image,
    }) => ({
      id,
      name: ([first, last].filter(Boolean).join(" ") || display) ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
    emailVerified: (profile, email) =>
      profile.verified !== undefined && isSameEmail(profile.email, email)
        ? profile.verified === 1
        : undefined,
  }),
);

export default zoomPlugin;
