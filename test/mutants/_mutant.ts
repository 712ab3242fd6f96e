/** A possible defect of a file: what would go wrong, a text that occurs once in the file, and its replacement. */
export type Edit = readonly [defect: string, text: string, replacement: string];

/** The defects of one file, and the tests that must notice each of them. */
export interface Mutants {
  /** Path from the root of the repository. */
  readonly file: string;
  /** Test files, the one most likely to notice first. */
  readonly tests: readonly string[];
  readonly edits: readonly Edit[];
}

/** One defect with its file. */
export interface Mutant {
  readonly file: string;
  readonly tests: readonly string[];
  readonly defect: string;
  readonly text: string;
  readonly replacement: string;
}

/** Lists the defects of a table one by one. */
export function listMutants(table: readonly Mutants[]): Mutant[] {
  return table.flatMap(({ file, tests, edits }) =>
    edits.map(([defect, text, replacement]) => ({ file, tests, defect, text, replacement })),
  );
}

/**
 * Returns the source with the defect in it.
 * @throws Error unless the text occurs exactly once, and the replacement changes it.
 */
export function applyMutant(source: string, { file, text, replacement }: Mutant): string {
  const count = source.split(text).length - 1;
  if (count !== 1) throw new Error(`${file} contains ${count} times, not once: ${text}`);
  if (text === replacement) throw new Error(`${file}: nothing changes in: ${text}`);
  return source.replace(text, () => replacement);
}
