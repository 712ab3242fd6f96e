import type { StoreBackend } from "../../../src/types.ts";
import { OPERATIONS } from "../../stores/_operations.ts";

/**
 * How the storage fails: one operation fails before or after it took effect, or the whole process
 * dies between two operations or during one.
 */
export type Fault = "error" | "lost" | "kill" | "midway";

/** The message of a failed operation. It may only appear in the log. */
export const FAULT = "connect ECONNREFUSED 10.9.8.7:5432";

/** A process that works on the storage. */
export interface Life {
  isOver: boolean;
}

/** A failure that happens to a storage once. */
export interface Accident {
  /** Wraps the backend of a process. After the process dies, its operations never settle. */
  wrap(backend: StoreBackend, life: Life): StoreBackend;
  /**
   * Makes the operation with this number fail, counted from 1. A process is killed when that many
   * are done, 0 means before the first.
   */
  arm(at: number, fault: Fault): void;
  disarm(): void;
  /** Returns the number of operations since the accident was armed. */
  count(): number;
  happened(): boolean;
  /** Resolves when the process dies. */
  readonly died: Promise<void>;
}

export const never = () => new Promise<never>(() => {});

/** Creates an accident. `end` ends the current process, when it is a child process. */
export function createAccident(end?: () => void): Accident {
  let at = -1;
  let fault: Fault = "error";
  let count = 0;
  let happened = false;
  let resolveDied = () => {};
  const died = new Promise<void>((resolve) => (resolveDied = resolve));

  const die = (life: Life): Promise<never> => {
    end?.();
    life.isOver = true;
    happened = true;
    resolveDied();
    return never();
  };

  const meet = async (work: () => Promise<unknown>, life: Life): Promise<unknown> => {
    if (life.isOver) return never();
    if (fault === "kill" && at === 0) return die(life);
    if (++count !== at) return work();
    if (fault === "error") {
      happened = true;
      throw new Error(FAULT);
    }
    const working = work();
    if (fault === "midway") {
      await new Promise((resolve) => setImmediate(resolve));
      return die(life);
    }
    await working;
    if (fault === "kill") return die(life);
    happened = true;
    throw new Error(FAULT);
  };

  return {
    wrap(backend, life) {
      // The sweep runs occasionally next to requests, which would make the count random.
      const { sweep: _, ...wrapped } = backend;
      for (const name of OPERATIONS) {
        const work = backend[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
        if (!work) continue;
        const turn = (...args: unknown[]) => meet(() => work(...args), life);
        Object.assign(wrapped, { [name]: turn });
      }
      return wrapped;
    },
    arm(when, how) {
      at = when;
      fault = how;
      count = 0;
      happened = false;
    },
    disarm() {
      at = -1;
    },
    count: () => count,
    happened: () => happened,
    died,
  };
}
