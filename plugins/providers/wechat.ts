import { defineProvider } from "../../src/index.ts";
import type { OAuthProvider } from "../../src/index.ts";

/** What `GET /sns/userinfo` tells. */
export interface WeChatProfile {
  /** One person's id for this application. */
  openid: string;
  /** One person's id for all applications of one Open Platform account, where there is one. */
  unionid?: string;
  nickname: string;
  headimgurl: string;
  sex?: number;
  language?: string;
  city?: string;
  province?: string;
  country?: string;
}

/** What WeChat can be told beside the fields every provider has. */
export interface WeChatOptions {
  /** `OfficialAccount` (default) signs in inside WeChat, `WebsiteApp` by QR code in any browser. */
  platformType?: "OfficialAccount" | "WebsiteApp";
}

const WAYS = {
  OfficialAccount: { path: "oauth2/authorize", scope: "snsapi_userinfo" },
  WebsiteApp: { path: "qrconnect", scope: "snsapi_login" },
} as const;

/**
 * Sign-in with WeChat. Callback `/auth/callback/wechat`; reads `AUTH_WECHAT_ID` (the app id) and
 * `AUTH_WECHAT_SECRET`. Bind the app to an Open Platform account before the first sign-in: the
 * account's id is `unionid` with one, `openid` without.
 */
export const wechatPlugin = defineProvider<OAuthProvider<WeChatProfile>, WeChatOptions>(
  ({ platformType = "OfficialAccount" }) => ({
    id: "wechat",
    name: "WeChat",
    type: "oauth",
    style: { brandColor: "#07c160" },
    authorization: {
      url: `https://open.weixin.qq.com/connect/${WAYS[platformType].path}`,
      params: { scope: WAYS[platformType].scope },
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
    // No PKCE.
    checks: ["state"],
    profile: ({ unionid, openid, nickname, headimgurl }) => ({
      id: unionid || openid,
      name: nickname,
      email: null,
      image: headimgurl,
    }),
  }),
);

export default wechatPlugin;
