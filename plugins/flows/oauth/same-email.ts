/** Returns whether two values are one address, whatever its case; `false` for what is no text. */
export function isSameEmail(one: unknown, other: unknown): boolean {
  if (typeof one !== "string" || typeof other !== "string") return false;
  return one.toLowerCase() === other.toLowerCase();
}
