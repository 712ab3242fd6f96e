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
import { fsBackend } from "../../plugins/stores/fs/fs.ts";
import { createLocks } from "../../plugins/stores/fs/lock.ts";
import { sweepStore } from "../../src/index.ts";
import { testBackend } from "./_backend.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhook-fs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

const MINUTES_AGO = (minutes: number) => Date.now() / 1000 - minutes * 60;

describe("fs", () => {
  testBackend(() => fsBackend(join(folder, "store")), { describe, expect, it });
});

describe("the folder", () => {
  it("is made when it is first needed, for its owner alone, and hidden from git", async () => {
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

  it("of somebody else gets no file for git", async () => {
    const place = join(folder, "theirs");
    mkdirSync(place);
    await fsBackend(place).put("ns.key", "one");
    expect(existsSync(join(place, ".gitignore"))).toBe(false);
  });

  it("may be removed while the application runs", async () => {
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

  it("is freed from what dead processes left", async () => {
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

  it("is swept a piece at a time, from where the last sweep stopped", async () => {
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

describe("a lock", () => {
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

  it("does not change anything once its holder stood still for too long", async () => {
    const { own, locks } = place("still");
    const lock = await locks.acquire("key");
    const now = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => now + 10_001);
    const step = vi.fn();
    expect(() => lock.commit(step)).toThrow("stood still");
    expect(step).not.toHaveBeenCalled();
    // It may be an heir's by now.
    lock.release();
    expect(readdirSync(own)).toEqual(["key"]);
  });

  it(
    "of a holder that cannot be judged is waited for, then taken over",
    { timeout: 20_000 },
    async () => {
      const { own, locks } = place("foreign");
      writeFileSync(join(own, "key"), "another-host/pid:[1] 1 1 abc");
      await expect(locks.acquire("key")).rejects.toThrow("does not let go");
      utimesSync(join(own, "key"), MINUTES_AGO(1), MINUTES_AGO(1));
      const lock = await locks.acquire("key");
      lock.release();
      expect(readdirSync(own)).toEqual([]);
    },
  );

  it("of a living process is never taken", { timeout: 20_000 }, async () => {
    const { own, locks } = place("living");
    const lock = await locks.acquire("key");
    await expect(locks.acquire("key")).rejects.toThrow("does not let go");
    lock.release();
    expect(readdirSync(own)).toEqual([]);
  });

  it("that says another number of the same process is of one that is dead", async () => {
    const { own, locks } = place("again");
    const lock = await locks.acquire("other");
    const holder = readFileSync(join(own, "other"), "utf8").split(" ");
    // The number is used again: the process that has it started at another time.
    writeFileSync(join(own, "key"), [holder[0], holder[1], "1", "abc"].join(" "));
    (await locks.acquire("key")).release();
    lock.release();
    expect(readdirSync(own)).toEqual([]);
  });
});
