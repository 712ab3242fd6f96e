import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createAuth, definePlugin, standardPreset } from "../../presets/index.ts";
import { formatDate } from "../../src/i18n/date.ts";
import { translateLabel } from "../../src/i18n/label.ts";
import { parseAcceptLanguage, createCatalogue, lookUpLanguage } from "../../src/i18n/messages.ts";
import type { AuthConfig, Plugin } from "../../src/kernel.ts";
import type { Label } from "../../src/types/provider.ts";
import { createTestAuth, ORIGIN } from "../_app.ts";
import { only, parse } from "./_parse.ts";
import { shipped } from "./_texts.ts";

const findPlugin = (tag: string) => shipped.find(({ language }) => language.tag === tag)!.plugin;

describe("language selection", () => {
  const headers: [header: string | null, tags: string[]][] = [
    [null, []],
    ["", []],
    ["de-CH, fr;q=0.9, *;q=0.1", ["de-ch", "fr"]],
    ["fr;q=0.3, de, en;q=0.8", ["de", "en", "fr"]],
    ["de;q=0, ar;q=0.1", ["ar"]],
    ["de;q=x, de ; q=0.5", ["de"]],
    ["__proto__, constructor, ../../etc/passwd, de_DE", ["constructor"].slice(1)],
    [`${"x,".repeat(50_000)}de`, []],
    [`${"aa,".repeat(400)}`, Array.from({ length: 20 }, () => "aa")],
  ];
  it.each(headers.map(([header, tags]) => [header?.slice(0, 40) ?? null, header, tags] as const))(
    "parseAcceptLanguage() parses %j",
    (_, header, tags) => {
      expect(parseAcceptLanguage(header)).toEqual(tags);
    },
  );

  it.each([
    [["de-ch-1996"], "de"],
    [["zh-hant-tw"], "zh-Hant"],
    [["zh-hans-cn"], "zh"],
    [["zh-tw"], "zh-Hant"],
    [["zh-hk", "en"], "zh-Hant"],
    [["zh-sg"], "zh"],
    // Another region with the same script is accepted, another script never.
    [["pt"], "pt-BR"],
    [["pt-br"], "pt-BR"],
    [["pt-pt"], "pt-BR"],
    [["zh-latn", "de"], "de"],
    [["de-1", "en"], "en"],
    // A single letter starts a private subtag; it is not a range by itself (RFC 4647, section 3.4).
    [["de-x-slang"], "de"],
    [["it", "de"], "de"],
    [[], undefined],
  ])("lookUpLanguage() finds the best match for %j", (wanted, found) => {
    expect(lookUpLanguage(wanted, ["en", "de", "zh", "zh-Hant", "pt-BR"])).toBe(found);
  });

  it.each(["zh-TW", "zh-HK", "zh-Hant", "zh-MO"])(
    "%s never selects simplified characters",
    (tag) => {
      expect(lookUpLanguage([tag], ["en", "zh"])).toBeUndefined();
      expect(lookUpLanguage([tag, "ja"], ["en", "zh", "ja"])).toBe("ja");
    },
  );

  it("a text with plural forms is chosen by `count` and the rules of its own language", () => {
    const catalogue = createCatalogue();
    catalogue.addMessages("en", { codes: { one: "{count} code", other: "{count} codes" } });
    catalogue.addMessages("en", { mails: { one: "{count} mail", other: "{count} mails" } });
    const pl = { one: "{count} kod", few: "{count} kody", many: "{count} kodów", other: "{count}" };
    catalogue.addLanguage({ tag: "pl", messages: { codes: pl } });
    const { t } = catalogue.translator(["pl"]);
    expect([1, 2, 5, 22, 0].map((count) => t("codes", { count }))).toEqual([
      "1 kod",
      "2 kody",
      "5 kodów",
      "22 kody",
      "0 kodów",
    ]);
    // English is the fallback, with the English rules.
    expect([1, 2, 22].map((count) => t("mails", { count }))).toEqual([
      "1 mail",
      "2 mails",
      "22 mails",
    ]);
    expect(t("codes")).toBe("{count}");
    catalogue.addLanguage({ tag: "fr", messages: { keys: { many: "", other: "{count} clés" } } });
    const french = catalogue.translator(["fr"]);
    // In French, zero is singular.
    expect(french.t("mails", { count: 0 })).toBe("0 mails");
    expect(french.t("keys", { count: 0 })).toBe("0 clés");
  });

  it("a translator falls back to English for each missing message and fills placeholders once", () => {
    const catalogue = createCatalogue();
    catalogue.addMessages("en", { a: "A {x} {y}", b: "B", __proto__: "no" });
    catalogue.addLanguage({ tag: "de", messages: { a: "Ä {x}" } });
    catalogue.addMessages("DE", { c: "C" });
    const { t, has, language } = catalogue.translator(["de-at"]);
    expect([language, t("a", { x: "{y}", y: 1 }), t("b"), t("c")]).toEqual([
      "de",
      "Ä {y}",
      "B",
      "C",
    ]);
    expect([t("toString"), t("nope")]).toEqual(["toString", "nope"]);
    expect(["a", "b", "c", "nope"].map(has)).toEqual([true, true, true, false]);
    expect(catalogue.translator([]).t("a", { x: 1 })).toBe("A 1 {y}");
  });

  it.each([
    ["en", "Nov 5, 2026, 3:07 PM UTC"],
    ["en-gb", "5 Nov 2026, 15:07 UTC"],
    ["de-at", "5. Nov. 2026, 15:07 UTC"],
    ["ar-eg", "5 نوفمبر 2026"],
    ["de-1", "Nov 5, 2026, 3:07 PM UTC"],
  ])("dates are formatted for the region of %s, with the digits of the texts", (tag, text) => {
    const catalogue = createCatalogue();
    for (const { language } of shipped) catalogue.addLanguage(language);
    const translator = catalogue.translator([tag]);
    const date = formatDate(translator, new Date("2026-11-05T15:07:00Z"));
    expect(date.replaceAll("\u202f", " ")).toContain(text);
  });

  it("dates are in UTC, even if the server's time zone is another one", () => {
    vi.stubEnv("TZ", "Asia/Tokyo");
    onTestFinished(() => void vi.unstubAllEnvs());
    const date = formatDate(createCatalogue().translator([]), new Date("2026-11-05T15:07:00Z"));
    expect(date.replaceAll("\u202f", " ")).toBe("Nov 5, 2026, 3:07 PM UTC");
  });

  it("the translators of two visitors keep their own regions", () => {
    const catalogue = createCatalogue();
    const [british, american] = [catalogue.translator(["en-gb"]), catalogue.translator(["en-us"])];
    expect([british.locale, american.locale]).toEqual(["en-gb", "en-us"]);
  });

  it("a label falls back to English, and requests no text that no plugin has added", () => {
    const missing: string[] = [];
    const catalogue = createCatalogue((id) => missing.push(id));
    catalogue.addMessages("en", { "credentials.username": "Username" });
    catalogue.addLanguage({ tag: "de", messages: {} });
    const german = catalogue.translator(["de"]);
    const label = (given: Label) => translateLabel(given, german);
    expect(label({ fr: "Équipe", en: "Team" })).toBe("Team");
    expect(["user name", "user_name", "user-name"].map(label)).toEqual(Array(3).fill("Username"));
    expect(["team", "phone"].map(label)).toEqual(["team", "phone"]);
    expect(missing).toEqual([]);
  });

  it("a language that only has a plugin's own messages is not offered", () => {
    const catalogue = createCatalogue();
    catalogue.addMessages("it", { a: "A" });
    expect(catalogue.translator(["it"]).language).toBe("en");
  });
});

function createTranslatedAuth(config: AuthConfig = {}, ...plugins: Plugin[]) {
  return createTestAuth({
    preset: standardPreset,
    errors: "allowed",
    plugins: [...shipped.map((one) => one.plugin), ...plugins],
    providers: [],
    ...config,
  }).auth;
}

async function page(path: string, accept: string, auth = createTranslatedAuth()) {
  const headers = { "accept-language": accept, accept: "text/html" };
  const response = await auth.fetch(new Request(`${ORIGIN}/auth${path}`, { headers }));
  return parse(await response.text());
}

describe("pages in the visitor's language", () => {
  it.each([
    ["de-AT,de;q=0.9,en;q=0.5", "de", "Abmelden?"],
    ["fr", "fr", "Se déconnecter\u202f?"],
    ["ja", "ja", "サインアウトしますか？"],
    ["zh-CN", "zh", "要退出登录吗？"],
    ["es-419", "es", "¿Cerrar sesión?"],
    ["zh-TW", "zh-Hant", "要登出嗎？"],
    ["pt-PT", "pt-BR", "Sair da conta?"],
    ["it-CH", "it", "Vuoi uscire?"],
    ["ko-KR", "ko", "로그아웃하시겠어요?"],
    ["pl", "pl", "Wylogować się?"],
    ["nl, sv", "en", "Sign out?"],
    ["", "en", "Sign out?"],
  ])("Accept-Language %j selects %s", async (accept, lang, heading) => {
    const markup = await page("/signout", accept);
    expect(only(markup, "html")).toEqual({ lang });
    expect(markup.texts).toContain(heading);
  });

  it("Arabic pages are right to left and isolate names", async () => {
    const markup = await page("/error?error=AccessDenied", "ar");
    expect(only(markup, "html")).toEqual({ lang: "ar", dir: "rtl" });
    expect(markup.texts).toContain("الذهاب إلى \u2068localhost:3000\u2069");
  });

  it("errors of the kernel are translated", async () => {
    expect((await page("/nowhere", "de")).texts).toContain("Seite nicht gefunden");
  });

  const choosing = (locale: (accept: string | null) => string | Promise<string> | undefined) =>
    definePlugin({
      name: "test/locale",
      setup({ hooks }) {
        hooks.locale.tap("test", ({ request }) => locale(request.headers.get("accept-language")));
      },
    });

  it("the locale hook overrides Accept-Language", async () => {
    const getLanguage = async (plugin: Plugin, accept = "fr") =>
      only(await page("/signout", accept, createTranslatedAuth({}, plugin)), "html").lang;
    expect(await getLanguage(choosing(() => "de"))).toBe("de");
    expect(await getLanguage(choosing(async () => "AR-eg"))).toBe("ar");
    // An unknown or invalid language, or an error, falls back to the browser's languages.
    expect(await getLanguage(choosing(() => undefined))).toBe("fr");
    expect(await getLanguage(choosing(() => "tlh"))).toBe("fr");
    expect(await getLanguage(choosing(() => '"><x'))).toBe("fr");
    expect(await getLanguage(choosing(() => Promise.reject(new Error("down"))))).toBe("fr");
  });

  it("addMessages() overrides messages in any language", async () => {
    const own = definePlugin({
      name: "test/own",
      setup(kernel) {
        kernel.addMessages("en", { "signout.heading": "Leaving <already>?" });
        kernel.addMessages("de", { "signout.heading": "Schon weg?" });
      },
    });
    expect((await page("/signout", "en", createTranslatedAuth({}, own))).texts).toContain(
      "Leaving <already>?",
    );
    expect((await page("/signout", "de", createTranslatedAuth({}, own))).texts).toContain(
      "Schon weg?",
    );
  });

  // The last ones look like language tags, but formatting a date with them would throw.
  it.each(["de_DE!", "", "de-1", "abcd", "de-de-de"])(
    "inspect() rejects the invalid language tag %j",
    (tag) => {
      const bad = definePlugin({
        name: "test/bad",
        setup: (kernel) => kernel.addLanguage({ tag, messages: {} }),
      });
      expect(() => createTranslatedAuth({}, bad).inspect()).toThrow(/language tag/);
    },
  );

  it("pages are in English when no language was added", async () => {
    const env = { NODE_ENV: "test", AUTH_SECRET: "x".repeat(40) };
    const auth = createAuth({ env });
    expect(only(await page("/signout", "de", auth), "html").lang).toBe("en");
    expect(findPlugin("de").name).toBe("languages/de");
  });
});
