/**
 * Returns a text without NUL and lone surrogates, which databases refuse or change. Such characters occur only in
 * attacks.
 */
export function toStorable(text: string): string {
  return text.replace(/[\0\ud800-\udfff]/gu, "");
}

// Dates, bytes and class instances are left to the database.
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Maximum depth of nested objects to check. Anything deeper is not stored. */
const MAX_DEPTH = 100;

/** Returns whether a database can store the texts in a value: the value itself, its members, and their names. */
export function isStorable(value: unknown, seen?: Set<object>, depth = 0): boolean {
  if (typeof value === "string") return toStorable(value) === value;
  if (typeof value !== "object" || value === null) return true;
  if (seen && (seen.has(value) || !isPlain(value))) return true;
  if (depth > MAX_DEPTH) return false;
  const known = (seen ?? new Set()).add(value);
  const isMember = (one: unknown) => isStorable(one, known, depth + 1);
  return Object.entries(value).every((pair) => pair.every(isMember));
}
