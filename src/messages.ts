import type { Language, Messages, Reading } from "./types/message.ts";

/** The language of what another one has no text for. */
export const FALLBACK = "en";

/** The kernel's own texts: those of pages that no plugin makes, and those that several say. */
export const ENGLISH: Messages = {
  "failure.title": "Error",
  "failure.absent": "Not found",
  "failure.400": "The request could not be understood. Go back, and try again.",
  "failure.404": "There is nothing here. Perhaps the address is misspelled.",
  "failure.405": "This cannot be done here that way. Start again from the sign-in page.",
  "failure.500": "Something went wrong on this server; its log says more. Please try again later.",
  "link.signin": "Sign in",
  "link.home": "Go to {host}",
  // Every page that takes a form says it.
  "signin.error.csrf":
    "This page was open for too long, or your browser blocks its cookies. Please try again.",
  "signin.with": "Sign in with {name}",
};

const MOST_TAGS = 20;
const TAG = /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i;

/** Whether a text is a language tag, as far as its form goes (BCP 47). */
export function isLanguageTag(tag: string): boolean {
  return TAG.test(tag);
}

/** The tags of an `Accept-Language` header, best first (RFC 9110, section 12.5.4). */
export function acceptedLanguages(header: string | null): string[] {
  return (header ?? "")
    .slice(0, 1000)
    .split(",", MOST_TAGS)
    .map((part) => {
      const [tag = "", ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return { tag, q: q === undefined ? 1 : Number(q) };
    })
    .filter(({ tag, q }) => isLanguageTag(tag) && q > 0)
    .sort((one, other) => other.q - one.q)
    .map(({ tag }) => tag);
}

// `zh-Hant-TW` is also read as `zh-Hant` and as `zh`; a single letter goes with what it began.
function shorter(tag: string): string {
  return tag.slice(0, Math.max(tag.lastIndexOf("-"), 0)).replace(/-.$/, "");
}

/** The first of the wanted languages that there is (RFC 4647, section 3.4). */
export function lookUpLanguage(
  wanted: readonly string[],
  there: readonly string[],
): string | undefined {
  for (const tag of wanted) {
    for (let range = tag.toLowerCase(); range; range = shorter(range)) {
      const found = there.find((known) => known.toLowerCase() === range);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

type Values = Readonly<Record<string, string | number>>;

/** What plugins say, by language. */
export interface Catalogue {
  /** Tags of the languages that can be read, English first. */
  readonly languages: readonly string[];
  /** Adds a plugin's texts in a language; over those there are. */
  addMessages(tag: string, messages: Messages): void;
  /** Offers a language to visitors. */
  addLanguage(language: Language): void;
  /** The texts in the first of the languages that is offered, or in English. */
  reading(wanted: readonly string[]): Reading;
}

// Texts and names of values, by turns.
function partsOf(text: string): string[] {
  return text.split(/\{(\w+)\}/);
}

function filled(parts: readonly string[], values: Values, isApart: boolean): string {
  let text = parts[0] ?? "";
  for (let at = 1; at < parts.length; at += 2) {
    const name = parts[at] ?? "";
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    // A name in Latin letters must not take the full stop after it to its own side (UAX 9).
    if (value === undefined) text += `{${name}}`;
    else text += isApart ? `\u2068${value}\u2069` : value;
    text += parts[at + 1] ?? "";
  }
  return text;
}

/** Makes an empty catalogue. */
export function createCatalogue(): Catalogue {
  const texts = new Map<string, Map<string, string>>();
  const directions = new Map<string, "ltr" | "rtl">([[FALLBACK, "ltr"]]);
  const languages = [FALLBACK];
  const readings = new Map<string, Reading>();

  const textsOf = (tag: string): Map<string, string> => {
    const key = tag.toLowerCase();
    const known = texts.get(key) ?? new Map<string, string>();
    texts.set(key, known);
    return known;
  };

  const addMessages = (tag: string, messages: Messages): void => {
    const known = textsOf(tag);
    for (const [id, text] of Object.entries(messages)) known.set(id, text);
  };

  const readingIn = (language: string): Reading => {
    const direction = directions.get(language) ?? "ltr";
    const own = textsOf(language);
    const english = textsOf(FALLBACK);
    const known = new Map<string, readonly string[]>();
    return {
      language,
      direction,
      say(id, values) {
        const text = own.get(id) ?? english.get(id);
        if (!values || text === undefined) return text ?? id;
        let parts = known.get(id);
        if (!parts) {
          parts = partsOf(text);
          known.set(id, parts);
        }
        return filled(parts, values, direction === "rtl");
      },
    };
  };

  addMessages(FALLBACK, ENGLISH);
  return {
    languages,
    addMessages,
    addLanguage({ tag, direction = "ltr", messages }) {
      addMessages(tag, messages);
      if (!languages.includes(tag)) languages.push(tag);
      directions.set(tag, direction);
    },
    reading(wanted) {
      const language = lookUpLanguage(wanted, languages) ?? FALLBACK;
      let reading = readings.get(language);
      if (!reading) {
        reading = readingIn(language);
        readings.set(language, reading);
      }
      return reading;
    },
  };
}
