import type { Translator } from "../types/message.ts";
import type { Label } from "../types/provider.ts";
import { DEFAULT_LOCALE, lookUpLanguage } from "./messages.ts";

/** The words for which every language has a text, keyed by the names that configurations use. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ["username", "credentials.username"],
  ["user", "credentials.username"],
  ["login", "credentials.username"],
  ["email", "credentials.email"],
  ["phone", "credentials.phone"],
  ["tel", "credentials.phone"],
  ["password", "credentials.password"],
  ["credentials", "credentials.password"],
  ["code", "credentials.code"],
  ["otp", "credentials.code"],
  ["pin", "credentials.pin"],
]);

/** Returns the text id of a word that every language has, such as `password`; else `undefined`. */
export function findWord(name: string): string | undefined {
  return WORDS.get(name.toLowerCase().replaceAll(/[\s_-]/g, ""));
}

/**
 * Returns a label in the translator's language. For a word that every language has, or a message id, that is its text;
 * for any other text, the label itself. For a label per language, it is the best match, else the English label, else
 * the first.
 */
export function translateLabel(label: Label, { language, t, has }: Translator): string {
  if (typeof label !== "string") {
    const found = lookUpLanguage([language, DEFAULT_LOCALE], Object.keys(label));
    return (found === undefined ? Object.values(label)[0] : label[found]) ?? "";
  }
  // Only words in lower case, like field names: `Password` is a text of the application.
  const id = label === label.toLowerCase() ? (findWord(label) ?? label) : label;
  return has(id) ? t(id) : label;
}
