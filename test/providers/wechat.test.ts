import { expect, it } from "vitest";
import { wechatPlugin } from "../../plugins/providers/wechat.ts";
import { testProvider } from "./_suite.ts";
import type { Way } from "./_vendor.ts";
import { setUp } from "./_way.ts";

const vendorUser = {
  openid: "oLVPpjqs9BhvzwPj5A-vTYAX3GLc",
  nickname: "小明",
  sex: 1,
  language: "zh_CN",
  city: "深圳",
  province: "广东",
  country: "中国",
  headimgurl: "https://thirdwx.qlogo.cn/mmopen/vi_32/ming/132",
  privilege: [],
};
const user = {
  id: "o6_bmasdasdsad6_2sgVt7hMZOPfL",
  name: "小明",
  email: null,
  image: "https://thirdwx.qlogo.cn/mmopen/vi_32/ming/132",
};

const way: Way = {
  authorize: {
    url: "https://open.weixin.qq.com/connect/oauth2/authorize",
    query: { scope: "snsapi_userinfo" },
    clientIdParam: "appid",
    fragment: "#wechat_redirect",
  },
  token: {
    url: "https://api.weixin.qq.com/sns/oauth2/access_token?appid=client-id&secret=client%2Fsecret%2B1",
    answer: {
      access_token: "OezXcEiiBSKSxW0eoylIeJ",
      expires_in: 7200,
      refresh_token: "OezXcEiiBSKSxW0eoylIeK",
      openid: "oLVPpjqs9BhvzwPj5A-vTYAX3GLc",
      scope: "snsapi_userinfo",
    },
  },
  userinfo: {
    url: "https://api.weixin.qq.com/sns/userinfo?openid=oLVPpjqs9BhvzwPj5A-vTYAX3GLc&lang=zh_CN&access_token=OezXcEiiBSKSxW0eoylIeJ",
    bearer: false,
  },
  refusal: { status: 200, body: { errcode: 40_029, errmsg: "invalid code" } },
  refusalOfUserinfo: { status: 200, body: { errcode: 40_003, errmsg: "invalid openid" } },
};

testProvider(wechatPlugin, {
  id: "wechat",
  name: "WeChat",
  type: "oauth",
  brandColor: "#07c160",
  authorization: {
    url: "https://open.weixin.qq.com/connect/oauth2/authorize",
    params: { scope: "snsapi_userinfo" },
  },
  token: "https://api.weixin.qq.com/sns/oauth2/access_token?appid={clientId}&secret={clientSecret}",
  auth: "none",
  userinfo: { url: "https://api.weixin.qq.com/sns/userinfo" },
  checks: ["state"],
  way,
  users: [
    {
      about: "a user across the apps of one account (unionid)",
      answer: { ...vendorUser, unionid: "o6_bmasdasdsad6_2sgVt7hMZOPfL" },
      user,
    },
    {
      about: "a user of one app (openid)",
      answer: { ...vendorUser, unionid: "" },
      user: { ...user, id: "oLVPpjqs9BhvzwPj5A-vTYAX3GLc" },
    },
  ],
  variants: [
    {
      about: "platformType, which selects the QR code page",
      plugin: wechatPlugin({ platformType: "WebsiteApp" }),
      resolved: {
        authorization: {
          url: "https://open.weixin.qq.com/connect/qrconnect",
          params: { scope: "snsapi_login" },
          fragment: "wechat_redirect",
          clientIdParam: "appid",
        },
      },
    },
  ],
});

it("wechat: the authorization parameters are in the order that WeChat requires", async () => {
  const walk = { id: "wechat", checks: ["state"] as const, formPost: false, way };
  const wechatUser = { about: "wechatUser", answer: vendorUser, user };
  const url = await setUp(wechatPlugin, walk, wechatUser).startSignIn();
  const order = ["appid", "redirect_uri", "response_type", "scope", "state"];
  expect([...url.searchParams.keys()]).toEqual(order);
});
