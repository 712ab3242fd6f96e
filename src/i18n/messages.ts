import type { Language, Messages, Translator } from "../types/message.ts";

/** The language of texts that another language does not have. */
export const DEFAULT_LOCALE = "en";

/** The kernel's own texts: those of pages that no plugin adds, and those that several plugins use. */
export const ENGLISH: Messages = {
  "failure.title": "Error",
  "failure.absent": "Not found",
  "failure.400": "The request could not be understood. Go back, and try again.",
  "failure.404": "There is nothing here. Perhaps the address is misspelled.",
  "failure.405": "This cannot be done here that way. Start again from the sign-in page.",
  "failure.500": "Something went wrong on this server; its log says more. Please try again later.",
  "link.signin": "Sign in",
  "link.home": "Go to {host}",
  // Shown by every page with a form.
  "signin.error.csrf":
    "This page was open for too long, or your browser blocks its cookies. Please try again.",
  "signin.with": "Sign in with {name}",
};

const MAX_TAGS = 20;
const TAG = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i;

/** Returns whether a text has the form of a language tag (BCP 47). */
export function isLanguageTag(tag: string): boolean {
  return TAG.test(tag);
}

/**
 * Returns the tags of an `Accept-Language` header, best first (RFC 9110 section 12.5.4); reads at most 20.
 */
export function acceptedLanguages(header: string | null): string[] {
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

// `zh-Hant-TW` falls back to `zh-Hant` and `zh`; a single-letter subtag is removed together with the one
// after it.
function truncateTag(tag: string): string {
  return tag.slice(0, Math.max(tag.lastIndexOf("-"), 0)).replace(/-.$/, "");
}

/** Returns the first of the wanted languages that is available (lookup of RFC 4647 section 3.4). */
export function lookUpLanguage(
  wanted: readonly string[],
  available: readonly string[],
): string | undefined {
  for (const tag of wanted) {
    for (let range = tag.toLowerCase(); range; range = truncateTag(range)) {
      const found = available.find((known) => known.toLowerCase() === range);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

type Values = Readonly<Record<string, string | number>>;

/** The texts of the kernel and of plugins, by language. */
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

// Returns texts and names of values alternately.
function parseTemplate(text: string): string[] {
  return text.split(/\{(\w+)\}/);
}

function filled(parts: readonly string[], values: Values, isApart: boolean): string {
  let text = parts[0] ?? "";
  for (let at = 1; at < parts.length; at += 2) {
    const name = parts[at] ?? "";
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    // A value in Latin letters must not move the punctuation after it to its own side (UAX 9).
    if (value === undefined) text += `{${name}}`;
    else text += isApart ? `\u2068${value}\u2069` : value;
    text += parts[at + 1] ?? "";
  }
  return text;
}

/** Creates a catalogue with the kernel's own English texts. */
export function createCatalogue(): Catalogue {
  const texts = new Map<string, Map<string, string>>();
  const directions = new Map<string, "ltr" | "rtl">([[DEFAULT_LOCALE, "ltr"]]);
  const languages = [DEFAULT_LOCALE];
  const translators = new Map<string, Translator>();

  const getTexts = (tag: string): Map<string, string> => {
    const key = tag.toLowerCase();
    const known = texts.get(key) ?? new Map<string, string>();
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
    return {
      language,
      direction,
      has: (id) => own.has(id) || english.has(id),
      t(id, values) {
        const text = own.get(id) ?? english.get(id);
        if (!values || text === undefined) return text ?? id;
        let parts = known.get(id);
        if (!parts) {
          parts = parseTemplate(text);
          known.set(id, parts);
        }
        return filled(parts, values, direction === "rtl");
      },
    };
  };

  addMessages(DEFAULT_LOCALE, ENGLISH);
  return {
    languages,
    addMessages,
    addLanguage({ tag, direction = "ltr", messages }) {
      addMessages(tag, messages);
      if (!languages.includes(tag)) languages.push(tag);
      directions.set(tag, direction);
    },
    translator(wanted) {
      const language = lookUpLanguage(wanted, languages) ?? DEFAULT_LOCALE;
      let translator = translators.get(language);
      if (!translator) {
        translator = createTranslator(language);
        translators.set(language, translator);
      }
      return translator;
    },
  };
}
