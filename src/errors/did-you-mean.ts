import { findSimilar } from "../platform/spelling.ts";

/** Returns ` Did you mean "..."?` for a misspelled name, else an empty text. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const similar = findSimilar(name, known);
  return similar === undefined ? "" : ` Did you mean "${similar}"?`;
}

/**
 * Returns ` has the field "...", which does not exist. Did you mean "..."?` for an object's misspelled fields, else an
 * empty text.
 */
export function describeMisspelled(value: object, fields: readonly string[]): string {
  const hints = Object.keys(value).flatMap((key) => {
    const meant = fields.includes(key) ? undefined : findSimilar(key, fields);
    if (meant === undefined) return [];
    return ` has the field "${key}", which does not exist. Did you mean "${meant}"?`;
  });
  return hints.join(" It");
}
