import { describe, expect, it } from "vitest";
import { didYouMean } from "../../src/errors/did-you-mean.ts";
import { findSimilar } from "../../src/platform/spelling.ts";

const KNOWN = ["requires", "provides", "plugins", "setup", "signIn", "signOut", "linkAccount"];

describe("findSimilar()", () => {
  it.each([
    ["a letter is missing", "require", "requires"],
    ["a letter is missing at the start", "rovides", "provides"],
    ["a letter is added", "pluginss", "plugins"],
    ["a letter is another one", "sztup", "setup"],
    ["two letters are swapped", "singIn", "signIn"],
    ["two letters are swapped at the end", "setpu", "setup"],
    ["the case differs", "signin", "signIn"],
    ["the case differs and a letter is missing", "SINOUT", "signOut"],
  ])("findSimilar() finds the known name when %s", (_, name, known) => {
    expect(findSimilar(name, KNOWN)).toBe(known);
  });

  it.each(["signUp", "unlinkAccount", "signInFailed", "", "x", "init"])(
    "findSimilar() finds nothing for %j, which may be an intended name",
    (name) => {
      expect(findSimilar(name, KNOWN)).toBeUndefined();
    },
  );

  it("findSimilar() finds, among all short words, those within one mistake and no others", () => {
    const letters = ["a", "b", "c"];
    const words = [""];
    for (const word of words) {
      if (word.length < 4) words.push(...letters.map((letter) => word + letter));
    }
    const mistakes = (word: string) =>
      new Set(
        Array.from({ length: word.length + 1 }, (_, at) => {
          const [before, one, two, after] = [
            word.slice(0, at),
            word.charAt(at),
            word.charAt(at + 1),
            word.slice(at + 2),
          ];
          return [
            before + two + after,
            before + two + one + after,
            ...letters.flatMap((letter) => [
              before + letter + two + after,
              before + letter + one + two + after,
            ]),
          ];
        }).flat(),
      );
    for (const word of words) {
      const wanted = [...mistakes(word), word].filter((one) => words.includes(one));
      const found = words.filter((one) => findSimilar(word, [one]) === one);
      expect(found.sort()).toEqual([...new Set(wanted)].sort());
    }
  });

  it("findSimilar() prefers a name that differs only in case", () => {
    expect(findSimilar("signin", ["sign-in", "signIns", "signIn"])).toBe("signIn");
  });
});

describe("didYouMean()", () => {
  it("didYouMean() returns a question, or an empty text when no name is similar", () => {
    expect(didYouMean("require", KNOWN)).toBe(' Did you mean "requires"?');
    expect(didYouMean("other", KNOWN)).toBe("");
  });
});
