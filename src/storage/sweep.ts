import { StoreError } from "../errors/errors.ts";
import type { Logger } from "../types/options.ts";
import type { StoreBackend, SweepOptions } from "../types/store.ts";

/** Writes after which one sweep follows. A batch is larger than the records that they can add. */
const WRITES_PER_SWEEP = 100;
const BATCH_SIZE = 200;

/**
 * Removes expired records, for a periodic task, and resolves to their number: 0 for a backend that removes
 * them itself.
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
    // A batch may have read live records only: the last one reads as many as the whole limit allows.
    size = removed ? BATCH_SIZE : rest;
  }
  return total;
}

/**
 * Creates the function that sweeps one batch after some of the writes, outside of requests and never
 * concurrently.
 */
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
  // By chance and not by count: an instance that serves only a few requests does its share too.
  return (backend) => {
    if (backend.sweep && !busy && Math.random() * WRITES_PER_SWEEP < 1) void run(backend);
  };
}
