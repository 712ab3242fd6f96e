import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryStore, memoryBackend } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { minimalPreset } from "../../presets/minimal.ts";
import { StoreError } from "../../src/errors.ts";
import {
  defineStore,
  definePlugin,
  type Kernel,
  type Logger,
  type Plugin,
  type Store,
  type StoreBackend,
  type StoreRequirements,
  sweepStore,
} from "../../src/kernel.ts";
import { createStore } from "../../src/storage/store.ts";
import { createTestAuth } from "../_app.ts";

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

/** Builds a plugin that requests a namespace and exposes its store. */
function keeper(name: string, needs?: StoreRequirements, namespace = name) {
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

function boot(env: Record<string, string>, ...plugins: Plugin[]): Log {
  const logger = createLog();
  const auth = createAuth({ env, logger });
  for (const plugin of plugins) auth.use(plugin);
  auth.inspect();
  return logger;
}

function getFault(env: Record<string, string>, ...plugins: Plugin[]) {
  try {
    boot(env, ...plugins);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

const weak = (facts: Partial<StoreBackend>) => defineStore({ ...memoryBackend(), ...facts });

describe("kernel.store()", () => {
  it("kernel.store() works with a backend that a later plugin sets", async () => {
    const notes = keeper("notes");
    boot(DEVELOPMENT, notes.plugin, memoryStore());
    await notes.store.put("a", { text: "one" });
    expect(await notes.store.get("a")).toEqual({ text: "one" });
  });

  it("kernel.store() may be used by a plugin while others are still being set up", async () => {
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

  it("boot refuses a store that a plugin without defineStore() sets if nothing keeps records", () => {
    const raw: Plugin = { name: "raw", setup: (kernel) => kernel.setStore(memoryBackend()) };
    const createWith = (...use: Plugin[]) =>
      createTestAuth({ preset: minimalPreset, providers: [], use, errors: "allowed" }).auth;
    expect(() => createWith(raw).inspect()).toThrow("Create its plugin with defineStore()");
    expect(createWith(defineStore(memoryBackend())).inspect().store.backend?.name).toBe("memory");
  });

  it("kernel.store() and kernel.setStore() throw after boot", () => {
    let kept: Kernel | undefined;
    boot(DEVELOPMENT, { name: "keeps", setup: (kernel) => void (kept = kernel) });
    expect(() => kept?.store("late")).toThrow("after the first request");
    expect(() => kept?.setStore(memoryBackend())).toThrow("after the first request");
  });

  it("kernel.store() rejects an invalid namespace and one that two plugins use", () => {
    for (const namespace of ["", "A", "a b", "a.b", "a--b", "-a", "a/b", "1a", "a".repeat(25)]) {
      const fault = getFault(DEVELOPMENT, memoryStore(), keeper("odd", {}, namespace).plugin);
      expect(fault).toContain("is not a valid store namespace");
    }
    const one = keeper("one", {}, "same").plugin;
    const two = keeper("two", {}, "same").plugin;
    expect(getFault(DEVELOPMENT, memoryStore(), one, two)).toContain(
      '"one" and "two" both use the store namespace "same"',
    );
  });

  it("two store backends are a fault", () => {
    const other = defineStore({ ...memoryBackend(), name: "other" });
    expect(getFault(DEVELOPMENT, memoryStore(), other)).toContain(
      '"stores/memory" and "stores/other" both provide "store". Drop one.',
    );
    const undeclared = { name: "undeclared", setup: other.setup };
    expect(getFault(DEVELOPMENT, memoryStore(), undeclared)).toContain(
      '"stores/memory" and "undeclared" both set a store. Drop one.',
    );
  });
});

describe("requirements of kernel.store()", () => {
  it("an unmet requirement is a fault that names the plugin, the driver and the fixes", () => {
    const tokens = keeper("tokens", { atomic: true }).plugin;
    for (const facts of [
      { atomic: false },
      { guarantees: { ...memoryBackend().guarantees, consistency: "eventual" as const } },
    ]) {
      const fault = getFault(
        DEVELOPMENT,
        weak({ name: "cloudflare-kv-binding", ...facts }),
        tokens,
      );
      expect(fault).toContain('"tokens" needs one-time or unique records');
      expect(fault).toContain('which the store "cloudflare-kv-binding" cannot guarantee');
      expect(fault).toContain("Mount a driver that can");
      expect(fault).toContain("a store plugin to `use`");
      expect(fault).toContain('or drop "tokens"');
    }
    expect(getFault(DEVELOPMENT, memoryStore(), tokens)).toBeUndefined();
  });

  it("`durable` requires, in production, that records outlive the process", () => {
    const users = keeper("users", { durable: true }).plugin;
    expect(getFault(DEVELOPMENT, memoryStore(), users)).toBeUndefined();
    expect(getFault(PRODUCTION, memoryStore(), users)).toContain(
      '"users" needs records that outlive the process, which the store "memory" does not keep',
    );
    const { guarantees } = memoryBackend();
    const lasting = weak({ guarantees: { ...guarantees, scope: "host", durable: true } });
    expect(getFault(PRODUCTION, lasting, users)).toBeUndefined();
    const ofOne = weak({ guarantees: { ...guarantees, scope: "process", durable: true } });
    expect(getFault(PRODUCTION, ofOne, users)).toBeUndefined();
  });

  it("production warns about atomic records in a store of one process", () => {
    const { plugin } = keeper("tokens", { atomic: true });
    expect(boot(PRODUCTION, plugin, memoryStore()).warnings).toEqual([
      expect.stringMatching(/^store-process: Only this process has the records of "tokens"/),
    ]);
    expect(boot(DEVELOPMENT, plugin, memoryStore()).warnings).toEqual([]);
  });

  it("unmet requirements of all plugins are reported together", () => {
    const fault = getFault(
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

describe("default store", () => {
  const folder = mkdtempSync(join(tmpdir(), "keyhook-default-"));
  const before = process.cwd();

  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(() => vi.spyOn(process, "cwd").mockReturnValue(folder));
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(join(folder, ".data"), { recursive: true, force: true });
  });

  it("no store is created and nothing is logged when no plugin needs one", () => {
    expect(boot(DEVELOPMENT).warnings).toEqual([]);
    expect(boot(PRODUCTION).warnings).toEqual([]);
    expect(existsSync(join(folder, ".data"))).toBe(false);
  });

  it("development keeps records in .data/keyhook, which git ignores", async () => {
    expect(before).not.toBe(folder);
    const notes = keeper("notes", { atomic: true, durable: true });
    const log = boot(DEVELOPMENT, notes.plugin);
    expect(log.warnings).toEqual([
      'store-default: No store is set: the records of "notes" are kept in .data/keyhook (development only). Pass a store plugin to `use` (keyhook/stores/...), such as `sqliteStore(file)`, `redisStore(client)` or `db0Store(database)` (D1 of a Worker), or set `auth.storage` or `auth.database` in Nuxt.',
    ]);
    expect(existsSync(join(folder, ".data"))).toBe(false);
    await notes.store.put("a", 1);
    expect(readFileSync(join(folder, ".data/keyhook/.gitignore"), "utf8")).toBe("*\n");
    const again = keeper("notes");
    boot(DEVELOPMENT, again.plugin);
    expect(await again.store.get("a")).toBe(1);
  });

  it("a missing store is a fault in production, with its fix", () => {
    const fault = getFault(PRODUCTION, keeper("notes").plugin, keeper("users").plugin);
    expect(fault).toContain('A store is required by "notes", "users"');
    expect(fault).toContain(".data/keyhook is for development only");
    expect(fault).toContain("auth.storage");
  });

  it("a configured store takes precedence over the default, in any order", () => {
    const { plugin } = keeper("notes");
    expect(boot(DEVELOPMENT, plugin, memoryStore()).warnings).toEqual([]);
    expect(getFault(PRODUCTION, memoryStore(), plugin)).toBeUndefined();
  });

  it("a plugin with an optional store boots without one in production", async () => {
    const limits = keeper("limits", { optional: true });
    expect(boot(PRODUCTION, limits.plugin).warnings).toEqual([]);
    await expect(limits.store.get("a")).rejects.toThrow("No store is set");
    const both = getFault(
      PRODUCTION,
      keeper("limits", { optional: true }).plugin,
      keeper("x").plugin,
    );
    expect(both).toContain('A store is required by "x",');
  });

  it("a runtime without a file system has no default store", () => {
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    expect(getFault(DEVELOPMENT, keeper("notes").plugin)).toContain("and none is set");
  });
});

describe("createStore() with a failing backend", () => {
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
    compareAndDelete: (store) => store.compareAndDelete("a", { value: 1, raw: "1" }),
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
    it(`store.${name}() rejects with a StoreError when the backend throws or rejects`, async () => {
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

    it(`store.${name}() times out when the backend hangs`, async () => {
      const store = over(
        broken(() => new Promise<never>(() => {})),
        20,
      );
      const began = performance.now();
      await expect(operation(store)).rejects.toMatchObject({ type: "StoreError" });
      expect(performance.now() - began).toBeLessThan(1000);
    });
  }

  it("store operations time out after two seconds by default", async () => {
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

  it("a backend error after the timeout is not an unhandled rejection", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const late = () =>
      new Promise<never>((_, reject) => setTimeout(() => reject(new Error("late")), 20));
    await expect(over(broken(late), 5).get("a")).rejects.toThrow("could not get");
    await new Promise((resolve) => setTimeout(resolve, 40));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("a store works again as soon as its backend does", async () => {
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

describe("records of createStore()", () => {
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

  it("keys are the namespace and hashes of fixed length", async () => {
    await store.put("ada@example.com", 1);
    await store.put(["x".repeat(10_000), "", "\u0000"], 1);
    for (const key of entries.keys()) {
      expect(key).toMatch(/^notes(?:\.[0-9a-f]{64}){1,3}$/);
      expect(key.length).toBeLessThanOrEqual(240);
    }
  });

  it("the hash of a key never changes, because stored claims depend on it", async () => {
    await store.put(["email", "ada@example.com"], 1);
    expect([...entries.keys()]).toMatchInlineSnapshot(`
      [
        "notes.4973d10f4747c95c5a5d6f16c3def5b89bc38bbd16773169649a7c69b4dd9120.fca244b0484ddd097edcf1f2d37f478882dede1bac8fdbb06b8b9424fd320187",
      ]
    `);
  });

  it("invalid keys, values and lifetimes are rejected", async () => {
    const odd = store as unknown as { put(...values: unknown[]): Promise<void> };
    for (const key of [undefined, null, 1, [], ["a", "b", "c", "d"], ["a", 1], {}]) {
      await expect(odd.put(key, 1)).rejects.toThrow("one to three strings");
    }
    await expect(odd.put("a", undefined)).rejects.toThrow("JSON value");
    await expect(odd.put("a", () => {})).rejects.toThrow("JSON value");
    await expect(odd.put("a", 1, { ttl: Number.NaN })).rejects.toThrow("number of milliseconds");
    await expect(odd.put("a", 1, { ttl: "60" })).rejects.toThrow("number of milliseconds");
    await expect(store.increment("a", 0.5)).rejects.toThrow("a safe integer");
    expect(entries.size).toBe(0);
  });

  it("a record expires by its own time, even when the backend still has it", async () => {
    await store.put("a", 1, { ttl: 1000 });
    for (const [key, entry] of entries)
      entries.set(key, { ...(entry as object), expires: Infinity });
    pass(999);
    expect(await store.get("a")).toBe(1);
    pass(1);
    expect(await store.get("a")).toBeUndefined();
    expect(await store.take("a")).toBeUndefined();
  });

  it("a record expires at once, later or never, by its ttl", async () => {
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

  it("compareAndSet() keeps the expiry unless a ttl is given", async () => {
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

  it("compareAndSet() without a ttl keeps the expiry of the record that it changes", async () => {
    await store.put("a", 1, { ttl: 1000 });
    const end = Date.now() + 1000;
    pass(400);
    const entry = (await store.read("a"))!;
    expect(await store.compareAndSet("a", entry, 2)).toBe(true);
    expect(await store.read("a")).toMatchObject({ value: 2, expires: end });
    // The backend knows the expiry too, so it can remove the record by itself.
    expect([...entries.values()]).toMatchObject([{ expires: end }]);
    pass(599);
    expect(await store.get("a")).toBe(2);
    pass(1);
    expect(await store.get("a")).toBeUndefined();
  });

  it("compareAndSet() without a ttl does not make an unlimited record expire", async () => {
    await store.put("a", 1);
    expect(await store.compareAndSet("a", (await store.read("a"))!, 2)).toBe(true);
    pass(1e12);
    expect(await store.get("a")).toBe(2);
  });

  it("compareAndDelete() deletes only the record that was read", async () => {
    await store.put("a", 1);
    const entry = (await store.read("a"))!;
    await store.put("a", 2);
    expect(await store.compareAndDelete("a", entry)).toBe(false);
    expect(await store.get("a")).toBe(2);
    expect(await store.compareAndDelete("a", (await store.read("a"))!)).toBe(true);
    expect(await store.get("a")).toBeUndefined();
    expect(await store.compareAndDelete("a", entry)).toBe(false);
    expect(await store.putIfAbsent("a", 3)).toBe(true);
  });

  it("a deleted record is also absent for a process whose clock is behind", async () => {
    await store.put("a", 1);
    await store.compareAndDelete("a", (await store.read("a"))!);
    pass(-60_000);
    expect(await store.get("a")).toBeUndefined();
    expect(log.errors).toEqual([]);
  });

  it("a process whose clock is behind does not replace the copy of an unreadable record", async () => {
    await store.put("a", 1);
    const [key] = [...entries.keys()] as [string];
    entries.set(key, { value: "?", expires: Infinity });
    expect(await store.get("a")).toBeUndefined();
    pass(-60_000);
    expect(await store.get("a")).toBeUndefined();
    const copy = entries.get(key.replace("notes.", "notes--unreadable."));
    expect(copy).toMatchObject({ value: "?" });
  });

  it("a counter is returned as its number", async () => {
    expect(await store.increment("a", 2, { ttl: 1000 })).toBe(2);
    expect(await store.get("a")).toBe(2);
    expect(await store.take("a")).toBe(2);
    expect(await store.increment("a")).toBe(1);
  });

  it.each(["12abc", "1 ", "1e3", "0x10", "+1", "--1", "1.5", "99999999999999999"])(
    "a record with the text %j is not a counter, and counts as absent",
    async (value) => {
      await store.put("a", 1);
      const [key] = [...entries.keys()] as [string];
      entries.set(key, { value, expires: Infinity });
      expect(await store.get("a")).toBeUndefined();
    },
  );

  it("an unreadable record is logged once, moved aside and counts as absent", async () => {
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

  it("an unreadable record that `take` has removed is not reported as moved aside", async () => {
    await store.put("a", "secret");
    const [key] = [...entries.keys()] as [string];
    entries.set(key, { value: "broken", expires: Infinity });
    expect(await store.take("a")).toBeUndefined();
    expect(log.errors.map((error) => error.message)).toEqual([
      'A record of "notes" is unreadable and counts as absent.',
    ]);
    expect(entries.size).toBe(0);
  });

  it("an unreadable record counts as absent when it cannot be moved aside", async () => {
    await store.put("a", 1);
    const [key] = [...entries.keys()] as [string];
    const backend = memoryBackend(entries);
    backend.compareAndSet = () => Promise.reject(new Error("read only"));
    const other = createStore({ namespace: "notes", backend: () => backend, logger: log });
    entries.set(key, { value: "?", expires: Infinity });
    expect(await other.get("a")).toBeUndefined();
    expect(log.errors.length).toBe(2);
  });

  it("an unreadable record stays where it is until its copy is kept", async () => {
    await store.put("a", 1);
    const [key] = [...entries.keys()] as [string];
    const backend = memoryBackend(entries);
    backend.put = () => Promise.reject(new Error("The disk is full."));
    const other = createStore({ namespace: "notes", backend: () => backend, logger: log });
    const broken = { value: "?", expires: Infinity };
    entries.set(key, broken);
    expect(await other.get("a")).toBeUndefined();
    expect([...entries]).toEqual([[key, broken]]);
    expect(log.errors.length).toBe(2);
  });

  it("a record of a newer version counts as absent and is not overwritten", async () => {
    await store.put("a", 1);
    const [key] = [...entries.keys()] as [string];
    const newer = { value: '{"v":2,"e":null,"d":1}', expires: Infinity };
    entries.set(key, newer);
    expect(await store.get("a")).toBeUndefined();
    expect(await store.putIfAbsent("a", 2)).toBe(false);
    expect(entries.get(key)).toBe(newer);
    expect(log.errors.length).toBe(1);
  });

  it.each([
    ["unreadable", '{"v":1,"e":null,"d":"trunc'],
    ["of a newer version", '{"v":2,"e":null,"d":1}'],
    ["not valid", '{"v":1,"e":null,"d":"text"}'],
  ])('with unreadable: "error" a record that is %s rejects, and stays', async (_, value) => {
    const strict = createStore({
      namespace: "notes",
      backend: () => memoryBackend(entries),
      logger: log,
      validate: (found) => typeof found === "number",
      unreadable: "error",
    });
    await strict.put("a", 1);
    const [key] = [...entries.keys()] as [string];
    const broken = { value, expires: Infinity };
    entries.set(key, broken);
    for (let round = 0; round < 2; round++) {
      await expect(strict.get("a")).rejects.toThrow(/A record of "notes" (is unreadable|was writ)/);
      await expect(strict.read("a")).rejects.toThrow(StoreError);
    }
    expect(entries.get(key)).toBe(broken);
    expect(log.errors).toEqual([]);
    expect(await strict.get("b")).toBeUndefined();
    expect(await strict.delete("a")).toBe(true);
    expect(await strict.get("a")).toBeUndefined();
  });

  it("take() returns a record once when the backend has no take(), also after it was put again", async () => {
    const { take: _, ...backend } = memoryBackend(entries);
    const withoutTake = createStore({ namespace: "notes", backend: () => backend, logger: log });
    for (let round = 0; round < 3; round++) {
      await withoutTake.put("token", "same");
      const taken = await Promise.all(Array.from({ length: 20 }, () => withoutTake.take("token")));
      expect(taken.filter((value) => value !== undefined)).toEqual(["same"]);
    }
    // A caller that read the record and continues long after it was taken.
    await withoutTake.put("token", "late", { ttl: 60_000 });
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
    expect(await withoutTake.take("token")).toBe("late");
    pass(59_000);
    resume();
    expect(await late).toBeUndefined();
  });
});

describe("sweeping expired records", () => {
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

  it("sweepStore() removes expired records up to its limit", async () => {
    const backend = await expired(950);
    await backend.put("notes.live", "x");
    expect(await sweepStore(backend, { limit: 500 })).toBe(500);
    expect(await sweepStore(backend)).toBe(450);
    expect(await sweepStore(backend)).toBe(0);
    expect(await backend.get("notes.live")).toBe("x");
    const { sweep: _, ...native } = backend;
    expect(await sweepStore(native)).toBe(0);
  });

  it("sweepStore() continues after a batch of live records, and stops if nothing expires", async () => {
    const backend = memoryBackend();
    let position = 0;
    const batches: number[] = [];
    // Reads ten records for each one that it may remove, like folders of files. One in 3000 is expired.
    backend.sweep = async (limit) => {
      batches.push(limit);
      const from = position;
      position = Math.min(from + limit * 10, 6000);
      return Math.floor(position / 3000) - Math.floor(from / 3000);
    };
    expect(await sweepStore(backend, { limit: 1000 })).toBe(2);
    expect(batches).toEqual([200, 1000, 200, 998]);
  });

  it("a fraction of the writes start a sweep, never two at once", async () => {
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

  it("a failed sweep is logged and does not fail the write", async () => {
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
