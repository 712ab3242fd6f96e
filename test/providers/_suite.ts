import { describe, expect, it } from "vitest";
import type { Check, OAuthClient } from "../../plugins/flows/oauth/provider.ts";
import { createAuth } from "../../presets/index.ts";
import { InvalidEndpoints } from "../../src/errors.ts";
import type { Plugin } from "../../src/kernel.ts";
import { make, buildProfile, resolve } from "./_provider.ts";
import type { AnyFactory, VendorUser } from "./_provider.ts";
import type { Way } from "./_vendor.ts";
import { testSignIn } from "./_way.ts";

/** The recorded facts of a provider. */
export interface Facts {
  id: string;
  name: string;
  type: "oauth" | "oidc";
  brandColor: string;
  issuer?: string;
  /** `url` is absent if it is discovered. `params` are the static ones. */
  authorization: { url?: string; params?: Record<string, unknown>; allow?: readonly string[] };
  token?: string;
  auth?: OAuthClient["token_endpoint_auth_method"];
  userinfo?: { url: string; headers?: Record<string, string>; root?: string };
  checks: readonly Check[];
  /** The vendor's endpoints and responses. */
  way: Way;
  users: readonly VendorUser[];
  /** Options with their effect on the resolved provider. */
  variants?: readonly { about: string; plugin: Plugin; resolved: object }[];
}

/** Tests a provider against its recorded facts. */
export function testProvider(factory: AnyFactory, facts: Facts): void {
  describe(`${facts.id} provider`, () => {
    const provider = resolve(make(factory));

    it(`${facts.id}: resolves to the recorded endpoints, parameters and checks`, () => {
      const { authorization, token, userinfo } = provider;
      expect(provider).toMatchObject({ id: facts.id, name: facts.name, type: facts.type });
      expect(provider.style).toEqual({ brandColor: facts.brandColor });
      expect(provider.issuer).toBe(facts.issuer);
      expect(authorization?.url).toBe(facts.authorization.url);
      expect(authorization?.params).toEqual(facts.authorization.params);
      expect(authorization?.allow).toEqual(facts.authorization.allow);
      expect(token?.url).toBe(facts.token);
      expect(userinfo?.url).toBe(facts.userinfo?.url);
      expect(userinfo?.headers).toEqual(facts.userinfo?.headers);
      expect(userinfo?.root).toBe(facts.userinfo?.root);
      expect(provider.client?.token_endpoint_auth_method).toBe(facts.auth);
      expect(provider.checks ?? ["pkce"]).toEqual(facts.checks);
    });

    for (const vendorUser of facts.users) {
      it(`${facts.id}: profile() maps ${vendorUser.about}`, async () => {
        const profile = buildProfile(provider, vendorUser);
        const user = await provider.profile?.(profile, {});
        if (provider.profile) expect(user).toEqual(vendorUser.user);
        const { email } = vendorUser.user;
        const stated = email ? provider.emailVerified?.(profile, email) : undefined;
        expect(stated).toBe(vendorUser.verified);
        // An application may map another address, which any user could have entered at the
        // provider.
        expect(provider.emailVerified?.(profile, "eve@keyhook.dev")).not.toBe(true);
      });
    }

    for (const { about, plugin, resolved } of facts.variants ?? []) {
      it(`${facts.id}: applies the option ${about}`, () => {
        expect(resolve(plugin)).toMatchObject(resolved);
      });
    }

    it(`${facts.id}: reads credentials from the environment, and options override them`, () => {
      const prefix = `AUTH_${facts.id.toUpperCase().replaceAll("-", "_")}`;
      const env = {
        [`${prefix}_ID`]: "env-id",
        [`${prefix}_SECRET`]: "env-secret",
        [`${prefix}_ISSUER`]: "https://env.example",
      };
      expect(resolve(make(factory), env)).toMatchObject({
        clientId: "env-id",
        clientSecret: "env-secret",
        issuer: "https://env.example",
      });
      const given = { clientId: "given", clientSecret: undefined, issuer: "https://given.example" };
      expect(resolve(make(factory, given), env)).toMatchObject({
        clientId: "given",
        clientSecret: "env-secret",
        issuer: "https://given.example",
      });
    });

    it(`${facts.id}: can be registered twice with different ids`, () => {
      const second = make(factory, { id: "second", name: "Second" });
      expect(second).toMatchObject({ name: "second", provides: ["provider:second"] });
      expect(resolve(second, { AUTH_SECOND_ID: "other" })).toMatchObject({
        id: "second",
        name: "Second",
        clientId: "other",
      });
    });

    it(`${facts.id}: every field can be overridden by an option`, () => {
      const plugin = make(factory, {
        authorization: { params: { scope: "mine", prompt: "login" } },
        token: "https://vendor.example/token",
        checks: ["state"],
        client: { token_endpoint_auth_method: "client_secret_basic" },
        profile: () => ({ id: "mine" }),
      });
      const overridden = resolve(plugin);
      expect(overridden.authorization).toEqual({
        ...provider.authorization,
        params: { ...provider.authorization?.params, scope: "mine", prompt: "login" },
      });
      expect(overridden.token?.url).toBe("https://vendor.example/token");
      expect(overridden.token).toMatchObject(toData({ ...provider.token, url: undefined }));
      expect(overridden.checks).toEqual(["state"]);
      expect(overridden.client?.token_endpoint_auth_method).toBe("client_secret_basic");
      expect(overridden.profile?.({}, {})).toEqual({ id: "mine" });
    });

    const formPost = facts.authorization.params?.response_mode === "form_post";
    const checks = [...facts.checks, ...(facts.way.added ?? [])];
    testSignIn(factory, { ...facts, checks, formPost }, facts.users);
  });
}

/** Tests that a provider of many servers requires an issuer at boot. */
export function testIssuerNeeded(factory: AnyFactory): void {
  it(`${make(factory).provider.id}: inspect() throws InvalidEndpoints without an issuer`, async () => {
    const env = { AUTH_SECRET: "a secret for the tests, long enough" };
    const auth = createAuth({ env }).use(make(factory, { clientId: "id", clientSecret: "secret" }));
    const boot = async () => auth.inspect();
    await expect(boot()).rejects.toThrow(InvalidEndpoints);
    await expect(boot()).rejects.toThrow(/issuer.*AUTH_[A-Z0-9]+_ISSUER/s);
  });
}

/**
 * Copies an object without functions, which are created on each call, and without undefined
 * members.
 */
function toData(value: object): object {
  return JSON.parse(JSON.stringify(value)) as object;
}
