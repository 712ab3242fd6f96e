/** Returns names of options or methods, quoted for a message. */
export function quoteNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
