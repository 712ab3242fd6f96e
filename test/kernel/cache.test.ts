import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createCache, createLoader, type Load } from "../../src/platform/cache.ts";
import { createRecentLoader } from "../../src/platform/recent-loader.ts";
import { rounds } from "../_scale.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});

afterEach(() => {
  vi.useRealTimers();
});

const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

describe("createCache()", () => {
  it("a full cache evicts the least recently used entry", () => {
    const cache = createCache<number>({ max: 2 });
    cache.set("a", 1);
    cache.set("b", 2);
    expect(cache.get("a")).toBe(1);
    cache.set("c", 3);
    expect([cache.get("a"), cache.get("b"), cache.get("c")]).toEqual([1, undefined, 3]);
    expect(cache.size).toBe(2);
  });

  it("a full cache whose entries were all read evicts the oldest of them", () => {
    const cache = createCache<number>({ max: 3 });
    for (const key of ["a", "b", "c"]) cache.set(key, 1);
    for (const key of ["c", "b", "a"]) cache.get(key);
    cache.set("d", 1);
    expect(["a", "b", "c", "d"].filter((key) => cache.get(key))).toEqual(["b", "c", "d"]);
  });

  it("an entry that is read stays, however many others are set", () => {
    const cache = createCache<number>({ max: 3 });
    cache.set("a", 1);
    for (let at = 0; at < 100; at++) {
      expect(cache.get("a")).toBe(1);
      cache.set(`other ${at}`, at);
    }
  });

  it("cache.delete() and cache.clear() remove entries and free their weight", () => {
    const cache = createCache<string>({ max: 9, weigh: (value) => value.length, maxWeight: 4 });
    cache.set("a", "xx");
    cache.delete("a");
    cache.delete("never there");
    expect(cache.get("a")).toBeUndefined();
    for (const key of ["e", "f", "g"]) cache.set(key, "xx");
    expect(["e", "f", "g"].map((key) => cache.get(key))).toEqual([undefined, "xx", "xx"]);
    cache.delete("f");
    cache.delete("g");
    cache.set("b", "xxxx");
    expect(cache.get("b")).toBe("xxxx");
    cache.clear();
    expect(cache.size).toBe(0);
    for (const key of ["c", "d"]) cache.set(key, "xx");
    expect(["c", "d"].map((key) => cache.get(key))).toEqual(["xx", "xx"]);
  });

  it("a cache entry expires after its ttl, even when it was read in the meantime", () => {
    const cache = createCache<number>({ max: 2, ttl: 1000 });
    cache.set("a", 1);
    pass(999);
    expect(cache.get("a")).toBe(1);
    pass(1);
    expect(cache.get("a")).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  it("a clock that is set back does not extend the life of a cache entry", () => {
    const cache = createCache<number>({ max: 2, ttl: 1000 });
    cache.set("a", 1);
    pass(-3_600_000);
    expect(cache.get("a")).toBeUndefined();
  });

  it("a cache does not store a value above the maximum weight, and drops the previous value of its key", () => {
    const cache = createCache<string>({ max: 9, weigh: (value) => value.length, maxWeight: 3 });
    cache.set("a", "xx");
    cache.set("a", "xxxx");
    expect(cache.get("a")).toBeUndefined();
  });

  it("a cache with `max: 0` stores nothing", () => {
    const cache = createCache<number>({ max: 0 });
    cache.set("a", 1);
    expect(cache.size).toBe(0);
  });

  it("a cache stays within its count and weight, and returns only the value set last", () => {
    const key = fc.constantFrom("a", "b", "c", "d", "e");
    const step = fc.oneof(
      fc.record({ do: fc.constant("set" as const), key, weight: fc.nat(6) }),
      fc.record({ do: fc.constant("get" as const), key }),
      fc.record({ do: fc.constant("delete" as const), key }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.nat(4), fc.nat(12), (steps, max, heavy) => {
        interface Value {
          weight: number;
        }
        const weigh = (value: Value) => value.weight;
        const cache = createCache<Value>({ max, maxWeight: heavy, weigh });
        const last = new Map<string, Value>();
        for (const { key: at, ...one } of steps) {
          if (one.do === "set") {
            const value = { weight: one.weight };
            cache.set(at, value);
            last.set(at, value);
          } else if (one.do === "delete") {
            cache.delete(at);
            last.delete(at);
          } else {
            expect([undefined, last.get(at)]).toContain(cache.get(at));
          }
          const held = [...last.keys()].flatMap((name) => cache.get(name) ?? []);
          expect(held.length).toBe(cache.size);
          expect(cache.size).toBeLessThanOrEqual(max);
          expect(held.reduce((sum, value) => sum + value.weight, 0)).toBeLessThanOrEqual(heavy);
        }
      }),
      { numRuns: rounds(200) },
    );
  });
});

describe("createLoader()", () => {
  const open = <V>(load: (key: string) => Promise<V>, { max = 10, retryAfter = 0 } = {}) => {
    const loads = createCache<Load<V>>({ max });
    const loader = createLoader<V>({ loads, ttl: 60_000, retryAfter });
    return {
      get: (key: string, own = load) => loader.get(key, () => own(key)),
      refresh: (key: string, own = load) => loader.refresh(key, () => own(key)),
    };
  };

  it("a loader shares one load among concurrent callers and keeps its value for the ttl", async () => {
    const load = vi.fn(async (key: string) => ({ key }));
    const loader = open(load);
    const [first, second] = await Promise.all([loader.get("a"), loader.get("a")]);
    expect(first).toBe(second);
    pass(59_999);
    expect(await loader.get("a")).toBe(first);
    expect(load).toHaveBeenCalledTimes(1);
    pass(1);
    expect(await loader.get("a")).not.toBe(first);
    expect(load).toHaveBeenCalledTimes(2);
  });

  it("a loader shares a pending load however long it takes, and starts the ttl when it ends", async () => {
    let settle = (_: string) => {};
    const load = vi.fn(() => new Promise<string>((resolve) => (settle = resolve)));
    const loader = open(load);
    const first = loader.get("a");
    pass(120_000);
    const second = loader.get("a");
    settle("done");
    expect(await Promise.all([first, second])).toEqual(["done", "done"]);
    pass(59_999);
    await loader.get("a");
    expect(load).toHaveBeenCalledTimes(1);
  });

  it("a loader does not keep a failure, whether the load rejects or throws", async () => {
    const load = vi.fn<(key: string) => Promise<string>>();
    load.mockImplementationOnce(() => {
      throw new Error("at once");
    });
    load.mockRejectedValueOnce(new Error("later"));
    load.mockResolvedValueOnce("good");
    const loader = open(load);
    await expect(loader.get("a")).rejects.toThrow("at once");
    await expect(loader.get("a")).rejects.toThrow("later");
    expect(await loader.get("a")).toBe("good");
  });

  it("a loader repeats a failure without loading until `retryAfter` has passed (F9)", async () => {
    const failure = new Error("down");
    const load = vi.fn(() => Promise.reject(failure));
    const loader = open(load, { retryAfter: 5000 });
    for (let start = 0; start < 1000; start++) {
      await expect(loader.get("issuer")).rejects.toBe(failure);
    }
    pass(4999);
    await expect(loader.get("issuer")).rejects.toBe(failure);
    expect(load).toHaveBeenCalledTimes(1);
    await expect(loader.get("another")).rejects.toBe(failure);
    expect(load).toHaveBeenCalledTimes(2);
    pass(1);
    await expect(loader.get("issuer")).rejects.toBe(failure);
    expect(load).toHaveBeenCalledTimes(3);
  });

  it("a loader that refreshes returns the known value until the new one arrives, and shares the load", async () => {
    const settle: ((value: string) => void)[] = [];
    const loader = open(() => new Promise<string>((done) => settle.push(done)));
    const first = loader.refresh("a");
    expect(loader.get("a")).toBe(first);
    settle[0]?.("old");
    await first;
    const refreshed = loader.refresh("a");
    expect(loader.refresh("a")).toBe(refreshed);
    expect(await loader.get("a")).toBe("old");
    pass(59_000);
    settle[1]?.("new");
    await refreshed;
    pass(59_000);
    expect(await loader.get("a")).toBe("new");
    expect(settle).toHaveLength(2);
  });

  it("a refresh that fails leaves the known value, for the rest of its ttl", async () => {
    const load = vi.fn(async () => "old").mockImplementationOnce(async () => "known");
    const loader = open(load);
    await loader.get("a");
    const down = () => Promise.reject(new Error("down"));
    for (let at = 0; at < 2; at++) await expect(loader.refresh("a", down)).rejects.toThrow("down");
    pass(59_999);
    expect(await loader.get("a")).toBe("known");
    pass(1);
    await expect(loader.get("a", down)).rejects.toThrow("down");
  });

  it("a refresh after a failed one loads again, and one during the first load waits for it", async () => {
    const load = vi.fn(async () => "known");
    const loader = open(load);
    const first = loader.get("a");
    expect(loader.refresh("a")).toBe(first);
    await first;
    expect(load).toHaveBeenCalledTimes(1);
    const down = () => Promise.reject(new Error("down"));
    await expect(loader.refresh("a", down)).rejects.toThrow("down");
    expect(await loader.refresh("a", async () => "new")).toBe("new");
    expect(await loader.get("a")).toBe("new");
  });

  it("a loader keeps at most `max` values", async () => {
    const load = vi.fn(async (key: string) => key);
    const loader = open(load, { max: 1 });
    await loader.get("a");
    await loader.get("b");
    await loader.get("a");
    expect(load).toHaveBeenCalledTimes(3);
  });
});

describe("createRecentLoader()", () => {
  const open = () => createRecentLoader<string>(createCache({ max: 10 }));

  it("a value is as old as the start of its load, and a clock that is set back does not make it younger", async () => {
    const loader = open();
    const start = Date.now();
    const slow = async () => {
      await Promise.resolve();
      pass(600);
      return "old";
    };
    expect(await loader.get("a", 1000, slow)).toEqual({ value: "old", at: start });
    pass(399);
    expect((await loader.get("a", 1000, async () => "new")).value).toBe("old");
    pass(1);
    expect((await loader.get("a", 1000, async () => "new")).value).toBe("new");
    pass(-3_600_000);
    expect((await loader.get("a", 1000, async () => "newer")).value).toBe("newer");
  });

  it("a value is as old as the start of its load, also for a load that blocks", async () => {
    const loader = open();
    const start = Date.now();
    const blocking = () => {
      pass(600);
      return Promise.resolve("old");
    };
    expect(await loader.get("a", 1000, blocking)).toEqual({ value: "old", at: start });
  });

  it("a load that fails late does not remove the value of a later one", async () => {
    const loader = open();
    let fail = (_: Error) => {};
    const failing = loader.get("a", 0, () => new Promise((_, reject) => (fail = reject)));
    expect((await loader.get("a", 0, async () => "known")).value).toBe("known");
    fail(new Error("late"));
    await expect(failing).rejects.toThrow("late");
    expect((await loader.get("a", 1000, async () => "again")).value).toBe("known");
  });
});
