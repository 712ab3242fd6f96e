import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Medium's `GET /v1/me`. */
export interface MediumProfile {
  data: {
    id: string;
    username?: string;
    name?: string;
    url?: string;
    imageUrl?: string;
  };
}

/**
 * Adds sign-in with Medium. The callback is `/auth/callback/medium`. Reads `AUTH_MEDIUM_ID` and `AUTH_MEDIUM_SECRET`.
 * Medium returns no address.
 *
 * Unsure: whether registered integrations still work.
 *
 * @see https://github.com/Medium/medium-api-docs
 */
export const mediumPlugin: ProviderFactory<OAuthProvider<MediumProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "medium",
    name: "Medium",
    type: "oauth",
    style: { brandColor: "#000000", icon: () => import("./_icons/medium.ts") },
    deprecated:
      "Medium accepts no new integrations, and its API is archived. Only registered applications can sign users in.",
    authorization: {
      url: "https://medium.com/m/oauth/authorize",
      params: { scope: "basicProfile" },
    },
    token: { url: "https://api.medium.com/v1/tokens" },
    userinfo: { url: "https://api.medium.com/v1/me" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ data: { id, name, username, imageUrl: image } }) => ({
      id,
      name: name ?? username ?? null,
      email: null,
      image: image ?? null,
    }),
  }),
);

export default mediumPlugin;
