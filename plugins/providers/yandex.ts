import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Yandex's `GET /info`. */
export interface YandexProfile {
  id: string;
  login?: string;
  display_name?: string;
  real_name?: string;
  first_name?: string;
  default_email?: string;
  emails?: string[];
  default_avatar_id?: string;
  is_avatar_empty?: boolean;
}

/**
 * Adds sign-in with Yandex. The callback is `/auth/callback/yandex`. Reads `AUTH_YANDEX_ID` and `AUTH_YANDEX_SECRET`.
 * Whether the address is verified is unknown.
 *
 * @see https://yandex.com/dev/id/doc/en/
 */
export const yandexPlugin: ProviderFactory<OAuthProvider<YandexProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "yandex",
    name: "Yandex",
    type: "oauth",
    style: { brandColor: "#ffcc00" },
    authorization: {
      url: "https://oauth.yandex.ru/authorize",
      params: { scope: "login:info login:email login:avatar" },
      allow: ["force_confirm"],
    },
    token: { url: "https://oauth.yandex.ru/token" },
    userinfo: { url: "https://login.yandex.ru/info", params: { format: "json" }, token: "OAuth" },
    revocation: "https://oauth.yandex.ru/revoke_token",
    profile: ({
      id,
      display_name: display,
      real_name: real,
      first_name: first,
      default_email: email,
      emails,
      default_avatar_id: avatar,
      is_avatar_empty: isEmpty,
    }) => ({
      id,
      name: display ?? real ?? first ?? null,
      email: email ?? emails?.[0] ?? null,
      image:
        !isEmpty && avatar ? `https://avatars.yandex.net/get-yapic/${avatar}/islands-200` : null,
    }),
  }),
);

export default yandexPlugin;
