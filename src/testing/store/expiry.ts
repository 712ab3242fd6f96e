import { HOUR_MS, later, type StoreSuite } from "./suite.ts";

/** Tests that records expire in time. */
export function testExpiry({
  describe,
  test,
  expect,
  fresh,
  soon,

  listKeys,
  suite,
}: StoreSuite): void {
  describe("StoreBackend: expiry", () => {
    test("get returns a record until it expires", async (backend) => {
      const key = fresh();
      await backend.put(key, "one", soon());
      await later(HOUR_MS - 2000, async () => expect(await backend.get(key)).toBe("one"));
    });

    test("every operation treats an expired record as absent", async (backend) => {
      const keys = Array.from({ length: 7 }, () => fresh("ends"));
      const [get = "", put = "", take = "", change = "", count = "", gone = "", other = ""] = keys;
      await Promise.all(keys.map((key) => backend.put(key, "5", soon())));
      await later(HOUR_MS + 1, async () => {
        expect(await backend.get(get)).toBe(null);
        expect(await backend.compareAndSet(change, "5", "6")).toBe(false);
        expect(await backend.take?.(take)).toBe(backend.take && null);
        expect(await backend.delete(gone)).toBe(false);
        expect((await listKeys(backend, `${suite}.ends.`)).length).toBe(0);
        expect(await backend.putIfAbsent(put, "6")).toBe(true);
        expect(await backend.increment(count, 1)).toBe(1);
        await backend.put(other, "7");
        expect(await backend.get(put)).toBe("6");
        expect(await backend.get(other)).toBe("7");
        expect(await listKeys(backend, `${suite}.ends.`)).toEqual([put, count, other].sort());
      });
    });

    test("put, putIfAbsent and compareAndSet accept an expiry in the past", async (backend) => {
      const key = fresh();
      await backend.put(key, "one", Date.now() - 1000);
      expect(await backend.get(key)).toBe(null);
      expect(await backend.putIfAbsent(key, "two", Date.now() - 1000)).toBe(true);
      expect(await backend.get(key)).toBe(null);
      await backend.put(key, "three");
      expect(await backend.compareAndSet(key, "three", "", Date.now())).toBe(true);
      expect(await backend.get(key)).toBe(null);
      expect(await backend.putIfAbsent(key, "four")).toBe(true);
      expect(await backend.get(key)).toBe("four");
    });

    test("put and compareAndSet replace the expiry of a record", async (backend) => {
      const lifted = fresh();
      await backend.put(lifted, "one", soon());
      await backend.put(lifted, "two");
      const changed = fresh();
      await backend.put(changed, "one", soon());
      await backend.compareAndSet(changed, "one", "two", soon() + HOUR_MS);
      const shortened = fresh();
      await backend.put(shortened, "one");
      await backend.compareAndSet(shortened, "one", "two", soon());
      await later(HOUR_MS + 1, async () => {
        expect(await backend.get(lifted)).toBe("two");
        expect(await backend.get(changed)).toBe("two");
        expect(await backend.get(shortened)).toBe(null);
      });
    });

    test("increment keeps the expiry that the first increment set", async (backend) => {
      const key = fresh();
      expect(await backend.increment(key, 1, soon())).toBe(1);
      expect(await backend.increment(key, 1, soon() + HOUR_MS)).toBe(2);
      expect(await backend.increment(key, 1)).toBe(3);
      await later(HOUR_MS + 1, async () => {
        expect(await backend.get(key)).toBe(null);
        expect(await backend.increment(key, 1, soon())).toBe(1);
      });
      await later(HOUR_MS + 2, async () => expect(await backend.increment(key, 1)).toBe(2));
    });

    test("get does not expire records early when the caller's clock is behind", async (backend) => {
      const key = fresh();
      await later(-HOUR_MS, async () => {
        await backend.put(key, "one", Date.now() + 60_000);
        expect(await backend.get(key)).toBe("one");
        expect(await backend.putIfAbsent(key, "two")).toBe(false);
        await later(60_001, async () => expect(await backend.get(key)).toBe(null));
      });
      expect(await backend.get(key)).toBe(null);
    });

    test("put does not expire records early when their expiry is months away", async (backend) => {
      // 2^31 - 1 milliseconds are 24.8 days. Longer timers fire immediately.
      const keys = [30, 400, 40_000].map((days) => [fresh(), days * 24 * HOUR_MS] as const);
      for (const [key, life] of keys) await backend.put(key, "one", Date.now() + life);
      for (const [key] of keys) expect(await backend.get(key)).toBe("one");
    });

    test("sweep removes expired records only, at most `limit` per call", async (backend) => {
      if (!backend.sweep) return;
      const over = Array.from({ length: 30 }, () => fresh("over"));
      const living = [fresh("living"), fresh("living")];
      await Promise.all(over.map((key) => backend.put(key, "one", soon())));
      await backend.put(living[0] ?? "", "one", soon() + HOUR_MS);
      await backend.put(living[1] ?? "", "one");
      await later(HOUR_MS + 60_000, async () => {
        let total = 0;
        for (let round = 0; round < 100; round++) {
          const removed = (await backend.sweep?.(20)) ?? 0;
          expect(removed <= 20).toBe(true);
          total += removed;
        }
        expect(total >= 30).toBe(true);
      });
      // With the clock set back, a swept record is still absent: it was removed rather than just expired.
      for (const key of over) expect(await backend.get(key)).toBe(null);
      for (const key of living) expect(await backend.get(key)).toBe("one");
    });
  });
}
