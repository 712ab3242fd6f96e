import { memoryBackend } from "../../plugins/stores/memory.ts";
import type { StoreBackend } from "../../src/types.ts";

/** How the operation fails: before anything happened, after it did, or with the whole process. */
export type Fault = "error" | "lost" | "kill";

/** Storage with an accident waiting in it. */
export interface Accident {
  /** What the next handler works on: its process may die, the records stay. */
  backend(): StoreBackend;
  /** Makes the k-th operation from now fail; 0 never. */
  arm(at: number, fault: Fault): void;
  /** Operations since it was armed. */
  count(): number;
  /** Whether it has happened. */
  happened(): boolean;
  /** Everything that is stored. */
  entries: Map<string, unknown>;
}

const OPERATIONS = [
  "get",
  "put",
  "putIfAbsent",
  "take",
  "compareAndSet",
  "delete",
  "scan",
] as const;

const never = () => new Promise<never>(() => {});

/** Makes storage whose k-th operation fails. `without` drops operations, as some backends do. */
export function createAccident(without: readonly "take"[] = []): Accident {
  const entries = new Map<string, unknown>();
  const records = memoryBackend(entries);
  let at = 0;
  let fault: Fault = "error";
  let count = 0;
  let happened = false;

  return {
    entries,
    backend() {
      let isDead = false;
      const backend: Record<string, unknown> = { ...records };
      for (const name of OPERATIONS) {
        const work = records[name] as (...args: unknown[]) => Promise<unknown>;
        backend[name] = async (...args: unknown[]) => {
          // A dead process does nothing any more, and answers nobody.
          if (isDead) return never();
          count++;
          if (count !== at) return work(...args);
          happened = true;
          if (fault === "error") throw new Error("refused");
          await work(...args);
          if (fault === "lost") throw new Error("the answer was lost");
          isDead = true;
          return never();
        };
      }
      for (const name of without) delete backend[name];
      return backend as unknown as StoreBackend;
    },
    arm(when, how) {
      at = when;
      fault = how;
      count = 0;
      happened = false;
    },
    count: () => count,
    happened: () => happened,
  };
}
