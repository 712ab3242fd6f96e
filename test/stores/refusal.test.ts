import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import cloudflareKvTwo from "unstorage-2/drivers/cloudflare-kv-http";
import githubTwo from "unstorage-2/drivers/github";
import httpTwo from "unstorage-2/drivers/http";
import cloudflareKvOne from "unstorage/drivers/cloudflare-kv-http";
import githubOne from "unstorage/drivers/github";
import httpOne from "unstorage/drivers/http";
import { afterAll, describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { unstorageStore } from "../../plugins/stores/unstorage.ts";
import { createAuth } from "../../presets/index.ts";
import type { Plugin } from "../../src/types.ts";
import { MAJORS } from "./_unstorage.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhook-refusal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NETWORKED = {
  "unstorage 1.17": { kv: cloudflareKvOne, github: githubOne, http: httpOne },
  "unstorage 2": { kv: cloudflareKvTwo, github: githubTwo, http: httpTwo },
} as unknown as Record<
  string,
  { kv: typeof cloudflareKvOne; github: typeof githubOne; http: typeof httpOne }
>;

// This plugin needs no atomic operations.
const preferences: Plugin = {
  name: "preferences",
  setup: (kernel) => void kernel.store("preferences"),
};

function boot(...plugins: Plugin[]) {
  const auth = createAuth({
    env: { NODE_ENV: "production", AUTH_URL: "https://app.example" },
    secret: "keyhook-test-secret-0123456789abcdef",
    logger: { error() {}, warn() {} },
  });
  for (const plugin of plugins) auth.use(plugin);
  return auth.inspect();
}

for (const [major, un] of Object.entries(MAJORS)) {
  describe(`storage drivers without atomic operations, ${major}`, () => {
    const drivers = NETWORKED[major] as (typeof NETWORKED)[string];
    const kv = () => drivers.kv({ accountId: "a", namespaceId: "n", apiToken: "t" });
    const http = () => drivers.http({ base: "https://records.example" });

    it.each([
      ["cloudflare-kv-http", kv],
      ["http", http],
    ] as const)(
      "the boot rejects the driver %s for storeAdapter and names three ways to fix it",
      (name, driver) => {
        const store = () => unstorageStore(un.createStorage({ driver: driver() }));
        let message = "";
        try {
          boot(store(), storeAdapter());
        } catch (error) {
          const { faults = [error as Error] } = error as { faults?: Error[] };
          message = faults.map((fault) => fault.message).join("\n");
        }
        expect(message).toContain('"adapters/store" needs one-time or unique records');
        expect(message).toContain(`the store "${name}" cannot guarantee`);
        expect(message).toContain("Mount a driver that can (redis, db0, fs, ...)");
        expect(message).toContain("or pass a store plugin to `use`");
        expect(message).toContain('or drop "adapters/store"');
      },
    );

    it("a driver without atomic operations serves a plugin that needs none", () => {
      const { store } = boot(unstorageStore(un.createStorage({ driver: kv() })), preferences);
      expect(store.backend).toMatchObject({ name: "cloudflare-kv-http", atomic: false });
      expect(store.namespaces.map(({ plugin }) => plugin)).toContain("preferences");
    });

    it('storeAdapter uses a second mount at "keyhook" next to a driver without atomic operations', () => {
      const storage = un.createStorage({ driver: kv() });
      storage.mount("keyhook", un.fs({ base: join(folder, major) }));
      const { store } = boot(unstorageStore(storage), storeAdapter(), preferences);
      expect(store.backend).toMatchObject({ name: "fs", atomic: true });
      expect(storage.getMount("cache:page").driver.name).toBe("cloudflare-kv-http");
    });

    it("the boot rejects the read-only driver github", () => {
      const driver = drivers.github({ repo: "owner/name" });
      const store = unstorageStore(un.createStorage({ driver }));
      expect(() => boot(store)).toThrow('The driver "github" can only be read');
    });
  });
}
