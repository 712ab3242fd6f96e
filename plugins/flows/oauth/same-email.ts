/** Returns whether two values are the same address, ignoring case. Returns `false` for values that are not text. */
export function isSameEmail(one: unknown, other: unknown): boolean {
  if (typeof one !== "string" || typeof other !== "string") return false;
  return one.toLowerCase() === other.toLowerCase();
}
