import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BadRequest } from "../../src/errors/errors.ts";
import { parseJson } from "../../src/http/json.ts";
import { getCpuTime } from "../_cpu-time.ts";

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

describe("parseJson()", () => {
  it("parseJson() returns the same as JSON.parse()", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value);
        if (!text.includes("__proto__")) expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("parseJson() accepts 32 levels of nesting and rejects more", () => {
    expect(parseJson(nested(32))).toBeInstanceOf(Array);
    expect(() => parseJson(nested(33))).toThrow(BadRequest);
    expect(() => parseJson(nested(3), { depth: 2 })).toThrow("deeper than 2 levels");
    expect(() => parseJson("[".repeat(500_000))).toThrow(BadRequest);
    expect(() => parseJson('{"a":'.repeat(100_000))).toThrow(BadRequest);
  });

  it("parseJson() accepts any number of objects and arrays side by side", () => {
    const wide = { keys: Array.from({ length: 100 }, (_, kid) => ({ kid, ops: ["verify"] })) };
    expect(parseJson(JSON.stringify(wide), { depth: 4 })).toEqual(wide);
  });

  it("parseJson() does not count brackets inside strings", () => {
    expect(parseJson(JSON.stringify({ a: "[[[{{{\\" }), { depth: 1 })).toEqual({ a: "[[[{{{\\" });
    expect(parseJson('["\\"[[[", "]"]', { depth: 1 })).toEqual(['"[[[', "]"]);
  });

  it("parseJson() drops members named __proto__", () => {
    for (const text of ['{"__proto__":{"admin":true},"a":1}', '{"\\u005f_proto__":1,"a":1}']) {
      const value = parseJson(text) as object;
      expect(Object.keys(value)).toEqual(["a"]);
      expect(Object.getPrototypeOf(Object.assign({}, value))).toBe(Object.prototype);
    }
  });

  it("parseJson() rejects malformed JSON without quoting it", () => {
    for (const text of ["", "{", "nope", "\uFEFF{}", "{'secret': 1}", "[1,]", "NaN"]) {
      expect(() => parseJson(text)).toThrow(BadRequest);
    }
    expect(() => parseJson("a-secret")).not.toThrow(/secret/);
  });

  it("parseJson() returns integers that a number would round as their text, if asked to", () => {
    const text =
      '{"a":9007199254740993,"b":[-17841405793187217,1e30,9007199254740991],"c":0.12345678901234567}';
    expect(parseJson(text, { exact: true })).toEqual({
      a: "9007199254740993",
      b: ["-17841405793187217", "1e30", 9_007_199_254_740_991],
      c: 0.123_456_789_012_345_66,
    });
    expect(parseJson(text)).toEqual(JSON.parse(text));
    expect(parseJson('{"__proto__":9007199254740993}', { exact: true })).toEqual({});
  });

  it("parseJson() runs in time linear to the length", () => {
    const text = `"${"\\".repeat(1_000_000)}"`;
    const started = getCpuTime();
    parseJson(text);
    expect(getCpuTime() - started).toBeLessThan(200);
  });
});
