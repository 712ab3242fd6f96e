import type { StoreBackend } from "../../types/store.ts";
import type { StoreSuite } from "./suite.ts";

/** Tests that the guarantees hold among all backends with the same records. */
export function testShared({
  describe,
  test,
  expect,
  fresh,
  soon,
  many,
  wins,
  make,
  rounds,
}: StoreSuite): void {
  describe("StoreBackend: shared records", () => {
    const shared = (
      name: string,
      body: (backend: StoreBackend, other: StoreBackend, key: string) => Promise<void>,
    ) =>
      test(name, async (backend) => {
        if (backend.guarantees.scope === "process") return;
        const other = await make();
        for (let round = 0; round < rounds; round++) await body(backend, other, fresh("shared"));
        if (other !== backend) await other.close?.();
      });

    shared(
      "writes are visible to every backend over the same records",
      async (backend, other, key) => {
        await backend.put(key, "one", soon());
        expect(await other.get(key)).toBe("one");
        await other.put(key, "two");
        expect(await backend.get(key)).toBe("two");
        expect(await other.delete(key)).toBe(true);
        expect(await backend.get(key)).toBe(null);
      },
    );

    test("writes of a durable backend are visible to a backend opened later", async (backend) => {
      if (!backend.guarantees.durable) return;
      const [put, added, changed, gone] = [fresh(), fresh(), fresh(), fresh()];
      for (const key of [changed, gone]) await backend.put(key, "old");
      await backend.put(put, "put", soon());
      await backend.putIfAbsent(added, "added");
      await backend.compareAndSet(changed, "old", "changed");
      await backend.delete(gone);
      const other = await make();
      const found = await Promise.all([put, added, changed, gone].map((key) => other.get(key)));
      expect(found).toEqual(["put", "added", "changed", null]);
      if (other !== backend) await other.close?.();
    });

    shared(
      "putIfAbsent, compareAndSet and take are atomic among backends over the same records",
      async (backend, other, key) => {
        if (!backend.atomic) return;
        const at = (index: number) => (index % 2 ? backend : other);
        expect(wins(await many((index) => at(index).putIfAbsent(key, "old")))).toBe(1);
        const changed = await many((index) => at(index).compareAndSet(key, "old", `new ${index}`));
        expect(wins(changed)).toBe(1);
        if (!backend.take) return;
        const taken = await many((index) => at(index).take?.(key) as Promise<string | null>);
        expect(taken.filter((value) => value !== null)).toEqual([`new ${changed.indexOf(true)}`]);
      },
    );
  });
}
