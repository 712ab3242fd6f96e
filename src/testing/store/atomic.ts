import type { StoreBackend } from "../../types/store.ts";
import type { StoreSuite } from "./suite.ts";

/** Of many at once one wins. */
export function testAtomic({
  describe,
  expect,

  soon,
  many,
  wins,
  race,
  parallel,
}: StoreSuite): void {
  describe("is atomic", () => {
    const atomic = (name: string, body: (backend: StoreBackend, key: string) => Promise<void>) =>
      race(name, async (backend, key) => {
        if (backend.atomic) await body(backend, key);
      });

    atomic("one of many puts if absent", async (backend, key) => {
      expect(wins(await many((at) => backend.putIfAbsent(key, String(at))))).toBe(1);
    });

    atomic("one of many puts over what has ended", async (backend, key) => {
      await backend.put(key, "old", Date.now() - 1);
      const answers = await many((at) => backend.putIfAbsent(key, String(at), soon()));
      expect(wins(answers)).toBe(1);
      expect(await backend.get(key)).toBe(String(answers.indexOf(true)));
    });

    atomic("one of many takes", async (backend, key) => {
      if (!backend.take) return;
      await backend.put(key, "one", soon());
      const answers = await many(() => backend.take?.(key) as Promise<string | null>);
      expect(answers.filter((answer) => answer !== null)).toEqual(["one"]);
    });

    atomic("one of many compares and sets", async (backend, key) => {
      await backend.put(key, "one");
      const answers = await many((at) => backend.compareAndSet(key, "one", `new ${at}`));
      expect(wins(answers)).toBe(1);
      expect(await backend.get(key)).toBe(`new ${answers.indexOf(true)}`);
    });

    atomic("no count is lost", async (backend, key) => {
      const sums = await many(() => backend.increment(key, 1, soon()));
      const expected = Array.from({ length: parallel }, (_, at) => at + 1);
      expect([...sums].sort((a, b) => a - b)).toEqual(expected);
      expect(await backend.get(key)).toBe(String(parallel));
    });

    atomic("a record is deleted or taken, not both", async (backend, key) => {
      if (!backend.take) return;
      await backend.put(key, "one");
      const answers = await many(async (at) =>
        at % 2 ? backend.delete(key) : (await backend.take?.(key)) !== null,
      );
      expect(wins(answers)).toBe(1);
    });

    atomic("a record is changed before it is taken, or not at all", async (backend, key) => {
      if (!backend.take) return;
      await backend.put(key, "old");
      const answers = await many(async (at) =>
        at % 2 ? backend.compareAndSet(key, "old", "new") : backend.take?.(key),
      );
      const changed = wins(answers);
      const taken = answers.filter((answer) => typeof answer === "string");
      expect(taken).toEqual([changed ? "new" : "old"]);
      expect(changed <= 1).toBe(true);
    });

    atomic("a put is never undone by a change that did not see it", async (backend, key) => {
      await backend.put(key, "old");
      await many(async (at) => {
        if (at === parallel >> 1) await backend.put(key, "put");
        else await backend.compareAndSet(key, "old", `changed ${at}`);
      });
      expect(await backend.get(key)).toBe("put");
    });
  });
}
