import { describe, expect, it } from "vitest";
import { createRuleMatcher, type PathRules } from "../../plugins/bindings/_route-rules.ts";
import {
  excludeRoutes,
  listAuthRules,
  listPlatformCached,
  type NitroVersion,
} from "../../plugins/bindings/_rule-lists.ts";

interface H3Rules {
  normalizeRouteRules(rules: object): object;
  createRouteRulesMatcher(
    rules: object,
  ): (method: string, path: string) => { readonly routeRules: { readonly headers?: unknown } };
}

// The router of Nitro 3 for route rules. The types of the module's tests replace those of the package.
const { createRouteRulesMatcher, normalizeRouteRules } =
  (await import("h3/rules")) as unknown as H3Rules;

const auth = (pattern: string, version?: NitroVersion): PathRules =>
  listAuthRules({ [pattern]: { auth: true } }, version);

/** Returns whether Nitro 3 would apply a rule of a pattern to a path. */
function matchNitro3(pattern: string): (path: string) => boolean {
  const rules = normalizeRouteRules({ [pattern]: { headers: { "x-rule": "1" } } });
  const match = createRouteRulesMatcher(rules);
  return (path) => match("GET", path).routeRules.headers !== undefined;
}

const SEGMENTS = ["", "admin", "ADMIN", "a", "b", "%61dmin", "..", ".", "..%2fadmin", "%2561dmin"];
const PATHS = SEGMENTS.flatMap((one) =>
  SEGMENTS.flatMap((two) => SEGMENTS.map((three) => `/${one}/${two}/${three}`)),
).concat("/", "/admin", "/admin/", "/admin;x=1", "/admin%2fa", "/x/%252e%252e/admin/a");

const ACCEPTED = [
  "/admin",
  "/admin/",
  "admin/**",
  "/admin/**",
  "/admin/*",
  "/*",
  "/:name/admin/**",
  "/:name",
  "/a/:name/b",
  "/**",
  "/**/admin",
  "/a/**/b",
  "/Admin/:x_1",
];

describe("Route rules of Nitro 3 with `auth`", () => {
  it.each(ACCEPTED)("apply to every path to which Nitro applies the pattern %s", (pattern) => {
    const isRequired = createRuleMatcher(auth(pattern, 3));
    const missed = PATHS.filter(matchNitro3(pattern)).filter((path) => !isRequired(path));
    expect(missed).toEqual([]);
  });

  it.each(ACCEPTED)(
    "make no path public to which Nitro does not apply the pattern %s",
    (pattern) => {
      const rules = { "/**": { auth: true }, ...{ [pattern]: { auth: pattern === "/**" } } };
      const isRequired = createRuleMatcher(listAuthRules(rules, 3));
      const match = matchNitro3(pattern);
      const isMatched = (path: string) => match(path) || match(path.replaceAll(/\/+/g, "/"));
      expect(PATHS.filter((path) => !isRequired(path) && !isMatched(path))).toEqual([]);
    },
  );
});

describe("A route rule with `auth`", () => {
  const refused = [
    "GET /admin/**",
    "post /admin",
    "/admin/:id?",
    "/admin/:path*",
    "/admin/:path+",
    "/admin/**:rest",
    "/user-:id",
    "/:year-:month",
    "/admin/:id(\\d+)",
    "/admin/(a|b)",
    "/admin*",
    "/*.png",
    "/admin{/:id}?",
    "/admin/../x",
    "/admin/%2e%2E/x",
    "/**/a/**",
  ];
  it.each([...refused, "/a/*/b", "/*/a/**"])(
    "is refused for the pattern %s, which Nitro 3 would apply to other paths",
    (pattern) => {
      expect(() => auth(pattern, 3)).toThrow(/not a pattern for `auth`/);
    },
  );

  it.each(refused)("is refused for the pattern %s in Nitro 2 too", (pattern) => {
    expect(() => auth(pattern, 2)).toThrow(/not a pattern for `auth`/);
  });

  it("reads `*` as one segment in Nitro 2", () => {
    const isRequired = createRuleMatcher(auth("/*/admin/*", 2));
    expect(["/a/admin/b", "/a/admin", "/a/admin/b/c"].map(isRequired)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each<Record<string, object>>([
    { "/api/**": { auth: true, proxy: "http://backend/**" } },
    { "/api/**": { proxy: "http://backend/**" }, "/api/admin/**": { auth: true } },
    { "/api/admin/**": { proxy: { to: "http://backend/**" } }, "/**": { auth: true } },
    { "/*/data": { proxy: "http://backend" }, "/shop/**": { auth: true } },
    { "/:tenant/**": { proxy: "http://backend/**" }, "/api": { auth: true } },
    { "/API/**": { proxy: "http://backend/**" }, "/api/**": { auth: true } },
    { "GET /api/:path*": { proxy: "http://backend" }, "/api/a/b": { auth: true } },
  ])("is refused where Nitro proxies requests, since no middleware runs there: %j", (rules) => {
    expect(() => listAuthRules(rules, 3)).toThrow(/proxies requests there/);
    expect(() => listAuthRules(rules, 2)).toThrow(/proxies requests there/);
  });

  it.each<Record<string, object>>([
    { "/api/**": { proxy: "http://backend/**" }, "/admin/**": { auth: true } },
    { "/api/**": { auth: false, proxy: "http://backend/**" }, "/**": { auth: true } },
    { "/**": { swr: 60 }, "/admin/**": { auth: true, swr: false } },
    { "/**": { auth: true }, "/": { auth: false, prerender: true } },
    { "/**": { auth: true }, "/blog/**": { auth: false }, "/blog/:id": { isr: true } },
    { "/a/**": { auth: true }, "/:x": { auth: false, swr: 60 }, "/a": { auth: false } },
    { "/**": { swr: 60 }, "/a/:id": { auth: true }, "/a/*": { swr: false } },
    { "/**/x": { swr: 60 }, "/a/**": { auth: true }, "/a/**/x": { swr: false } },
  ])("is accepted where it applies to other paths: %j", (rules) => {
    expect(() => listAuthRules(rules, 3)).not.toThrow();
    expect(() => listAuthRules(rules, 2)).not.toThrow();
  });

  it.each<Record<string, object>>([
    { "/*/blog": { swr: 60 }, "/en/**": { auth: true } },
    { "/a/*": { auth: true }, "/*/x": { auth: false }, "/a/x": { swr: 60 } },
    { "/blog/*": { swr: 60 }, "/blog/**": { auth: true } },
    { "/a/**": { auth: true, swr: 60 }, "/a/*": { auth: false } },
    { "/a/**": { auth: true, swr: 60 }, "/a": { swr: false }, "/a/*": { swr: false } },
    { "/**/x": { swr: 60 }, "/a/**": { auth: true }, "/a/x": { auth: false } },
    { "/caf%C3%A9": { swr: 60 }, "/CAF\u00c9": { auth: true } },
    { "/**": { swr: 60 }, "/admin/**": { auth: true }, "/admin/a": { swr: false } },
  ])("is refused for a part of the paths of a cached response: %j", (rules) => {
    expect(() => listAuthRules(rules, 2)).toThrow(/cached or prerendered/);
  });

  it("is refused below a cached `*` in Nitro 3, which is the rest of the path", () => {
    const rules = { "/blog/*": { swr: 60 }, "/blog/a/b": { auth: true } };
    expect(() => listAuthRules(rules, 3)).toThrow(/cached or prerendered/);
    expect(() => listAuthRules(rules, 2)).not.toThrow();
  });
});

describe("A route rule with `isr`", () => {
  it.each(["/blog/*", "/blog/:path*", "/blog/:path+", "GET /blog/**", "/blog/:a/(b|c)", "/**/b"])(
    "keeps the visitor's credentials from the response of every path of %s in Nitro 3",
    (pattern) => {
      const isCached = createRuleMatcher(listPlatformCached({ [pattern]: { isr: 60 } }, 3));
      expect(isCached("/blog/a/b")).toBe(true);
    },
  );

  it("does not apply to Keyhook's routes if a `*` of Nitro 3 includes them", () => {
    const rules: Record<string, object> = { "/*": { isr: 60 } };
    excludeRoutes(rules, "/auth", "/", 3);
    expect(rules["/auth/**"]).toEqual({ isr: false, cache: false });
  });
});
