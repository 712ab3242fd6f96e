import { randomHex } from "../../crypto/crypto.ts";
import { HOUR_MS, later, type StoreSuite } from "./suite.ts";

/** Tests that records are listed by group. */
export function testLists({ describe, test, expect, soon, listKeys, suite }: StoreSuite): void {
  describe("StoreBackend: scan", () => {
    test("scan lists the keys of one group and of no other", async (backend) => {
      const group = `${suite}.list-${randomHex(4)}`;
      const inside = ["1", "2", "1.1", "1.2", "10"].map((name) => `${group}.${name}`);
      for (const key of [...inside, group, `${group}0.1`, `${group}-1.1`, `x${group}.1`]) {
        await backend.put(key, "one");
      }
      expect(await listKeys(backend, `${group}.`)).toEqual(inside.sort());
      expect(await listKeys(backend, `${group}.1.`)).toEqual([`${group}.1.1`, `${group}.1.2`]);
      expect(await listKeys(backend, `${group}.3.`)).toEqual([]);
      await backend.delete(`${group}.1.1`);
      expect(await listKeys(backend, `${group}.1.`)).toEqual([`${group}.1.2`]);
      await backend.take?.(`${group}.1.2`);
      if (backend.take) expect(await listKeys(backend, `${group}.1.`)).toEqual([]);
    });

    test("scan lists every key page by page, also while records are deleted", async (backend) => {
      const group = `${suite}.page-${randomHex(4)}`;
      const keys = Array.from({ length: 120 }, (_, at) => `${group}.${at}`);
      await Promise.all(keys.map((key) => backend.put(key, "one")));
      expect(await listKeys(backend, `${group}.`, 7)).toEqual([...keys].sort());
      expect(await listKeys(backend, `${group}.`, 1000)).toEqual([...keys].sort());
      let cursor: string | undefined;
      do {
        const page = await backend.scan(`${group}.`, { limit: 7, ...(cursor && { cursor }) });
        await Promise.all(page.keys.map((key) => backend.delete(key)));
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(await listKeys(backend, `${group}.`)).toEqual([]);
    });

    test("scan lists records written by any operation, until they expire", async (backend) => {
      const group = `${suite}.made-${randomHex(4)}`;
      await backend.putIfAbsent(`${group}.a`, "one", soon());
      await backend.increment(`${group}.b`, 1, soon());
      await backend.put(`${group}.c`, "one");
      await backend.compareAndSet(`${group}.c`, "one", "two", soon());
      expect(await listKeys(backend, `${group}.`)).toEqual(
        ["a", "b", "c"].map((k) => `${group}.${k}`),
      );
      await later(HOUR_MS + 1, async () =>
        expect(await listKeys(backend, `${group}.`)).toEqual([]),
      );
    });
  });
}
