/**
 * Packs a value and its expiry (milliseconds since the epoch) into one text, `expires|value`, for storage without an
 * expiry field.
 */
export function pack(value: string, expires?: number): string {
  return `${expires ?? ""}|${value}`;
}

/** Unpacks a value. Returns `null` if it has expired, or if `text` is not a packed text. */
export function unpack(text: unknown): string | null {
  if (typeof text !== "string") return null;
  const at = text.indexOf("|");
  const end = text.slice(0, at);
  if (at < 0 || (end !== "" && Number(end) <= Date.now())) return null;
  return text.slice(at + 1);
}

/** Returns the expiry of a packed text, in milliseconds since the epoch. */
export function getExpiry(text: string): number | undefined {
  const end = text.slice(0, text.indexOf("|"));
  return end === "" ? undefined : Number(end);
}

/**
 * Parses the record of a counter. An absent record is 0.
 * @throws Error when the record is not a counter.
 */
export function parseCounter(value: string | null): number {
  if (value === null) return 0;
  if (!/^-?\d{1,16}$/.test(value)) throw new Error("Record is not a counter.");
  return Number(value);
}
