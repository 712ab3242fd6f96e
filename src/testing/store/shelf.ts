import { randomHex } from "../../crypto.ts";
import { createStore } from "../../store.ts";
import type { Store, StoreBackend, StoreKey } from "../../types/store.ts";
import { ODD_TEXTS } from "../odd-texts.ts";
import { HOUR, later, type StoreSuite } from "./suite.ts";

/** A plugin's shelf lies well on the backend. */
export function testShelf({
  describe,
  test,
  expect,
  many,
  wins,
  keysOf,
  rounds,
  timeout,
}: StoreSuite): void {
  describe("carries a plugin's shelf", () => {
    const errors: Error[] = [];
    const shelf = <T>(backend: StoreBackend, namespace: string): Store<T> =>
      createStore<T>({
        namespace,
        backend: () => backend,
        logger: { error: (error) => errors.push(error) },
        timeout,
      });
    const space = () => `s${randomHex(6)}`;

    test("where odd keys never meet", async (backend) => {
      const store = shelf<StoreKey>(backend, space());
      const texts = [...new Set(ODD_TEXTS)];
      const keys: StoreKey[] = [
        ...texts,
        ...texts.map((text) => ["group", text] as const),
        ...texts.map((text) => [text, "group"] as const),
        ["a", "b", "c"],
        ["a", "b:c"],
        ["a:b", "c"],
        ["c", "b", "a"],
      ];
      const won = await Promise.all(keys.map((key) => store.putIfAbsent(key, key)));
      expect(wins(won)).toBe(keys.length);
      expect(await Promise.all(keys.map((key) => store.get(key)))).toEqual(keys);
      const grouped: StoreKey[] = [];
      for await (const key of store.scan("group")) grouped.push(key);
      const expected = keys.filter((key) => key.length === 2 && key[0] === "group");
      expect(grouped.map((key) => JSON.stringify(key)).sort()).toEqual(
        expected.map((key) => JSON.stringify(key)).sort(),
      );
      await Promise.all(keys.map((key) => store.delete(key)));
      for await (const key of store.scan()) expect(key).toBe("nothing");
    });

    test("where odd values come back as they were", async (backend) => {
      const store = shelf<unknown>(backend, space());
      const values: unknown[] = [
        ...ODD_TEXTS,
        ...[null, true, false, 0, -1, 1.5, 1e300, 123456, [], {}, [[]], [null]],
        JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
        { nested: { list: [{ deep: [1, "2", { "": " " }] }] }, "a.b": "c", $x: 1 },
      ];
      await Promise.all(
        values.map(async (value, at) => {
          await store.put(String(at), value);
          expect(JSON.stringify(await store.get(String(at)))).toBe(JSON.stringify(value));
        }),
      );
    });

    test("that others do not see", async (backend) => {
      const name = space();
      const mine = shelf<string>(backend, name);
      const others = [shelf<string>(backend, `${name}x`), shelf<string>(backend, `${name}-x`)];
      await mine.put(["group", "key"], "mine");
      for (const other of others) {
        expect(await other.get(["group", "key"])).toBe(undefined);
        expect(await other.putIfAbsent(["group", "key"], "theirs")).toBe(true);
      }
      const seen: string[] = [];
      for await (const value of mine.scan()) seen.push(value);
      expect(seen).toEqual(["mine"]);
    });

    test("whose records end by the caller's clock", async (backend) => {
      const store = shelf<string>(backend, space());
      await store.put(["g", "a"], "one", { ttl: HOUR });
      const entry = await store.read(["g", "a"]);
      await later(HOUR + 1, async () => {
        expect(await store.get(["g", "a"])).toBe(undefined);
        expect(await store.take(["g", "a"])).toBe(undefined);
        if (entry) expect(await store.compareAndSet(["g", "a"], entry, "two")).toBe(false);
        expect(await store.putIfAbsent(["g", "a"], "three", { ttl: HOUR })).toBe(true);
        expect(await store.get(["g", "a"])).toBe("three");
      });
    });

    test("whose one-time values are used once", async (backend) => {
      if (!backend.atomic) return;
      const store = shelf<string>(backend, space());
      for (let round = 0; round < rounds; round++) {
        await store.put("token", "one", { ttl: HOUR });
        const taken = await many(() => store.take("token"));
        expect(taken.filter((value) => value !== undefined)).toEqual(["one"]);
        expect(await store.get("token")).toBe(undefined);
      }
    });

    test("where an unreadable record counts as absent and makes room", async (backend) => {
      const namespace = space();
      const store = shelf<string>(backend, namespace);
      const keyOf = async (name: string) => {
        await store.put([name, "x"], "one");
        return (await keysOf(backend, `${namespace}.`))[0] ?? "";
      };
      for (const raw of [
        "",
        "{",
        "null",
        "[]",
        '"text"',
        "{}",
        '{"v":1}',
        '{"v":"1","d":1}',
        "x",
      ]) {
        const key = await keyOf("name");
        await backend.put(key, raw);
        expect(await store.get(["name", "x"])).toBe(undefined);
        expect(await backend.get(key)).toBe(null);
        expect(await store.putIfAbsent(["name", "x"], "two")).toBe(true);
        await backend.put(key, raw);
        expect(await store.take(["name", "x"])).toBe(undefined);
        await store.delete(["name", "x"]);
      }
      // A newer version's record is not ours to move.
      const key = await keyOf("name");
      await backend.put(key, '{"v":2,"what":"ever"}');
      expect(await store.get(["name", "x"])).toBe(undefined);
      expect(await store.putIfAbsent(["name", "x"], "two")).toBe(false);
      expect(await backend.get(key)).toBe('{"v":2,"what":"ever"}');
      expect(errors.length).toBe(1);
    });
  });
}
