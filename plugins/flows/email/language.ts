import { FALLBACK, lookUpLanguage } from "../../../src/index.ts";
import type { Kernel, MailMessages } from "../../../src/index.ts";

/** The texts of a mail in one language. */
export interface MailReading {
  /** Tag of the language. */
  language: string;
  messages: Required<MailMessages>;
}

type Given = Readonly<Record<string, Partial<MailMessages>>>;

const NAMES = [
  "subject",
  "heading",
  "invitation",
  "button",
  "fallback",
  "validity",
  "notice",
] as const;

/**
 * The texts of a mail in the first of the wanted languages that there is: those of the catalogue, and
 * over them what the provider was given.
 */
export function readingFor(
  kernel: Pick<Kernel, "languages" | "reading">,
  wanted: readonly string[],
  given: Given = {},
): MailReading {
  const language = lookUpLanguage(wanted, [...kernel.languages, ...Object.keys(given)]) ?? FALLBACK;
  // English for a language that only the provider knows.
  const { say, direction } = kernel.reading([language]);
  const isKnown = kernel.languages.includes(language);
  const texts = NAMES.map((name) => [name, say(`mail.${name}`)]);
  return {
    language,
    messages: {
      direction,
      ...(Object.fromEntries(texts) as Record<(typeof NAMES)[number], string>),
      ...(!isKnown && given[FALLBACK]),
      ...given[language],
    },
  };
}

/** A lifetime in words, in a language. */
export function durationIn(language: string, seconds: number): string {
  const [unit, size] =
    seconds >= 172_800 && seconds % 86_400 === 0
      ? (["day", 86_400] as const)
      : seconds >= 3600 && seconds % 3600 === 0
        ? (["hour", 3600] as const)
        : seconds >= 60
          ? (["minute", 60] as const)
          : (["second", 1] as const);
  const format = { style: "unit", unit, unitDisplay: "long" } as const;
  return new Intl.NumberFormat(language, format).format(Math.floor(seconds / size));
}
