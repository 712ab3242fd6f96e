import { describe, expect, it } from "vitest";
import { createAuth } from "../../presets/index.ts";
import { InvalidEndpoints } from "../../src/index.ts";
import type { Check, OAuthClient, Plugin } from "../../src/index.ts";
import { make, profileOf, resolve } from "./_provider.ts";
import type { AnyFactory, Person } from "./_provider.ts";
import type { Way } from "./_vendor.ts";
import { testWay } from "./_way.ts";

/** What is recorded of a provider. */
export interface Facts {
  id: string;
  name: string;
  type: "oauth" | "oidc";
  brandColor: string;
  issuer?: string;
  /** What is discovered has no URL here. `params` are all static ones. */
  authorization: { url?: string; params?: Record<string, unknown>; allow?: readonly string[] };
  token?: string;
  auth?: OAuthClient["token_endpoint_auth_method"];
  userinfo?: { url: string; headers?: Record<string, string>; root?: string };
  checks: readonly Check[];
  /** The vendor's end. */
  way: Way;
  people: readonly Person[];
  /** Options, and what they change. */
  variants?: readonly { about: string; plugin: Plugin; resolved: object }[];
}

/** What must hold of a provider: its recorded facts. */
export function testProvider(factory: AnyFactory, facts: Facts): void {
  describe(facts.id, () => {
    const provider = resolve(make(factory));

    it("is what was recorded", () => {
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

    for (const person of facts.people) {
      it(`knows ${person.about}`, async () => {
        const profile = profileOf(provider, person);
        const user = await provider.profile?.(profile, {});
        if (provider.profile) expect(user).toEqual(person.user);
        expect(provider.emailVerified?.(profile)).toBe(person.verified);
      });
    }

    for (const { about, plugin, resolved } of facts.variants ?? []) {
      it(`can be told ${about}`, () => {
        expect(resolve(plugin)).toMatchObject(resolved);
      });
    }

    it("reads the environment, and options before it", () => {
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

    it("can be there twice", () => {
      const second = make(factory, { id: "second", name: "Second" });
      expect(second).toMatchObject({ name: "second", provides: ["provider:second"] });
      expect(resolve(second, { AUTH_SECOND_ID: "other" })).toMatchObject({
        id: "second",
        name: "Second",
        clientId: "other",
      });
    });

    it("lets every field be overridden", () => {
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
      expect(overridden.token).toMatchObject(dataOf({ ...provider.token, url: undefined }));
      expect(overridden.checks).toEqual(["state"]);
      expect(overridden.client?.token_endpoint_auth_method).toBe("client_secret_basic");
      expect(overridden.profile?.({}, {})).toEqual({ id: "mine" });
    });

    const formPost = facts.authorization.params?.response_mode === "form_post";
    const checks = [...facts.checks, ...(facts.way.added ?? [])];
    testWay(factory, { ...facts, checks, formPost }, facts.people);
  });
}

/** A provider of many servers says at boot that it must be told which. */
export function testIssuerNeeded(factory: AnyFactory): void {
  it("asks for its issuer at boot", async () => {
    const env = { AUTH_SECRET: "a secret for the tests, long enough" };
    const auth = createAuth({ env }).use(make(factory, { clientId: "id", clientSecret: "secret" }));
    const boot = async () => auth.inspect();
    await expect(boot()).rejects.toThrow(InvalidEndpoints);
    await expect(boot()).rejects.toThrow(/issuer.*AUTH_[A-Z0-9]+_ISSUER/s);
  });
}

/** An object without its functions, which are made anew each time, and without what is not there. */
function dataOf(value: object): object {
  return JSON.parse(JSON.stringify(value)) as object;
}
