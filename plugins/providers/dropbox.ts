import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Dropbox's `POST /2/users/get_current_account`. */
export interface DropboxProfile {
  account_id: string;
  name?: { display_name?: string; given_name?: string; surname?: string };
  email?: string;
  email_verified?: boolean;
  profile_photo_url?: string;
}

/**
 * Adds sign-in with Dropbox. The callback is `/auth/callback/dropbox`. Reads `AUTH_DROPBOX_ID` and
 * `AUTH_DROPBOX_SECRET`.
 *
 * @see https://developers.dropbox.com/oidc-guide
 */
export const dropboxPlugin: ProviderFactory<OAuthProvider<DropboxProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "dropbox",
    name: "Dropbox",
    type: "oauth",
    style: { brandColor: "#0061ff", icon: () => import("./_icons/dropbox.ts") },
    authorization: {
      url: "https://www.dropbox.com/oauth2/authorize",
      params: { scope: "account_info.read", token_access_type: "offline" },
    },
    token: { url: "https://api.dropboxapi.com/oauth2/token" },
    // A POST without a body.
    userinfo: { url: "https://api.dropboxapi.com/2/users/get_current_account", method: "POST" },
    revocation: "https://api.dropboxapi.com/2/auth/token/revoke",
    profile: ({ account_id: id, name, email, profile_photo_url: image }) => ({
      id,
      name: name?.display_name ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default dropboxPlugin;
