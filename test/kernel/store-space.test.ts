import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { fsBackend } from "../../plugins/stores/fs.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { sqliteBackend } from "../../plugins/stores/sqlite.ts";
import { standardPreset } from "../../presets/index.ts";
import { defineStore, type Kernel, type Store, type StoreRequirements } from "../../src/kernel.ts";
import type { Adapter, AuthConfig, StoreBackend } from "../../src/types.ts";
import { createTestAuth } from "../_app.ts";

const A = "the secret a, of at least 32 characters";
const B = "the secret b, of at least 32 characters";
const C = "the secret c, of at least 32 characters";
const ADA = { id: "ada-1", email: "ada@example.com", emailVerified: null };
const PRODUCTION = { NODE_ENV: "production", AUTH_URL: "https://app.example" };

const folder = mkdtempSync(join(tmpdir(), "keyhook-space-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a process of an application. Returns its adapter, its own store, and its log. */
function start(backend: StoreBackend, config: AuthConfig, requirements: StoreRequirements = {}) {
  let found: { kernel: Kernel; notes: Store<string> } | undefined;
  const notes = {
    name: "notes",
    setup: (kernel: Kernel) =>
      void (found = { kernel, notes: kernel.store<string>("notes", requirements) }),
  };
  const warnings: string[] = [];
  const errors: string[] = [];
  const { auth } = createTestAuth({
    preset: standardPreset,
    providers: [],
    plugins: [defineStore(backend), storeAdapter(), notes],
    logger: {
      error: (error) => void errors.push(error.message),
      warn: (code) => void warnings.push(code),
      debug() {},
    },
    ...config,
  });
  auth.inspect();
  const { kernel, notes: store } = found!;
  return { adapter: kernel.adapter as Required<Adapter>, kernel, notes: store, warnings, errors };
}

const hasAda = async (backend: StoreBackend, config: AuthConfig) =>
  (await start(backend, config).adapter.getUserByEmail(ADA.email)) !== null;

async function enrolled(config: AuthConfig = { secret: A }) {
  const entries = new Map<string, unknown>();
  const backend = memoryBackend(entries);
  await start(backend, config).adapter.createUser(ADA);
  return { backend, entries };
}

async function collect<T>(found: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of found) all.push(one);
  return all;
}

describe("two applications on one store", () => {
  it.each<[string, () => StoreBackend]>([
    ["memory", () => memoryBackend()],
    ["files", () => fsBackend(join(folder, "fs"))],
    ["SQLite", () => sqliteBackend(join(folder, "records.sqlite"))],
  ])("with different secrets never see each other's records: %s", async (_, open) => {
    const backend = open();
    const [one, other] = [start(backend, { secret: A }), start(backend, { secret: B })];
    await one.adapter.createUser(ADA);
    expect(await other.adapter.getUserByEmail(ADA.email)).toBeNull();
    expect(await other.adapter.getUser(ADA.id)).toBeNull();
    // Each application may have a user with that address and id.
    await other.adapter.createUser({ ...ADA, name: "Another" });
    const expires = new Date(Date.now() + 3_600_000);
    await one.adapter.createSession({ sessionToken: "token", userId: ADA.id, expires });
    expect(await other.adapter.getSessionAndUser("token")).toBeNull();
    expect(await other.adapter.deleteSession("token")).toBeNull();
    await other.adapter.deleteUser(ADA.id);
    expect(await one.adapter.getSessionAndUser("token")).toMatchObject({ user: { id: ADA.id } });

    await one.notes.put(["group", "1"], "of one");
    await other.notes.put(["group", "1"], "of other");
    expect(await collect(one.notes.scan())).toEqual(["of one"]);
    expect(await collect(other.notes.scan("group"))).toEqual(["of other"]);
    expect(await other.notes.take(["group", "1"])).toBe("of other");
    expect(await one.notes.get(["group", "1"])).toBe("of one");
    // A value that can be used once, and counters.
    expect(await one.kernel.useOnce("test", "value")).toBe(true);
    expect(await other.kernel.useOnce("test", "value")).toBe(true);
    expect(await start(backend, { secret: A }).kernel.useOnce("test", "value")).toBe(false);
  });

  it("keys begin with the namespace, contain no visitor text and no guessable hash, and are bounded", async () => {
    const { entries, backend } = await enrolled();
    const { notes } = start(backend, { secret: A });
    await notes.put(["a", "b", "c"], "text");
    const other = await enrolled({ secret: B });
    const pattern = /^(?:keyring|[a-z-]+\.[a-z0-9]{8}(?:\.[0-9a-f]{64}){0,2})\.[0-9a-f]{64}$/;
    for (const key of entries.keys()) {
      expect(key).toMatch(pattern);
      expect(other.entries.has(key)).toBe(false);
    }
    const [longest = ""] = [...entries.keys()].filter((key) => key.startsWith("notes."));
    // The longest namespace, and the record that was moved aside.
    const length = longest.length - "notes".length + 24 + "--unreadable".length;
    expect(length).toBeLessThanOrEqual(240);
    expect(JSON.stringify([...entries])).not.toContain(A);
  });

  it("a part of a key has one hash for each namespace and position, whatever was hashed before", async () => {
    const backend = memoryBackend();
    const one = start(backend, { secret: A });
    await one.adapter.createUser({ ...ADA, id: "a" });
    await one.notes.put("a", "alone");
    await one.notes.put(["a", "b"], "in order");
    await one.notes.put(["b", "a"], "turned");
    expect(await start(backend, { secret: A }).notes.get("a")).toBe("alone");
    expect(await start(backend, { secret: A }).notes.get(["b", "a"])).toBe("turned");
  });

  it("a plugin that requests the namespace of the keyring is refused", () => {
    const plugin = { name: "mine", setup: (kernel: Kernel) => void kernel.store("keyring") };
    const { auth } = createTestAuth({ errors: "allowed", plugins: [plugin] });
    expect(() => auth.inspect()).toThrow(/"keyring"/);
  });
});

describe("secrets that rotate", () => {
  it("keep the records at every step, until the first secrets are gone", async () => {
    const { backend } = await enrolled();
    const steps = [[B, A], [B], [C, B], [C], [C, A], [A, C], [A]];
    for (const secret of steps)
      expect(await hasAda(backend, { secret }), String(secret)).toBe(true);
  });

  it("keep the records when the new secret is accepted first, and used later", async () => {
    const { backend } = await enrolled({ secret: [A, B] });
    for (const secret of [[A], [B, A], [B]]) expect(await hasAda(backend, { secret })).toBe(true);
  });

  it("keep the records if environment variables contain the secrets", async () => {
    const { backend } = await enrolled({
      secret: undefined as never,
      env: { NODE_ENV: "test", AUTH_SECRET: A },
    });
    const env = { NODE_ENV: "test", AUTH_SECRET: A, AUTH_SECRET_1: B };
    expect(await hasAda(backend, { secret: undefined as never, env })).toBe(true);
    expect(await hasAda(backend, { secret: B })).toBe(true);
  });

  it("agree between processes that start at once", async () => {
    for (let round = 0; round < 20; round++) {
      const backend = memoryBackend();
      const processes = Array.from({ length: 8 }, () => start(backend, { secret: [B, A] }));
      const done = await Promise.all(
        processes.map(({ notes }) => notes.putIfAbsent("one", "text")),
      );
      expect(done.filter(Boolean)).toHaveLength(1);
    }
  });

  it("cost one read in each process, and no write when all secrets are known", async () => {
    const { backend } = await enrolled();
    const calls: string[] = [];
    const watched = new Proxy(backend, {
      get: (target, name: keyof StoreBackend) => {
        const member: unknown = target[name];
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          calls.push(`${name} ${String(args[0]).split(".")[0]}`);
          return (member as (...args: unknown[]) => unknown)(...args);
        };
      },
    });
    const { notes, adapter } = start(watched, { secret: A });
    await Promise.all([notes.get("a"), notes.get("b"), adapter.getUser(ADA.id)]);
    expect(calls.toSorted()).toEqual(["get adapter-user", "get keyring", "get notes", "get notes"]);
  });

  it("still show the records of a store that is read-only, and the next process completes the keyring", async () => {
    const { backend } = await enrolled();
    const refuse = () => Promise.reject(new Error("read only"));
    const full = { ...backend, put: refuse, putIfAbsent: refuse, compareAndSet: refuse };
    const { adapter, errors } = start(full, { secret: [B, A] });
    expect(await adapter.getUserByEmail(ADA.email)).toMatchObject(ADA);
    expect(errors).toContain("The keyring of the store is incomplete.");
    expect(await hasAda(backend, { secret: [B, A] })).toBe(true);
    expect(await hasAda(backend, { secret: B })).toBe(true);
  });
});

describe("a secret that was replaced", () => {
  it("makes the application look empty, and production says so once", async () => {
    const { backend: memory } = await enrolled({ secret: A });
    const guarantees = { ...memory.guarantees, scope: "global" as const, durable: true };
    const backend = { ...memory, guarantees };
    const config = { secret: B, env: PRODUCTION };
    const first = start(backend, config);
    expect(await first.adapter.getUserByEmail(ADA.email)).toBeNull();
    await first.notes.get("again");
    expect(first.warnings.filter((code) => code === "store-empty")).toEqual(["store-empty"]);
    const next = start(backend, config);
    await next.notes.get("again");
    expect(next.warnings).not.toContain("store-empty");
    // The first application of a store causes no warning, and neither does development.
    const fresh = start({ ...memoryBackend(), guarantees }, { secret: A, env: PRODUCTION });
    await fresh.notes.get("a");
    expect(fresh.warnings).not.toContain("store-empty");
    const development = start(backend, { secret: C });
    await development.notes.get("a");
    expect(development.warnings).not.toContain("store-empty");
  });

  it.each([[[B, A]], [[A, B]]])(
    "makes the old records available again when it is restored, in either place",
    async (secret) => {
      const { backend } = await enrolled({ secret: A });
      await new Promise((resolve) => setTimeout(resolve, 2));
      expect(await hasAda(backend, { secret: B })).toBe(false);
      expect(await hasAda(backend, { secret })).toBe(true);
      expect(await hasAda(backend, { secret: B })).toBe(true);
      expect(await hasAda(backend, { secret: A })).toBe(true);
    },
  );

  it("leaves records in place whose absence grants access", async () => {
    const backend = memoryBackend();
    await start(backend, { secret: A }, { unreadable: "error" }).notes.put("factor", "kept");
    const other = start(backend, { secret: B }, { unreadable: "error" });
    expect(await other.notes.get("factor")).toBe("kept");
    // `storeNamespace` still separates them.
    const apart = start(backend, { secret: B, storeNamespace: "b" }, { unreadable: "error" });
    expect(await apart.notes.get("factor")).toBeUndefined();
  });
});

describe("the keyring", () => {
  it.each([
    "",
    "text",
    "{}",
    '{"v":1,"e":null,"d":{}}',
    '{"v":1,"e":null,"d":{"sealed":"a.b.c.d.e"}}',
    '{"v":2}',
  ])("is an error if it cannot be read, and never an empty application: %j", async (text) => {
    const { backend, entries } = await enrolled();
    for (const [key, entry] of entries) {
      if (key.startsWith("keyring.")) entries.set(key, { ...(entry as object), value: text });
    }
    const { adapter } = start(backend, { secret: A });
    await expect(adapter.getUserByEmail(ADA.email)).rejects.toMatchObject({ type: "StoreError" });
    await expect(adapter.createUser(ADA)).rejects.toMatchObject({ type: "StoreError" });
  });

  it("does not lead to records of another secret", async () => {
    const { backend, entries } = await enrolled();
    await start(backend, { secret: B }).notes.get("a");
    const [one, other] = [...entries.keys()].filter((key) => key.startsWith("keyring."));
    entries.set(other ?? "", entries.get(one ?? ""));
    const { adapter } = start(backend, { secret: B });
    await expect(adapter.getUserByEmail(ADA.email)).rejects.toMatchObject({ type: "StoreError" });
  });

  it("is read again after a failed read", async () => {
    const { backend } = await enrolled();
    let isDown = true;
    const get = (key: string) => (isDown ? Promise.reject(new Error("down")) : backend.get(key));
    const { adapter } = start({ ...backend, get }, { secret: A });
    await expect(adapter.getUser(ADA.id)).rejects.toMatchObject({ type: "StoreError" });
    isDown = false;
    expect(await adapter.getUser(ADA.id)).toMatchObject({ id: ADA.id });
  });
});

describe("storeNamespace", () => {
  it("determines the records, whatever the secrets", async () => {
    const { backend, entries } = await enrolled({ secret: A, storeNamespace: "shop" });
    expect(await hasAda(backend, { secret: B, storeNamespace: "shop" })).toBe(true);
    expect(await hasAda(backend, { secret: A, storeNamespace: "Shop" })).toBe(false);
    expect(await hasAda(backend, { secret: A })).toBe(false);
    expect(JSON.stringify([...entries.keys()])).not.toMatch(/shop/i);
  });

  it.each(["", "  ", 1, {}])("boot refuses %j", (storeNamespace) => {
    const { auth } = createTestAuth({
      errors: "allowed",
      storeNamespace: storeNamespace as string,
    });
    expect(() => auth.inspect()).toThrow("`storeNamespace` must be text that is not blank");
  });
});

it("without a secret, in development, keeps the records across processes", async () => {
  const config = { secret: undefined as never };
  const { backend } = await enrolled(config);
  expect(await hasAda(backend, config)).toBe(true);
  expect(await hasAda(backend, { secret: A })).toBe(false);
});
