/** A value with its end, as one text: for storage that keeps nothing beside a value. */
export function pack(value: string, expires?: number): string {
  return `${expires ?? ""}|${value}`;
}

/** The value of a packed text, or `null` when it is over; anything else was not packed here. */
export function unpack(text: unknown): string | null {
  if (typeof text !== "string") return null;
  const at = text.indexOf("|");
  const end = text.slice(0, at);
  if (at < 0 || (end !== "" && Number(end) <= Date.now())) return null;
  return text.slice(at + 1);
}

/** The end of a packed text. */
export function endOf(text: string): number | undefined {
  const end = text.slice(0, text.indexOf("|"));
  return end === "" ? undefined : Number(end);
}

/** The number of a counter's record. */
export function counted(value: string | null): number {
  if (value === null) return 0;
  if (!/^-?\d{1,16}$/.test(value)) throw new Error("The record is no counter.");
  return Number(value);
}
