/** Characters of a name that count: normalizing takes quadratic time. */
const MAX_NAME_LENGTH = 1000;

const DIGITS = [..."0123456789"];
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];

// Returns what a database that looks at no accents takes a character for: `o` for "\u00f8", `ae` for "\u00e6", `3` for
// "\u0663", and nothing for an accent. MySQL and MariaDB compare by the same table (UTS 10), in versions of their own.
function createLookUp(): (character: string) => string {
  const { compare } = new Intl.Collator("en", { sensitivity: "base" });
  const pairs = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  const texts = ["", ...DIGITS, ...LETTERS, ...pairs].sort(compare);
  return (character) => {
    let low = 0;
    let high = texts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(texts[middle] ?? "", character) < 0) low = middle + 1;
      else high = middle;
    }
    const found = texts[low];
    return found !== undefined && compare(found, character) === 0 ? found : character;
  };
}

/**
 * Creates the function that returns one spelling for all that people, or a database that compares loosely, take for the
 * same name: by each further one more passwords of one account could be tried.
 */
export function createFold(): (name: string) => string {
  let lookUp: ReturnType<typeof createLookUp> | undefined;
  return (name) => {
    // Some characters become eighteen.
    const plain = name.slice(0, MAX_NAME_LENGTH).normalize("NFKD").slice(0, MAX_NAME_LENGTH);
    const ascii = plain.replaceAll(/[^\u0020-\u007e]/gu, (character) => {
      lookUp ??= createLookUp();
      return lookUp(character);
    });
    // What else is not seen, to older versions of the table too, and the dot of "\u0140". Written here: an engine takes long
    // to build the sets of `\p`, and a start needs none.
    const ignored =
      /[\p{Script=Inherited}\p{C}\p{Default_Ignorable_Code_Point}\u06de\u108d]|(?<=l)\u00b7/giu;
    const seen = ascii.replaceAll(ignored, "").toUpperCase().toLowerCase().trim();
    // "\u00df" is `ss`, and to some databases `s`.
    return seen.replaceAll(/s+/g, "s");
  };
}
