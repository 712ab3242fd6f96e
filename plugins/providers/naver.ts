import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Naver's `GET /v1/nid/me`. */
export interface NaverProfile {
  response: {
    id: string;
    nickname?: string;
    name?: string;
    email?: string;
    profile_image?: string;
  };
}

/**
 * Adds sign-in with Naver. The callback is `/auth/callback/naver`. Reads `AUTH_NAVER_ID` and `AUTH_NAVER_SECRET`. The
 * app's settings decide which data a user is asked for. Whether the address, which the user may choose, is verified is
 * unknown.
 *
 * @see https://developers.naver.com/docs/login/api/api.md
 */
export const naverPlugin: ProviderFactory<OAuthProvider<NaverProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "naver",
    name: "Naver",
    type: "oauth",
    style: { brandColor: "#03c75a", icon: () => import("./_icons/naver.ts") },
    authorization: { url: "https://nid.naver.com/oauth2.0/authorize", allow: ["auth_type"] },
    token: { url: "https://nid.naver.com/oauth2.0/token" },
    userinfo: { url: "https://openapi.naver.com/v1/nid/me" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Naver requires a state, and does not document PKCE.
    checks: ["state"],
    profile: ({ response: { id, nickname, name, email, profile_image: image } }) => ({
      id,
      name: nickname ?? name ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default naverPlugin;
