import { readFileSync, globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createAuth, definePlugin, standardPreset } from "../../presets/index.ts";
import { acceptedLanguages, createCatalogue, ENGLISH, lookUpLanguage } from "../../src/messages.ts";
import { only, parse } from "./_parse.ts";
import type { AuthConfig, Language, Messages, Plugin, Preset } from "../../src/index.ts";

const ORIGIN = "http://localhost:3000";
const root = fileURLToPath(new URL("../..", import.meta.url));

/** What a plugin says, by language; whatever else it registers goes nowhere. */
function told(plugin: Plugin): { messages: [string, Messages][]; languages: Language[] } {
  const messages: [string, Messages][] = [];
  const languages: Language[] = [];
  const hollow: unknown = new Proxy(() => hollow, { get: () => hollow, apply: () => hollow });
  const kernel = new Proxy({} as Record<string, unknown>, {
    get: (_, name) => {
      if (name === "addMessages")
        return (tag: string, texts: Messages) => messages.push([tag, texts]);
      if (name === "addLanguage") return (language: Language) => languages.push(language);
      if (name === "providers") return new Map();
      return hollow;
    },
  });
  plugin.setup(kernel as never);
  return { messages, languages };
}

const pluginsOf = ({ extends: bases = [], plugins = [] }: Preset): Plugin[] => [
  ...bases.flatMap(pluginsOf),
  ...plugins,
];
const speaking = pluginsOf(standardPreset).filter((plugin) => told(plugin).messages.length);
const english: Messages = Object.assign(
  {},
  ENGLISH,
  ...speaking.flatMap((plugin) => told(plugin).messages.map(([, texts]) => texts)),
);

const files = globSync("plugins/languages/*.ts", { cwd: root }).sort();
const shipped = await Promise.all(
  files.map(async (file) => {
    const { default: make } = (await import(root + file)) as { default: () => Plugin };
    return { plugin: make(), language: told(make()).languages[0]! };
  }),
);
const bySpeech = (tag: string) => shipped.find(({ language }) => language.tag === tag)!.plugin;
const namesIn = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)]
    .map(([, name = ""]) => name)
    .toSorted((one, other) => one.localeCompare(other));

describe("the catalogue", () => {
  it("knows every plugin that says something", () => {
    const files = globSync("plugins/**/*.ts", { cwd: root }).filter((file) =>
      readFileSync(root + file, "utf8").includes(".addMessages("),
    );
    // Whoever adds a plugin with texts adds it to the standard preset, or to this list.
    expect(files.length).toBe(speaking.length);
    expect(shipped.map(({ language }) => language.tag)).toEqual([
      "ar",
      "de",
      "es",
      "fr",
      "ja",
      "zh",
    ]);
  });

  it("has an id's text once, in the plugin whose it is", () => {
    const ids = speaking.flatMap((plugin) =>
      told(plugin).messages.flatMap(([, texts]) => Object.keys(texts)),
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+(\.[a-z0-9-]+)+$/);
  });

  it("is asked for no id that it does not have", () => {
    const asked = globSync("{src,plugins}/**/*.ts", { cwd: root }).flatMap((file) =>
      [...readFileSync(root + file, "utf8").matchAll(/\bsay\(\s*"([^"]+)"/g)].map(([, id]) => id!),
    );
    expect(asked.length).toBeGreaterThan(20);
    for (const id of asked) expect(Object.keys(english)).toContain(id);
  });
});

describe.each(shipped)("$language.tag", ({ plugin, language: { tag, messages, direction } }) => {
  it("has every text of every plugin, and no other", () => {
    expect(plugin.name).toBe(`languages/${tag}`);
    expect(Object.keys(messages).sort()).toEqual(Object.keys(english).sort());
  });

  it("keeps what is filled in", () => {
    for (const [id, text] of Object.entries(messages)) {
      expect(namesIn(text), id).toEqual(namesIn(english[id] ?? ""));
    }
  });

  it("is text: trimmed, without markup, and not the English one", () => {
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

  it("is written in its script, from its side", () => {
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
});

describe("choosing a language", () => {
  it.each([
    [null, []],
    ["", []],
    ["de-CH, fr;q=0.9, *;q=0.1", ["de-ch", "fr"]],
    ["fr;q=0.3, de, en;q=0.8", ["de", "en", "fr"]],
    ["de;q=0, ar;q=0.1", ["ar"]],
    ["de;q=x, de ; q=0.5", ["de"]],
    ["__proto__, constructor, ../../etc/passwd, de_DE", ["constructor"].slice(1)],
    [`${"x,".repeat(50_000)}de`, []],
    [`${"aa,".repeat(400)}`, Array.from({ length: 20 }, () => "aa")],
  ])("reads %j", (header, tags) => {
    expect(acceptedLanguages(header)).toEqual(tags);
  });

  it.each([
    [["de-ch-1996"], "de"],
    [["zh-hant-tw"], "zh-Hant"],
    [["zh-hans-cn"], "zh"],
    [["pt"], undefined],
    [["pt-br"], "pt-BR"],
    // A single letter begins something private; it is no range by itself (RFC 4647, section 3.4).
    [["de-x-slang"], "de"],
    [["it", "de"], "de"],
    [[], undefined],
  ])("looks up %j", (wanted, found) => {
    expect(lookUpLanguage(wanted, ["en", "de", "zh", "zh-Hant", "pt-BR"])).toBe(found);
  });

  it("falls back text by text, and fills in once", () => {
    const catalogue = createCatalogue();
    catalogue.addMessages("en", { a: "A {x} {y}", b: "B", __proto__: "no" });
    catalogue.addLanguage({ tag: "de", messages: { a: "Ä {x}" } });
    catalogue.addMessages("DE", { c: "C" });
    const { say, language } = catalogue.reading(["de-at"]);
    expect([language, say("a", { x: "{y}", y: 1 }), say("b"), say("c")]).toEqual([
      "de",
      "Ä {y}",
      "B",
      "C",
    ]);
    expect([say("toString"), say("nope")]).toEqual(["toString", "nope"]);
    expect(catalogue.reading([]).say("a", { x: 1 })).toBe("A 1 {y}");
  });

  it("offers no language that only has a plugin's own texts", () => {
    const catalogue = createCatalogue();
    catalogue.addMessages("it", { a: "A" });
    expect(catalogue.reading(["it"]).language).toBe("en");
  });
});

function authOf(config: AuthConfig = {}, ...plugins: Plugin[]) {
  const logger = { error() {}, warn() {} };
  const env = { NODE_ENV: "test", AUTH_SECRET: "x".repeat(40) };
  return createAuth({
    env,
    logger,
    plugins: [...shipped.map((one) => one.plugin), ...plugins],
    ...config,
  });
}

async function page(path: string, accept: string, auth = authOf()) {
  const headers = { "accept-language": accept, accept: "text/html" };
  const response = await auth.fetch(new Request(`${ORIGIN}/auth${path}`, { headers }));
  return parse(await response.text());
}

describe("a page", () => {
  it.each([
    ["de-AT,de;q=0.9,en;q=0.5", "de", "Abmelden?"],
    ["fr", "fr", "Se déconnecter ?"],
    ["ja", "ja", "サインアウトしますか？"],
    ["zh-CN", "zh", "要退出登录吗？"],
    ["es-419", "es", "¿Cerrar sesión?"],
    ["it, nl", "en", "Sign out?"],
    ["", "en", "Sign out?"],
  ])("answers %j in %s", async (accept, lang, heading) => {
    const markup = await page("/signout", accept);
    expect(only(markup, "html")).toEqual({ lang });
    expect(markup.texts).toContain(heading);
  });

  it("is written from right to left where that is the way, names apart", async () => {
    const markup = await page("/error?error=AccessDenied", "ar");
    expect(only(markup, "html")).toEqual({ lang: "ar", dir: "rtl" });
    expect(markup.texts).toContain("الذهاب إلى \u2068localhost:3000\u2069");
  });

  it("also says what the kernel says", async () => {
    expect((await page("/nowhere", "de")).texts).toContain("Nicht gefunden");
  });

  const choosing = (locale: (accept: string | null) => string | Promise<string> | undefined) =>
    definePlugin({
      name: "test/locale",
      setup({ hooks }) {
        hooks.locale.tap("test", ({ request }) => locale(request.headers.get("accept-language")));
      },
    });

  it("asks the application first", async () => {
    const langOf = async (plugin: Plugin, accept = "fr") =>
      only(await page("/signout", accept, authOf({}, plugin)), "html").lang;
    expect(await langOf(choosing(() => "de"))).toBe("de");
    expect(await langOf(choosing(async () => "AR-eg"))).toBe("ar");
    // What it does not know, or cannot say, is for the browser to say.
    expect(await langOf(choosing(() => undefined))).toBe("fr");
    expect(await langOf(choosing(() => "tlh"))).toBe("fr");
    expect(await langOf(choosing(() => '"><x'))).toBe("fr");
    expect(await langOf(choosing(() => Promise.reject(new Error("down"))))).toBe("fr");
  });

  it("says what the application says instead, in any language", async () => {
    const own = definePlugin({
      name: "test/own",
      setup(kernel) {
        kernel.addMessages("en", { "signout.heading": "Leaving <already>?" });
        kernel.addMessages("de", { "signout.heading": "Schon weg?" });
      },
    });
    expect((await page("/signout", "en", authOf({}, own))).texts).toContain("Leaving <already>?");
    expect((await page("/signout", "de", authOf({}, own))).texts).toContain("Schon weg?");
  });

  // The last ones look like tags; whoever writes a date in them would fail.
  it.each(["de_DE!", "", "de-1", "abcd", "de-de-de"])("refuses %j, no tag, at boot", (tag) => {
    const bad = definePlugin({
      name: "test/bad",
      setup: (kernel) => kernel.addLanguage({ tag, messages: {} }),
    });
    expect(() => authOf({}, bad).inspect()).toThrow(/language tag/);
  });

  it("is English alone where no language was added", async () => {
    const env = { NODE_ENV: "test", AUTH_SECRET: "x".repeat(40) };
    const auth = createAuth({ env });
    expect(only(await page("/signout", "de", auth), "html").lang).toBe("en");
    expect(bySpeech("de").name).toBe("languages/de");
  });
});
