import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeWith, SERVERS } from "../stores/_servers.ts";
import {
  type App,
  isInstalled,
  type NodeApp,
  serveBuiltWorker,
  startApp,
  startWorker,
} from "./_app.ts";
import { testStored } from "./_stores.ts";
import { signIn, testWalk } from "./_walk.ts";

const build = ["node_modules/nuxt/bin/nuxt.mjs", "build"];

/** Tests pages for all visitors, which the platform may cache. */
function testShared(getApp: () => App): void {
  it.each(["/cached", "/isr", "/login/cached", "/static", "/spa"])(
    "%s contains nothing of the first visitor",
    async (path) => {
      const app = getApp();
      const ada = await signIn(app);
      for (const browser of [ada, ada, app.open()]) {
        const page = await browser.get(path);
        expect(page.status).toBe(200);
        expect(page.headers.getSetCookie()).toEqual([]);
        expect(await page.text()).not.toMatch(/Ada|csrfToken/);
      }
    },
  );

  it("a page that fetches from an API that reads the session is private, even if a rule differs", async () => {
    const page = await (await signIn(getApp())).get("/fetches");
    expect(page.headers.get("cache-control")).toBe("private, no-store");
    expect(await page.text()).toContain('<p id="fetches">Ada</p>');
  });
}

for (const name of isInstalled ? ["nuxt-4", "nuxt-5"] : []) {
  await describeWith("redis", `keyhook/nuxt in ${name} on Vercel, with a store in Redis`, () => {
    const { port } = SERVERS.redis;
    const base = `${name}-${process.pid}`;
    const client = new Redis({ ...SERVERS.redis, lazyConnect: true });
    const output = { OUTPUT_DIR: ".data/vercel" };
    let app: NodeApp;
    beforeAll(async () => {
      app = await startApp(name, build, {
        env: {
          ...output,
          NITRO_PRESET: "vercel",
          BUILD_DIR: ".data/vercel-build",
          REDIS_PORT: `${port}`,
          STORE_PLACE: base,
        },
        command: ["../_vercel.ts"],
        // The host is trusted on the platform.
        variables: { ...output, VERCEL: "1", AUTH_URL: "" },
      });
    });
    afterAll(async () => {
      await app?.close();
      const keys = await client.keys(`${base}:*`);
      if (keys.length) await client.unlink(keys);
      await client.quit();
    });

    testWalk(() => app);
    testShared(() => app);

    describe("with users", () => {
      let stored: App;
      beforeAll(async () => {
        stored = await app.startAnother({ MAIL_LOG: "1" });
      });
      afterAll(() => stored?.close());

      testStored(() => stored);

      it("records are at the driver's base, and Redis expires them", async () => {
        const keys = await client.keys(`${base}:*`);
        expect(keys.length).toBeGreaterThan(0);
        const ends = await Promise.all(keys.map(async (key) => client.pttl(key)));
        expect(ends.some((end) => end > 0)).toBe(true);
      });
    });
  });
}

describe.skipIf(!isInstalled)("keyhook/nuxt in nuxt-5 on workerd, with a database on D1", () => {
  const output = ".data/cloudflare";
  const bound = { d1Databases: ["DB"] };
  let app: App;
  beforeAll(async () => {
    const env = { OUTPUT_DIR: output, BUILD_DIR: ".data/cloudflare-build", D1_BINDING: "DB" };
    app = await startWorker("nuxt-5", build, env, bound);
  });
  afterAll(() => app?.close());

  testWalk(() => app);
  testShared(() => app);

  describe("with users", () => {
    let stored: App;
    beforeAll(async () => {
      stored = await serveBuiltWorker(`nuxt-5/${output}`, { bound, variables: { MAIL_LOG: "1" } });
    });
    afterAll(() => stored?.close());

    testStored(() => stored);

    it("the task removes expired records", async () => {
      const response = await stored.open().get("/api/cleanup");
      expect(await response.json()).toEqual({ result: { removed: expect.any(Number) as number } });
    });
  });
});
