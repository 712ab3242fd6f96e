/** Returns whether two texts are one address, whatever their case; `false` where there is none. */
export function isSameEmail(one: unknown, other: unknown): boolean {
  return typeof one === "string" && `${other}`.toLowerCase() === one.toLowerCase();
}
