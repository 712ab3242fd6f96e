import { DEFAULT_LOCALE, lookUpLanguage } from "../../../src/_kit.ts";
import type { Services } from "../../../src/kernel.ts";
import type { MailMessages } from "./provider.ts";

/** The texts of an e-mail in one language. */
export interface MailTranslation {
  /** Language tag. */
  language: string;
  messages: Required<MailMessages>;
}

type Catalogue = Services["pages"]["catalogue"];
type Given = Readonly<Record<string, Partial<MailMessages>>>;

const NAMES = [
  "subject",
  "heading",
  "invitation",
  "button",
  "fallback",
  "code",
  "validity",
  "notice",
] as const;

/**
 * Returns the texts of an e-mail in the first of the wanted languages that is available. The provider's `messages`
 * override the catalog.
 */
export function getMailTranslation(
  { languages, translator }: Catalogue,
  wanted: readonly string[],
  given: Given = {},
): MailTranslation {
  const language = lookUpLanguage(wanted, [...languages, ...Object.keys(given)]) ?? DEFAULT_LOCALE;
  // A language that only the provider has falls back to English.
  const { t, direction } = translator([language]);
  const isKnown = languages.includes(language);
  const texts = NAMES.map((name) => [name, t(`mail.${name}`)]);
  return {
    language,
    messages: {
      direction,
      ...(Object.fromEntries(texts) as Record<(typeof NAMES)[number], string>),
      ...(!isKnown && given[DEFAULT_LOCALE]),
      ...given[language],
    },
  };
}

/** Formats a lifetime in a language, such as "24 hours". */
export function formatDuration(language: string, seconds: number): string {
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
