import { randomHex } from "../../crypto/crypto.ts";
import { createStore } from "../../storage/store.ts";
import type { Store, StoreBackend, StoreKey } from "../../types/store.ts";
import { ODD_TEXTS } from "../odd-texts.ts";
import { HOUR_MS, later, type StoreSuite } from "./suite.ts";

/** Tests that a plugin's store works on the backend. */
export function testNamespaces({
  describe,
  test,
  expect,
  many,
  wins,
  listKeys,
  rounds,
  timeout,
}: StoreSuite): void {
  describe("createStore on a StoreBackend", () => {
    const errors: Error[] = [];
    const openStore = <T>(backend: StoreBackend, namespace: string): Store<T> =>
      createStore<T>({
        namespace,
        backend: () => backend,
        logger: { error: (error) => errors.push(error) },
        timeout,
      });
    const space = () => `s${randomHex(6)}`;

    test("createStore keeps odd keys apart", async (backend) => {
      const store = openStore<StoreKey>(backend, space());
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

    test("createStore returns odd values unchanged", async (backend) => {
      const store = openStore<unknown>(backend, space());
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

    test("createStore keeps namespaces apart", async (backend) => {
      const name = space();
      const mine = openStore<string>(backend, name);
      const others = [
        openStore<string>(backend, `${name}x`),
        openStore<string>(backend, `${name}-x`),
      ];
      await mine.put(["group", "key"], "mine");
      for (const other of others) {
        expect(await other.get(["group", "key"])).toBe(undefined);
        expect(await other.putIfAbsent(["group", "key"], "theirs")).toBe(true);
      }
      const seen: string[] = [];
      for await (const value of mine.scan()) seen.push(value);
      expect(seen).toEqual(["mine"]);
    });

    test("createStore expires records by the caller's clock", async (backend) => {
      const store = openStore<string>(backend, space());
      await store.put(["g", "a"], "one", { ttl: HOUR_MS });
      const entry = await store.read(["g", "a"]);
      await later(HOUR_MS + 1, async () => {
        expect(await store.get(["g", "a"])).toBe(undefined);
        expect(await store.take(["g", "a"])).toBe(undefined);
        if (entry) expect(await store.compareAndSet(["g", "a"], entry, "two")).toBe(false);
        expect(await store.putIfAbsent(["g", "a"], "three", { ttl: HOUR_MS })).toBe(true);
        expect(await store.get(["g", "a"])).toBe("three");
      });
    });

    test("store.take returns a one-time value once", async (backend) => {
      if (!backend.atomic) return;
      const store = openStore<string>(backend, space());
      for (let round = 0; round < rounds; round++) {
        await store.put("token", "one", { ttl: HOUR_MS });
        const taken = await many(() => store.take("token"));
        expect(taken.filter((value) => value !== undefined)).toEqual(["one"]);
        expect(await store.get("token")).toBe(undefined);
      }
    });

    test("createStore treats an unreadable record as absent and lets it be replaced", async (backend) => {
      const namespace = space();
      const store = openStore<string>(backend, namespace);
      const buildKey = async (name: string) => {
        await store.put([name, "x"], "one");
        return (await listKeys(backend, `${namespace}.`))[0] ?? "";
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
        const key = await buildKey("name");
        await backend.put(key, raw);
        expect(await store.get(["name", "x"])).toBe(undefined);
        expect(await backend.get(key)).toBe(null);
        expect(await store.putIfAbsent(["name", "x"], "two")).toBe(true);
        await backend.put(key, raw);
        expect(await store.take(["name", "x"])).toBe(undefined);
        await store.delete(["name", "x"]);
      }
      // A record in a newer format version is left in place.
      const key = await buildKey("name");
      await backend.put(key, '{"v":2,"what":"ever"}');
      expect(await store.get(["name", "x"])).toBe(undefined);
      expect(await store.putIfAbsent(["name", "x"], "two")).toBe(false);
      expect(await backend.get(key)).toBe('{"v":2,"what":"ever"}');
      expect(errors.length).toBe(1);
    });
  });
}
