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

describe("what an app may not be configured with", () => {
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
    ["a name that no database holds", { ios: { name: "Acme\0", device: true } }],
    ["an empty name", { ios: { name: " ", device: true } }],
    ["neither a redirect URI nor a device", { ios: { name: "Acme" } }],
    ["redirect URIs that are a text", { ios: { name: "Acme", redirectUris: "com.acme:/" } }],
    ["a device that is no boolean", { ios: { name: "Acme", device: "yes" } }],
    ["no object", { ios: null }],
  ];
  it.each(apps)("%s is reported at boot", (_, given) => {
    expect(boot(given)).toHaveLength(1);
  });
});

it("an app with the id of a provider, whose accounts would look like it, is reported at boot", () => {
  const plugin = nativeApps({ apps: { credentials: { name: "Acme", device: true } } });
  const faults = listBootFaults(createTestAuth({ use: [defineStore(memoryBackend()), plugin] }));
  expect(faults.join()).toContain('The app "credentials" of nativeApps()');
});

it("a store that is not atomic, or none, is reported at boot", () => {
  const backend = { ...memoryBackend(), atomic: false };
  const plugin = nativeApps({ apps: APPS });
  const weak = createTestAuth({ use: [defineStore(backend), plugin] });
  expect(listBootFaults(weak)[0]).toContain("security/native-apps");
  const none = createTestAuth({ use: [plugin] });
  expect(listBootFaults(none)[0]).toContain("security/native-apps");
});

it("an Auth with bearer() shows no pages: both together are reported at boot", () => {
  const use = [defineStore(memoryBackend()), nativeApps({ apps: APPS }), bearer()];
  expect(listBootFaults(createTestAuth({ use })).join()).toContain("security/bearer");
});

it("inspect() lists the routes, those of devices only with an app that has them", () => {
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
