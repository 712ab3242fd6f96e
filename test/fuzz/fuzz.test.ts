import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../_scale.ts";
import { watchRejections } from "../attack/_attack.ts";
import { generateInputs } from "./_inputs.ts";
import type { Target } from "./_target.ts";
import { TARGETS } from "./_targets.ts";

watchRejections();

/** What `npm run fuzz` sets (`run.ts`). */
const { KEYHOOK_FUZZ_SECONDS, KEYHOOK_FUZZ_SEED, KEYHOOK_FUZZ_KEEP, KEYHOOK_FUZZ_ONLY } =
  process.env;
const seconds = Number(KEYHOOK_FUZZ_SECONDS ?? 0);
const seed = KEYHOOK_FUZZ_SEED === undefined ? undefined : Number(KEYHOOK_FUZZ_SEED);
/** Inputs per target if no time is given, and the maximum time for them. */
const RUNS = rounds(1000);
const MAX_MS = 3000;
const TIMEOUT_MS = seconds * 1000 + 120_000;

const corpus = fileURLToPath(new URL("corpus/", import.meta.url));
const getFile = ({ name }: Target) => `${corpus}${name.replaceAll(/\W+/g, "-")}.json`;
const readCorpus = (target: Target) =>
  JSON.parse(readFileSync(getFile(target), "utf8")) as string[];

// Escaped, so that no editor and no checkout changes a character.
function keep(target: Target, input: string): void {
  const all = [...new Set([...readCorpus(target), input])];
  const json = JSON.stringify(all, null, 2).replace(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  writeFileSync(getFile(target), `${json}\n`);
}

const MAX_SHOWN = 2000;

// The smallest input as text that can be pasted, and the broken invariant.
function report(
  { seed, counterexamplePath, errorInstance }: fc.RunDetails<[string]>,
  found: string,
) {
  const { message, stack = "" } = errorInstance as Error;
  const input = JSON.stringify(found).slice(0, MAX_SHOWN);
  const why = (stack.includes(message) ? stack : `${message}\n${stack}`).slice(0, MAX_SHOWN);
  return `seed ${seed}, path ${counterexamplePath}, input ${input}\n${why}`;
}

const chosen = TARGETS.filter(({ name }) => name.includes(KEYHOOK_FUZZ_ONLY ?? ""));

describe.each(chosen)("foreign input: $name", (target) => {
  it(
    "every valid input and every corpus entry is parsed or refused",
    async () => {
      for (const input of [...(await target.seeds()), ...readCorpus(target)])
        await target.run(input);
    },
    TIMEOUT_MS,
  );

  it(
    "changed inputs and noise are parsed or refused",
    async () => {
      const seeds = [...(await target.seeds()), ...readCorpus(target)];
      const property = fc.asyncProperty(generateInputs(seeds, target.words), async (input) =>
        target.run(input),
      );
      const details = await fc.check(property, {
        ...(seed !== undefined && { seed }),
        numRuns: seconds ? 1e9 : RUNS,
        interruptAfterTimeLimit: seconds * 1000 || MAX_MS,
      });
      if (seconds) console.log(`${target.name}: ${details.numRuns} inputs, seed ${details.seed}`);
      const found = details.counterexample?.[0];
      if (found !== undefined && KEYHOOK_FUZZ_KEEP) keep(target, found);
      if (details.failed && found !== undefined) throw new Error(report(details, found));
    },
    TIMEOUT_MS,
  );
});

it("the corpus has a file for each target, and no other file", () => {
  const wanted = TARGETS.map((target) => basename(getFile(target)));
  expect(readdirSync(corpus).sort()).toEqual(wanted.sort());
});
