import { randomHex } from "../crypto.ts";
import { createStore } from "../store.ts";
import type { Awaitable } from "../types/models.ts";
import type { Store, StoreBackend, StoreKey } from "../types/store.ts";

/** What the suite needs of a test runner; vitest, jest, bun and mocha with an `expect` have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>, timeout?: number): unknown;
  expect(value: unknown): {
    toBe(expected: unknown): unknown;
    toEqual(expected: unknown): unknown;
  };
}

/** What a backend's suite may be told. */
export interface StoreSuiteOptions {
  /** Parallel callers in a race. Default 50. */
  parallel?: number;
  /** Races of each kind. Default 20. */
  rounds?: number;
  /** Bytes of the largest value that is tried. Default 200000. */
  largest?: number;
  /** Milliseconds that one test may take. Default 30000. */
  timeout?: number;
  /** Makes the backend with its server out of reach: every operation must fail. */
  broken?: () => Awaitable<StoreBackend>;
}

/** Texts that have met one another, changed or vanished in some storage. */
export const ODD_TEXTS: readonly string[] = [
  ...["", " ", "a", "A", "a ", " a", "á", "a\u0301", "ß", "ss", "ı", "i", "I"],
  ...["a?b", "a", "a?c", "a:b", "a/b", "a\\b", "a::b", ":a:b:", "a//b", "a.b", "../a", ".", ".."],
  ...["123", "0123", "1e5", "100000", "true", "null", "nan", "undefined", "{}", "[]", '"a"', "-0"],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "a$",
    "$a",
    "a%",
    "a_",
    "a*",
    "[a]",
    "{a}",
    "a'b",
    "`",
  ],
  ...[
    "日本語",
    "日本语",
    "👩‍👩‍👧",
    "👩👩👧",
    "\u202eabc",
    "\ufeffa",
    "\u0000",
    "a\u0000b",
    "a\nb",
    "a\r\nb",
  ],
  ...["\ud800", "\udfff", "\ufffd", "x".repeat(10_000), `${"x".repeat(9_999)}y`],
];

const HOUR = 3_600_000;

// The suite moves the clock by itself: it must run under any test runner.
async function later<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
  const now = Date.now;
  Date.now = () => now.call(Date) + milliseconds;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

/**
 * The contract of a store's backend as a test suite: for whoever writes one. `make` is called again for
 * another one over the same records; where they belong to the process alone, that may be the same.
 * @example
 * import { describe, expect, it } from "vitest";
 * testStore(() => myBackend(client), { describe, expect, it });
 */
export function testStore(
  make: () => Awaitable<StoreBackend>,
  { describe, it, expect }: TestRunner,
  options: StoreSuiteOptions = {},
): void {
  const { parallel = 50, rounds = 20, largest = 200_000, timeout = 30_000, broken } = options;
  const suite = `suite-${randomHex(4)}`;
  let made: Promise<StoreBackend> | undefined;
  const use = () => (made ??= (async () => make())());
  const test = (name: string, body: (backend: StoreBackend) => Promise<void>) =>
    it(name, async () => body(await use()), timeout);
  const fresh = (group = "key") => `${suite}.${group}.${randomHex(8)}`;
  const soon = () => Date.now() + HOUR;
  const many = <T>(work: (at: number) => Promise<T>) =>
    Promise.all(Array.from({ length: parallel }, (_, at) => work(at)));
  const wins = (answers: readonly unknown[]) => answers.filter((answer) => answer === true).length;
  const race = (name: string, body: (backend: StoreBackend, key: string) => Promise<void>) =>
    test(name, async (backend) => {
      for (let round = 0; round < rounds; round++) await body(backend, fresh("race"));
    });

  const keysOf = async (backend: StoreBackend, prefix: string, limit = 100) => {
    const keys: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await backend.scan(prefix, { limit, ...(cursor !== undefined && { cursor }) });
      keys.push(...page.keys);
      cursor = page.cursor;
    } while (cursor !== undefined);
    return [...new Set(keys)].sort();
  };

  describe("says what it promises", () => {
    test("in its guarantees", async ({ name, guarantees, sweep }) => {
      expect(name !== "").toBe(true);
      expect(["process", "host", "global"].includes(guarantees.scope)).toBe(true);
      expect(["strong", "eventual"].includes(guarantees.consistency)).toBe(true);
      expect(typeof guarantees.durable).toBe("boolean");
      expect(guarantees.ttl).toBe(sweep ? "sweep" : "native");
    });
  });

  describe("keeps records", () => {
    test("gets what was put, and null for what was not", async (backend) => {
      const key = fresh();
      expect(await backend.get(key)).toBe(null);
      await backend.put(key, "one");
      expect(await backend.get(key)).toBe("one");
      await backend.put(key, "two");
      expect(await backend.get(key)).toBe("two");
    });

    test("gives every text back as it was", async (backend) => {
      const texts = ODD_TEXTS.filter((text) => !/[\p{Surrogate}\0]/u.test(text));
      const all = [...texts, "ü".repeat(largest / 4), JSON.stringify({ a: [1, "|", { b: null }] })];
      await Promise.all(
        all.map(async (text) => {
          const key = fresh("text");
          await backend.put(key, text);
          expect(await backend.get(key)).toBe(text);
          expect(await backend.compareAndSet(key, `${text} `, "no")).toBe(false);
          expect(await backend.compareAndSet(key, text, `${text}${text}`)).toBe(true);
          expect((await backend.take?.(key)) ?? (await backend.get(key))).toBe(`${text}${text}`);
        }),
      );
    });

    test("tells texts apart that look alike", async (backend) => {
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

    test("deletes, and tells whether there was something", async (backend) => {
      const key = fresh();
      expect(await backend.delete(key)).toBe(false);
      await backend.put(key, "one");
      expect(await backend.delete(key)).toBe(true);
      expect(await backend.get(key)).toBe(null);
      expect(await backend.delete(key)).toBe(false);
    });

    test("puts if absent", async (backend) => {
      const key = fresh();
      expect(await backend.putIfAbsent(key, "one")).toBe(true);
      expect(await backend.putIfAbsent(key, "two")).toBe(false);
      expect(await backend.get(key)).toBe("one");
      await backend.delete(key);
      expect(await backend.putIfAbsent(key, "three")).toBe(true);
      expect(await backend.get(key)).toBe("three");
    });

    test("takes once", async (backend) => {
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

    test("compares and sets", async (backend) => {
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

    test("counts", async (backend) => {
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

    test("refuses to count what is no counter", async (backend) => {
      const key = fresh();
      await backend.put(key, "one");
      const refused = await backend.increment(key, 1).then(
        () => false,
        () => true,
      );
      expect(refused).toBe(true);
      expect(await backend.get(key)).toBe("one");
    });
  });

  describe("ends records in time", () => {
    test("not before", async (backend) => {
      const key = fresh();
      await backend.put(key, "one", soon());
      await later(HOUR - 2000, async () => expect(await backend.get(key)).toBe("one"));
    });

    test("for every operation", async (backend) => {
      const keys = Array.from({ length: 7 }, () => fresh("ends"));
      const [get = "", put = "", take = "", change = "", count = "", gone = "", other = ""] = keys;
      await Promise.all(keys.map((key) => backend.put(key, "5", soon())));
      await later(HOUR + 1, async () => {
        expect(await backend.get(get)).toBe(null);
        expect(await backend.compareAndSet(change, "5", "6")).toBe(false);
        expect(await backend.take?.(take)).toBe(backend.take && null);
        expect(await backend.delete(gone)).toBe(false);
        expect((await keysOf(backend, `${suite}.ends.`)).length).toBe(0);
        expect(await backend.putIfAbsent(put, "6")).toBe(true);
        expect(await backend.increment(count, 1)).toBe(1);
        await backend.put(other, "7");
        expect(await backend.get(put)).toBe("6");
        expect(await backend.get(other)).toBe("7");
        expect(await keysOf(backend, `${suite}.ends.`)).toEqual([put, count, other].sort());
      });
    });

    test("also those that were over when they were written", async (backend) => {
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

    test("as the last write says", async (backend) => {
      const lifted = fresh();
      await backend.put(lifted, "one", soon());
      await backend.put(lifted, "two");
      const changed = fresh();
      await backend.put(changed, "one", soon());
      await backend.compareAndSet(changed, "one", "two", soon() + HOUR);
      const shortened = fresh();
      await backend.put(shortened, "one");
      await backend.compareAndSet(shortened, "one", "two", soon());
      await later(HOUR + 1, async () => {
        expect(await backend.get(lifted)).toBe("two");
        expect(await backend.get(changed)).toBe("two");
        expect(await backend.get(shortened)).toBe(null);
      });
    });

    test("a counter when its first write said", async (backend) => {
      const key = fresh();
      expect(await backend.increment(key, 1, soon())).toBe(1);
      expect(await backend.increment(key, 1, soon() + HOUR)).toBe(2);
      expect(await backend.increment(key, 1)).toBe(3);
      await later(HOUR + 1, async () => {
        expect(await backend.get(key)).toBe(null);
        expect(await backend.increment(key, 1, soon())).toBe(1);
      });
      await later(HOUR + 2, async () => expect(await backend.increment(key, 1)).toBe(2));
    });

    test("nor early when the caller's clock is behind", async (backend) => {
      const key = fresh();
      await later(-HOUR, async () => {
        await backend.put(key, "one", Date.now() + 60_000);
        expect(await backend.get(key)).toBe("one");
        expect(await backend.putIfAbsent(key, "two")).toBe(false);
        await later(60_001, async () => expect(await backend.get(key)).toBe(null));
      });
      expect(await backend.get(key)).toBe(null);
    });

    test("and not far ones at once", async (backend) => {
      // 2^31 - 1 milliseconds are 24.8 days: timers beyond fire at once.
      const keys = [30, 400, 40_000].map((days) => [fresh(), days * 24 * HOUR] as const);
      for (const [key, life] of keys) await backend.put(key, "one", Date.now() + life);
      for (const [key] of keys) expect(await backend.get(key)).toBe("one");
    });

    test("and sweeps the expired ones alone, so many at a time", async (backend) => {
      if (!backend.sweep) return;
      const over = Array.from({ length: 30 }, () => fresh("over"));
      const living = [fresh("living"), fresh("living")];
      await Promise.all(over.map((key) => backend.put(key, "one", soon())));
      await backend.put(living[0] ?? "", "one", soon() + HOUR);
      await backend.put(living[1] ?? "", "one");
      await later(HOUR + 60_000, async () => {
        let total = 0;
        for (let round = 0; round < 100; round++) {
          const removed = (await backend.sweep?.(20)) ?? 0;
          expect(removed <= 20).toBe(true);
          total += removed;
        }
        expect(total >= 30).toBe(true);
      });
      // Back in time, what was swept is gone and not only out of date.
      for (const key of over) expect(await backend.get(key)).toBe(null);
      for (const key of living) expect(await backend.get(key)).toBe("one");
    });
  });

  describe("lists records", () => {
    test("of a group, and of no other", async (backend) => {
      const group = `${suite}.list-${randomHex(4)}`;
      const inside = ["1", "2", "1.1", "1.2", "10"].map((name) => `${group}.${name}`);
      for (const key of [...inside, group, `${group}0.1`, `${group}-1.1`, `x${group}.1`]) {
        await backend.put(key, "one");
      }
      expect(await keysOf(backend, `${group}.`)).toEqual(inside.sort());
      expect(await keysOf(backend, `${group}.1.`)).toEqual([`${group}.1.1`, `${group}.1.2`]);
      expect(await keysOf(backend, `${group}.3.`)).toEqual([]);
      await backend.delete(`${group}.1.1`);
      expect(await keysOf(backend, `${group}.1.`)).toEqual([`${group}.1.2`]);
      await backend.take?.(`${group}.1.2`);
      if (backend.take) expect(await keysOf(backend, `${group}.1.`)).toEqual([]);
    });

    test("page by page, also while they are deleted", async (backend) => {
      const group = `${suite}.page-${randomHex(4)}`;
      const keys = Array.from({ length: 120 }, (_, at) => `${group}.${at}`);
      await Promise.all(keys.map((key) => backend.put(key, "one")));
      expect(await keysOf(backend, `${group}.`, 7)).toEqual([...keys].sort());
      expect(await keysOf(backend, `${group}.`, 1000)).toEqual([...keys].sort());
      let cursor: string | undefined;
      do {
        const page = await backend.scan(`${group}.`, { limit: 7, ...(cursor && { cursor }) });
        await Promise.all(page.keys.map((key) => backend.delete(key)));
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(await keysOf(backend, `${group}.`)).toEqual([]);
    });

    test("that every operation made", async (backend) => {
      const group = `${suite}.made-${randomHex(4)}`;
      await backend.putIfAbsent(`${group}.a`, "one", soon());
      await backend.increment(`${group}.b`, 1, soon());
      await backend.put(`${group}.c`, "one");
      await backend.compareAndSet(`${group}.c`, "one", "two", soon());
      expect(await keysOf(backend, `${group}.`)).toEqual(
        ["a", "b", "c"].map((k) => `${group}.${k}`),
      );
      await later(HOUR + 1, async () => expect(await keysOf(backend, `${group}.`)).toEqual([]));
    });
  });

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

  describe("is shared", () => {
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

    shared("by all who are made over the same records", async (backend, other, key) => {
      await backend.put(key, "one", soon());
      expect(await other.get(key)).toBe("one");
      await other.put(key, "two");
      expect(await backend.get(key)).toBe("two");
      expect(await other.delete(key)).toBe(true);
      expect(await backend.get(key)).toBe(null);
    });

    test("by who comes after, if it lasts", async (backend) => {
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

    shared("and atomic among them", async (backend, other, key) => {
      if (!backend.atomic) return;
      const at = (index: number) => (index % 2 ? backend : other);
      expect(wins(await many((index) => at(index).putIfAbsent(key, "old")))).toBe(1);
      const changed = await many((index) => at(index).compareAndSet(key, "old", `new ${index}`));
      expect(wins(changed)).toBe(1);
      if (!backend.take) return;
      const taken = await many((index) => at(index).take?.(key) as Promise<string | null>);
      expect(taken.filter((value) => value !== null)).toEqual([`new ${changed.indexOf(true)}`]);
    });
  });

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

  if (broken) {
    describe("fails when its server is out of reach", () => {
      const operations: Record<string, (backend: StoreBackend, key: string) => Promise<unknown>> = {
        get: (backend, key) => backend.get(key),
        put: (backend, key) => backend.put(key, "one"),
        putIfAbsent: (backend, key) => backend.putIfAbsent(key, "one"),
        take: (backend, key) => backend.take?.(key) ?? Promise.reject(new Error("no take")),
        compareAndSet: (backend, key) => backend.compareAndSet(key, "one", "two"),
        increment: (backend, key) => backend.increment(key, 1),
        delete: (backend, key) => backend.delete(key),
        scan: (backend, key) => backend.scan(`${key}.`, { limit: 1 }),
      };
      for (const [name, operation] of Object.entries(operations)) {
        it(
          `in ${name}`,
          async () => {
            const outcome = await operation(await broken(), fresh()).then(
              (value) => `answered ${String(value)}`,
              () => "threw",
            );
            expect(outcome).toBe("threw");
          },
          timeout,
        );
      }
    });
  }
}
