import { describe, expect, it, vi } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { InvalidConfig, MissingRequest } from "../../src/errors/errors.ts";
import type { AuthConfig, Env, Plugin } from "../../src/kernel.ts";
import { diagnose, diagnoseRequest } from "../../src/testing.ts";
import { createTestAuth, ENV, SECRET } from "../_app.ts";

/** Diagnoses the standard preset. Returns the texts of the decisions by name. */
function explain(config: AuthConfig = {}, plugins: readonly Plugin[] = []) {
  const auth = createAuth({ env: {}, ...config });
  for (const plugin of plugins) auth.use(plugin);
  const { decisions, ...rest } = diagnose(auth);
  const byName = decisions.map(({ name, value, reason }) => [name, `${value} | ${reason}`]);
  return { ...rest, decisions: Object.fromEntries(byName) as Record<string, string> };
}

const URL_ENV = { NODE_ENV: "test", AUTH_URL: "https://app.example/own" };

describe("decisions of diagnose(auth)", () => {
  it.each<[name: string, env: Env, text: string]>([
    ["environment", {}, "production | there are no environment variables"],
    ["environment", { NODE_ENV: "production" }, "production | NODE_ENV=production"],
    ["environment", { NODE_ENV: "test" }, "development | NODE_ENV=test"],
    ["environment", { PATH: "/" }, "development | NODE_ENV is not set"],
    ["origin", URL_ENV, "https://app.example | AUTH_URL"],
    ["origin", { NEXTAUTH_URL: "http://a.example" }, "http://a.example | NEXTAUTH_URL"],
    ["origin", {}, "from each request | AUTH_URL is not set"],
    ["trustHost", URL_ENV, "true | AUTH_URL"],
    ["trustHost", { NEXTAUTH_URL: "http://a.example" }, "true | NEXTAUTH_URL"],
    ["trustHost", { AUTH_TRUST_HOST: "no" }, "false | AUTH_TRUST_HOST"],
    ["trustHost", { VERCEL: "1" }, "true | VERCEL"],
    ["trustHost", ENV, "true | default in development"],
    ["trustHost", {}, "false | default in production"],
    ["basePath", URL_ENV, "/own | the path of the public URL"],
    ["basePath", {}, "/auth | default"],
    ["secret", {}, "none | AUTH_SECRET is not set"],
    ["secret", ENV, "random, until this process ends | AUTH_SECRET is not set"],
    ["secret", { AUTH_SECRET: SECRET }, "one of 36 characters | AUTH_SECRET"],
    [
      "secret",
      { AUTH_SECRET: "x", AUTH_SECRET_2: SECRET },
      "2 of 36 and 1 characters | AUTH_SECRET_2, AUTH_SECRET",
    ],
    ["trustProxy", {}, "0 | default"],
    ["trustProxy", { AUTH_TRUST_PROXY: " 2 " }, "2 | AUTH_TRUST_PROXY"],
    ["useSecureCookies", URL_ENV, "true | AUTH_URL"],
    ["useSecureCookies", { AUTH_URL: "http://a.example" }, "false | AUTH_URL"],
    ["useSecureCookies", {}, "where the origin is https | default"],
    [
      "cookies.csrfToken",
      URL_ENV,
      "__Host-authjs.csrf-token; Secure; HttpOnly; SameSite=lax; Path=/ | default on https",
    ],
    [
      "cookies.csrfToken",
      { AUTH_URL: "http://a.example" },
      "authjs.csrf-token; HttpOnly; SameSite=lax; Path=/ | default on http",
    ],
  ])("names the variable that decided %s: %j", (name, env, text) => {
    expect(explain({ env }).decisions[name]).toBe(text);
  });

  it.each<[name: string, config: AuthConfig, text: string]>([
    [
      "trustHost",
      { trustHost: ["a.example", "*.b.example"] },
      "a.example, *.b.example | `trustHost`",
    ],
    ["trustHost", { trustHost: false, env: URL_ENV }, "false | `trustHost`"],
    ["basePath", { basePath: "/api/auth", env: URL_ENV }, "/api/auth | `basePath`"],
    ["basePath", { basePath: "/" }, "/ | `basePath`"],
    ["trustProxy", { trustProxy: 1, env: { AUTH_TRUST_PROXY: "2" } }, "1 | `trustProxy`"],
    ["secret", { secret: [SECRET, "x"] }, "2 of 36 and 1 characters | `secret`"],
    ["useSecureCookies", { useSecureCookies: false }, "false | `useSecureCookies`"],
    ["session.strategy", { session: { strategy: "jwt" }, adapter: {} }, "jwt | `session.strategy`"],
    ["session.strategy", { adapter: {} }, "database | there is an adapter"],
    ["session.strategy", {}, "jwt | there is no adapter"],
    ["adapter", { adapter: { getUser: () => null } }, "1 methods | `adapter`"],
    ["adapter", {}, "none | neither `adapter` nor a plugin sets one"],
    ["store", {}, "none | no plugin needs one"],
    [
      "cookies.sessionToken",
      { cookies: { sessionToken: { name: "sid", options: { domain: "a.example" } } }, env: ENV },
      "sid; HttpOnly; SameSite=lax; Domain=a.example; Path=/ | `cookies.sessionToken`",
    ],
  ])("names the option that decided %s: %j", (name, config, text) => {
    expect(explain(config).decisions[name]).toBe(text);
  });

  it("names the plugin that decided on adapter and store", () => {
    const { decisions } = explain({ env: ENV }, [memoryStore(), storeAdapter()]);
    expect(decisions.store).toBe('memory | the plugin "stores/memory"');
    expect(decisions.adapter).toMatch(/^\d\d methods \| the plugin "adapters\/store"$/);
  });

  it("no decision contains a secret", () => {
    const { decisions } = explain({ secret: SECRET, jwt: { secret: `${SECRET}-jwt` } });
    expect(JSON.stringify(decisions)).not.toContain(SECRET);
  });
});

describe("diagnose(auth)", () => {
  it("suggests the variable that an unread one probably stands for, even with faults", () => {
    const env = { AUTH_SECRET: SECRET, AUTH_TRUSTHOST: "true", AUTH_ULR: "x", AUTH_OTHER: "x" };
    const meant = { AUTH_TRUSTHOST: "AUTH_TRUST_HOST", AUTH_ULR: "AUTH_URL" };
    const development = explain({ env: { ...env, NODE_ENV: "test" } });
    expect(development.misspelled).toEqual(meant);
    expect(development.unread).toEqual(["AUTH_OTHER", "AUTH_TRUSTHOST", "AUTH_ULR"]);
    const production = explain({ env: { ...env, NODE_ENV: "production" } });
    expect(production.faults).toHaveLength(1);
    expect(production.unread).toEqual(Object.keys(meant));
  });

  it.each(["http://localhost:5300", "https://app.example"])(
    "the cookies of inspect() are those of the decisions, also in production at %s",
    (url) => {
      const env = { NODE_ENV: "production", AUTH_SECRET: SECRET, AUTH_URL: url };
      const { inspection, decisions } = explain({ env });
      const { name = "" } = inspection?.cookies.sessionToken ?? {};
      expect(name.startsWith("__")).toBe(url.startsWith("https:"));
      expect(decisions["cookies.sessionToken"]).toMatch(new RegExp(`^${name};`));
    },
  );

  it("returns all faults and warnings, and logs nothing", () => {
    const { auth, log } = createTestAuth({
      secret: "short",
      use: [{ name: "a", requires: ["b"], setup() {} }],
      session: { maxAge: -1, rolling: true } as AuthConfig["session"],
    } as never);
    const { faults, warnings, inspection, decisions } = diagnose(auth);
    expect(faults.map(({ type }) => type)).toEqual(["PluginError", "InvalidConfig"]);
    expect(faults[0]?.message).toBe('"a" requires "b". Add a plugin that provides it.');
    expect(warnings.map(({ code }) => code)).toEqual(["config-unknown", "secret-short"]);
    expect(inspection).toBeNull();
    expect(decisions.length).toBeGreaterThan(5);
    expect(log.warnings).toEqual([]);
  });

  it("returns the packages that providers need, and not those of flows that a preset brings", () => {
    expect(explain().packages).toEqual([]);
    const flags = { experimental: { enableWebAuthn: true } };
    const plugins = [memoryStore(), storeAdapter(), passkeyPlugin()];
    expect(explain(flags, plugins).packages).toEqual(["@simplewebauthn/server"]);
  });

  it("returns what inspect() returns when there are no faults", () => {
    const { auth } = createTestAuth();
    expect(diagnose(auth)).toMatchObject({ faults: [], inspection: auth.inspect() });
  });

  it("boots with changes over the configuration, and leaves the running kernel as it is", async () => {
    const { auth, browser } = createTestAuth();
    expect(await browser.session()).toBeNull();
    const production = diagnose(auth, { env: { NODE_ENV: "production" } });
    expect(production.faults.map(({ type }) => type)).toEqual(["UntrustedHost"]);
    expect(diagnose(auth, { basePath: "/other" }).inspection?.basePath).toBe("/other");
    expect(auth.inspect().basePath).toBe("/auth");
    expect(await browser.session()).toBeNull();
  });

  it("keeps the variables of the process that `changes` does not name", () => {
    vi.stubEnv("AUTH_SECRET", SECRET);
    vi.stubEnv("AUTH_URL", "https://app.example");
    const { faults } = diagnose(createAuth(), { env: { NODE_ENV: "production" } });
    vi.unstubAllEnvs();
    expect(faults).toEqual([]);
  });

  it("does not close use(), and does not run init()", () => {
    const init = vi.fn();
    const { auth } = createTestAuth({ use: [{ name: "a", setup() {}, init }] });
    expect(diagnose(auth).faults).toEqual([]);
    auth.use({ name: "b", setup() {} });
    expect(auth.inspect().plugins.map(({ name }) => name)).toContain("b");
    expect(init).not.toHaveBeenCalled();
  });

  it("throws MissingRequest when the configuration is a function", () => {
    expect(() => diagnose(createAuth(() => ({})))).toThrow(MissingRequest);
  });

  it("diagnoseRequest() boots what the function returns for a request, and logs nothing", async () => {
    const tenants = createAuth(async (request) => {
      const { hostname } = new URL(request!.url);
      if (!hostname.endsWith(".example.com")) throw new Error(`No tenant ${hostname}`);
      return { basePath: `/${hostname.split(".")[0]}`, secret: SECRET, trustHost: true };
    });
    const production = { env: { NODE_ENV: "production" } };
    const acme = new Request("https://acme.example.com");
    const { faults, inspection } = await diagnoseRequest(tenants, acme, production);
    expect({ faults, basePath: inspection?.basePath }).toEqual({ faults: [], basePath: "/acme" });
    const logged = vi.spyOn(console, "error");
    const other = diagnoseRequest(tenants, new Request("https://evil.example"), production);
    await expect(other).rejects.toThrow("No tenant evil.example");
    const none = createAuth(() => null as never);
    await expect(diagnoseRequest(none, acme)).rejects.toThrow(InvalidConfig);
    expect(logged).not.toHaveBeenCalled();
    const plain = createAuth({ basePath: "/own", secret: SECRET });
    expect((await diagnoseRequest(plain, acme)).inspection?.basePath).toBe("/own");
  });
});
