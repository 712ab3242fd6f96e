import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The member `ocs.data` of Nextcloud's response about a user. */
export interface NextcloudProfile {
  id: string;
  displayname?: string;
  email?: string | null;
  enabled?: boolean;
}

/**
 * Adds sign-in with Nextcloud. The callback is `/auth/callback/nextcloud`. Reads `AUTH_NEXTCLOUD_ID`,
 * `AUTH_NEXTCLOUD_SECRET` and `AUTH_NEXTCLOUD_ISSUER`. `issuer` is required: the URL of the server. Nextcloud has no
 * scopes. Whether the address is verified is unknown.
 *
 * @see https://docs.nextcloud.com/server/latest/admin_manual/configuration_server/oauth2.html
 */
export const nextcloudPlugin: ProviderFactory<OAuthProvider<NextcloudProfile>> = defineProvider(
  oauthFlow,
  ({ issuer = "" }) => {
    const base = trimEnd(issuer, "/");
    return {
      id: "nextcloud",
      name: "Nextcloud",
      type: "oauth",
      style: { brandColor: "#0082c9", icon: () => import("./_icons/nextcloud.ts") },
      settings: { issuer: { required: true, example: "https://cloud.example.com" } },
      authorization: { url: `${base}/apps/oauth2/authorize` },
      token: { url: `${base}/apps/oauth2/api/v1/token` },
      // The token response contains the user's id.
      userinfo: {
        url: `${base}/ocs/v1.php/cloud/users/{tokens.user_id}`,
        headers: { "OCS-APIRequest": "true", accept: "application/json" },
        root: "ocs.data",
      },
      profile: ({ id, displayname: name, email }) => ({
        id,
        name: name ?? null,
        email: email || null,
        image: `${base}/avatar/${encodeURIComponent(id)}/512`,
      }),
    };
  },
);

export default nextcloudPlugin;
