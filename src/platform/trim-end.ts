/**
 * Returns a text without the given character at its end. `/x+$/` would take quadratic time on a text that repeats the
 * character elsewhere.
 */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
