import { StoreError } from "../errors/errors.ts";
import type { Logger } from "../types/options.ts";
import type { StoreBackend, SweepOptions } from "../types/store.ts";

/** Average number of writes per sweep. A batch is larger than the number of records that these writes can add. */
const WRITES_PER_SWEEP = 100;
const BATCH_SIZE = 200;

/**
 * Removes expired records, for use in a periodic task. Resolves to their number: 0 for a backend that removes them
 * itself.
 * @example setInterval(() => sweepStore(store.backend), 3_600_000);
 */
export async function sweepStore(
  backend: StoreBackend,
  { limit = 10_000 }: SweepOptions = {},
): Promise<number> {
  let total = 0;
  let size = BATCH_SIZE;
  while (backend.sweep && total < limit) {
    const rest = limit - total;
    const removed = await backend.sweep(Math.min(size, rest));
    total += removed;
    if (!removed && size >= rest) break;
    // A batch may have contained only live records, so the last one reads as many as the whole limit allows.
    size = removed ? BATCH_SIZE : rest;
  }
  return total;
}

/** Creates the function that sweeps one batch after some of the writes, outside of requests and never concurrently. */
export function createSweeper(
  logger: Pick<Required<Logger>, "error">,
): (backend: StoreBackend) => void {
  let busy = false;
  const run = async (backend: StoreBackend): Promise<void> => {
    busy = true;
    try {
      await backend.sweep?.(BATCH_SIZE);
    } catch (error) {
      logger.error(
        new StoreError(`The store (${backend.name}) could not sweep.`, { cause: error }),
      );
    } finally {
      busy = false;
    }
  };
  // By chance rather than by count, so that an instance that serves only a few requests also does its share.
  return (backend) => {
    if (backend.sweep && !busy && Math.random() * WRITES_PER_SWEEP < 1) void run(backend);
  };
}
