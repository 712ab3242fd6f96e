import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryStore } from "../../plugins/stores/memory.ts";
import type { Plugin } from "../../src/kernel.ts";
import {
  openEphemeralRecords,
  type EphemeralRecords,
} from "../../src/storage/ephemeral-records.ts";
import { createTestAuth } from "../_app.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 0 }));
afterEach(() => void vi.useRealTimers());

function open(plugins: readonly Plugin[]): EphemeralRecords<string> {
  const options = { namespace: "notes", cache: "notes", max: 2, ttl: 60_000 };
  let records: EphemeralRecords<string> | undefined;
  const notes: Plugin = {
    name: "notes",
    setup: (kernel) => void (records = openEphemeralRecords(kernel, options)),
  };
  createTestAuth({ use: [...plugins, notes] }).auth.inspect();
  if (!records) throw new Error("The plugin was not set up.");
  return records;
}

describe.each([
  ["in a store", () => [memoryStore()]],
  ["in the process", () => []],
])("ephemeral records %s", (_, plugins) => {
  it("a record is found until it is overwritten or expires", async () => {
    const records = open(plugins());
    expect(await records.get("a")).toBeUndefined();
    await records.put("a", "one");
    await records.put("a", "two");
    expect(await records.get("a")).toBe("two");
    vi.setSystemTime(60_001);
    expect(await records.get("a")).toBeUndefined();
  });

  it("of two writers of an absent record one gets true, and the first record stays", async () => {
    const records = open(plugins());
    const written = await Promise.all(["one", "two"].map((text) => records.putIfAbsent("a", text)));
    expect(written.filter(Boolean)).toEqual([true]);
    expect(await records.get("a")).toBe("one");
  });

  it("of two readers that take a record one gets it, and then it is absent", async () => {
    const records = open(plugins());
    await records.put("a", "one");
    const taken = await Promise.all([records.take("a"), records.take("a")]);
    expect(taken.filter(Boolean)).toEqual(["one"]);
    expect(await records.get("a")).toBeUndefined();
  });
});

describe("ephemeral records of a process", () => {
  it("the process drops the oldest record beyond the limit", async () => {
    const records = open([]);
    for (const key of ["a", "b", "c"]) await records.put(key, key);
    expect(await records.get("a")).toBeUndefined();
    expect(await records.get("c")).toBe("c");
  });
});
