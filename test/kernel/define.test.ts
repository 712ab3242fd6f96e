import { describe, expect, expectTypeOf, it } from "vitest";
import { oidcFlow } from "../../plugins/flows/oauth.ts";
import type { OAuthProvider, OIDCProvider } from "../../plugins/flows/oauth/provider.ts";
import { defineProvider, definePlugin, definePreset } from "../../src/kernel/define.ts";
import { customFetch } from "../../src/platform/symbols.ts";
import type { Kernel } from "../../src/types/kernel.ts";
import type { Plugin } from "../../src/types/plugin.ts";
import type { ProviderBase } from "../../src/types/provider.ts";

interface Acme {
  sub: string;
}

const acmePlugin = defineProvider<OIDCProvider<Acme>, { tenant?: string }>(
  oidcFlow,
  ({ tenant = "main", issuer = `https://${tenant}.acme.example` }) => ({
    id: "acme",
    name: "Acme",
    type: "oidc",
    issuer,
    authorization: { params: { scope: "openid", prompt: "login" } },
    token: `${issuer}/token`,
    checks: ["pkce", "state"],
  }),
);

const classicPlugin = defineProvider<OAuthProvider>(oidcFlow, () => ({
  id: "classic",
  name: "Classic",
  type: "oauth",
  authorization: "https://classic.example/authorize?scope=read",
  token: "https://classic.example/token?v=1",
  userinfo: "https://classic.example/me?v=1",
}));

function boot(plugin: { setup(kernel: Kernel): void }, env: Record<string, string> = {}) {
  const added: ProviderBase[] = [];
  plugin.setup({
    env,
    addProvider: (provider: ProviderBase) => added.push(provider),
  } as unknown as Kernel);
  expect(added).toHaveLength(1);
  return added[0] as OIDCProvider<Acme> & { tenant?: string };
}

describe("definePlugin() and definePreset()", () => {
  it("definePlugin() and definePreset() return their argument", () => {
    const plugin = { name: "one", setup() {} } as const;
    expect(definePlugin(plugin)).toBe(plugin);
    const preset = { name: "two", plugins: [plugin] };
    expect(definePreset(preset)).toBe(preset);
  });

  it("definePlugin() accepts an object of a type with further fields", () => {
    interface Extended extends Plugin {
      extra: number;
    }
    const extended: Extended = { name: "one", setup() {}, extra: 1 };
    expect(definePlugin(extended)).toBe(extended);
    // @ts-expect-error -- misspelled
    definePlugin({ name: "one", require: ["two"], setup() {} });
  });
});

describe("definePlugin() of a function", () => {
  const pair = definePlugin(function pair(first: string, second = "b"): Plugin & { both: string } {
    return { name: "pair", both: first + second, setup() {} };
  });

  it("definePlugin() of a function returns a function with the same name, parameters and result", () => {
    expect(pair.name).toBe("pair");
    expect(pair("a").both).toBe("ab");
    expect(pair("a", "c")).toMatchObject({ name: "pair", both: "ac" });
    expect(pair("a")).not.toBe(pair("a"));
    // @ts-expect-error -- a missing argument
    pair();
  });

  it("a plugin of a factory has no field more than what the function returned", () => {
    expect(Object.keys(pair("a"))).toEqual(["name", "both", "setup"]);
    expect(Object.getOwnPropertySymbols({ ...pair("a") })).toEqual([]);
  });

  it("a factory returns what its function returns, even if boot refuses it", () => {
    for (const value of [undefined, null, 1, Object.freeze({ name: "frozen", setup() {} })]) {
      expect(definePlugin(() => value as Plugin)()).toBe(value);
    }
  });

  it("a factory throws what its function throws", () => {
    const failing = definePlugin((): Plugin => {
      throw new RangeError("no");
    });
    expect(() => failing()).toThrow(RangeError);
  });
});

describe("defineProvider()", () => {
  it("defineProvider() creates a plugin named after the provider", () => {
    expect(acmePlugin()).toMatchObject({ name: "acme", provides: ["provider:acme"] });
    expect(acmePlugin({ id: "other" })).toMatchObject({
      name: "other",
      provides: ["provider:other"],
      provider: { id: "other", name: "Acme" },
    });
  });

  it("defineProvider() refuses a flow that was called already", () => {
    const define = defineProvider as unknown as (flow: unknown, definition: () => object) => void;
    expect(() => define(oidcFlow(), () => ({}))).toThrow(
      "defineProvider() received the plugin of a flow. Pass the function that returns it, such as oidcFlow.",
    );
  });

  it("the factory of defineProvider() has the provider's name, if the name needs no options", () => {
    expect(acmePlugin.name).toBe("acmePlugin");
    const named = (id: string) =>
      defineProvider<OIDCProvider>(oidcFlow, () => ({ id, name: id, type: "oidc", issuer: "" }));
    expect(named("acme-staff-id").name).toBe("acmeStaffIdPlugin");
    const regional = defineProvider<OIDCProvider, { region: string }>(oidcFlow, ({ region }) => ({
      id: region.toLowerCase(),
      name: "Acme",
      type: "oidc",
    }));
    expect(regional.name).toBe("");
  });

  it("defineProvider() merges options over the definition", () => {
    const profile = () => ({ id: "1" });
    const provider = boot(acmePlugin({ name: "ACME", clientId: "id", profile }));
    expect(provider).toMatchObject({ name: "ACME", clientId: "id", type: "oidc" });
    expect(provider.profile).toBe(profile);
  });

  it("defineProvider() passes options to the definition", () => {
    expect(boot(acmePlugin({ tenant: "blue" }))).toMatchObject({
      issuer: "https://blue.acme.example",
      token: { url: "https://blue.acme.example/token" },
    });
  });

  it("defineProvider() completes options from the environment at boot", () => {
    const plugin = acmePlugin({ clientId: "given" });
    expect(plugin.provider).not.toHaveProperty("clientSecret");
    const env = {
      AUTH_ACME_ID: "env",
      AUTH_ACME_SECRET: "secret",
      AUTH_ACME_ISSUER: "https://env.example",
    };
    expect(boot(plugin, env)).toMatchObject({
      clientId: "given",
      clientSecret: "secret",
      issuer: "https://env.example",
      token: { url: "https://env.example/token" },
    });
    expect(boot(plugin)).not.toHaveProperty("clientSecret");
  });

  it("defineProvider() reads the environment under the configured id", () => {
    const env = { AUTH_ACME_ID: "first", AUTH_ACME_TWO_ID: "second" };
    expect(boot(acmePlugin({ id: "acme-two" }), env).clientId).toBe("second");
  });

  it("defineProvider() treats an undefined option as unset", () => {
    const plugin = acmePlugin({ id: undefined, tenant: undefined, clientId: undefined });
    expect(plugin.name).toBe("acme");
    expect(boot(plugin, { AUTH_ACME_ID: "env" })).toMatchObject({
      clientId: "env",
      issuer: "https://main.acme.example",
    });
  });

  it("defineProvider() keeps an endpoint's URL and merges its parameters", () => {
    const url = "https://proxy.example/authorize";
    expect(boot(acmePlugin({ authorization: url })).authorization).toEqual({
      url,
      params: { scope: "openid", prompt: "login" },
    });
    const params = { scope: "openid email" };
    expect(boot(acmePlugin({ authorization: { params } })).authorization).toEqual({
      params: { scope: "openid email", prompt: "login" },
    });
    expect(boot(classicPlugin({ authorization: { params } })).authorization).toEqual({
      url: "https://classic.example/authorize",
      params: { scope: "openid email" },
    });
  });

  it("defineProvider() parses the query of the authorization URL as parameters, but not of other URLs", () => {
    const url = "https://proxy.example/authorize?scope=mine&a=b%20c?";
    expect(boot(acmePlugin({ authorization: url })).authorization).toEqual({
      url: "https://proxy.example/authorize",
      params: { scope: "mine", prompt: "login", a: "b c?" },
    });
    expect(boot(classicPlugin())).toMatchObject({
      token: { url: "https://classic.example/token?v=1" },
      userinfo: { url: "https://classic.example/me?v=1" },
    });
    expect(boot(classicPlugin({ token: "https://proxy.example/t?v=2" })).token).toEqual({
      url: "https://proxy.example/t?v=2",
    });
  });

  it("defineProvider() replaces lists instead of merging them", () => {
    expect(boot(acmePlugin({ checks: ["nonce"] })).checks).toEqual(["nonce"]);
  });

  it("defineProvider() keeps the provider's custom fetch", () => {
    const fetch = async () => new Response();
    expect(boot(acmePlugin({ [customFetch]: fetch }))[customFetch]).toBe(fetch);
  });

  it("defineProvider() does not modify options, and builds a new provider each time", () => {
    const options = { authorization: { params: { scope: "openid" } }, checks: ["pkce"] as const };
    const before = structuredClone(options);
    const plugin = acmePlugin(options);
    const one = boot(plugin);
    const other = boot(plugin);
    expect(options).toEqual(before);
    expect(one).toEqual(other);
    expect(one).not.toBe(other);
    expect(one.authorization).not.toBe(other.authorization);
    expect(one.authorization).not.toBe(options.authorization);
  });

  it("defineProvider() types the options and the profile", () => {
    // @ts-expect-error: a tenant is a string.
    acmePlugin({ tenant: 1 });
    // @ts-expect-error: the definition sets the type.
    acmePlugin({ type: "oauth" });
    // @ts-expect-error: no such option.
    acmePlugin({ teanant: "blue" });
    acmePlugin({
      profile: (profile) => {
        expectTypeOf(profile).toEqualTypeOf<Acme>();
        return { id: profile.sub };
      },
    });
    expectTypeOf(acmePlugin().provider).toEqualTypeOf<OIDCProvider<Acme>>();
  });
});
