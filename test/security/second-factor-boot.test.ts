import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { secondFactor, type SecondFactorOptions } from "../../plugins/security/second-factor.ts";
import { memoryBackend, memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth, type Plugin } from "../../presets/index.ts";
import { defineAdapter, defineStore } from "../../src/kernel.ts";
import { ENV, SECRET } from "../_app.ts";
import { createFactorApp } from "./_second-factor.ts";

/** Boots and returns the findings; `undefined` without any. */
function findFaults(plugins: readonly Plugin[], env: Record<string, string> = ENV): string {
  const auth = createAuth({
    secret: SECRET,
    env,
    plugins: [...plugins],
    logger: { error() {}, warn() {} },
  });
  try {
    auth.use({ name: "stores/development", setup() {} }).inspect();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

describe("wrong use of secondFactor() that boot reports", () => {
  it("without a store, the finding names the plugin and the option", () => {
    const adapter = defineAdapter({});
    expect(findFaults([secondFactor(), adapter])).toMatch(
      /A store is required by .*"security\/second-factor".*, and none is set. Pass a store plugin/,
    );
  });

  it("without an adapter, the finding names the plugin and what to add", () => {
    expect(findFaults([secondFactor(), memoryStore()])).toMatch(
      /^"security\/second-factor" requires an adapter, .* Add one, such as storeAdapter\(\)/,
    );
  });

  it("the finding names an adapter that cannot look up users", () => {
    const adapter = defineAdapter({});
    expect(findFaults([secondFactor(), memoryStore(), adapter])).toMatch(
      /The adapter has no .*`getUser`, required for a second factor/,
    );
  });

  it("a store that is not atomic, or not durable in production, is refused", () => {
    const weak = { ...memoryBackend(), name: "weak", atomic: false };
    expect(findFaults([secondFactor(), storeAdapter(), defineStore(weak)])).toMatch(
      /"security\/second-factor" needs one-time or unique records, which the store "weak" cannot/,
    );
    const env = { NODE_ENV: "production", AUTH_URL: "https://app.example.com" };
    expect(findFaults([secondFactor(), storeAdapter(), memoryStore()], env)).toMatch(
      /"security\/second-factor" needs records that outlive the process/,
    );
  });

  it.each<[SecondFactorOptions | Record<string, unknown>, RegExp]>([
    [
      { recoveryCodes: 0 },
      /`recoveryCodes` of secondFactor\(\) must be a whole number from 1 to 100/,
    ],
    [{ recoveryCodes: 2.5 }, /`recoveryCodes`/],
    [{ recoveryCodes: 101 }, /`recoveryCodes`/],
    [{ window: -1 }, /`window` of secondFactor\(\) must be a whole number from 0 to 10/],
    [{ window: 11 }, /`window`/],
    [{ window: "1" }, /`window`/],
    [{ issuer: "" }, /`issuer` of secondFactor\(\) must be a name without a colon/],
    [{ issuer: "Acme: Shop" }, /`issuer`/],
    [{ issuer: 5 }, /`issuer`/],
    [{ required: "admin" }, /`required` of secondFactor\(\) must be true, false or a function/],
    [{ skip: "webauthn" }, /`skip` of secondFactor\(\) must be a function of the login/],
    // It would let everyone in without a second factor.
    [{ skip: true }, /`skip` of secondFactor\(\) must be a function of the login/],
  ])("%j is an invalid option", (options, message) => {
    const plugin = secondFactor(options as SecondFactorOptions);
    expect(findFaults([plugin, storeAdapter(), memoryStore()])).toMatch(message);
  });

  it("using the plugin twice is a finding", () => {
    const twice = [secondFactor(), secondFactor(), storeAdapter(), memoryStore()];
    expect(findFaults(twice)).toMatch(/security\/second-factor/);
  });

  it("with a store and an adapter there is no finding", () => {
    expect(findFaults([secondFactor(), storeAdapter(), memoryStore()])).toBe("");
    const maximal = { issuer: "Acme", required: true, recoveryCodes: 100, window: 10 };
    expect(findFaults([secondFactor(maximal), storeAdapter(), memoryStore()])).toBe("");
  });
});

it("inspect() shows the protected routes, the tap that runs first, the stores and the service", () => {
  const { auth } = createFactorApp();
  const { hooks, routes, services, store } = auth.inspect();
  const own = ({ plugin }: { plugin: string }) => plugin === "security/second-factor";
  expect(
    routes.filter(own).map(({ method, path, auth: on, csrf }) => [method, path, on, csrf]),
  ).toEqual([
    ["GET", "/second-factor", false, "-"],
    ["POST", "/second-factor", false, "yes"],
    ["GET", "/second-factor/setup", "fresh", "-"],
    ["POST", "/second-factor/setup", "fresh", "yes"],
    ["POST", "/second-factor/recovery-codes", "fresh", "yes"],
    ["POST", "/second-factor/remove", "fresh", "yes"],
  ]);
  expect(hooks.login?.taps).toEqual([
    { name: "second-factor", stage: -100, plugin: "security/second-factor" },
  ]);
  expect(store.namespaces.filter(own)).toEqual([
    {
      namespace: "second-factor",
      plugin: "security/second-factor",
      requirements: { atomic: true, durable: true, unreadable: "error" },
    },
    {
      namespace: "second-factor-attempts",
      plugin: "security/second-factor",
      requirements: { optional: true },
    },
  ]);
  expect(services).toContainEqual({ name: "secondFactor", plugin: "security/second-factor" });
});
