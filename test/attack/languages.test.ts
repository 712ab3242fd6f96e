import { array, assert, asyncProperty, constantFrom, oneof, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { arabicPlugin } from "../../plugins/languages/ar.ts";
import { germanPlugin } from "../../plugins/languages/de.ts";
import { type AuthConfig, definePlugin, standardPreset } from "../../presets/index.ts";
import { parseAcceptLanguage, createCatalogue, isLanguageTag } from "../../src/i18n/messages.ts";
import { ODD_TEXTS } from "../../src/testing/testing.ts";
import type { Page, Plugin, Provider } from "../../src/types.ts";
import { ORIGIN, createTestAuth } from "../_app.ts";
import { getCpuTime } from "../_cpu-time.ts";
import { expectSafe, runs, watchRejections, wellFormed } from "./_attack.ts";

watchRejections();

const MARKUP = '"><script>alert(1)</script>';
const PROTOTYPE = [
  "__proto__",
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "__defineGetter__",
  "isPrototypeOf",
];

function open(config: AuthConfig = {}, plugins: Plugin[] = []) {
  const { auth, log, openBrowser } = createTestAuth({
    preset: standardPreset,
    plugins: [germanPlugin(), arabicPlugin(), ...plugins],
    providers: [],
    ...config,
  });
  const get = (path: string, language?: string) =>
    openBrowser().get(path, {
      headers: language === undefined ? {} : { "accept-language": language },
    });
  return { auth, log, get };
}

const parseLang = (html: string) => /<html lang="([^"]*)"/.exec(html)?.[1];

describe("Accept-Language", () => {
  it.each([
    ["a huge list", "xx-yy;q=0.5,".repeat(10_000)],
    ["one huge tag", "x".repeat(100_000)],
    ["a tag of many parts", `de${"-abcdefgh".repeat(12_000)}`],
    ["many blanks", `de${" ".repeat(100_000)};q=1`],
    ["blanks and semicolons", " ; ".repeat(33_000)],
    ["many weights", `de${";q=1".repeat(25_000)}`],
    ["a long number", `de;q=${"9".repeat(100_000)}`],
    ["single letters", `zz${"-a".repeat(50_000)}`],
    ["commas", ",".repeat(100_000)],
  ])("parseAcceptLanguage parses a header of 100 kB in less than 5 ms: %s", (_, header) => {
    const start = getCpuTime();
    for (let time = 0; time < 100; time++) {
      const wanted = parseAcceptLanguage(header);
      createCatalogue().translator(wanted);
    }
    expect((getCpuTime() - start) / 100).toBeLessThan(5);
  });

  it("GET /signin chooses an available language for any Accept-Language header", async () => {
    const { get } = open();
    const part = oneof(
      string({ maxLength: 20 }),
      constantFrom("de", "ar", "*", "DE-at", "q=1", ";q=0", ";q=-1", ";q=NaN", ";q=Infinity", ","),
      constantFrom(...PROTOTYPE, ...ODD_TEXTS),
    );
    await assert(
      asyncProperty(array(part, { maxLength: 8 }), async (parts) => {
        // Characters that a header value may contain.
        const header = parts.join("").replace(/[^\t\u0020-\u007e]/g, "");
        const text = await expectSafe(await get("/auth/signin", header));
        expect(["en", "de", "ar"]).toContain(parseLang(text));
      }),
      runs(60),
    );
  });

  it("parseAcceptLanguage returns at most 20 valid language tags for any text", () => {
    assert(
      property(string({ unit: "binary", maxLength: 60 }), (header) => {
        const tags = parseAcceptLanguage(header);
        expect(tags.length).toBeLessThanOrEqual(20);
        for (const tag of tags) expect(isLanguageTag(tag)).toBe(true);
      }),
      runs(100),
    );
  });
});

describe("the locale hook", () => {
  it.each([
    ...PROTOTYPE,
    MARKUP,
    "de\r\nset-cookie: a=b",
    'de" onload="alert(1)',
    "",
    "../de",
    "x".repeat(100_000),
    7,
    null,
    {},
    ["de"],
  ])("the locale hook is ignored when it returns an invalid language: %j", async (value) => {
    const hook = definePlugin({
      name: "odd-locale",
      setup: ({ hooks }) => hooks.locale.tap("odd-locale", () => value as string),
    });
    const { get, log } = open({}, [hook]);
    expect(parseLang(await expectSafe(await get("/auth/signin", "ar")))).toBe("ar");
    expect(parseLang(await expectSafe(await get("/auth/error?error=AccessDenied")))).toBe("en");
    // A value that is not text is also a fault of the plugin.
    log.expectErrors(...(typeof value === "string" ? [] : ["PluginError", "PluginError"]));
  });
});

describe("messages of pages", () => {
  it("GET /signin escapes messages and the values filled into them", async () => {
    const evil = definePlugin({
      name: "evil-texts",
      setup(kernel) {
        const messages = { "signin.heading": MARKUP, "signin.with": `${MARKUP}{name}` };
        for (const tag of ["en", "de"]) kernel.addMessages(tag, messages);
      },
    });
    const provider = {
      id: "p",
      name: MARKUP,
      type: "credentials",
      credentials: { [MARKUP]: { label: MARKUP, placeholder: MARKUP } },
      authorize: () => null,
    } as Provider;
    const { get } = open({ providers: [provider] }, [evil]);
    for (const language of ["en", "de"]) {
      const text = await expectSafe(await get("/auth/signin", language));
      expect(text).toContain("&lt;script&gt;");
      expect(text).not.toContain("<script");
    }
  });

  it("the translator fills in given values only, and only once", () => {
    const catalogue = createCatalogue();
    const all = PROTOTYPE.map((name) => `{${name}}`).join(" ");
    catalogue.addMessages("en", { all, twice: "{name} {other}" });
    const { t } = catalogue.translator([]);
    expect(t("all", {})).toBe(all);
    expect(t("twice", { name: "{other}$&$1", other: "{name}" })).toBe("{other}$&$1 {name}");
  });

  it("the translator returns no message for a name of Object.prototype", () => {
    const catalogue = createCatalogue();
    const { t } = catalogue.translator(PROTOTYPE);
    for (const id of PROTOTYPE) expect(t(id)).toBe(id);
    const given = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    catalogue.addMessages("en", given);
    expect(t("__proto__")).toBe("x");
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it("pages print no message that a query parameter names", async () => {
    const { get } = open();
    const odd = oneof(
      string({ unit: "binary", maxLength: 40 }).map(wellFormed),
      constantFrom(...PROTOTYPE, ...ODD_TEXTS.map(wellFormed), MARKUP, "signin.heading", "{name}"),
    );
    await assert(
      asyncProperty(odd, constantFrom("signin", "error"), async (error, page) => {
        const query = new URLSearchParams({ error, code: error, locale: error, lang: error });
        const response = await get(`/auth/${page}?${query}`.slice(0, 8000), "de");
        const text = await response.text();
        expect([200, 400, 401, 403, 409, 500, 503]).toContain(response.status);
        expect(parseLang(text)).toBe("de");
        // Only whole words, because a nonce may contain one by chance.
        expect(text).not.toMatch(/<script|native code|\[object|undefined|\bNaN\b/);
      }),
      runs(60),
    );
  });
});

describe("pages changed by plugins", () => {
  const shaped = (change: (page: Page) => Partial<Page>) =>
    definePlugin({
      name: "shape",
      setup: ({ hooks }) =>
        hooks.page.for("signin").tap("shape", (page) => ({ ...page, ...change(page) })),
    });

  it.each([
    { "script-src": "'self'; default-src *" },
    { "script-src": "https://a.example, default-src *" },
    { "script-src\r\nx-evil": "'self'" },
    { "script-src": "'self'\r\nx-evil: 1" },
    { "Script-Src": "'self'" },
    { "script-src ": "'self'" },
    { "": "'self'" },
  ])("the page hook cannot inject into the content security policy: %j", async (policy) => {
    const { get, log } = open({}, [shaped(() => ({ policy: policy as Record<string, string> }))]);
    const response = await get("/auth/signin");
    expect(response.headers.get("x-evil")).toBe(null);
    expect(response.headers.get("content-security-policy") ?? "").not.toMatch(/default-src \*/);
    expect(log.errors.splice(0).length).toBeGreaterThan(0);
  });

  it("the page hook adds known directives only to the content security policy", async () => {
    const { get } = open({}, [shaped(() => ({ policy: { constructor: "https://a.example" } }))]);
    const policy = (await get("/auth/signin")).headers.get("content-security-policy");
    expect(policy).not.toContain("native code");
    expect(policy).toMatch(/^default-src 'none'; /);
  });

  it.each(["a b", "a'b", "'unsafe-inline'", "a;b", '"><script>', "", "a\r\nb"])(
    "the page hook cannot set an invalid nonce: %j",
    async (nonce) => {
      const { get, log } = open({}, [shaped(() => ({ nonce }))]);
      const response = await get("/auth/signin");
      const text = await response.text();
      expect(text).not.toContain("<script");
      expect(response.headers.get("content-security-policy") ?? "").not.toContain("unsafe-inline");
      expect(log.errors.splice(0).length).toBeGreaterThan(0);
    },
  );

  it("GET /signin uses a new nonce for each response, also for concurrent ones", async () => {
    const { get } = open();
    const responses = await Promise.all(Array.from({ length: 50 }, () => get("/auth/signin")));
    const nonces = responses.map(
      ({ headers }) =>
        /style-src 'nonce-([^']+)'/.exec(headers.get("content-security-policy") ?? "")?.[1],
    );
    expect(new Set(nonces).size).toBe(50);
    for (const nonce of nonces) expect(nonce).toMatch(/^[\w-]{22}$/);
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    `https://a.example/${MARKUP}`,
    "https://a.example;script-src *",
  ])(
    "GET /signin prints no logo, link or image with an active or injected URL: %s",
    async (url) => {
      const blocks: Page["blocks"] = [
        { kind: "link", text: "x", href: url },
        { kind: "person", name: "Ada", image: url },
        { kind: "form", provider: "p", form: { action: url, submit: "x", logo: url } },
        {
          kind: "form",
          form: {
            action: `${ORIGIN}/x`,
            submit: "x",
            script: { src: url, integrity: MARKUP, fallback: MARKUP, failure: MARKUP },
          },
        },
      ];
      const { get } = open({ theme: { logo: url, brandColor: MARKUP, buttonText: "red;}" } }, [
        shaped(() => ({ blocks })),
      ]);
      const response = await get("/auth/signin");
      const text = await response.text();
      expect(text).not.toMatch(/(?:href|src|action)="\s*(?:java|vb|data:text|file)/i);
      expect(text).not.toContain("<script");
      expect(text).not.toContain("red;}");
      expect(response.headers.get("content-security-policy")).not.toMatch(
        /script-src \*|example;s/,
      );
    },
  );
});
