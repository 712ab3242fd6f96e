import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AVOIDED } from "./_avoided.ts";
import { collectTexts, english, root, shipped, toForms, withMessages } from "./_texts.ts";

/** A rule that a text breaks if it matches. */
type Rules = Readonly<Record<string, RegExp>>;

const HAN = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`;

const ALL: Rules = {
  "is trimmed, without double spaces": /^\s|\s$|\s{2}/,
  "has no markup": /[<>&`]/,
  "has no straight quotes": /["']/,
  "has no three dots": /\.\.\./,
  "has no full stop directly after an address": /\{(?:email|host)\}[.。]/,
};
const LATIN: Rules = { "has no space before punctuation": / [.,;:!?]/ };
/** For sentences and headings, which may have several lines. */
const UNBROKEN: Rules = { "keeps e-mail on one line": /\be-mail.*[.?]$/i };
const CLITICS: Rules = { "keeps a pronoun with its verb": /\p{L}-\p{L}{1,3}(?!\p{L}).*[.;?]/u };
const FULL_WIDTH: Rules = {
  "has full-width punctuation": /[,;!?()]|[.:](?!\w)/,
  "keeps a number with its counter": new RegExp(String.raw`(?:\d|\{count\}) [${HAN}]`, "u"),
  "separates letters of another script": new RegExp(`[${HAN}][A-Za-z]|[A-Za-z][${HAN}]`, "u"),
};
/** Characters of the other script of Chinese that such texts would contain. */
const TRADITIONAL = /[號錄鏈這請無郵應還開關帳連結設備驗證碼們裝]/;
const SIMPLIFIED = /[号录链这请无邮应还开关账连结设备验证码们装](?<![連結設備驗證碼們裝結])/;

const TYPOGRAPHY: Readonly<Record<string, Rules>> = {
  en: LATIN,
  ar: {
    "has Arabic punctuation": /[,;?]/,
    "writes no vowel with a doubled letter": /\u0651\u064e|\u064e\u0651/,
  },
  de: { ...LATIN, ...UNBROKEN, "addresses the reader as Sie": /\b(?:du|dein\w*|dich|dir)\b/i },
  es: {
    ...LATIN,
    "opens questions and exclamations": /^[^¿]*\?|^[^¡]*!/,
    "addresses the reader as tú": /\busted\b/i,
  },
  fr: {
    ...UNBROKEN,
    ...CLITICS,
    "has no-break spaces before high punctuation": /(?<!\u202f)[?!;]|(?<!\u00a0):/,
    "addresses the reader as vous": /\b(?:tu|ton|tes)\b/i,
    "addresses readers of any gender": /connecté\b|autorisé à vous|prêt\b/,
  },
  it: LATIN,
  // The phrases of browsers end within this word.
  ja: { ...FULL_WIDTH, "keeps 方法 on one line": /方法.*。$/ },
  ko: {
    ...LATIN,
    "has half-width punctuation": /[，。？！：；（）]/,
    "has a particle for any name": /\}(?:을|를|은|는|이|가|로|으로)(?!\p{L})/u,
  },
  pl: {
    ...LATIN,
    ...UNBROKEN,
    "keeps single letters with the next word": /(?:^|[\s(])[aiouwz] /i,
    "addresses readers of any gender": /\b(?:zalogowany|pewien|gotowy)\b/i,
  },
  "pt-BR": { ...LATIN, ...UNBROKEN, ...CLITICS },
  zh: { ...FULL_WIDTH, "has simplified characters": TRADITIONAL },
  "zh-Hant": { ...FULL_WIDTH, "has traditional characters": SIMPLIFIED },
};

/** Texts that are the same word in English: ids by tag. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  de: [
    "credentials.code",
    "credentials.pin",
    "device.code",
    "email.code",
    "passkey.heading",
    "passkey.one",
  ],
  es: ["error.title"],
  fr: ["account.session", "device.code", "email.code"],
  it: ["account.title", "credentials.password", "passkey.one"],
};

const SCRIPTS: Readonly<Record<string, RegExp>> = {
  ar: /\p{Script=Arabic}/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
  ko: /\p{Script=Hangul}/u,
  zh: /\p{Script=Han}/u,
  "zh-Hant": /\p{Script=Han}/u,
};

const namesIn = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/g)]
    .map(([, name = ""]) => name)
    .toSorted((one, other) => one.localeCompare(other));

/** The plural categories that whole numbers have in a language. */
function listCategories(tag: string): string[] {
  const rules = new Intl.PluralRules(tag);
  return [...new Set(Array.from({ length: 1000 }, (_, count) => rules.select(count)))].sort();
}

/** Describes each text that breaks a rule: `id: rule: text`. */
function findBroken(messages: typeof english, rules: Rules): string[] {
  return Object.entries(messages).flatMap(([id, text]) =>
    toForms(text).flatMap((form) =>
      Object.entries(rules)
        .filter(([, rule]) => rule.test(form) && id !== "email.placeholder")
        .map(([name]) => `${id}: ${name}: ${form}`),
    ),
  );
}

describe("message catalogue", () => {
  it("the standard preset, or the list of the test, contains every plugin that adds messages", () => {
    const files = globSync("plugins/**/*.ts", { cwd: root }).filter((file) =>
      /\.addMessages\(|definePageRenderer\(/.test(readFileSync(root + file, "utf8")),
    );
    expect(files.length).toBe(withMessages.length);
    const tags = ["en", ...shipped.map(({ language }) => language.tag)];
    expect(Object.keys(TYPOGRAPHY).sort()).toEqual(tags.sort());
  });

  it("every message id is defined by one plugin", () => {
    const ids = withMessages.flatMap((plugin) =>
      collectTexts(plugin).messages.flatMap(([, texts]) => Object.keys(texts)),
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+(\.[a-z0-9-]+)+$/);
  });

  it("every message id that the sources use is defined, and no text is concatenated", () => {
    const sources = globSync("{src,plugins}/**/*.ts", { cwd: root }).map((file) =>
      readFileSync(root + file, "utf8"),
    );
    const asked = sources.flatMap((text) =>
      [...text.matchAll(/\bt\(\s*"([^"]+)"/g)].map(([, id]) => id!),
    );
    expect(asked.length).toBeGreaterThan(20);
    for (const id of asked) expect(Object.keys(english)).toContain(id);
    const joined = /\bt\("[^"]*"[^)]*\) *\+|\+ *t\("|\$\{t\(|\.join\(" · "\)/;
    const translated = sources.filter((text) => /\bt\("/.test(text));
    expect(translated.filter((text) => joined.test(text))).toEqual([]);
  });

  it("every English text is a distinct sentence or label", () => {
    for (const [id, text] of Object.entries(english)) {
      for (const form of toForms(text)) {
        if (id === "signin.or" || id === "email.placeholder") continue;
        expect(form, id).toMatch(/^(?:\p{Lu}|\{)/u);
      }
    }
  });
});

const languages = [{ tag: "en", messages: english }, ...shipped.map(({ language }) => language)];

/** A number that touches a word on only one side. */
const ONE_SIDED = new RegExp(String.raw`[${HAN}]\d+ |(?<!\d) \d+[${HAN}]`, "u");

const readText = (messages: typeof english, id: string) => toForms(messages[id] ?? "").join();

const headings = ["factor.title", ...Object.keys(english).filter((id) => /\bheading$/.test(id))];
/** Headings that may have the same text as another. */
const SYNONYMS = new Set(["error.large.heading"]);

describe.each(languages)("texts in $tag", ({ tag, messages }) => {
  it(`${tag}: no heading breaks at a hyphen, except in a long compound`, () => {
    expect(headings.length).toBeGreaterThan(20);
    for (const id of headings) expect(messages[id], id).not.toMatch(/(?<!E\u2011Mail)-/);
  });

  it(`${tag}: headings that differ in English differ, also without vowel marks`, () => {
    const seen = new Map<string, unknown>();
    for (const id of headings.filter((one) => !SYNONYMS.has(one))) {
      const text = readText(messages, id).replaceAll(/[\u064b-\u0652]/g, "");
      expect(seen.get(text) ?? english[id], id).toBe(english[id]);
      seen.set(text, english[id]);
    }
  });

  it(`${tag}: a duration has spaces on both sides or on neither`, () => {
    for (const unit of ["minute", "hour"]) {
      const format = { style: "unit", unit, unitDisplay: "long" } as const;
      const duration = new Intl.NumberFormat(tag, format).format(15);
      for (const id of ["limited.wait", "mail.validity"]) {
        expect(readText(messages, id).replace("{duration}", duration), id).not.toMatch(ONE_SIDED);
      }
    }
  });

  it(`${tag}: texts follow the rules of every language and its typography`, () => {
    const rules = { ...ALL, ...TYPOGRAPHY[tag] };
    expect(Object.keys(rules).length).toBeGreaterThan(Object.keys(ALL).length);
    expect(findBroken(messages, rules)).toEqual([]);
  });

  it(`${tag}: texts avoid the words that the glossary excludes`, () => {
    const words = AVOIDED[tag] ?? [];
    expect(words.length).toBeGreaterThan(0);
    const avoided = new RegExp(words.join("|"), tag === "de" || tag === "pl" ? "u" : "iu");
    expect(findBroken(messages, { "avoids a word": avoided })).toEqual([]);
  });

  it(`${tag}: a text with plural forms has every form of the language`, () => {
    const plural = Object.entries(messages).filter(([, text]) => typeof text !== "string");
    expect(plural.length).toBeGreaterThan(0);
    for (const [id, forms] of plural) {
      expect(Object.keys(forms as object).sort(), id).toEqual(
        [...new Set([...listCategories(tag), "other"])].sort(),
      );
    }
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
        const [wanted = []] = toForms(english[id] ?? "").map(namesIn);
        for (const form of toForms(text)) {
          // "Two codes" is a single word in some languages.
          const isWord = typeof text !== "string" && !namesIn(form).includes("count");
          expect(isWord ? [...namesIn(form), "count"] : namesIn(form), id).toEqual(wanted);
        }
      }
    });

    it(`${tag}: a button with a provider's name has the same wording as without one`, () => {
      const [before = ""] = readText(messages, "email.submit.by").split(/ ?[(（]\{name\}/);
      expect(before).toBe(messages["email.submit"]);
    });

    it(`${tag}: no text is English except those in the list`, () => {
      const same = Object.keys(messages).filter((id) => messages[id] === english[id]);
      expect(same).toEqual(SAME[tag] ?? []);
    });

    it(`${tag}: the error page has the text of the sign-in page if the English texts are equal`, () => {
      const pairs = Object.keys(english).flatMap((id) => {
        const [, error] = /^error\.(.+)\.text$/.exec(id) ?? [];
        const other = `signin.error.${error}`;
        return error && english[id] === english[other] ? [[id, other] as const] : [];
      });
      expect(pairs.length).toBeGreaterThan(5);
      for (const [id, other] of pairs) expect(messages[id], id).toBe(messages[other]);
    });

    it(`${tag}: texts are in the language's script and direction`, () => {
      const script = SCRIPTS[tag] ?? /\p{Script=Latin}/u;
      for (const [id, text] of Object.entries(messages)) {
        if (id === "email.placeholder") continue;
        for (const form of toForms(text)) expect(form, id).toMatch(script);
      }
      expect(direction ?? "ltr").toBe(tag === "ar" ? "rtl" : "ltr");
    });
  },
);
