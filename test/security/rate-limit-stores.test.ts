import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { defineStore } from "../../src/kernel.ts";
import type { StoreBackend } from "../../src/kernel.ts";
import { LOVELACE } from "../_app.ts";
import { rounds } from "../_scale.ts";
import { openBackend } from "../stores/_open.ts";
import { describeWith } from "../stores/_servers.ts";
import { client, createLimitApp, HERE, isLocked, type LimitApp } from "./_limits.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhook-limits-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Posts several attempts at once, each from a client given by its index. */
async function attack(
  app: LimitApp,
  count: number,
  {
    ip = () => HERE,
    password = () => "no",
  }: { ip?(at: number): string; password?(at: number): string } = {},
): Promise<string[]> {
  const posts = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const browser = app.from(ip(at));
      const csrfToken = await browser.csrfToken();
      const fields = { csrfToken, username: "ada", password: password(at) };
      return () => browser.post("/auth/callback/credentials", fields);
    }),
  );
  const responses = await Promise.all(posts.map((post) => post()));
  return responses.map((response) => response.headers.get("location") ?? "");
}

const isRefused = (location: string) => location.includes("rate_limited");

function testRaces(open: () => Promise<{ backend: StoreBackend; close(): Promise<unknown> }>) {
  /** Runs a test with applications that share the store, as processes do. */
  const withApps = async (test: (make: () => LimitApp) => Promise<void>) => {
    const { backend, close } = await open();
    try {
      await test(() =>
        createLimitApp({
          plugins: [defineStore(backend)],
          // Slow, as a password hash is: all attempts run concurrently.
          authorize: async ({ password }) => {
            await new Promise((resolve) => setTimeout(resolve, 20));
            return password === LOVELACE.password ? { id: "1", name: "Ada" } : null;
          },
        }),
      );
    } finally {
      await close();
    }
  };

  it("of fifty concurrent wrong passwords, five reach authorize(), and one lock is announced", async () => {
    for (let round = 0; round < rounds(10); round++) {
      await withApps(async (make) => {
        const app = make();
        const refused = (await attack(app, 50)).filter(isRefused);
        expect([app.authorize.mock.calls.length, refused.length]).toEqual([5, 45]);
        expect(app.locks).toHaveLength(1);
      });
    }
  });

  it("two applications over one store admit five together, and announce the lock once", async () => {
    await withApps(async (make) => {
      const [one, other] = [make(), make()];
      await Promise.all([attack(one, 25), attack(other, 25)]);
      expect(one.authorize.mock.calls.length + other.authorize.mock.calls.length).toBe(5);
      expect(one.locks.length + other.locks.length).toBe(1);
    });
  });

  it("of fifty concurrent attempts from fifty clients, twenty reach authorize()", async () => {
    await withApps(async (make) => {
      const app = make();
      await attack(app, 50, { ip: client });
      expect(app.authorize).toHaveBeenCalledTimes(20);
      expect(app.locks.map(({ rule }) => rule)).toEqual(["credentials-account"]);
    });
  });

  it("the right password among concurrent wrong ones is tried at most once, as one of the five", async () => {
    await withApps(async (make) => {
      const app = make();
      const password = (at: number) => (at === 30 ? LOVELACE.password : `no ${at}`);
      const ends = await attack(app, 50, { password });
      expect(app.authorize).toHaveBeenCalledTimes(5);
      expect(ends.filter((end) => !end.includes("error=")).length).toBeLessThanOrEqual(1);
    });
  });

  it("concurrent right passwords of many clients are all admitted, and leave nothing counted", async () => {
    await withApps(async (make) => {
      const app = make();
      const password = () => LOVELACE.password;
      for (let round = 0; round < 3; round++) {
        const ends = await attack(app, 15, { ip: client, password });
        expect(ends.filter((end) => end.includes("error="))).toEqual([]);
      }
      expect(app.locks).toEqual([]);
    });
  });
}

describe("a store that hangs", () => {
  it("delays the first sign-in by its time limit of two seconds, and later ones not at all", async () => {
    const hang = () => new Promise<never>(() => {});
    const backend = { ...memoryBackend(), get: hang, increment: hang, delete: hang };
    const app = createLimitApp({ plugins: [defineStore(backend)] });
    const time = async () => {
      const start = performance.now();
      expect(await app.attempt(app.from(HERE))).toEqual({});
      return performance.now() - start;
    };
    expect(await time()).toBeLessThan(3000);
    expect(await time()).toBeLessThan(1000);
    await app.fail(app.from(HERE), 5);
    expect(isLocked(await app.attempt(app.from(HERE)))).toBe(true);
  });
});

describe("concurrent attempts over memory", () => {
  testRaces(() => openBackend({ backend: "memory", place: "" } as never));
});

describe("concurrent attempts over SQLite", () => {
  let at = 0;
  testRaces(() =>
    openBackend({ backend: "sqlite", place: join(folder, `${at++}.sqlite`) } as never),
  );
});

await describeWith("redis", "concurrent attempts over Redis", () => {
  let at = 0;
  testRaces(async () => {
    const place = `limits-${process.pid}-${at++}:`;
    const opened = await openBackend({ backend: "redis", place } as never);
    return {
      ...opened,
      async close() {
        await opened.wipe();
        await opened.close();
      },
    };
  });
});
