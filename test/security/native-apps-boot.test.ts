import { describe, expect, it } from "vitest";
import { bearer } from "../../plugins/security/bearer.ts";
import { type NativeApp, nativeApps } from "../../plugins/security/native-apps.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { defineStore } from "../../src/kernel.ts";
import { createTestAuth, listBootFaults } from "../_app.ts";
import { APPS, createNativeTest } from "./_native-apps.ts";

const boot = (apps: Record<string, unknown>) =>
  listBootFaults(
    createTestAuth({
      use: [defineStore(memoryBackend()), nativeApps({ apps: apps as Record<string, NativeApp> })],
    }),
  );

describe("configuration of apps that boot refuses", () => {
  const uris: [uri: unknown, fault: string][] = [
    ["javascript:alert(1)", "a scheme without a dot"],
    ["data:text/html,x", "a scheme without a dot"],
    ["acme:/signed-in", "a scheme without a dot"],
    ["http://acme.example/callback", "plain http"],
    ["http://localhost/callback", "plain http"],
    ["http://127.0.0.1.evil.example/callback", "plain http"],
    ["http://127.1/callback", "plain http"],
    ["http://127.0.0.1", "plain http"],
    ["https://acme.example/app#fragment", "fragment"],
    ["com.acme.app:/signed-in#", "fragment"],
    ["https://user:secret@acme.example/", "user name"],
    ["/signed-in", "is not a URL"],
    ["com.acme.app:/signed in", "a space"],
    ["https://acmé.example/", "non-ASCII"],
    [7, "is not a URL"],
  ];
  it.each(uris)("the redirect URI %s", (uri, fault) => {
    const faults = boot({ ios: { name: "Acme", redirectUris: [uri] } });
    expect(faults).toEqual([expect.stringContaining(fault)]);
    expect(faults[0]).toContain('The app "ios" of nativeApps()');
  });

  const apps: [what: string, apps: Record<string, unknown>][] = [
    ["no app at all", {}],
    ["an id with a blank", { "my app": { name: "Acme", device: true } }],
    ["no name", { ios: { device: true } }],
    ["a name of more than 100 characters", { ios: { name: "A".repeat(101), device: true } }],
    ["a name that a database cannot store", { ios: { name: "Acme\0", device: true } }],
    ["an empty name", { ios: { name: " ", device: true } }],
    ["neither a redirect URI nor a device", { ios: { name: "Acme" } }],
    ["redirect URIs that are text", { ios: { name: "Acme", redirectUris: "com.acme:/" } }],
    ["a device that is not a boolean", { ios: { name: "Acme", device: "yes" } }],
    ["a value that is not an object", { ios: null }],
  ];
  it.each(apps)("%s is reported at boot", (_, given) => {
    expect(boot(given)).toHaveLength(1);
  });
});

it("boot reports an app that has the id of a provider, because their accounts would look the same", () => {
  const plugin = nativeApps({ apps: { credentials: { name: "Acme", device: true } } });
  const faults = listBootFaults(createTestAuth({ use: [defineStore(memoryBackend()), plugin] }));
  expect(faults.join()).toContain('The app "credentials" of nativeApps()');
});

it("boot reports a missing store, and a store that is not atomic", () => {
  const backend = { ...memoryBackend(), atomic: false };
  const plugin = nativeApps({ apps: APPS });
  const weak = createTestAuth({ use: [defineStore(backend), plugin] });
  expect(listBootFaults(weak)[0]).toContain("security/native-apps");
  const none = createTestAuth({ use: [plugin] });
  expect(listBootFaults(none)[0]).toContain("security/native-apps");
});

it("boot reports bearer() in the Auth with the consent page, because bearer() shows no pages", () => {
  const use = [defineStore(memoryBackend()), nativeApps({ apps: APPS }), bearer()];
  expect(listBootFaults(createTestAuth({ use })).join()).toContain("security/bearer");
});

it("inspect() lists the routes, and those of devices only if an app has devices", () => {
  const list = (apps: Record<string, NativeApp>) =>
    createNativeTest({ apps })
      .web.auth.inspect()
      .routes.filter(({ plugin }) => plugin === "security/native-apps")
      .map(({ method, path }) => `${method} ${path}`);
  expect(list({ ios: APPS.ios! })).toEqual([
    "GET /authorize",
    "POST /authorize",
    "POST /token",
    "GET /.well-known/oauth-authorization-server",
  ]);
  expect(list(APPS)).toHaveLength(7);
});
