import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Cluster } from "ioredis";
import { Cluster as Cluster6 } from "ioredis-6";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisBackend } from "../../plugins/stores/redis.ts";
import { unstorageBackend } from "../../plugins/stores/unstorage.ts";
import { testBackend } from "./_backend.ts";
import { MAJORS } from "./_unstorage.ts";

const missing = !process.env.CI && spawnSync("redis-server", ["--version"]).status !== 0;
if (missing) console.warn('no redis-server found: "Redis Cluster" is skipped');

describe.skipIf(missing)("Redis Cluster", () => {
  // Below the ephemeral port range, including the ports of the cluster bus (+ 10000).
  const first = 11_000 + (process.pid % 9000);
  const ports = [first, first + 1, first + 2];
  const nodes = ports.map((port) => ({ host: "127.0.0.1", port }));
  const servers: ChildProcess[] = [];
  const folder = mkdtempSync(join(tmpdir(), "keyhook-cluster-"));
  let cluster: Cluster;
  let newest: Cluster6;

  beforeAll(async () => {
    for (const port of ports) {
      const dir = join(folder, String(port));
      mkdirSync(dir);
      const settings = { port, dir, bind: "127.0.0.1", save: "", "cluster-enabled": "yes" };
      const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]);
      servers.push(spawn("redis-server", flags, { stdio: "ignore" }));
    }
    const addresses = ports.map((port) => `127.0.0.1:${port}`);
    const form = ["--cluster", "create", ...addresses, "--cluster-yes"];
    for (let attempt = 0; ; attempt++) {
      await sleep(200);
      const { status, stdout, stderr } = spawnSync("redis-cli", form, { encoding: "utf8" });
      if (status === 0) break;
      if (attempt === 20) throw new Error(stdout + stderr);
    }
    const ready = () =>
      ports.every((port) =>
        execFileSync("redis-cli", ["-p", String(port), "cluster", "info"], {
          encoding: "utf8",
        }).includes("cluster_state:ok"),
      );
    while (!ready()) await sleep(100);
    cluster = new Cluster(nodes);
    newest = new Cluster6(nodes);
  }, 60_000);

  afterAll(async () => {
    cluster?.disconnect();
    newest?.disconnect();
    for (const server of servers) server.kill("SIGKILL");
    await sleep(100);
    rmSync(folder, { recursive: true, force: true });
  });

  describe("redisBackend on a Cluster client", () => {
    testBackend(() => redisBackend(cluster), { describe, expect, it }, { rounds: 5 });
  });

  describe("redisBackend on a Cluster client of ioredis 6", () => {
    testBackend(
      () => redisBackend(newest, { base: "6:" }),
      { describe, expect, it },
      { rounds: 2 },
    );
  });

  it("redisBackend spreads the records of one store over all nodes", async () => {
    const sizes = await Promise.all(cluster.nodes("master").map((node) => node.dbsize()));
    expect(sizes.length).toBe(3);
    for (const size of sizes) expect(size).toBeGreaterThan(0);
  });

  for (const [major, un] of Object.entries(MAJORS)) {
    describe(`unstorageBackend on a cluster, ${major}`, () => {
      const storage = un.createStorage({ driver: un.redis({ cluster: nodes, base: "app" }) });
      afterAll(() => storage.dispose());
      testBackend(() => unstorageBackend(storage), { describe, expect, it }, { rounds: 2 });
    });
  }
});
