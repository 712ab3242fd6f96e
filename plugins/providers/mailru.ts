import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Mail.ru's userinfo endpoint. */
export interface MailRuProfile {
  id: string;
  name?: string;
  nickname?: string;
  first_name?: string;
  last_name?: string;
  email?: string;
  image?: string;
}

/**
 * Adds sign-in with Mail.ru. The callback is `/auth/callback/mailru`. Reads `AUTH_MAILRU_ID` and `AUTH_MAILRU_SECRET`.
 * Whether the address is verified is unknown.
 *
 * @see https://o2.mail.ru/docs/
 */
export const mailruPlugin: ProviderFactory<OAuthProvider<MailRuProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "mailru",
    name: "Mail.ru",
    type: "oauth",
    style: { brandColor: "#005ff9", icon: () => import("./_icons/mailru.ts") },
    authorization: { url: "https://oauth.mail.ru/login", params: { scope: "userinfo" } },
    token: { url: "https://oauth.mail.ru/token" },
    userinfo: {
      url: "https://oauth.mail.ru/userinfo",
      token: "query:access_token",
      errorMember: "error",
    },
    profile: ({ id, name, nickname, email, image }) => ({
      id,
      name: name ?? nickname ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default mailruPlugin;
