import type { StoreBackend } from "../../types/store.ts";
import type { StoreSuite } from "./suite.ts";

/** Tests that of N concurrent callers exactly one wins. */
export function testAtomic({
  describe,
  expect,

  soon,
  many,
  wins,
  race,
  parallel,
}: StoreSuite): void {
  describe("StoreBackend: atomicity", () => {
    const atomic = (name: string, body: (backend: StoreBackend, key: string) => Promise<void>) =>
      race(name, async (backend, key) => {
        if (backend.atomic) await body(backend, key);
      });

    atomic(
      "putIfAbsent is atomic: of N concurrent callers exactly one gets true",
      async (backend, key) => {
        expect(wins(await many((at) => backend.putIfAbsent(key, String(at))))).toBe(1);
      },
    );

    atomic(
      "putIfAbsent over an expired record is atomic: of N concurrent callers exactly one gets true",
      async (backend, key) => {
        await backend.put(key, "old", Date.now() - 1);
        const results = await many((at) => backend.putIfAbsent(key, String(at), soon()));
        expect(wins(results)).toBe(1);
        expect(await backend.get(key)).toBe(String(results.indexOf(true)));
      },
    );

    atomic(
      "take is atomic: of N concurrent callers exactly one gets the value",
      async (backend, key) => {
        if (!backend.take) return;
        await backend.put(key, "one", soon());
        const results = await many(() => backend.take?.(key) as Promise<string | null>);
        expect(results.filter((result) => result !== null)).toEqual(["one"]);
      },
    );

    atomic(
      "compareAndSet is atomic: of N concurrent callers exactly one gets true",
      async (backend, key) => {
        await backend.put(key, "one");
        const results = await many((at) => backend.compareAndSet(key, "one", `new ${at}`));
        expect(wins(results)).toBe(1);
        expect(await backend.get(key)).toBe(`new ${results.indexOf(true)}`);
      },
    );

    atomic("increment loses no increment of N concurrent callers", async (backend, key) => {
      const sums = await many(() => backend.increment(key, 1, soon()));
      const expected = Array.from({ length: parallel }, (_, at) => at + 1);
      expect([...sums].sort((a, b) => a - b)).toEqual(expected);
      expect(await backend.get(key)).toBe(String(parallel));
    });

    atomic(
      "delete and take of the same record: exactly one caller gets it",
      async (backend, key) => {
        if (!backend.take) return;
        await backend.put(key, "one");
        const results = await many(async (at) =>
          at % 2 ? backend.delete(key) : (await backend.take?.(key)) !== null,
        );
        expect(wins(results)).toBe(1);
      },
    );

    atomic(
      "take returns the value compareAndSet wrote, or compareAndSet returns false",
      async (backend, key) => {
        if (!backend.take) return;
        await backend.put(key, "old");
        const results = await many(async (at) =>
          at % 2 ? backend.compareAndSet(key, "old", "new") : backend.take?.(key),
        );
        const changed = wins(results);
        const taken = results.filter((result) => typeof result === "string");
        expect(taken).toEqual([changed ? "new" : "old"]);
        expect(changed <= 1).toBe(true);
      },
    );

    atomic(
      "put is not undone by a concurrent compareAndSet of the old value",
      async (backend, key) => {
        await backend.put(key, "old");
        await many(async (at) => {
          if (at === parallel >> 1) await backend.put(key, "put");
          else await backend.compareAndSet(key, "old", `changed ${at}`);
        });
        expect(await backend.get(key)).toBe("put");
      },
    );
  });
}
