/**
 * The share of the full run's rounds (races, kills, cases of properties) that is run. 1 is everything, as on CI, and 50
 * is fifty times as much. Default: 1/40.
 */
export const SCALE = Number(process.env.KEYHOOK_TEST_SCALE || (process.env.CI ? 1 : 0.025));

/** Whether rounds are reduced, and tests that wait long are left out. */
export const IS_QUICK = SCALE < 1;

/** The numbers of processes in a race: two and four, or three in a quick run. */
export const PROCESSES: readonly number[] = IS_QUICK ? [3] : [2, 4];

/** The minimum, if the full run has as many. */
const FEWEST = 5;

/** Returns the number of rounds to run, of the number in the full run. */
export function rounds(full: number): number {
  return Math.max(Math.ceil(full * SCALE), Math.min(full, FEWEST));
}

/**
 * Returns all cases of a table in the full run. A quick run gets a third of them, and different ones for neighboring
 * rows.
 */
export function pickCases<T>(all: readonly T[], row: number): readonly T[] {
  return IS_QUICK ? all.filter((_, at) => (at + row) % 3 === 0) : all;
}

/** The first and the last point are always tried. */
const FEWEST_POINTS = 2;

/** Returns the numbers of a range that are tried: all, or a share of them at even distances. */
export function pointsOf(first: number, last: number, share = 1): number[] {
  const all = Math.max(last - first + 1, 0);
  const count = Math.min(Math.max(Math.ceil(all * SCALE * share), FEWEST_POINTS), all);
  return Array.from({ length: count }, (_, at) =>
    count < 2 ? first : first + Math.round((at * (all - 1)) / (count - 1)),
  );
}
