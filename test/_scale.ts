/**
 * How much of the full run's rounds is run: of races, of kills, of properties' cases. 1 is everything,
 * as on CI, and 50 fifty times that; where nothing is said it is a fortieth.
 */
export const SCALE = Number(process.env.KEYHOOK_TEST_SCALE || (process.env.CI ? 1 : 0.025));

/** Whether rounds are cut, and what waits for long is left out. */
export const IS_QUICK = SCALE < 1;

/** How many processes race for the same: two and four, or in a quick run three. */
export const PROCESSES: readonly number[] = IS_QUICK ? [3] : [2, 4];

/** No less than this, where the full run has so many. */
const FEWEST = 5;

/** So many rounds, of as many as the full run has. */
export function rounds(full: number): number {
  return Math.max(Math.ceil(full * SCALE), Math.min(full, FEWEST));
}

/** All cases of a table in the full run; of a quick run a third, another one for each row. */
export function pickCases<T>(all: readonly T[], row: number): readonly T[] {
  return IS_QUICK ? all.filter((_, at) => (at + row) % 3 === 0) : all;
}

/** Moments of an accident that are tried anyway: the first and the last. */
const FEWEST_POINTS = 2;

/** The numbers of a range that are tried: all, or a share of them at even distances. */
export function pointsOf(first: number, last: number, share = 1): number[] {
  const all = Math.max(last - first + 1, 0);
  const count = Math.min(Math.max(Math.ceil(all * SCALE * share), FEWEST_POINTS), all);
  return Array.from({ length: count }, (_, at) =>
    count < 2 ? first : first + Math.round((at * (all - 1)) / (count - 1)),
  );
}
