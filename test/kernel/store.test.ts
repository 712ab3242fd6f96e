import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import memoryStore, { memoryBackend } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import {
  createStore,
  defineStore,
  definePlugin,
  type Kernel,
  type Logger,
  type Store,
  type StoreBackend,
  StoreError,
  type StoreNeeds,
  sweepStore,
} from "../../src/index.ts";

const PRODUCTION = {
  NODE_ENV: "production",
  AUTH_SECRET: "keyhook-test-secret-0123456789abcdef",
  AUTH_URL: "https://app.example",
};
const DEVELOPMENT = { NODE_ENV: "development", AUTH_SECRET: PRODUCTION.AUTH_SECRET };

interface Log extends Required<Logger> {
  errors: Error[];
  warnings: string[];
}

function createLog(): Log {
  const errors: Error[] = [];
  const warnings: string[] = [];
  return {
    errors,
    warnings,
    error: (error) => errors.push(error),
    warn: (code, text) => warnings.push(`${code}: ${text}`),
    debug: () => {},
  };
}

/** A plugin that takes a shelf and hands it out. */
function keeper(name: string, needs?: StoreNeeds, namespace = name) {
  let store: Store<unknown> | undefined;
  return {
    plugin: definePlugin({
      name,
      setup(kernel: Kernel) {
        store = kernel.store(namespace, needs);
      },
    }),
    get store() {
      return store as Store<unknown>;
    },
  };
}

function boot(env: Record<string, string>, ...plugins: ReturnType<typeof definePlugin>[]): Log {
  const logger = createLog();
  const auth = createAuth({ env, logger });
  for (const plugin of plugins) auth.use(plugin);
  auth.inspect();
  return logger;
}

function faultOf(env: Record<string, string>, ...plugins: ReturnType<typeof definePlugin>[]) {
  try {
    boot(env, ...plugins);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

const weak = (facts: Partial<StoreBackend>) => defineStore({ ...memoryBackend(), ...facts });

describe("a shelf of the kernel", () => {
  it("works with a backend that a later plugin sets", async () => {
    const notes = keeper("notes");
    boot(DEVELOPMENT, notes.plugin, memoryStore());
    await notes.store.put("a", { text: "one" });
    expect(await notes.store.get("a")).toEqual({ text: "one" });
  });

  it("may be used by whoever took it while others are still set up", async () => {
    let early: Promise<unknown> | undefined;
    const hasty = definePlugin({
      name: "hasty",
      setup(kernel) {
        early = kernel.store("hasty").putIfAbsent("a", 1);
      },
    });
    boot(DEVELOPMENT, hasty, memoryStore());
    expect(await early).toBe(true);
  });

  it("cannot be taken, and no store be set, after the boot", () => {
    let kept: Kernel | undefined;
    boot(DEVELOPMENT, { name: "keeps", setup: (kernel) => void (kept = kernel) });
    expect(() => kept?.store("late")).toThrow("after the first request");
    expect(() => kept?.setStore(memoryBackend())).toThrow("after the first request");
  });

  it("is asked for under a plain name, and by one plugin", () => {
    for (const namespace of ["", "A", "a b", "a.b", "a--b", "-a", "a/b", "1a", "a".repeat(25)]) {
      const fault = faultOf(DEVELOPMENT, memoryStore(), keeper("odd", {}, namespace).plugin);
      expect(fault).toContain("is no namespace");
    }
    const one = keeper("one", {}, "same").plugin;
    const two = keeper("two", {}, "same").plugin;
    expect(faultOf(DEVELOPMENT, memoryStore(), one, two)).toContain(
      '"one" and "two" both keep records in "same"',
    );
  });

  it("is in one backend only", () => {
    const other = defineStore({ ...memoryBackend(), name: "other" });
    expect(faultOf(DEVELOPMENT, memoryStore(), other)).toContain(
      "Two stores are set (memory, other). Drop one.",
    );
  });
});

describe("what a plugin needs of the store", () => {
  it("is refused by name of plugin and driver, with the ways out", () => {
    const tokens = keeper("tokens", { atomic: true }).plugin;
    for (const facts of [
      { atomic: false },
      { guarantees: { ...memoryBackend().guarantees, consistency: "eventual" as const } },
    ]) {
      const fault = faultOf(DEVELOPMENT, weak({ name: "cloudflare-kv-binding", ...facts }), tokens);
      expect(fault).toContain('"tokens" needs one-time or unique records');
      expect(fault).toContain('the store is "cloudflare-kv-binding"');
      expect(fault).toContain("Mount a driver that can");
      expect(fault).toContain("a store plugin to `use`");
      expect(fault).toContain('or drop "tokens"');
    }
    expect(faultOf(DEVELOPMENT, memoryStore(), tokens)).toBeUndefined();
  });

  it("may be that records last, in production", () => {
    const users = keeper("users", { durable: true }).plugin;
    expect(faultOf(DEVELOPMENT, memoryStore(), users)).toBeUndefined();
    expect(faultOf(PRODUCTION, memoryStore(), users)).toContain(
      '"users" needs records that outlive the process, which it does not keep: the store is "memory"',
    );
    const { guarantees } = memoryBackend();
    const lasting = weak({ guarantees: { ...guarantees, scope: "host", durable: true } });
    expect(faultOf(PRODUCTION, lasting, users)).toBeUndefined();
  });

  it("is warned of in production, where only one process could see what is used up", () => {
    const { plugin } = keeper("tokens", { atomic: true });
    expect(boot(PRODUCTION, plugin, memoryStore()).warnings).toEqual([
      expect.stringMatching(
        /^store-process: The records of "tokens" are seen by this process alone/,
      ),
    ]);
    expect(boot(DEVELOPMENT, plugin, memoryStore()).warnings).toEqual([]);
  });

  it("is reported for all plugins together", () => {
    const fault = faultOf(
      PRODUCTION,
      weak({ atomic: false }),
      keeper("one", { atomic: true }).plugin,
      keeper("two", { durable: true }).plugin,
      keeper("three").plugin,
    );
    expect(fault).toContain('"one" needs');
    expect(fault).toContain('"two" needs');
    expect(fault).not.toContain('"three" needs');
  });
});

describe("without a store set", () => {
  const folder = mkdtempSync(join(tmpdir(), "keyhook-default-"));
  const before = process.cwd();

  beforeEach(() => vi.spyOn(process, "cwd").mockReturnValue(folder));
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(join(folder, ".data"), { recursive: true, force: true });
  });

  it("nothing is said or made when nobody needs one", () => {
    expect(boot(DEVELOPMENT).warnings).toEqual([]);
    expect(boot(PRODUCTION).warnings).toEqual([]);
    expect(existsSync(join(folder, ".data"))).toBe(false);
  });

  it("development keeps records in a folder that git does not see", async () => {
    expect(before).not.toBe(folder);
    const notes = keeper("notes", { atomic: true, durable: true });
    const log = boot(DEVELOPMENT, notes.plugin);
    expect(log.warnings).toEqual([
      'store-default: No store is set: the records of "notes" lie in .data/keyhook (development only).',
    ]);
    expect(existsSync(join(folder, ".data"))).toBe(false);
    await notes.store.put("a", 1);
    expect(readFileSync(join(folder, ".data/keyhook/.gitignore"), "utf8")).toBe("*\n");
    const again = keeper("notes");
    boot(DEVELOPMENT, again.plugin);
    expect(await again.store.get("a")).toBe(1);
  });

  it("production refuses, with the mend", () => {
    const fault = faultOf(PRODUCTION, keeper("notes").plugin, keeper("users").plugin);
    expect(fault).toContain('A store is needed by "notes", "users"');
    expect(fault).toContain(".data/keyhook is for development only");
    expect(fault).toContain("unstorageStore(storage)");
  });

  it("a store that is set comes first, in any order", () => {
    const { plugin } = keeper("notes");
    expect(boot(DEVELOPMENT, plugin, memoryStore()).warnings).toEqual([]);
    expect(faultOf(PRODUCTION, memoryStore(), plugin)).toBeUndefined();
  });

  it("a plugin that can do without is no reason to refuse", async () => {
    const limits = keeper("limits", { optional: true });
    expect(boot(PRODUCTION, limits.plugin).warnings).toEqual([]);
    await expect(limits.store.get("a")).rejects.toThrow("There is no store");
    const both = faultOf(
      PRODUCTION,
      keeper("limits", { optional: true }).plugin,
      keeper("x").plugin,
    );
    expect(both).toContain('A store is needed by "x",');
  });

  it("a runtime without files has no default", () => {
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    expect(faultOf(DEVELOPMENT, keeper("notes").plugin)).toContain("and there is none");
  });
});

describe("a store over a backend that fails", () => {
  const log = createLog();
  const over = (backend: StoreBackend, timeout?: number) =>
    createStore<unknown>({
      namespace: "notes",
      backend: () => backend,
      logger: log,
      ...(timeout !== undefined && { timeout }),
    });
  const all: Record<string, (store: Store<unknown>) => Promise<unknown>> = {
    get: (store) => store.get("a"),
    read: (store) => store.read("a"),
    put: (store) => store.put("a", 1),
    putIfAbsent: (store) => store.putIfAbsent("a", 1),
    take: (store) => store.take("a"),
    compareAndSet: (store) => store.compareAndSet("a", { value: 1, raw: "1" }, 2),
    increment: (store) => store.increment("a"),
    delete: (store) => store.delete("a"),
    scan: (store) => store.scan("a")[Symbol.asyncIterator]().next(),
  };
  const broken = (fail: () => never | Promise<never>): StoreBackend => {
    const backend: StoreBackend = { ...memoryBackend(), name: "broken" };
    for (const name of Object.keys(all))
      if (name in backend) Object.assign(backend, { [name]: fail });
    return backend;
  };

  for (const [name, operation] of Object.entries(all)) {
    it(`${name} throws a StoreError, whether it was thrown or rejected`, async () => {
      const down = new Error("connect ECONNREFUSED");
      const fails = [
        () => {
          throw down;
        },
        () => Promise.reject(down),
      ];
      for (const fail of fails) {
        const error = await operation(over(broken(fail))).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(StoreError);
        expect(error).toMatchObject({ type: "StoreError", status: 503, cause: { err: down } });
        expect((error as Error).message).toMatch(/The store \(broken\) could not .+ in "notes"/);
      }
    });

    it(`${name} does not wait for ever`, async () => {
      const store = over(
        broken(() => new Promise<never>(() => {})),
        20,
      );
      const began = performance.now();
      await expect(operation(store)).rejects.toMatchObject({ type: "StoreError" });
      expect(performance.now() - began).toBeLessThan(1000);
    });
  }

  it("waits two seconds by default", async () => {
    vi.useFakeTimers();
    try {
      const asked = over(broken(() => new Promise<never>(() => {})))
        .get("a")
        .catch((error: Error) => error);
      await vi.advanceTimersByTimeAsync(1999);
      const unsettled = Symbol("unsettled");
      expect(await Promise.race([asked, Promise.resolve(unsettled)])).toBe(unsettled);
      await vi.advanceTimersByTimeAsync(1);
      expect(await asked).toMatchObject({ cause: { err: { message: /2000 ms/ } } });
    } finally {
      vi.useRealTimers();
    }
  });

  it("leaves nothing behind when a late answer is an error", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const late = () =>
      new Promise<never>((_, reject) => setTimeout(() => reject(new Error("late")), 20));
    await expect(over(broken(late), 5).get("a")).rejects.toThrow("could not get");
    await new Promise((resolve) => setTimeout(resolve, 40));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("is there again as soon as the backend is", async () => {
    const backend = memoryBackend();
    const { get } = backend;
    const store = over(backend);
    await store.put("a", 1);
    backend.get = () => Promise.reject(new Error("down"));
    await expect(store.get("a")).rejects.toThrow(StoreError);
    backend.get = get;
    expect(await store.get("a")).toBe(1);
  });
});

describe("a store's records", () => {
  let log: Log;
  let entries: Map<string, unknown>;
  let store: Store<unknown>;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"] });
    log = createLog();
    entries = new Map();
    const backend = memoryBackend(entries);
    store = createStore({ namespace: "notes", backend: () => backend, logger: log });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

  it("lie under hashes of fixed length, the namespace before them", async () => {
    await store.put("ada@example.com", 1);
    await store.put(["x".repeat(10_000), "", "\u0000"], 1);
    for (const key of entries.keys()) {
      expect(key).toMatch(/^notes(?:\.[0-9a-f]{64}){1,3}$/);
      expect(key.length).toBeLessThanOrEqual(240);
    }
  });

  it("keep their keys for good: they are what claims are", async () => {
    await store.put(["email", "ada@example.com"], 1);
    expect([...entries.keys()]).toMatchInlineSnapshot(`
      [
        "notes.4973d10f4747c95c5a5d6f16c3def5b89bc38bbd16773169649a7c69b4dd9120.fca244b0484ddd097edcf1f2d37f478882dede1bac8fdbb06b8b9424fd320187",
      ]
    `);
  });

  it("refuse keys, values and lives that mean nothing", async () => {
    const odd = store as unknown as { put(...values: unknown[]): Promise<void> };
    for (const key of [undefined, null, 1, [], ["a", "b", "c", "d"], ["a", 1], {}]) {
      await expect(odd.put(key, 1)).rejects.toThrow("one to three strings");
    }
    await expect(odd.put("a", undefined)).rejects.toThrow("JSON value");
    await expect(odd.put("a", () => {})).rejects.toThrow("JSON value");
    await expect(odd.put("a", 1, { ttl: Number.NaN })).rejects.toThrow("number of milliseconds");
    await expect(odd.put("a", 1, { ttl: "60" })).rejects.toThrow("number of milliseconds");
    await expect(store.increment("a", 0.5)).rejects.toThrow("whole numbers");
    expect(entries.size).toBe(0);
  });

  it("end by their own word, even where the backend keeps them", async () => {
    await store.put("a", 1, { ttl: 1000 });
    for (const [key, entry] of entries)
      entries.set(key, { ...(entry as object), expires: Infinity });
    pass(999);
    expect(await store.get("a")).toBe(1);
    pass(1);
    expect(await store.get("a")).toBeUndefined();
    expect(await store.take("a")).toBeUndefined();
  });

  it("end at once, never or later, as they are told", async () => {
    await store.put("a", 1, { ttl: 0 });
    await store.put("b", 1, { ttl: -5 });
    await store.put("c", 1, { ttl: Infinity });
    await store.put("d", 1, { ttl: 0.5 });
    expect(await store.get("a")).toBeUndefined();
    expect(await store.get("b")).toBeUndefined();
    expect(await store.get("d")).toBe(1);
    pass(1);
    expect(await store.get("d")).toBeUndefined();
    pass(1e12);
    expect(await store.get("c")).toBe(1);
  });

  it("keep their end through a change that names none", async () => {
    await store.put("a", 1, { ttl: 1000 });
    const entry = (await store.read("a"))!;
    expect(entry).toMatchObject({ value: 1, expires: Date.now() + 1000 });
    expect(await store.compareAndSet("a", entry, 2)).toBe(true);
    expect(await store.compareAndSet("a", entry, 3)).toBe(false);
    const next = (await store.read("a"))!;
    expect(await store.compareAndSet("a", next, 4, { ttl: Infinity })).toBe(true);
    pass(1000);
    expect(await store.get("a")).toBe(4);
  });

  it("read a counter as its number", async () => {
    expect(await store.increment("a", 2, { ttl: 1000 })).toBe(2);
    expect(await store.get("a")).toBe(2);
    expect(await store.take("a")).toBe(2);
    expect(await store.increment("a")).toBe(1);
  });

  it("that are unreadable are logged once each, kept aside, and count as absent", async () => {
    await store.put("a", "secret");
    const [key] = [...entries.keys()] as [string];
    entries.set(key, { value: '{"v":1,"e":null,"d":"trunc', expires: Infinity });
    expect(await store.get("a")).toBeUndefined();
    expect(await store.get("a")).toBeUndefined();
    expect(log.errors.map((error) => error.message)).toEqual([
      'A record of "notes" is unreadable, counts as absent and is moved aside.',
    ]);
    const aside = entries.get(key.replace("notes.", "notes--unreadable.")) as { value: string };
    expect(aside.value).toContain("trunc");
    expect(await store.putIfAbsent("a", "new")).toBe(true);
    for await (const value of store.scan()) expect(value).toBe("new");
  });

  it("that are unreadable stay absent when they cannot be moved", async () => {
    await store.put("a", 1);
    const [key] = [...entries.keys()] as [string];
    const backend = memoryBackend(entries);
    backend.compareAndSet = () => Promise.reject(new Error("read only"));
    const other = createStore({ namespace: "notes", backend: () => backend, logger: log });
    entries.set(key, { value: "?", expires: Infinity });
    expect(await other.get("a")).toBeUndefined();
    expect(log.errors.length).toBe(2);
  });

  it("of a newer version are absent, and stay", async () => {
    await store.put("a", 1);
    const [key] = [...entries.keys()] as [string];
    const newer = { value: '{"v":2,"e":null,"d":1}', expires: Infinity };
    entries.set(key, newer);
    expect(await store.get("a")).toBeUndefined();
    expect(await store.putIfAbsent("a", 2)).toBe(false);
    expect(entries.get(key)).toBe(newer);
    expect(log.errors.length).toBe(1);
  });

  it("are used once without a `take` of the backend's, also when put again", async () => {
    const { take: _, ...backend } = memoryBackend(entries);
    const burning = createStore({ namespace: "notes", backend: () => backend, logger: log });
    for (let round = 0; round < 3; round++) {
      await burning.put("token", "same");
      const taken = await Promise.all(Array.from({ length: 20 }, () => burning.take("token")));
      expect(taken.filter((value) => value !== undefined)).toEqual(["same"]);
    }
    // A caller that has read the record, and comes back long after it was used up.
    await burning.put("token", "late", { ttl: 60_000 });
    const { get } = backend;
    let resume = () => {};
    const waited = new Promise<void>((resolve) => (resume = resolve));
    const slow = createStore({
      namespace: "notes",
      backend: () => ({
        ...backend,
        async get(key: string) {
          const found = await get(key);
          await waited;
          return found;
        },
      }),
      logger: log,
    });
    const late = slow.take("token");
    await new Promise((resolve) => setImmediate(resolve));
    expect(await burning.take("token")).toBe("late");
    pass(59_000);
    resume();
    expect(await late).toBeUndefined();
  });
});

describe("expired records", () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const expired = async (count: number) => {
    const backend = memoryBackend();
    const over = Date.now() - 120_000;
    for (let at = 0; at < count; at++) await backend.put(`notes.${at}`, "x", over);
    return backend;
  };

  it("are removed by a task, within its limit", async () => {
    const backend = await expired(950);
    await backend.put("notes.live", "x");
    expect(await sweepStore(backend, { limit: 500 })).toBe(500);
    expect(await sweepStore(backend)).toBe(450);
    expect(await sweepStore(backend)).toBe(0);
    expect(await backend.get("notes.live")).toBe("x");
    const { sweep: _, ...native } = backend;
    expect(await sweepStore(native)).toBe(0);
  });

  it("are removed beside some of the writes, never twice at once", async () => {
    const backend = await expired(0);
    let running = 0;
    let most = 0;
    let sweeps = 0;
    backend.sweep = async (limit) => {
      expect(limit).toBe(200);
      sweeps++;
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return 0;
    };
    const notes = keeper("notes");
    boot(DEVELOPMENT, notes.plugin, defineStore(backend));
    const chance = vi.spyOn(Math, "random").mockReturnValue(0.5);
    await notes.store.put("a", 1);
    expect(sweeps).toBe(0);
    chance.mockReturnValue(0.0099);
    await notes.store.get("a");
    expect(sweeps).toBe(0);
    await Promise.all([notes.store.put("a", 1), notes.store.increment("b")]);
    expect(sweeps).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await notes.store.putIfAbsent("c", 1);
    expect(sweeps).toBe(2);
    expect(most).toBe(1);
  });

  it("and a sweep that fails is logged, not felt", async () => {
    const backend = await expired(0);
    backend.sweep = () => {
      throw new Error("locked");
    };
    const notes = keeper("notes");
    const log = boot(DEVELOPMENT, notes.plugin, defineStore(backend));
    vi.spyOn(Math, "random").mockReturnValue(0);
    await notes.store.put("a", 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(log.errors.map(({ message }) => message)).toEqual([
      "The store (memory) could not sweep.",
    ]);
  });
});
