/** Number of calls that run concurrently. */
const BATCH_SIZE = 50;

/** Calls `work` for each entry of a list, 50 at a time, and resolves to the results in the same order. */
export async function inBatches<T, R>(
  all: readonly T[],
  work: (one: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < all.length; at += BATCH_SIZE) {
    results.push(...(await Promise.all(all.slice(at, at + BATCH_SIZE).map(work))));
  }
  return results;
}
