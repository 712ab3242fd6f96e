import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { isSameEmail, oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Patreon's `GET /api/oauth2/v2/identity`. */
export interface PatreonProfile {
  data: {
    id: string;
    attributes?: {
      full_name?: string;
      email?: string | null;
      image_url?: string;
      is_email_verified?: boolean;
    };
  };
}

/**
 * Adds sign-in with Patreon. The callback is `/auth/callback/patreon`. Reads `AUTH_PATREON_ID` and
 * `AUTH_PATREON_SECRET`.
 *
 * @see https://docs.patreon.com/#oauth
 */
export const patreonPlugin: ProviderFactory<OAuthProvider<PatreonProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "patreon",
    name: "Patreon",
    type: "oauth",
    style: { brandColor: "#e85b46", icon: () => import("./_icons/patreon.ts") },
    authorization: {
      url: "https://www.patreon.com/oauth2/authorize",
      params: { scope: "identity identity[email]" },
    },
    token: { url: "https://www.patreon.com/api/oauth2/token" },
    userinfo: {
      url: "https://www.patreon.com/api/oauth2/v2/identity",
      // Version 2 returns only the fields that are asked for.
      params: { "fields[user]": "email,full_name,image_url,is_email_verified" },
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ data: { id, attributes } }) => ({
      id,
      name: attributes?.full_name ?? null,
      email: attributes?.email ?? null,
      image: attributes?.image_url ?? null,
    }),
    emailVerified: ({ data }, email) =>
      isSameEmail(data?.attributes?.email, email) ? data.attributes?.is_email_verified : undefined,
  }),
);

export default patreonPlugin;
