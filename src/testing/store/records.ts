import { ODD_TEXTS } from "../odd-texts.ts";
import type { StoreSuite } from "./suite.ts";

// A runner would print both texts, which have up to a megabyte.
function describeChange(found: string | null, text: string): string {
  if (found === text) return "unchanged";
  if (found === null) return "no record";
  let at = 0;
  while (at < text.length && found[at] === text[at]) at += 1;
  const shown = JSON.stringify([found.slice(at, at + 20), text.slice(at, at + 20)]);
  return `${found.length} of ${text.length} characters; they differ from ${at} on: ${shown}`;
}

/** Tests that records are returned as they were written. */
export function testRecords({ describe, test, expect, fresh, largest }: StoreSuite): void {
  describe("StoreBackend: records", () => {
    test("get returns the value that was put, and null for a missing key", async (backend) => {
      const key = fresh();
      expect(await backend.get(key)).toBe(null);
      await backend.put(key, "one");
      expect(await backend.get(key)).toBe("one");
      await backend.put(key, "two");
      expect(await backend.get(key)).toBe("two");
    });

    test("get returns every text unchanged", async (backend) => {
      const texts = ODD_TEXTS.filter((text) => !/[\p{Surrogate}\0]/u.test(text));
      const all = [...texts, "ü".repeat(largest / 4), JSON.stringify({ a: [1, "|", { b: null }] })];
      await Promise.all(
        all.map(async (text) => {
          const key = fresh("text");
          await backend.put(key, text);
          expect(describeChange(await backend.get(key), text)).toBe("unchanged");
          expect(await backend.compareAndSet(key, `${text} `, "no")).toBe(false);
          expect(await backend.compareAndSet(key, text, `${text}${text}`)).toBe(true);
          const taken = (await backend.take?.(key)) ?? (await backend.get(key));
          expect(describeChange(taken, `${text}${text}`)).toBe("unchanged");
        }),
      );
    });

    test("compareAndSet distinguishes texts that look alike", async (backend) => {
      const key = fresh();
      for (const [is, other] of [
        ["a", "A"],
        ["a", "a "],
        ["ss", "ß"],
        ["á", "a\u0301"],
        ["1", "1.0"],
        ["", " "],
      ] as const) {
        await backend.put(key, is);
        expect(await backend.compareAndSet(key, other, "no")).toBe(false);
        expect(await backend.get(key)).toBe(is);
      }
    });

    test("delete returns whether there was a record", async (backend) => {
      const key = fresh();
      expect(await backend.delete(key)).toBe(false);
      await backend.put(key, "one");
      expect(await backend.delete(key)).toBe(true);
      expect(await backend.get(key)).toBe(null);
      expect(await backend.delete(key)).toBe(false);
    });

    test("putIfAbsent writes only where there is no record", async (backend) => {
      const key = fresh();
      expect(await backend.putIfAbsent(key, "one")).toBe(true);
      expect(await backend.putIfAbsent(key, "two")).toBe(false);
      expect(await backend.get(key)).toBe("one");
      await backend.delete(key);
      expect(await backend.putIfAbsent(key, "three")).toBe(true);
      expect(await backend.get(key)).toBe("three");
    });

    test("take returns and removes a record", async (backend) => {
      if (!backend.take) return;
      const key = fresh();
      expect(await backend.take(key)).toBe(null);
      for (const value of ["one", "one"]) {
        await backend.put(key, value);
        expect(await backend.take(key)).toBe(value);
        expect(await backend.take(key)).toBe(null);
        expect(await backend.get(key)).toBe(null);
      }
    });

    test("compareAndSet writes only where the expected value is stored", async (backend) => {
      const key = fresh();
      expect(await backend.compareAndSet(key, "one", "two")).toBe(false);
      expect(await backend.compareAndSet(key, "", "two")).toBe(false);
      expect(await backend.get(key)).toBe(null);
      await backend.put(key, "one");
      expect(await backend.compareAndSet(key, "other", "two")).toBe(false);
      expect(await backend.compareAndSet(key, "one", "two")).toBe(true);
      expect(await backend.compareAndSet(key, "one", "three")).toBe(false);
      expect(await backend.compareAndSet(key, "two", "two")).toBe(true);
      expect(await backend.get(key)).toBe("two");
    });

    test("increment adds to a counter and returns the sum", async (backend) => {
      const key = fresh();
      expect(await backend.increment(key, 1)).toBe(1);
      expect(await backend.increment(key, 41)).toBe(42);
      expect(await backend.increment(key, 0)).toBe(42);
      expect(await backend.increment(key, -50)).toBe(-8);
      expect(await backend.increment(key, 2 ** 45)).toBe(2 ** 45 - 8);
      expect(await backend.get(key)).toBe(String(2 ** 45 - 8));
      await backend.delete(key);
      expect(await backend.increment(key, 0)).toBe(0);
    });

    test("increment rejects when the value is not a number", async (backend) => {
      const key = fresh();
      await backend.put(key, "one");
      const attempt = async () => backend.increment(key, 1);
      const refused = await attempt().then(
        () => false,
        () => true,
      );
      expect(refused).toBe(true);
      expect(await backend.get(key)).toBe("one");
    });
  });
}
