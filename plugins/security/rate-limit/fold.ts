/** Maximum number of characters of a name that count. Normalizing takes quadratic time. */
const MAX_NAME_LENGTH = 1000;

const DIGITS = [..."0123456789"];
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];

// Returns what an accent-insensitive database reads a character as: `o` for "\u00f8", `ae` for "\u00e6", `3` for
// "\u0663", and nothing for an accent. MySQL and MariaDB compare by the same table (UTS 10), in different versions.
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
 * Creates the function that returns one spelling for all names that people, or a lenient database, consider equal.
 * Otherwise each further spelling would allow more password attempts on one account.
 */
export function createFold(): (name: string) => string {
  let lookUp: ReturnType<typeof createLookUp> | undefined;
  return (name) => {
    // Some characters become eighteen characters.
    const plain = name.slice(0, MAX_NAME_LENGTH).normalize("NFKD").slice(0, MAX_NAME_LENGTH);
    const ascii = plain.replaceAll(/[^\u0020-\u007e]/gu, (character) => {
      lookUp ??= createLookUp();
      return lookUp(character);
    });
    // Further invisible characters, also in older versions of the table, and the dot of "\u0140". Written out, because
    // an engine takes long to build the sets of `\p`, and a start needs none of them.
    const ignored =
      /[\p{Script=Inherited}\p{C}\p{Default_Ignorable_Code_Point}\u06de\u108d]|(?<=l)\u00b7/giu;
    const seen = ascii.replaceAll(ignored, "").toUpperCase().toLowerCase().trim();
    // "\u00df" is `ss`, and in some databases `s`.
    return seen.replaceAll(/s+/g, "s");
  };
}
