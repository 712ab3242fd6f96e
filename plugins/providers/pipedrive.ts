import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Pipedrive's `GET /v1/users/me`. */
export interface PipedriveProfile {
  data: {
    id: number;
    name?: string;
    email?: string;
    icon_url?: string | null;
    company_id?: number;
  };
}

/**
 * Adds sign-in with Pipedrive. The callback is `/auth/callback/pipedrive`. Reads `AUTH_PIPEDRIVE_ID` and
 * `AUTH_PIPEDRIVE_SECRET`. The app's registration sets the scopes. Whether the address is verified is unknown.
 *
 * @see https://pipedrive.readme.io/docs/marketplace-oauth-authorization
 */
export const pipedrivePlugin: ProviderFactory<OAuthProvider<PipedriveProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "pipedrive",
    name: "Pipedrive",
    type: "oauth",
    authorization: { url: "https://oauth.pipedrive.com/oauth/authorize" },
    token: { url: "https://oauth.pipedrive.com/oauth/token" },
    userinfo: { url: "https://api.pipedrive.com/v1/users/me" },
    revocation: "https://oauth.pipedrive.com/oauth/revoke",
    profile: ({ data: { id, name, email, icon_url: image } }) => ({
      id: id.toString(),
      name: name ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default pipedrivePlugin;
