import { describe, expect, it } from "vitest";
import { keepPrivate } from "../../src/http/caching.ts";

const kept = (before: Record<string, string> = {}): Headers => {
  const headers = new Headers(before);
  keepPrivate(headers);
  return headers;
};

describe("keepPrivate()", () => {
  it("replaces the directives that were set before", () => {
    const headers = kept({
      "cache-control": "public, max-age=60",
      "cdn-cache-control": "max-age=9",
    });
    expect([...headers]).toEqual([["cache-control", "private, no-store"]]);
  });

  it.each([
    ["public, max-age=60", "private, no-store"],
    ["max-age=60", "private, no-store"],
    ['private="set-cookie", max-age=60', "private, no-store"],
    ["private, max-age=60", "private, max-age=60"],
    ["no-store", "no-store"],
  ])("cache-control: %s, set later, becomes %s", (value, expected) => {
    const headers = kept();
    headers.set("Cache-Control", value);
    headers.set("content-type", "text/html");
    expect(headers.get("cache-control")).toBe(expected);
  });

  it("a second value, or headers of shared caches, added later have no effect", () => {
    const headers = kept();
    headers.append("cache-control", "public");
    headers.append("CDN-Cache-Control", "max-age=60");
    headers.set("surrogate-control", "max-age=60");
    expect([...headers.keys()]).toEqual(["cache-control"]);
    expect(headers.get("cache-control")).toContain("private");
  });

  it("other headers, including cookies, can still be set, however often a response is kept private", () => {
    const headers = kept();
    keepPrivate(headers);
    headers.append("set-cookie", "a=1");
    headers.append("set-cookie", "b=2");
    headers.set("x-frame-options", "DENY");
    expect(headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(headers.get("x-frame-options")).toBe("DENY");
  });

  it("copied headers are those of a private response", () => {
    const headers = kept();
    headers.set("cache-control", "public");
    expect(new Response(null, { headers }).headers.get("cache-control")).toBe("private, no-store");
  });
});
