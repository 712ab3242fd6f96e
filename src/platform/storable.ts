/**
 * Returns a text without NUL and halves of characters, which databases refuse, or store as something else. No one writes them but
 * to do harm.
 */
export function toStorable(text: string): string {
  return text.replace(/[\0\ud800-\udfff]/gu, "");
}

/** Returns whether a database can hold a value, as far as texts are concerned. */
export function isStorable(value: unknown): boolean {
  return typeof value !== "string" || toStorable(value) === value;
}
