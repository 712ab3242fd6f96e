import type { Language, Messages, PluralForms, Translator } from "../types/message.ts";

/** The language whose texts are used if another language lacks them. */
export const DEFAULT_LOCALE = "en";

const MAX_TAGS = 20;
const TAG = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i;

/** Returns whether a text has the form of a language tag (BCP 47). */
export function isLanguageTag(tag: string): boolean {
  return TAG.test(tag);
}

/** Returns the tags of an `Accept-Language` header, best first (RFC 9110 section 12.5.4). Reads at most 20. */
export function parseAcceptLanguage(header: string | null): string[] {
  return (header ?? "")
    .slice(0, 1000)
    .split(",", MAX_TAGS)
    .map((part) => {
      const [tag = "", ...parameters] = part
        .toLowerCase()
        .split(";")
        .map((text) => text.trim());
      const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return { tag, q: q === undefined ? 1 : Number(q) };
    })
    .filter(({ tag, q }) => isLanguageTag(tag) && q > 0)
    .sort((one, other) => other.q - one.q)
    .map(({ tag }) => tag);
}

// `zh-Hant-TW` falls back to `zh-Hant` and `zh`.
function truncateTag(tag: string): string {
  return tag.slice(0, Math.max(tag.lastIndexOf("-"), 0));
}

// Returns the script in which the language is written (likely subtags of CLDR): `Hant` for `zh-TW`, `Hans` for `zh`.
function getScript(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag).maximize().script;
  } catch {
    // Well-formed, but unknown to `Intl`, such as `de-1`.
    return undefined;
  }
}

/** An available language, and the wanted tag that matched it. */
interface Match {
  language: string;
  wanted: string;
}

function match(wanted: readonly string[], available: readonly string[]): Match | undefined {
  for (const given of wanted) {
    const tag = given.toLowerCase();
    const [language] = tag.split("-");
    const near = available.filter((known) => known.toLowerCase().split("-")[0] === language);
    for (let range = tag; range; range = truncateTag(range)) {
      const found = near.find((known) => known.toLowerCase() === range);
      if (found !== undefined && (range === tag || getScript(found) === getScript(tag))) {
        return { language: found, wanted: tag };
      }
    }
    const found = near.find((known) => getScript(known) === getScript(tag));
    if (found !== undefined) return { language: found, wanted: tag };
  }
  return undefined;
}

/**
 * Returns the first of the wanted languages that is available (lookup of RFC 4647 section 3.4), in the script that the
 * visitor reads: `zh-TW` is never `zh`. If the region is not available, another region of the same language and script
 * is used: `pt-BR` for `pt-PT`.
 */
export function lookUpLanguage(
  wanted: readonly string[],
  available: readonly string[],
): string | undefined {
  return match(wanted, available)?.language;
}

type Values = Readonly<Record<string, string | number>>;

/** The texts of plugins, by language. */
export interface Catalogue {
  /** Tags of the languages that are offered to visitors, English first. */
  readonly languages: readonly string[];
  /** Adds texts in a language, merged over the existing ones. */
  addMessages(tag: string, messages: Messages): void;
  /** Offers a language to visitors, with its texts. */
  addLanguage(language: Language): void;
  /** Returns the translator for the first wanted language that is offered, else for English. */
  translator(wanted: readonly string[]): Translator;
}

// Returns texts and value names alternately.
function parseTemplate(text: string): string[] {
  return text.split(/\{(\w+)\}/);
}

function filled(parts: readonly string[], values: Values, isApart: boolean): string {
  let text = parts[0] ?? "";
  for (let at = 1; at < parts.length; at += 2) {
    const name = parts[at] ?? "";
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    // Isolates the value, so that a value in Latin letters does not move the punctuation after it (UAX 9).
    if (value === undefined) text += `{${name}}`;
    else text += isApart ? `\u2068${value}\u2069` : value;
    text += parts[at + 1] ?? "";
  }
  return text;
}

/** Creates an empty catalogue. `onMissing` receives requested ids for which no language has a text. */
export function createCatalogue(onMissing?: (id: string) => void): Catalogue {
  const texts = new Map<string, Map<string, string | PluralForms>>();
  const directions = new Map<string, "ltr" | "rtl">([[DEFAULT_LOCALE, "ltr"]]);
  const languages = [DEFAULT_LOCALE];
  const translators = new Map<string, Translator>();

  const getTexts = (tag: string): Map<string, string | PluralForms> => {
    const key = tag.toLowerCase();
    const known = texts.get(key) ?? new Map<string, string | PluralForms>();
    texts.set(key, known);
    return known;
  };

  const addMessages = (tag: string, messages: Messages): void => {
    const known = getTexts(tag);
    for (const [id, text] of Object.entries(messages)) known.set(id, text);
  };

  const createTranslator = (language: string): Translator => {
    const direction = directions.get(language) ?? "ltr";
    const own = getTexts(language);
    const english = getTexts(DEFAULT_LOCALE);
    const known = new Map<string, readonly string[]>();
    const choose = (forms: PluralForms, rules: string, count: unknown): string =>
      forms[new Intl.PluralRules(rules).select(Number(count))] ?? forms.other;
    return {
      language,
      locale: language,
      direction,
      has: (id) => own.has(id) || english.has(id),
      t(id, values) {
        const found = own.get(id) ?? english.get(id);
        if (found === undefined) onMissing?.(id);
        const given = found ?? id;
        // An English text that is used as a substitute follows the English rules.
        const rules = own.has(id) ? language : DEFAULT_LOCALE;
        const text = typeof given === "string" ? given : choose(given, rules, values?.count);
        if (!values) return text;
        let parts = known.get(text);
        if (!parts) {
          parts = parseTemplate(text);
          known.set(text, parts);
        }
        return filled(parts, values, direction === "rtl");
      },
    };
  };

  return {
    languages,
    addMessages,
    addLanguage({ tag, direction = "ltr", messages }) {
      addMessages(tag, messages);
      if (!languages.includes(tag)) languages.push(tag);
      directions.set(tag, direction);
    },
    translator(wanted) {
      const found = match(wanted, languages);
      const language = found?.language ?? DEFAULT_LOCALE;
      let translator = translators.get(language);
      if (!translator) {
        translator = createTranslator(language);
        translators.set(language, translator);
      }
      return found ? { ...translator, locale: found.wanted } : translator;
    },
  };
}
