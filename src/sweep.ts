import { StoreError } from "./errors.ts";
import type { Logger } from "./types/options.ts";
import type { StoreBackend } from "./types/store.ts";

/** One write in so many is followed by a sweep, which removes more than so many writes can add. */
const EVERY = 100;
const BATCH = 200;

/** Bounds of a sweep. */
export interface SweepOptions {
  /** Most records to remove. Default 10000. */
  limit?: number;
}

/**
 * Removes expired records, for a task that runs now and then; answers how many. Where the backend
 * removes them by itself there is nothing to do.
 * @example setInterval(() => sweepStore(store.backend), 3_600_000);
 */
export async function sweepStore(
  backend: StoreBackend,
  { limit = 10_000 }: SweepOptions = {},
): Promise<number> {
  let total = 0;
  while (total < limit) {
    const removed = (await backend.sweep?.(Math.min(BATCH, limit - total))) ?? 0;
    if (!removed) break;
    total += removed;
  }
  return total;
}

/** Sweeps a little after some of the writes, beside the requests and never twice at once. */
export function createSweeper(
  logger: Pick<Required<Logger>, "error">,
): (backend: StoreBackend) => void {
  let busy = false;
  const run = async (backend: StoreBackend): Promise<void> => {
    busy = true;
    try {
      await backend.sweep?.(BATCH);
    } catch (error) {
      logger.error(
        new StoreError(`The store (${backend.name}) could not sweep.`, { cause: error }),
      );
    } finally {
      busy = false;
    }
  };
  // By chance and not by count: an instance that lives for a few requests does its share, too.
  return (backend) => {
    if (backend.sweep && !busy && Math.random() * EVERY < 1) void run(backend);
  };
}
