import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { fsBackend } from "../../plugins/stores/fs.ts";
import { createLocks } from "../../plugins/stores/fs/lock.ts";
import { sweepStore } from "../../src/kernel.ts";
import { IS_QUICK } from "../_scale.ts";
import { testBackend } from "./_backend.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhook-fs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

const MINUTES_AGO = (minutes: number) => Date.now() / 1000 - minutes * 60;

describe("fsBackend", () => {
  testBackend(
    () => fsBackend(join(folder, "store")),
    { describe, expect, it },
    { isAdapterLate: true },
  );
});

describe("the folder of fsBackend", () => {
  it("fsBackend creates its folder on the first write, readable by its owner only and ignored by git", async () => {
    const place = join(folder, "deep", "own");
    const backend = fsBackend(place);
    expect(await backend.get("ns.key")).toBeNull();
    expect((await backend.scan("ns.", { limit: 9 })).keys).toEqual([]);
    expect(await backend.sweep?.(9)).toBe(0);
    expect(existsSync(place)).toBe(false);
    await backend.put("ns.key", "one");
    expect(readFileSync(join(place, ".gitignore"), "utf8")).toBe("*\n");
    expect(statSync(place).mode & 0o777).toBe(0o700);
    expect(statSync(join(place, "ns", "key")).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(place, ".tmp"))).toEqual([]);
    expect(readdirSync(join(place, ".locks"))).toEqual([]);
  });

  it("fsBackend writes no .gitignore into an existing folder", async () => {
    const place = join(folder, "theirs");
    mkdirSync(place);
    await fsBackend(place).put("ns.key", "one");
    expect(existsSync(join(place, ".gitignore"))).toBe(false);
  });

  it("fsBackend recreates its folder when it is removed at run time", async () => {
    const place = join(folder, "removed");
    const backend = fsBackend(place);
    await backend.put("ns.key", "one");
    rmSync(place, { recursive: true });
    expect(await backend.get("ns.key")).toBeNull();
    expect(await backend.take?.("ns.key")).toBeNull();
    rmSync(place, { recursive: true });
    expect(await backend.putIfAbsent("ns.key", "two")).toBe(true);
    expect(await backend.get("ns.key")).toBe("two");
  });

  it("sweepStore removes temporary files that dead processes left", async () => {
    const place = join(folder, "left");
    const backend = fsBackend(place);
    await backend.put("ns.key", "one");
    for (const [name, minutes] of [
      ["old", 61],
      ["new", 59],
    ] as const) {
      const file = join(place, ".tmp", name);
      writeFileSync(file, "");
      utimesSync(file, MINUTES_AGO(minutes), MINUTES_AGO(minutes));
    }
    await sweepStore(backend);
    expect(readdirSync(join(place, ".tmp"))).toEqual(["new"]);
    expect(await backend.get("ns.key")).toBe("one");
  });

  it("sweep continues where the last sweep stopped", async () => {
    const backend = fsBackend(join(folder, "pieces"));
    for (let at = 0; at < 30; at++) {
      await backend.put(`a.${at}`, "x", Date.now() + (at % 2 ? -1 : 60_000));
      await backend.put(`b.${at}`, "x", Date.now() - 1);
    }
    let removed = 0;
    for (let round = 0; round < 12; round++) removed += (await backend.sweep?.(5)) ?? 0;
    expect(removed).toBe(45);
    expect((await backend.scan("a.", { limit: 100 })).keys.length).toBe(15);
  });
});

describe("createLocks", () => {
  let made = 0;
  const place = (name: string) => {
    const own = join(folder, name);
    mkdirSync(own);
    const locks = createLocks(own, async (text) => {
      const file = join(folder, `temporary-${made++}`);
      writeFileSync(file, text);
      return file;
    });
    return { own, locks };
  };

  it("lock.commit throws and changes nothing when its holder paused for too long", async () => {
    const { own, locks } = place("still");
    const lock = await locks.acquire("key");
    const now = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => now + 10_001);
    const step = vi.fn();
    expect(() => lock.commit(step)).toThrow("the process paused for over 10000 ms");
    expect(step).not.toHaveBeenCalled();
    // Another process may hold it by now.
    lock.release();
    expect(readdirSync(own)).toEqual(["key"]);
  });

  it.skipIf(IS_QUICK)(
    "acquire waits for a lock of another host, then takes it over when it is old",
    { timeout: 20_000 },
    async () => {
      const { own, locks } = place("foreign");
      writeFileSync(join(own, "key"), "another-host/pid:[1] 1 1 abc");
      await expect(locks.acquire("key")).rejects.toThrow("still held by another process");
      utimesSync(join(own, "key"), MINUTES_AGO(1), MINUTES_AGO(1));
      const lock = await locks.acquire("key");
      lock.release();
      expect(readdirSync(own)).toEqual([]);
    },
  );

  it.skipIf(IS_QUICK)(
    "acquire never takes over the lock of a living process",
    { timeout: 20_000 },
    async () => {
      const { own, locks } = place("living");
      const lock = await locks.acquire("key");
      await expect(locks.acquire("key")).rejects.toThrow("still held by another process");
      lock.release();
      expect(readdirSync(own)).toEqual([]);
    },
  );

  it("acquire takes over a lock whose process id was reused by a later process", async () => {
    const { own, locks } = place("again");
    const lock = await locks.acquire("other");
    const holder = readFileSync(join(own, "other"), "utf8").split(" ");
    // The process id is reused: its process started at another time.
    writeFileSync(join(own, "key"), [holder[0], holder[1], "1", "abc"].join(" "));
    (await locks.acquire("key")).release();
    lock.release();
    expect(readdirSync(own)).toEqual([]);
  });
});
