import { describe, expect, it, vi } from "vitest";
import { all, loadOnce } from "../../src/platform/awaitable.ts";
import { createSharedTurn } from "../../src/platform/shared-turn.ts";

describe("all()", () => {
  it("returns the values if none of them is a promise, otherwise a promise of all", async () => {
    expect(all([1, "two", undefined])).toEqual([1, "two", undefined]);
    const some = all([1, Promise.resolve("two")]);
    expect(some).toBeInstanceOf(Promise);
    expect(await some).toEqual([1, "two"]);
    await expect(all([Promise.reject(new Error("no")), 1])).rejects.toThrow("no");
  });
});

describe("loadOnce()", () => {
  it("loads once, returns the value from then on, and keeps no rejection", async () => {
    const make = vi.fn(async () => "value");
    make.mockRejectedValueOnce(new Error("no"));
    const load = loadOnce(make);
    await expect(load()).rejects.toThrow("no");
    expect(await Promise.all([load(), load()])).toEqual(["value", "value"]);
    expect(load()).toBe("value");
    expect(make).toHaveBeenCalledTimes(2);
  });
});

describe("createSharedTurn()", () => {
  it("shares the work of one key only within one turn", async () => {
    const share = createSharedTurn<number>();
    let count = 0;
    const work = async () => ++count;
    const turn = () => Promise.all([share("a", work), share("b", work), share("a", work)]);
    expect(await turn()).toEqual([1, 2, 1]);
    expect(await turn()).toEqual([3, 4, 3]);
  });

  it("work requested after a write sees the write", async () => {
    const share = createSharedTurn<string>();
    let value = "old";
    const read = () => share("key", async () => value);
    const write = async () => {
      value = "new";
    };
    const early = read();
    await write();
    expect(await Promise.all([early, read()])).toEqual(["old", "new"]);
  });
});
