import { describe, expect, it } from "vitest";
import { createLimiter, type Limiter, rateLimit } from "../../plugins/security/rate-limit.ts";
import { createLocalRecords } from "../../plugins/security/rate-limit/records.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/standard.ts";
import { defineStore } from "../../src/kernel.ts";
import type { Awaitable, StoreBackend } from "../../src/kernel.ts";
import { createClock } from "../../src/testing/testing.ts";
import {
  createTestAuth,
  credentials,
  LOVELACE,
  ORIGIN,
  type TestAuthOptions,
  unservedOAuth,
} from "../_app.ts";
import { client, createLimitApp, HERE, isLocked, THERE } from "./_limits.ts";

const PRODUCTION = { NODE_ENV: "production", AUTH_URL: ORIGIN };

describe("limits with a store", () => {
  it("applications that share a store share the limits and their locks", async () => {
    const entries = new Map<string, unknown>();
    const make = () => createLimitApp({ plugins: [defineStore(memoryBackend(entries))] });
    const [one, other] = [make(), make()];
    await one.fail(one.from(HERE), 3);
    await other.fail(other.from(HERE), 2);
    expect(isLocked(await one.attempt(one.from(HERE)))).toBe(true);
    expect(isLocked(await other.attempt(other.from(HERE)))).toBe(true);
    expect([one.locks.length, other.locks.length]).toEqual([1, 0]);
  });

  it("keys and values of the store contain neither name nor password nor address", async () => {
    const entries = new Map<string, unknown>();
    const app = createLimitApp({ plugins: [defineStore(memoryBackend(entries))] });
    await app.fail(app.from(HERE), 6);
    const text = JSON.stringify([...entries]);
    for (const outside of ["wrong", HERE, "192.0"]) expect(text).not.toContain(outside);
    // As a word: the digits of a hash may contain it.
    expect(text).not.toMatch(/\bada\b/);
    for (const key of entries.keys()) {
      expect(key).toMatch(/^(?:keyring|rate-limit\.[a-z0-9]{8}\.[0-9a-f]{64})\.[0-9a-f]{64}$/);
    }
  });

  it("an attempt while locked writes nothing", async () => {
    const entries = new Map<string, unknown>();
    const app = createLimitApp({ plugins: [defineStore(memoryBackend(entries))] });
    await app.fail(app.from(HERE), 6);
    const before = JSON.stringify([...entries]);
    await app.fail(app.from(HERE), 5);
    expect(JSON.stringify([...entries])).toBe(before);
  });

  it("a locked attempt does the same work for names with and without an account (R15)", async () => {
    const calls: string[] = [];
    const backend = memoryBackend();
    const watch = Object.fromEntries(
      Object.entries(backend).map(([name, member]: [string, unknown]) => [
        name,
        typeof member !== "function"
          ? member
          : (...args: unknown[]) => {
              calls.push(name);
              return (member as (...args: unknown[]) => unknown)(...args);
            },
      ]),
    ) as unknown as StoreBackend;
    const app = createLimitApp({ plugins: [defineStore(watch)] });
    const work = async (username: string) => {
      await app.fail(app.from(HERE), 6, username);
      calls.length = 0;
      await app.fail(app.from(HERE), 1, username);
      return calls.splice(0);
    };
    const ofAda = await work("ada");
    expect(ofAda).toEqual(["get", "get", "get"]);
    expect(await work("nobody")).toEqual(ofAda);
  });

  it("the records of a successful sign-in count for no one", async () => {
    const entries = new Map<string, unknown>();
    const app = createLimitApp({ plugins: [defineStore(memoryBackend(entries))] });
    expect(await app.attempt(app.from(HERE))).toEqual({});
    const values = [...entries].flatMap(([key, entry]) =>
      key.startsWith("rate-limit.") ? [(entry as { value: string }).value] : [],
    );
    expect(values).toEqual(["0", "0"]);
  });

  it.each([
    ["a success", LOVELACE],
    ["a failure", { username: "ada", password: "no" }],
  ])("all writes of an attempt finish before its response, after %s", async (_, fields) => {
    let running = 0;
    const backend = memoryBackend();
    const slow =
      <Args extends unknown[], R>(method: (...args: Args) => Awaitable<R>) =>
      async (...args: Args): Promise<R> => {
        running++;
        await new Promise((resolve) => setTimeout(resolve, 2));
        running--;
        return method(...args);
      };
    const app = createLimitApp({
      plugins: [
        defineStore({
          ...backend,
          increment: slow(backend.increment),
          putIfAbsent: slow(backend.putIfAbsent),
          delete: slow(backend.delete),
        }),
      ],
    });
    const ended: number[] = [];
    // The limit of the account refuses the last attempts, and refunds what was counted for the
    // client.
    for (let at = 0; at < 22; at++) {
      await app.attempt(app.from(client(at)), fields);
      ended.push(running);
    }
    expect(ended).toEqual(ended.map(() => 0));
  });
});

/** Creates a backend whose operations fail while `state.isDown`. */
function createFailing(state: { isDown: boolean; calls?: number }): StoreBackend {
  const backend = memoryBackend();
  const fail =
    <Args extends unknown[], R>(method: (...args: Args) => Awaitable<R>) =>
    async (...args: Args): Promise<R> => {
      state.calls = (state.calls ?? 0) + 1;
      if (state.isDown) throw new Error("down");
      return method(...args);
    };
  return {
    ...backend,
    get: fail(backend.get),
    increment: fail(backend.increment),
    putIfAbsent: fail(backend.putIfAbsent),
    delete: fail(backend.delete),
  };
}

describe("limits while the store fails", () => {
  it("this process counts on its own: sign-ins work, and wrong passwords are limited", async () => {
    const state = { isDown: true };
    const app = createLimitApp({ plugins: [defineStore(createFailing(state))] });
    expect(await app.attempt(app.from(HERE))).toEqual({});
    await app.fail(app.from(HERE), 5);
    expect(isLocked(await app.attempt(app.from(HERE)))).toBe(true);
    expect(app.authorize).toHaveBeenCalledTimes(6);
    expect(app.log.errors.filter(({ type }) => type === "StoreError").length).toBeGreaterThan(0);
  });

  it("a failed store is retried after five seconds, and counts again", async () => {
    using clock = createClock();
    const state = { isDown: true, calls: 0 };
    const app = createLimitApp({ plugins: [defineStore(createFailing(state))] });
    await app.fail(app.from(HERE), 3);
    const asked = state.calls;
    await app.fail(app.from(THERE), 3);
    expect(state.calls).toBe(asked);
    state.isDown = false;
    clock.advance("5 seconds");
    await app.fail(app.from(HERE), 5);
    expect(isLocked(await app.attempt(app.from(HERE)))).toBe(true);
    expect(state.calls).toBeGreaterThan(asked);
  });

  it("a store that fails during an attempt fails no sign-in", async () => {
    for (let after = 0; after < 12; after++) {
      const state = { isDown: false, calls: 0 };
      const backend = createFailing(state);
      const app = createLimitApp({ plugins: [defineStore(backend)] });
      const { increment, get, putIfAbsent, delete: remove } = backend;
      const count = <T>(work: () => Awaitable<T>): Awaitable<T> => {
        state.isDown = state.calls >= after;
        return work();
      };
      Object.assign(backend, {
        get: (...args: Parameters<typeof get>) => count(() => get(...args)),
        increment: (...args: Parameters<typeof increment>) => count(() => increment(...args)),
        putIfAbsent: (...args: Parameters<typeof putIfAbsent>) => count(() => putIfAbsent(...args)),
        delete: (...args: Parameters<typeof remove>) => count(() => remove(...args)),
      });
      expect(await app.attempt(app.from(HERE)), `after ${after}`).toEqual({});
    }
  });

  it("a counter that is not a number blocks no sign-in", async () => {
    const entries = new Map<string, unknown>();
    const app = createLimitApp({ plugins: [defineStore(memoryBackend(entries))] });
    await app.fail(app.from(HERE), 1);
    for (const entry of entries.values()) (entry as { value: string }).value = "many";
    expect(await app.attempt(app.from(HERE))).toEqual({});
  });
});

describe("limits without a store", () => {
  it("in production, one warning says that each process counts separately", () => {
    const details: string[] = [];
    const app = createLimitApp({
      env: PRODUCTION,
      logger: { error() {}, warn: (code, detail) => void details.push(`${code}: ${detail}`) },
    });
    app.auth.inspect();
    const warned = details.filter((text) => text.startsWith("rate-limit-process"));
    expect(warned).toHaveLength(1);
    expect(warned[0]).toContain("Use a store that all processes share");
  });

  it("a store of one process also causes the warning; a shared store and development do not", () => {
    const warn = (options: Parameters<typeof createLimitApp>[0]) => {
      const app = createLimitApp(options);
      app.auth.inspect();
      return app.log.warnings.filter((code) => code === "rate-limit-process").length;
    };
    const shared = memoryBackend();
    const guarantees = { ...shared.guarantees, scope: "global" } as const;
    expect(warn({ env: PRODUCTION, plugins: [defineStore(memoryBackend())] })).toBe(1);
    expect(warn({ env: PRODUCTION, plugins: [defineStore({ ...shared, guarantees })] })).toBe(0);
    expect(warn({})).toBe(0);
  });

  it("an application without credentials and e-mails gets no warning, and its routes are unchanged", () => {
    const app = createTestAuth({
      preset: standardPreset,
      env: PRODUCTION,
      providers: [unservedOAuth("github")],
    });
    const { routes } = app.auth.inspect();
    expect(app.log.warnings).toEqual(["env-url-loopback"]);
    const callback = app.kernel().route("POST", "/callback/:provider");
    expect(callback?.replaces).toBeUndefined();
    expect(routes).toEqual(
      createTestAuth({
        preset: standardPreset,
        providers: [unservedOAuth("github")],
        use: [rateLimit(false)],
      }).auth.inspect().routes,
    );
  });
});

describe("records of one process", () => {
  it("are bounded: the least recently used are dropped", async () => {
    const records = createLocalRecords(3);
    for (const key of ["a", "b", "c"]) await records.increment(key, 1, { ttl: 1000 });
    await records.get("a");
    for (const key of ["d", "e"]) await records.increment(key, 1, { ttl: 1000 });
    const found: unknown[] = [];
    for (const key of ["a", "b", "c", "d", "e"]) found.push(await records.get(key));
    expect(found).toEqual([1, undefined, undefined, 1, 1]);
  });

  it("of a hundred thousand names, keep the last and drop the first", async () => {
    const app = createTestAuth({ preset: standardPreset, providers: [credentials()] });
    let limiter: Limiter | undefined;
    app.auth.use({
      name: "own",
      setup: (kernel) => void (limiter = createLimiter(kernel, "own")),
    });
    app.auth.inspect();
    for (let at = 0; at < 100_000; at++)
      await limiter?.({ max: 5, window: 900 }, `name ${at}`).add();
    const first = limiter?.({ max: 1, window: 900 }, "name 0");
    expect(await first?.add()).toBeUndefined();
    const last = limiter?.({ max: 1, window: 900 }, "name 99999");
    expect(await last?.add()).toMatchObject({ isNew: true });
  });

  it("expire, and a count starts again", async () => {
    using clock = createClock();
    const records = createLocalRecords();
    expect(await records.increment("a", 2, { ttl: 1000 })).toBe(2);
    clock.advance(999);
    expect(await records.increment("a", 1, { ttl: 1000 })).toBe(3);
    expect(await records.putIfAbsent("a", 9, { ttl: 1000 })).toBe(false);
    clock.advance(1);
    expect(await records.get("a")).toBeUndefined();
    expect(await records.putIfAbsent("a", 9, { ttl: 1000 })).toBe(true);
    expect(await records.delete("a")).toBe(true);
  });
});

describe("createLimiter()", () => {
  function create(options: TestAuthOptions = {}) {
    let limiter: Limiter | undefined;
    const app = createTestAuth({
      ...options,
      use: [{ name: "own", setup: (kernel) => void (limiter = createLimiter(kernel, "own")) }],
    });
    app.auth.inspect();
    return limiter as Limiter;
  }

  it("of concurrent attempts, admits at most `max`, and another one locks", async () => {
    const counter = create()({ max: 3, window: 60 }, "a");
    const locks = await Promise.all(Array.from({ length: 20 }, () => counter.add()));
    expect(locks.filter((lock) => lock === undefined)).toHaveLength(3);
    expect(locks.filter((lock) => lock?.isNew)).toHaveLength(1);
  });

  it("lock() counts nothing, and refund() and reset() admit again", async () => {
    const counter = create()({ max: 1, window: 60 }, "a");
    for (let time = 0; time < 5; time++) expect(await counter.lock()).toBeUndefined();
    expect(await counter.add()).toBeUndefined();
    await counter.refund();
    expect(await counter.add()).toBeUndefined();
    expect(await counter.add()).toMatchObject({ isNew: true });
    expect(await counter.lock()).toMatchObject({ isNew: false });
    await counter.reset();
    expect(await counter.lock()).toBeUndefined();
    expect(await counter.add()).toBeUndefined();
  });

  it("a refund after the end of the window admits no more than `max` in the next window", async () => {
    using clock = createClock();
    const counter = create()({ max: 2, window: 60 }, "a");
    for (let time = 0; time < 2; time++) await counter.add();
    clock.advance("1 minute");
    for (let time = 0; time < 2; time++) await counter.refund();
    const locks: unknown[] = [];
    for (let time = 0; time < 3; time++) locks.push(await counter.add());
    expect(locks.filter((lock) => lock === undefined)).toHaveLength(2);
  });

  it.each([
    ["without a store", {}],
    ["with a store", { plugins: [defineStore(memoryBackend())] }],
  ])("a single refund after the window leaves nothing behind, %s", async (_, options) => {
    using clock = createClock();
    const counter = create(options)({ max: 2, window: 60 }, "a");
    await counter.add();
    clock.advance("1 minute");
    await counter.refund();
    for (let round = 0; round < 3; round++) {
      expect(await counter.add(), `round ${round}`).toBeUndefined();
      expect(await counter.add(), `round ${round}`).toBeUndefined();
      clock.advance("1 minute");
    }
  });

  it("subjects of several parts are never mixed up", async () => {
    const limiter = create();
    const limit = { max: 1, window: 60 };
    expect(await limiter(limit, "a", "bc").add()).toBeUndefined();
    for (const subject of [["ab", "c"], ["a,bc"], ["a", "bc", ""], ['a","bc']])
      expect(await limiter(limit, ...subject).add()).toBeUndefined();
    expect(await limiter(limit, "a", "bc").add()).toBeDefined();
    expect(client(0)).not.toBe(client(1));
  });
});
