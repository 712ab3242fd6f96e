function isSwapped(one: string, other: string): boolean {
  return one.length === 2 && other.length === 2 && one[0] === other[1] && one[1] === other[0];
}

// Tests for a single typing mistake: a missing, added or different letter, or two swapped letters.
function differsByOne(one: string, other: string): boolean {
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  let [end, otherEnd] = [one.length, other.length];
  while (end > start && otherEnd > start && one[end - 1] === other[otherEnd - 1]) {
    end--;
    otherEnd--;
  }
  const rest = one.slice(start, end);
  const otherRest = other.slice(start, otherEnd);
  return (rest.length <= 1 && otherRest.length <= 1) || isSwapped(rest, otherRest);
}

/**
 * Returns the known name that differs from the given one by at most one typing mistake. Upper and lower case count as
 * equal. With more mistakes, it may be a separate name, such as `unlinkAccount`.
 */
export function findSimilar(name: string, known: Iterable<string>): string | undefined {
  const given = name.toLowerCase();
  const names = [...known];
  return (
    names.find((one) => one.toLowerCase() === given) ??
    names.find((one) => differsByOne(one.toLowerCase(), given))
  );
}
