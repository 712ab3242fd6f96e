import fc from "fast-check";

// Text that tends to break parsers of any kind.
const NASTY = [
  ..."\u0000\t\n\r \"'`\\/%;,:.=&?#@[]{}<>()|+-_~*^$!",
  "\u00a0",
  "\u00ff",
  "\u0301",
  "\u200b",
  "\u202e",
  "\u2028",
  "\ud800",
  "\udc00",
  "\ufeff",
  "\uffff",
  "%00",
  "%0d%0a",
  "%2e%2e%2f",
  "%zz",
  "..",
  "//",
  "\\u0000",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "undefined",
  "true",
  "NaN",
  "Infinity",
  "-1",
  "0",
  "1e999",
  "9007199254740993",
  "{}",
  "[]",
  '""',
  "<script>",
  "javascript:",
  "https://evil.example",
];

/** A change to a text. The position is a fraction of its length. */
type Edit = (text: string) => string;

const place = fc.double({ min: 0, max: 1, noNaN: true });
const at = (text: string, where: number) => Math.min(text.length, Math.floor(where * text.length));

function edits(words: readonly string[]): fc.Arbitrary<Edit> {
  const piece = fc.oneof(
    fc.constantFrom(...NASTY, ...words),
    fc.nat(255).map((code) => String.fromCharCode(code)),
    fc.string({ maxLength: 8 }),
  );
  const length = fc.oneof(fc.nat(4), fc.nat(40));
  const insert = fc.tuple(place, piece).map(([where, given]): Edit => {
    return (text) => text.slice(0, at(text, where)) + given + text.slice(at(text, where));
  });
  const replace = fc.tuple(place, length, piece).map(([where, size, given]): Edit => {
    return (text) => text.slice(0, at(text, where)) + given + text.slice(at(text, where) + size);
  });
  const remove = fc.tuple(place, length).map(([where, size]): Edit => {
    return (text) => text.slice(0, at(text, where)) + text.slice(at(text, where) + size);
  });
  const cut = place.map(
    (where): Edit =>
      (text) =>
        text.slice(0, at(text, where)),
  );
  const flip = fc.tuple(place, fc.nat(7)).map(([where, bit]): Edit => {
    return (text) => {
      const here = Math.min(at(text, where), text.length - 1);
      if (here < 0) return text;
      const changed = String.fromCharCode(text.charCodeAt(here) ^ (1 << bit));
      return text.slice(0, here) + changed + text.slice(here + 1);
    };
  });
  const repeat = fc
    .tuple(place, fc.integer({ min: 1, max: 40 }), fc.constantFrom(2, 3, 10, 300, 5000))
    .map(([where, size, times]): Edit => {
      return (text) => {
        const here = at(text, where);
        const part = text.slice(here, here + size);
        return text.slice(0, here) + part.repeat(times) + text.slice(here + size);
      };
    });
  const move = fc.tuple(place, place, length).map(([from, to, size]): Edit => {
    return (text) => {
      const part = text.slice(at(text, from), at(text, from) + size);
      return text.slice(0, at(text, to)) + part + text.slice(at(text, to));
    };
  });
  return fc.oneof(insert, replace, remove, cut, flip, repeat, move);
}

/** Length of the longest input, which is more than servers accept in a header and more than Keyhook reads of a body. */
const MAX_LENGTH = 256 * 1024;

/** Generates inputs: mostly valid ones and corpus entries with a few changes, and some noise. */
export function generateInputs(
  seeds: readonly string[],
  words: readonly string[] = [],
): fc.Arbitrary<string> {
  const changed = fc
    .tuple(fc.constantFrom(...seeds), fc.array(edits(words), { minLength: 1, maxLength: 4 }))
    .map(([seed, changes]) =>
      changes.reduce((text, change) => change(text).slice(0, MAX_LENGTH), seed),
    );
  const spliced = fc
    .tuple(fc.constantFrom(...seeds), fc.constantFrom(...seeds), place)
    .map(([one, other, where]) => one.slice(0, at(one, where)) + other.slice(at(other, where)));
  const built = fc
    .array(fc.constantFrom(...NASTY, ...words), { maxLength: 30 })
    .map((parts) => parts.join(""));
  return fc.oneof(
    { arbitrary: changed, weight: 8 },
    { arbitrary: spliced, weight: 1 },
    { arbitrary: built, weight: 1 },
    { arbitrary: fc.string({ unit: "binary", maxLength: 200 }), weight: 1 },
  );
}
