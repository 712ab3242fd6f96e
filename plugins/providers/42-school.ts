import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of 42's `GET /v2/me`. */
export interface FortyTwoProfile {
  id: number;
  login: string;
  usual_full_name?: string | null;
  email: string | null;
  image?: { link?: string | null } | null;
}

/**
 * Adds sign-in with 42 School. The callback is `/auth/callback/42-school`. Reads `AUTH_42_SCHOOL_ID` and
 * `AUTH_42_SCHOOL_SECRET`. Whether the address is verified is unknown.
 *
 * @see https://api.intra.42.fr/apidoc/guides/web_application_flow
 */
export const fortyTwoSchoolPlugin: ProviderFactory<OAuthProvider<FortyTwoProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "42-school",
    name: "42 School",
    type: "oauth",
    style: { brandColor: "#000000", icon: () => import("./_icons/42-school.ts") },
    authorization: { url: "https://api.intra.42.fr/oauth/authorize", params: { scope: "public" } },
    token: { url: "https://api.intra.42.fr/oauth/token" },
    userinfo: { url: "https://api.intra.42.fr/v2/me" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ id, usual_full_name: name, login, email, image }) => ({
      id: id.toString(),
      name: name ?? login,
      email,
      image: image?.link ?? null,
    }),
  }),
);

export default fortyTwoSchoolPlugin;
