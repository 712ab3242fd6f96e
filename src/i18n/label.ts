import type { Translator } from "../types/message.ts";
import type { Label } from "../types/provider.ts";
import { DEFAULT_LOCALE, lookUpLanguage } from "./messages.ts";

/** The words that every language has a text for, by the names that configurations give them. */
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

/** Returns the id of the text of a word that every language has, such as `password`; else `undefined`. */
export function findWord(name: string): string | undefined {
  return WORDS.get(name.toLowerCase().replaceAll(/[\s_-]/g, ""));
}

/**
 * Returns a label in the translator's language: the text of a word that every language has or of a message id, else
 * the label as it is; of a label per language, the best one, else the English one, else the first.
 */
export function translateLabel(label: Label, { language, t, has }: Translator): string {
  if (typeof label !== "string") {
    const found = lookUpLanguage([language, DEFAULT_LOCALE], Object.keys(label));
    return (found === undefined ? Object.values(label)[0] : label[found]) ?? "";
  }
  // A word in lower case, as the field is named: `Password` is a text of the application.
  const id = label === label.toLowerCase() ? (findWord(label) ?? label) : label;
  return has(id) ? t(id) : label;
}
