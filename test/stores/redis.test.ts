import { Redis } from "ioredis";
import { Redis as Redis6 } from "ioredis-6";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisBackend } from "../../plugins/stores/redis.ts";
import { IS_QUICK } from "../_scale.ts";
import { testBackend } from "./_backend.ts";
import { describeWith, SERVERS } from "./_servers.ts";

const BASE = `test-${process.pid}:`;

await describeWith("redis", "redisBackend", () => {
  const client = new Redis({ ...SERVERS.redis, lazyConnect: true });
  const prefixed = new Redis({ ...SERVERS.redis, lazyConnect: true, keyPrefix: "odd*[1]:" });
  const newest = new Redis6({ ...SERVERS.redis, lazyConnect: true });
  const lost = new Redis({ port: 1, lazyConnect: true, retryStrategy: () => null });
  lost.on("error", () => {});

  beforeAll(() => client.script("FLUSH"));
  afterAll(async () => {
    for (const pattern of [`${BASE}*`, "odd\\*\\[1\\]:*"]) {
      for await (const keys of client.scanStream({ match: pattern, count: 1000 })) {
        if ((keys as string[]).length) await client.unlink(...(keys as string[]));
      }
    }
    await Promise.all([client.quit(), prefixed.quit(), newest.quit()]);
    lost.disconnect();
  });

  describe("redisBackend on a client", () => {
    const broken = () => redisBackend(lost);
    testBackend(() => redisBackend(client, { base: BASE }), { describe, expect, it }, { broken });
  });

  describe.skipIf(IS_QUICK)("redisBackend on a client with a keyPrefix", () => {
    testBackend(
      () => redisBackend(prefixed, { base: `${BASE}x?` }),
      { describe, expect, it },
      { rounds: 5 },
    );
  });

  describe("redisBackend on a client of ioredis 6", () => {
    testBackend(
      () => redisBackend(newest, { base: `${BASE}6:` }),
      { describe, expect, it },
      { rounds: 5, isAdapterLate: true },
    );
  });

  it("redisBackend gives records and indexes a TTL, and deletes empty indexes", async () => {
    const backend = redisBackend(client, { base: `${BASE}end:` });
    const soon = Date.now() + 60_000;
    await backend.put("s.g.a", "1", soon);
    await backend.put("s.g.b", "1", soon + 60_000);
    expect(await client.pttl(`${BASE}end:{s.g}.a`)).toBeGreaterThan(0);
    expect(await client.pttl(`${BASE}end:{s.g}.a`)).toBeLessThanOrEqual(60_000);
    expect(await client.pttl(`${BASE}end:{s.g}#`)).toBeGreaterThan(600_000);
    await backend.put("s.g.c", "1");
    expect(await client.pttl(`${BASE}end:{s.g}#`)).toBe(-1);
    await backend.delete("s.g.c");
    await backend.put("s.g.b", "1", soon);
    expect(await client.pttl(`${BASE}end:{s.g}#`)).toBeLessThanOrEqual(660_000);
    await backend.delete("s.g.a");
    await backend.take?.("s.g.b");
    expect(await client.exists(`${BASE}end:{s.g}#`)).toBe(0);
  });
});
