import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { isSameEmail, oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Kakao's `GET /v2/user/me`. */
export interface KakaoProfile {
  id: number;
  kakao_account?: {
    email?: string;
    is_email_valid?: boolean;
    is_email_verified?: boolean;
    profile?: { nickname?: string; profile_image_url?: string };
  };
}

/**
 * Adds sign-in with Kakao. The callback is `/auth/callback/kakao`. Reads `AUTH_KAKAO_ID` and
 * `AUTH_KAKAO_SECRET`.
 *
 * @see https://developers.kakao.com/docs/latest/en/kakaologin/rest-api
 */
export const kakaoPlugin: ProviderFactory<OAuthProvider<KakaoProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "kakao",
    name: "Kakao",
    type: "oauth",
    style: { brandColor: "#ffcd00" },
    // The app's settings decide which data a user is asked for. A scope would override them.
    authorization: { url: "https://kauth.kakao.com/oauth/authorize", params: { scope: "" } },
    token: { url: "https://kauth.kakao.com/oauth/token" },
    userinfo: { url: "https://kapi.kakao.com/v2/user/me" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    endSession: {
      url: "https://kauth.kakao.com/oauth/logout",
      returnParam: "logout_redirect_uri",
      hint: false,
    },
    profile: ({ id, kakao_account: account }) => ({
      id: id.toString(),
      name: account?.profile?.nickname ?? null,
      email: account?.email ?? null,
      image: account?.profile?.profile_image_url ?? null,
    }),
    // An address that is no longer valid now belongs to another account.
    emailVerified: ({ kakao_account: account }, email) =>
      isSameEmail(account?.email, email)
        ? account?.is_email_valid === true && account.is_email_verified === true
        : undefined,
  }),
);

export default kakaoPlugin;
