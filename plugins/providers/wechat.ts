import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of WeChat's `GET /sns/userinfo`. */
export interface WeChatProfile {
  /** The user's id, unique only for this application. */
  openid: string;
  /** The user's id for all applications of one Open Platform account. Absent without such an account. */
  unionid?: string;
  nickname: string;
  headimgurl: string;
  sex?: number;
  language?: string;
  city?: string;
  province?: string;
  country?: string;
}

/** Options of `wechatPlugin`, in addition to those of every provider. */
export interface WeChatOptions {
  /** `OfficialAccount` (default) signs in inside WeChat, `WebsiteApp` by QR code in any browser. */
  platformType?: "OfficialAccount" | "WebsiteApp";
}

const PLATFORMS = {
  OfficialAccount: { path: "oauth2/authorize", scope: "snsapi_userinfo" },
  WebsiteApp: { path: "qrconnect", scope: "snsapi_login" },
} as const;

/**
 * Adds sign-in with WeChat. The callback is `/auth/callback/wechat`. Reads `AUTH_WECHAT_ID` (the app id) and
 * `AUTH_WECHAT_SECRET`. Bind the app to an Open Platform account before the first sign-in. The account's id is
 * `unionid` with such an account, and `openid` without one.
 */
export const wechatPlugin: ProviderFactory<
  OAuthProvider<WeChatProfile>,
  WeChatOptions
> = defineProvider(oauthFlow, ({ platformType = "OfficialAccount" }) => ({
  id: "wechat",
  name: "WeChat",
  type: "oauth",
  style: { brandColor: "#07c160" },
  settings: {
    platformType: { example: "WebsiteApp", oneOf: ["OfficialAccount", "WebsiteApp"] },
  },
  authorization: {
    url: `https://open.weixin.qq.com/connect/${PLATFORMS[platformType].path}`,
    params: { scope: PLATFORMS[platformType].scope },
    clientIdParam: "appid",
    fragment: "wechat_redirect",
  },
  token: {
    url: "https://api.weixin.qq.com/sns/oauth2/access_token?appid={clientId}&secret={clientSecret}",
    errorMember: "errcode",
  },
  userinfo: {
    url: "https://api.weixin.qq.com/sns/userinfo",
    params: { openid: "{tokens.openid}", lang: "zh_CN" },
    token: "query:access_token",
    errorMember: "errcode",
  },
  client: { token_endpoint_auth_method: "none" },
  // WeChat does not support PKCE.
  checks: ["state"],
  profile: ({ unionid, openid, nickname, headimgurl }) => ({
    id: unionid || openid,
    name: nickname,
    email: null,
    image: headimgurl,
  }),
}));

export default wechatPlugin;
