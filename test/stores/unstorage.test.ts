import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase } from "db0";
import mysql2 from "db0/connectors/mysql2";
import nodeSqlite from "db0/connectors/node-sqlite";
import postgresql from "db0/connectors/postgresql";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unstorageBackend } from "../../plugins/stores/unstorage.ts";
import { testStore } from "../../src/testing/testing.ts";
import { IS_QUICK } from "../_scale.ts";
import { testBackend } from "./_backend.ts";
import { startBridge } from "./_bridge.ts";
import { describeWith, MYSQL, POSTGRES, SERVERS } from "./_servers.ts";
import { MAJORS } from "./_unstorage.ts";

const runner = { describe, expect, it };
const folder = mkdtempSync(join(tmpdir(), "keyhook-unstorage-"));
const base = `unstorage-${process.pid}`;
const cleanups: (() => unknown)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
  rmSync(folder, { recursive: true, force: true });
});

async function clearRedis(): Promise<void> {
  const client = new Redis(SERVERS.redis);
  for (const key of await client.keys(`${base}*`)) await client.unlink(key);
  await client.quit();
}

for (const [major, un] of Object.entries(MAJORS)) {
  const isNewest = un === Object.values(MAJORS).at(-1);
  // A quick run tests the adapter of Keyhook on one driver. It omits file drivers and, except two,
  // those of the older major version: they keep the same contract.
  const testDriver: typeof testBackend = (make, runner, options) =>
    isNewest
      ? testBackend(make, runner, { ...options, isAdapterLate: true })
      : testStore(async () => make(), runner, { rounds: 5, ...options });
  const place = (name: string) => join(folder, major.replace(/\W/g, ""), name);

  describe(`unstorageBackend, ${major}`, () => {
    describe("memory", () => {
      testBackend(() => unstorageBackend(un.createStorage()), runner);
    });

    describe.skipIf(IS_QUICK)("fs", () => {
      const driver = un.fs({ base: place("fs") });
      testDriver(() => unstorageBackend(un.createStorage({ driver })), runner, { rounds: 5 });
    });

    describe.skipIf(IS_QUICK)("fs-lite", () => {
      const driver = un.fsLite({ base: place("fs-lite") });
      testDriver(() => unstorageBackend(un.createStorage({ driver })), runner, { rounds: 5 });
    });

    describe("db0, sqlite", () => {
      const database = createDatabase(nodeSqlite({ path: place("db.sqlite") }));
      cleanups.push(() => database.dispose());
      beforeAll(() => database.exec("PRAGMA synchronous = OFF"));
      const driver = un.db0({ database: database as never });
      testDriver(() => unstorageBackend(un.createStorage({ driver })), runner);
    });

    describe.skipIf(IS_QUICK)("deno-kv", () => {
      const storage = un.createStorage({ driver: un.denoKv({ path: ":memory:", base: "app" }) });
      cleanups.push(() => storage.dispose());
      const options = { rounds: 5, largest: 60_000 };
      testDriver(() => unstorageBackend(storage), runner, options);
    });
  });

  if (IS_QUICK && !isNewest) continue;

  await describeWith("redis", `unstorageBackend, ${major}, redis`, () => {
    const storage = un.createStorage({ driver: un.redis({ ...SERVERS.redis, base }) });
    beforeAll(() => void cleanups.push(() => storage.dispose(), clearRedis));
    testDriver(() => unstorageBackend(storage), runner);
  });

  await describeWith("redis", `unstorageBackend, ${major}, upstash`, () => {
    let bridge: Awaited<ReturnType<typeof startBridge>>;
    beforeAll(async () => {
      bridge = await startBridge();
    });
    afterAll(() => bridge.stop());
    const options = { url: "", token: "t", base: `${base}-upstash` };
    testDriver(
      () => {
        const driver = un.upstash({ ...options, url: bridge.url });
        return unstorageBackend(un.createStorage({ driver }));
      },
      runner,
      { rounds: 5 },
    );

    it("unstorageBackend writes below the prefix of the upstash driver", async () => {
      const client = new Redis(SERVERS.redis);
      const under = await client.keys(`${base}-upstash:keyhook:*`);
      await client.quit();
      expect(under.length).toBeGreaterThan(0);
    });
  });

  await describeWith("postgres", `unstorageBackend, ${major}, db0, postgres`, () => {
    const database = createDatabase(postgresql(POSTGRES));
    const tableName = `t${process.pid}`;
    const drop = async () => {
      await database.exec(`DROP TABLE IF EXISTS ${tableName}_keyhook`);
      await database.dispose();
    };
    beforeAll(() => void cleanups.push(drop));
    const driver = un.db0({ database: database as never, tableName });
    testDriver(() => unstorageBackend(un.createStorage({ driver })), runner);
  });

  await describeWith("mysql", `unstorageBackend, ${major}, db0, mysql`, () => {
    const database = createDatabase(mysql2(MYSQL));
    const tableName = `t${process.pid}`;
    const drop = async () => {
      await database.exec(`DROP TABLE IF EXISTS ${tableName}_keyhook`);
      await database.dispose();
    };
    beforeAll(() => void cleanups.push(drop));
    const driver = un.db0({ database: database as never, tableName });
    testDriver(() => unstorageBackend(un.createStorage({ driver })), runner, { rounds: 10 });
  });

  describe(`unstorageBackend, ${major}: the mount of records`, () => {
    it("unstorageBackend finds the driver of a prefixed storage, whose getMount returns the root's driver", async () => {
      const root = un.createStorage();
      root.mount("auth", un.fsLite({ base: place("prefixed") }));
      const prefixed = un.prefixStorage(root, "auth");
      // The trap: `getMount` of a prefixed storage returns the root's driver.
      expect(prefixed.getMount("").driver.name).toBe("memory");
      expect(unstorageBackend(prefixed).name).toBe("fs-lite");
      expect(unstorageBackend(un.prefixStorage(prefixed, "deep")).name).toBe("fs-lite");
      expect(unstorageBackend(root).name).toBe("memory");
      expect(root.getMounts("").map((mount) => mount.base)).toEqual(["auth:", ""]);
    });

    it("unstorageBackend uses the mount at its base", () => {
      const root = un.createStorage();
      root.mount("keyhook", un.fsLite({ base: place("own") }));
      root.mount("other:records", un.fsLite({ base: place("other") }));
      expect(unstorageBackend(root).name).toBe("fs-lite");
      expect(unstorageBackend(root, { base: "elsewhere" }).name).toBe("memory");
      expect(unstorageBackend(root, { base: "other:records" }).name).toBe("fs-lite");
      expect(unstorageBackend(root, { base: "/other/records/" }).name).toBe("fs-lite");
      expect(unstorageBackend(un.prefixStorage(root, "other"), { base: "records" }).name).toBe(
        "fs-lite",
      );
    });

    it("unstorageBackend writes the same keys from the root and from a prefix, and separates bases", async () => {
      const root = un.createStorage();
      const ways = [
        unstorageBackend(root, { base: "a:b" }),
        unstorageBackend(un.prefixStorage(root, "a"), { base: "b" }),
        unstorageBackend(un.prefixStorage(root, "a:b"), { base: "" }),
      ];
      await ways[0]?.put("ns.key", "one");
      for (const way of ways) {
        expect(await way.get("ns.key")).toBe("one");
        expect((await way.scan("ns.", { limit: 9 })).keys).toEqual(["ns.key"]);
      }
      expect(await unstorageBackend(root).get("ns.key")).toBeNull();
      expect(await root.getKeys()).toEqual(["a:b:ns.key"]);
    });

    it("unstorageBackend rejects a cache and a read-only driver", () => {
      const cache = un.createStorage({ driver: un.lru({}) });
      expect(() => unstorageBackend(cache)).toThrow('"lru-cache" may evict a record');
      const folder = un.createStorage({ driver: un.fsLite({ base: folderless, readOnly: true }) });
      expect(() => unstorageBackend(folder)).toThrow("only be read");
      const { setItem: _, ...readable } = un.memory();
      const named = un.createStorage({ driver: { ...readable, name: "github" } });
      expect(() => unstorageBackend(named)).toThrow("only be read");
    });

    it("unstorageBackend accepts a driver without atomic operations and declares it", () => {
      const driver = { ...un.memory(), name: "cloudflare-kv-binding" };
      const backend = unstorageBackend(un.createStorage({ driver }));
      expect(backend).toMatchObject({ name: "cloudflare-kv-binding", atomic: false });
      expect(backend.guarantees).toMatchObject({ consistency: "eventual", ttl: "native" });
    });
  });

  describe(`unstorageBackend, ${major}, a driver without atomic operations`, () => {
    const driver = { ...un.memory(), name: "some-blob" };
    testStore(() => unstorageBackend(un.createStorage({ driver })), runner);
  });
}

const folderless = join(folder, "read-only");
