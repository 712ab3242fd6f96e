import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { describeWith, SERVERS } from "../stores/_servers.ts";
import {
  type App,
  isInstalled,
  type NodeApp,
  runIn,
  startApp,
  startDevelopment,
  startWorker,
} from "./_app.ts";
import { follow, requestLink, signInByMail, testStored, waitFor } from "./_stores.ts";
import { signIn, testWalk } from "./_walk.ts";

const clis = {
  "nitro-2": "node_modules/nitropack/dist/cli/index.mjs",
  "nitro-3": "node_modules/nitro/dist/cli/index.mjs",
};
const versions = Object.entries(clis).map(([name, cli]) => ({
  name,
  build: [cli, "build"],
  dev: [cli, "dev"],
}));

const servers = versions.flatMap(({ name, build }) => [
  { name, runtime: "Node", start: () => startApp(name, build) },
  { name, runtime: "workerd", start: () => startWorker(name, build) },
]);

it.skipIf(!isInstalled).each([
  ["nitro-2", 'import { defineNitroConfig as define } from "nitropack/config";'],
  ["nitro-3", 'import { defineConfig as define } from "nitro";'],
])("the module with options matches the configuration types of %s", async (name, imported) => {
  const file = fileURLToPath(new URL(`${name}/module-types.ts`, import.meta.url));
  onTestFinished(() => rmSync(file, { force: true }));
  const module = 'import { keyhookNitro } from "keyhook/nitro";';
  const config = 'export default define({ modules: [keyhookNitro({ config: "auth.ts" })] });';
  writeFileSync(file, [imported, module, config].join("\n"));
  const tsc = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
  const options =
    "--ignoreConfig --noEmit --skipLibCheck --strict --module preserve --target esnext --types node";
  const said = await runIn(name, [tsc, ...options.split(" "), "module-types.ts"]);
  expect(said.trim()).toBe("exit 0");
});

describe.skipIf(!isInstalled).each(servers)("keyhook/nitro in $name on $runtime", ({ start }) => {
  let app: App;
  beforeAll(async () => {
    app = await start();
  });
  afterAll(() => app?.close());

  testWalk(() => app);

  it("a rule for a longer path takes precedence", async () => {
    expect((await app.open().get("/locked/open")).status).toBe(200);
  });

  it("a cached handler never has a session to store", async () => {
    const ada = await signIn(app);
    for (const browser of [ada, app.open()]) {
      const response = await browser.get("/cached");
      expect(response.status).toBe(500);
      expect(await response.text()).not.toContain("Ada");
    }
  });

  it("no cache stores the session and CSRF tokens despite a route rule", async () => {
    const ada = await signIn(app);
    for (const path of ["/auth/session", "/auth/csrf", "/auth/signin", "/auth/error"]) {
      const { headers } = await ada.get(path);
      expect(headers.get("cache-control")).toMatch(/^private, .*no-store$/);
    }
  });

  it("a thrown error keeps its status after a read", async () => {
    const ada = await signIn(app);
    expect((await ada.get("/api/fails")).status).toBe(418);
  });
});

for (const { name, build, dev } of isInstalled ? versions : []) {
  const folder = (at: string) => fileURLToPath(new URL(`${name}/${at}`, import.meta.url));

  await describeWith("redis", `keyhook/nitro in ${name}, storage: "auth" on Redis`, () => {
    const base = `${name}-${process.pid}`;
    const { port } = SERVERS.redis;
    const client = new Redis({ ...SERVERS.redis, lazyConnect: true });
    let app: NodeApp;
    let other: App;
    beforeAll(async () => {
      app = await startApp(name, build, {
        env: { STORE: "redis", STORE_PLACE: base, REDIS_PORT: `${port}` },
      });
      other = await app.join();
    });
    afterAll(async () => {
      await app?.close();
      await other?.close();
      const keys = await client.keys(`${base}:*`);
      if (keys.length) await client.unlink(keys);
      await client.quit();
    });

    testStored(() => app);

    it("processes see each other's sign-ins and sign-outs", async () => {
      const ada = await signInByMail(app, "both@example.com");
      const there = other.open();
      const take = () => {
        for (const [key, value] of ada.cookies) there.cookies.set(key, value);
      };
      take();
      expect(await there.session()).toMatchObject({ user: { email: "both@example.com" } });
      expect((await there.get("/locked")).status).toBe(200);
      await there.signOut();
      expect(await ada.session()).toBeNull();
      expect((await ada.get("/api/me")).status).toBe(401);
    });

    it("of many processes and requests, one consumes an e-mail link", async () => {
      const browser = app.open();
      const url = await requestLink(app, browser, "race@example.com");
      const racers = [app, other, app, other, app, other].map((one) => {
        const racer = one.open();
        for (const [key, value] of browser.cookies) racer.cookies.set(key, value);
        return racer;
      });
      await Promise.all(racers.map((racer) => follow(racer, url)));
      const sessions = await Promise.all(racers.map((racer) => racer.session()));
      expect(sessions.filter(Boolean)).toHaveLength(1);
    });

    it("records are at the driver's base, and Redis expires them", async () => {
      await signInByMail(app, "ttl@example.com");
      const keys = await client.keys(`${base}:*`);
      expect(keys.length).toBeGreaterThan(0);
      expect(keys.filter((key) => !key.startsWith(`${base}:keyhook:`))).toEqual([]);
      const ends = await Promise.all(keys.map((key) => client.pttl(key)));
      expect(ends.some((end) => end > 0)).toBe(true);
    });

    it("the task keyhook:cleanup exists, and has nothing to remove", async () => {
      const response = await app.open().get("/api/cleanup");
      expect(await response.json()).toEqual({ result: { removed: 0 } });
    });
  });

  describe(`keyhook/nitro in ${name}, database: "auth" on SQLite`, () => {
    let place: string;
    let app: NodeApp;
    beforeAll(async () => {
      place = join(await mkdtemp(join(tmpdir(), "keyhook-nitro-")), "auth.sqlite");
      app = await startApp(name, build, { env: { STORE: "sqlite", STORE_PLACE: place } });
    });
    afterAll(async () => {
      await app?.close();
      rmSync(join(place, ".."), { recursive: true });
    });

    testStored(() => app);

    it("another process of the host has the same sessions", async () => {
      const ada = await signInByMail(app, "both@example.com");
      const other = await app.join();
      const there = other.open();
      for (const [key, value] of ada.cookies) there.cookies.set(key, value);
      expect(await there.session()).toMatchObject({ user: { email: "both@example.com" } });
      await other.close();
    });

    it("the scheduled task removes only expired records", async () => {
      await signInByMail(app, "kept@example.com");
      const database = new DatabaseSync(place, { timeout: 5000 });
      const count = () => {
        const { all, ends } = database
          .prepare("SELECT count(*) AS 'all', count(e) AS ends FROM keyhook_records")
          .get() as { all: number; ends: number };
        return { all, ends };
      };
      const before = count();
      expect(before.ends).toBeGreaterThan(0);
      expect(before.all).toBeGreaterThan(before.ends);
      database.exec("UPDATE keyhook_records SET e = 1 WHERE e IS NOT NULL");
      await waitFor("a scheduled clean-up", () => count().ends === 0);
      expect(count()).toEqual({ all: before.all - before.ends, ends: 0 });
      database.close();
    });
  });

  describe(`keyhook/nitro in ${name}, database: "d1" on workerd`, () => {
    let app: App;
    beforeAll(async () => {
      app = await startWorker(name, build, { STORE: "d1" }, { d1Databases: ["DB"] });
    });
    afterAll(() => app?.close());

    testStored(() => app);
  });

  describe(`keyhook/nitro in ${name}, storage: "kv" on workerd`, () => {
    let app: App;
    beforeAll(async () => {
      app = await startWorker(name, build, { STORE: "kv" }, { kvNamespaces: ["KV"] });
    });
    afterAll(() => app?.close());

    it("Cloudflare KV is refused, with the reason and the fix", async () => {
      expect((await app.open().get("/auth/session")).status).toBe(500);
      expect((await app.open().get("/api/me")).status).toBe(500);
      const text = await waitFor("a fault", () =>
        /"adapters\/store" needs[^\n]*/.exec(app.output()),
      );
      expect(text[0]).toContain(
        'one-time or unique records, which the store "cloudflare-kv-binding" cannot guarantee',
      );
      expect(text[0]).toContain("Mount a driver that can (redis, db0, fs, ...)");
    });
  });

  describe(`keyhook/nitro in ${name}, the development server`, () => {
    let app: App;
    beforeAll(async () => {
      rmSync(folder(".data"), { recursive: true, force: true });
      app = await startDevelopment(name, dev, { STORE: "none" });
    });
    afterAll(() => app?.close());

    it("without a store, sessions and users survive a reload", async () => {
      const ada = await signInByMail(app, "ada@example.com");
      const { user } = (await ada.session()) as { user: { id: string } };
      const countLoads = () => app.output().split("stored.ts was loaded").length;
      const loads = countLoads();
      const now = new Date();
      utimesSync(folder("stored.ts"), now, now);
      await waitFor("a reload", () => countLoads() > loads);
      expect(await ada.session()).toMatchObject({ user: { email: "ada@example.com" } });
      const again = await signInByMail(app, "ada@example.com");
      expect(await again.session()).toMatchObject({ user: { id: user.id } });
    });

    it("the records are in a folder that git ignores", () => {
      expect(readFileSync(folder(".data/keyhook/.gitignore"), "utf8")).toBe("*\n");
      expect(app.output()).toContain("store-default");
    });
  });
}
