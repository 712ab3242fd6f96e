import { readFileSync, globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { secondFactor } from "../../plugins/security/second-factor.ts";
import { createAuth, definePlugin, standardPreset } from "../../presets/index.ts";
import {
  acceptedLanguages,
  createCatalogue,
  ENGLISH,
  lookUpLanguage,
} from "../../src/i18n/messages.ts";
import type { AuthConfig, Language, Messages, Plugin, Preset } from "../../src/kernel.ts";
import { createTestAuth, ORIGIN } from "../_app.ts";
import { only, parse } from "./_parse.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Collects the messages and languages that a plugin adds; other registrations are ignored. */
function collectTexts(plugin: Plugin): { messages: [string, Messages][]; languages: Language[] } {
  const messages: [string, Messages][] = [];
  const languages: Language[] = [];
  const stub: unknown = new Proxy(() => stub, { get: () => stub, apply: () => stub });
  const kernel = new Proxy({} as Record<string, unknown>, {
    get: (_, name) => {
      if (name === "addMessages")
        return (tag: string, texts: Messages) => messages.push([tag, texts]);
      if (name === "addLanguage") return (language: Language) => languages.push(language);
      if (name === "providers") return new Map();
      return stub;
    },
  });
  plugin.setup(kernel as never);
  return { messages, languages };
}

const withBrought = (plugin: Plugin): Plugin[] => [
  ...(plugin.plugins ?? []).flatMap(withBrought),
  plugin,
];
const listPlugins = ({ extends: bases = [], plugins }: Preset): Plugin[] => {
  const all = [...bases.flatMap(listPlugins), ...plugins.flatMap(withBrought)];
  return [...new Map(all.map((plugin) => [plugin.name, plugin])).values()];
};
/** Plugins with messages that the standard preset does not have. */
const others = [secondFactor()];
const withMessages = [...listPlugins(standardPreset), ...others].filter(
  (plugin) => collectTexts(plugin).messages.length,
);
const english: Messages = Object.assign(
  {},
  ENGLISH,
  ...withMessages.flatMap((plugin) => collectTexts(plugin).messages.map(([, texts]) => texts)),
);

const files = globSync("plugins/languages/*.ts", { cwd: root }).sort();
const shipped = await Promise.all(
  files.map(async (file) => {
    const [make] = Object.values((await import(root + file)) as Record<string, () => Plugin>);
    if (!make) throw new Error(`${file} exports no plugin`);
    return { plugin: make(), language: collectTexts(make()).languages[0]! };
  }),
);
const findPlugin = (tag: string) => shipped.find(({ language }) => language.tag === tag)!.plugin;
const namesIn = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)]
    .map(([, name = ""]) => name)
    .toSorted((one, other) => one.localeCompare(other));

describe("message catalogue", () => {
  it("the standard preset, or the list above, contains every plugin that adds messages", () => {
    const files = globSync("plugins/**/*.ts", { cwd: root }).filter((file) =>
      readFileSync(root + file, "utf8").includes(".addMessages("),
    );
    expect(files.length).toBe(withMessages.length);
    expect(shipped.map(({ language }) => language.tag)).toEqual([
      "ar",
      "de",
      "es",
      "fr",
      "ja",
      "zh",
    ]);
  });

  it("every message id is defined by one plugin", () => {
    const ids = withMessages.flatMap((plugin) =>
      collectTexts(plugin).messages.flatMap(([, texts]) => Object.keys(texts)),
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+(\.[a-z0-9-]+)+$/);
  });

  it("every message id that the sources use is defined", () => {
    const asked = globSync("{src,plugins}/**/*.ts", { cwd: root }).flatMap((file) =>
      [...readFileSync(root + file, "utf8").matchAll(/\bt\(\s*"([^"]+)"/g)].map(([, id]) => id!),
    );
    expect(asked.length).toBeGreaterThan(20);
    for (const id of asked) expect(Object.keys(english)).toContain(id);
  });
});

describe.each(shipped)(
  "language plugin $language.tag",
  ({ plugin, language: { tag, messages, direction } }) => {
    it(`${tag}: translates every message of every plugin, and no others`, () => {
      expect(plugin.name).toBe(`languages/${tag}`);
      expect(Object.keys(messages).sort()).toEqual(Object.keys(english).sort());
    });

    it(`${tag}: keeps the placeholders of every message`, () => {
      for (const [id, text] of Object.entries(messages)) {
        expect(namesIn(text), id).toEqual(namesIn(english[id] ?? ""));
      }
    });

    it(`${tag}: messages are trimmed, without markup and not in English`, () => {
      for (const [id, text] of Object.entries(messages)) {
        expect(text, id).toBe(text.trim());
        expect(text, id).not.toMatch(/[<>&"`]|^$|\s{2}/);
      }
      const same = Object.keys(messages).filter((id) => messages[id] === english[id]);
      expect(
        same.filter(
          (id) => !/placeholder$|\.title$|^account\.sessions?$|^passkey\.(heading|one)$/.test(id),
        ),
      ).toEqual([]);
    });

    it(`${tag}: messages are in the language's script and direction`, () => {
      const scripts: Record<string, RegExp> = {
        ar: /\p{Script=Arabic}/u,
        ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
        zh: /\p{Script=Han}/u,
      };
      const script = scripts[tag] ?? /\p{Script=Latin}/u;
      for (const [id, text] of Object.entries(messages)) {
        if (id !== "email.placeholder") expect(text, id).toMatch(script);
      }
      expect(direction ?? "ltr").toBe(tag === "ar" ? "rtl" : "ltr");
    });
  },
);

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
    "acceptedLanguages() parses %j",
    (_, header, tags) => {
      expect(acceptedLanguages(header)).toEqual(tags);
    },
  );

  it.each([
    [["de-ch-1996"], "de"],
    [["zh-hant-tw"], "zh-Hant"],
    [["zh-hans-cn"], "zh"],
    [["pt"], undefined],
    [["pt-br"], "pt-BR"],
    // A single letter starts a private subtag; it is not a range by itself (RFC 4647, section 3.4).
    [["de-x-slang"], "de"],
    [["it", "de"], "de"],
    [[], undefined],
  ])("lookUpLanguage() finds the best match for %j", (wanted, found) => {
    expect(lookUpLanguage(wanted, ["en", "de", "zh", "zh-Hant", "pt-BR"])).toBe(found);
  });

  it("a translator falls back to English for each missing message and fills placeholders once", () => {
    const catalogue = createCatalogue();
    catalogue.addMessages("en", { a: "A {x} {y}", b: "B", __proto__: "no" });
    catalogue.addLanguage({ tag: "de", messages: { a: "Ä {x}" } });
    catalogue.addMessages("DE", { c: "C" });
    const { t, language } = catalogue.translator(["de-at"]);
    expect([language, t("a", { x: "{y}", y: 1 }), t("b"), t("c")]).toEqual([
      "de",
      "Ä {y}",
      "B",
      "C",
    ]);
    expect([t("toString"), t("nope")]).toEqual(["toString", "nope"]);
    expect(catalogue.translator([]).t("a", { x: 1 })).toBe("A 1 {y}");
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
    ["fr", "fr", "Se déconnecter ?"],
    ["ja", "ja", "サインアウトしますか？"],
    ["zh-CN", "zh", "要退出登录吗？"],
    ["es-419", "es", "¿Cerrar sesión?"],
    ["it, nl", "en", "Sign out?"],
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
    expect((await page("/nowhere", "de")).texts).toContain("Nicht gefunden");
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
    // An unknown or invalid language, or a failure, falls back to the browser's languages.
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
