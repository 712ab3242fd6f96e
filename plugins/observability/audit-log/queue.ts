import { EventError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import type { AuditEntry, AuditSink } from "./types.ts";

/** Default of `limit`. */
export const QUEUE_LIMIT = 1000;
/** Maximum number of entries in a batch. */
const BATCH = 100;
/** Time limit of a sink for a batch, in milliseconds. */
const TIMEOUT_MS = 5000;

export interface QueueOptions {
  /** Maximum number of entries that wait for the sink. */
  limit: number;
  /** Called with the number of entries that were dropped. */
  onDrop(count: number): void;
}

/** The entries that wait for a sink. */
export interface Queue {
  /** Adds an entry. Resolves when the queue is empty; never rejects. */
  add(entry: AuditEntry): Promise<void>;
}

async function withinLimit(work: () => unknown): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`It has not finished within ${TIMEOUT_MS} ms.`));
    timer = setTimeout(fail, TIMEOUT_MS);
  });
  try {
    await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Opens a sink, and creates the queue that writes to it in batches, one after another. */
export function createQueue(
  sink: AuditSink,
  kernel: Kernel,
  { limit, onDrop }: QueueOptions,
): Queue {
  const write = sink.open(kernel);
  const waiting: AuditEntry[] = [];
  // Number of dropped entries that are not yet recorded in the log.
  let missing = 0;
  let isFull = false;
  let draining: Promise<void> | undefined;

  const drop = (count: number, text: string, err?: unknown): void => {
    missing += count;
    onDrop(count);
    const cause = err instanceof Error ? { err } : undefined;
    kernel.logger.error(
      new EventError(`The audit log (sink "${sink.name}") ${text}`, { ...(cause && { cause }) }),
    );
  };

  const writeBatch = async (batch: readonly AuditEntry[]): Promise<void> => {
    const reported = missing;
    const gap: AuditEntry[] = reported
      ? [
          {
            at: new Date().toISOString(),
            event: "dropped",
            outcome: "failure",
            dropped: reported,
          },
        ]
      : [];
    try {
      await withinLimit(() => write([...gap, ...batch]));
      missing -= reported;
    } catch (error) {
      drop(batch.length, `has lost ${batch.length} of its entries: the sink failed.`, error);
    }
  };

  const drain = async (): Promise<void> => {
    // Lets the caller continue first.
    await Promise.resolve();
    while (waiting.length) {
      // oxlint-disable-next-line no-await-in-loop -- batches are written in order
      await writeBatch(waiting.splice(0, BATCH));
      isFull = false;
    }
    draining = undefined;
  };

  return {
    add(entry) {
      if (waiting.length < limit) waiting.push(entry);
      else if (isFull) {
        missing++;
        onDrop(1);
      } else {
        isFull = true;
        drop(1, `drops entries: ${limit} are waiting for the sink.`);
      }
      draining ??= drain();
      return draining;
    },
  };
}
