import { describe, expectTypeOf, it } from "vitest";
import {
  type AccessToken,
  type AccessTokenRequest,
  accessTokens,
  type AccessTokensAuth,
} from "../../plugins/oauth/access-tokens.ts";
import { backchannelLogout } from "../../plugins/oauth/backchannel-logout.ts";
import { providerLogout } from "../../plugins/oauth/provider-logout.ts";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { oidcPlugin } from "../../plugins/providers/oidc.ts";
import { bearer } from "../../plugins/security/bearer.ts";
import { createAuth } from "../../presets/index.ts";
import { createAuth as createNode, type NodeMembers } from "../../presets/node.ts";
import type { AnyRequestSource, Auth, AuthContext, Plugin } from "../../src/kernel.ts";

const request = new Request("http://localhost/");

describe("accessTokens()", () => {
  it("adds getAccessToken() to the type of its Auth, and later plugins keep it", () => {
    const auth = createAuth()
      .use(accessTokens({ minValidity: 60, grace: 600 }))
      .use(githubPlugin());
    expectTypeOf(auth).toEqualTypeOf<Auth & AccessTokensAuth>();
    expectTypeOf(auth.getAccessToken).parameters.toEqualTypeOf<
      [call: AnyRequestSource, request: AccessTokenRequest]
    >();
    expectTypeOf(auth.getAccessToken(request, { provider: "github" })).toEqualTypeOf<
      Promise<AccessToken>
    >();
    expectTypeOf(createNode().use(accessTokens())).toEqualTypeOf<
      Auth & NodeMembers & AccessTokensAuth
    >();
  });

  it("getAccessToken() does not exist without the plugin", () => {
    // @ts-expect-error -- the plugin is not used
    void createAuth().getAccessToken;
  });

  it("getAccessToken() demands a provider, and refuses what is misspelled or of another type", () => {
    const auth = createAuth().use(accessTokens());
    // @ts-expect-error -- of which provider?
    void auth.getAccessToken(request);
    // @ts-expect-error -- no provider
    void auth.getAccessToken(request, {});
    // @ts-expect-error -- an object
    void auth.getAccessToken(request, "github");
    // @ts-expect-error -- seconds
    void auth.getAccessToken(request, { provider: "github", minValidity: "1m" });
    // @ts-expect-error -- minValidity
    void auth.getAccessToken(request, { provider: "github", minvalidity: 1 });
  });

  it("a token has texts, and may have no expiry", () => {
    expectTypeOf<AccessToken["accessToken"]>().toEqualTypeOf<string>();
    expectTypeOf<AccessToken["tokenType"]>().toEqualTypeOf<string>();
    expectTypeOf<AccessToken["expiresAt"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<AccessToken>().not.toHaveProperty("refreshToken");
  });

  it("options that are misspelled or of another type are refused", () => {
    // @ts-expect-error -- grace
    accessTokens({ graceful: 1 });
    // @ts-expect-error -- seconds
    accessTokens({ minValidity: "60" });
  });

  it("plugins get tokens through the service", () => {
    const get = (ctx: AuthContext) =>
      ctx.kernel.use("accessTokens").get(ctx, { provider: "github" });
    expectTypeOf(get).returns.toEqualTypeOf<Promise<AccessToken>>();
  });
});

describe("bearer() and hybrid sessions", () => {
  it("bearer() has no options and adds no server functions", () => {
    expectTypeOf(bearer()).toEqualTypeOf<Plugin>();
    expectTypeOf(createAuth().use(bearer())).toEqualTypeOf<Auth>();
    // @ts-expect-error -- there is nothing to choose
    bearer({ header: "x-token" });
  });

  it("`checkAge` of hybrid sessions is a number of seconds", () => {
    createAuth({ session: { strategy: "hybrid", checkAge: 30 } });
    // @ts-expect-error -- not a number
    createAuth({ session: { strategy: "hybrid", checkAge: "30s" } });
  });
});

describe("providerLogout() and backchannelLogout()", () => {
  it("are plugins that do not change the type of their Auth", () => {
    expectTypeOf(providerLogout({ providers: ["github"], revoke: true })).toEqualTypeOf<Plugin>();
    expectTypeOf(createAuth().use(providerLogout()).use(backchannelLogout())).toEqualTypeOf<Auth>();
  });

  it("refuse options that are misspelled or of another type", () => {
    // @ts-expect-error -- a list
    providerLogout({ providers: "github" });
    // @ts-expect-error -- true, or ids
    providerLogout({ revoke: "yes" });
    // @ts-expect-error -- frontchannel
    backchannelLogout({ frontChannel: true });
    // @ts-expect-error -- seconds
    backchannelLogout({ checkAge: "30s" });
  });

  it("the fields of providers are typed", () => {
    createAuth({
      providers: [
        githubPlugin({
          endSession: { url: "https://github.example/logout", hint: false, state: false },
          revocation: { url: "https://github.example/revoke", method: "DELETE", json: "token" },
        }),
      ],
    });
    // @ts-expect-error -- a URL or an object
    githubPlugin({ endSession: true });
    // @ts-expect-error -- POST or DELETE
    githubPlugin({ revocation: { method: "GET" } });
  });
});

describe("the profile of an OpenID provider", () => {
  it("has a `sub` that can be used as id, because it is verified", () => {
    const made = oidcPlugin({
      profile(profile) {
        expectTypeOf(profile.sub).toEqualTypeOf<string>();
        return { id: profile.sub, name: profile.name ?? null, email: profile.email ?? null };
      },
    });
    expectTypeOf(made).toExtend<Plugin>();
  });
});
