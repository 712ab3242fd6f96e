import { describe, expect, it } from "vitest";
import { merge } from "../../src/platform/merge.ts";

describe("merge()", () => {
  it("merge() merges plain objects deeply", () => {
    const base = { a: 1, deep: { kept: 1, changed: 1 } };
    const merged = merge<object>(base, { b: 2, deep: { changed: 2, added: 2 } });
    expect(merged).toEqual({ a: 1, b: 2, deep: { kept: 1, changed: 2, added: 2 } });
  });

  it("merge() lets later layers win and skips missing ones", () => {
    expect(merge({ a: 1 }, { a: 2 }, undefined, { a: 3 })).toEqual({ a: 3 });
  });

  it("merge() replaces arrays as a whole", () => {
    expect(merge({ checks: ["pkce", "state"] }, { checks: ["none"] })).toEqual({
      checks: ["none"],
    });
  });

  it("merge() skips undefined, but not null, false, zero or the empty string", () => {
    const base = { a: 1, b: 1, c: 1, d: 1, e: 1 };
    const layer = { a: undefined, b: null, c: false, d: 0, e: "" };
    expect(merge<object>(base, layer)).toEqual({ a: 1, b: null, c: false, d: 0, e: "" });
    expect(merge<object>({ deep: { a: 1 } }, { deep: { a: undefined } })).toEqual({
      deep: { a: 1 },
    });
  });

  it("merge() replaces values that are not plain objects, in both directions", () => {
    const url = new URL("https://example.com");
    const fn = () => 1;
    expect(merge<object>({ a: { b: 1 } }, { a: url })).toEqual({ a: url });
    expect(merge<object>({ a: url }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
    expect(merge<{ a: unknown }>({ a: fn }, { a: { b: 1 } }).a).toEqual({ b: 1 });
    expect(merge<{ a: unknown }>({ a: { b: 1 } }, { a: fn }).a).toBe(fn);
    expect(merge<object>({ a: "text" }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
  });

  it("merge() treats objects without a prototype as plain", () => {
    const bare = Object.assign(Object.create(null) as object, { b: 2 });
    expect(merge<object>({ a: { c: 1 } }, { a: bare })).toEqual({ a: { c: 1, b: 2 } });
  });

  it("merge() keeps symbol keys", () => {
    const key = Symbol("key");
    const merged = merge<Record<PropertyKey, unknown>>({ [key]: 1 }, { other: 1 });
    expect(merged[key]).toBe(1);
    expect(merge<Record<PropertyKey, unknown>>(merged, { [key]: 2 })[key]).toBe(2);
  });

  it("merge() does not modify its arguments", () => {
    const base = { deep: { list: [1], inner: { a: 1 } } };
    const layer = { deep: { inner: { b: 2 } } };
    const before = structuredClone({ base, layer });
    const merged = merge<{ deep: { inner: Record<string, number> } }>(base, layer);
    merged.deep.inner.c = 3;
    expect({ base, layer }).toEqual(before);
  });

  it("merge() does not change a prototype", () => {
    const hostile = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{}}}');
    const merged = merge<Record<string, unknown>>({}, hostile as object);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(merged.polluted).toBeUndefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(merged.constructor).toEqual({ prototype: {} });
    expect(Object.keys(Object)).toEqual([]);
  });
});
