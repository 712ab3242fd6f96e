import type { StoreBackend } from "../../../src/types.ts";

/**
 * How it fails: one operation before it did anything, or after it did; or the whole process, between two
 * operations or while one is on its way.
 */
export type Fault = "error" | "lost" | "kill" | "midway";

/** What an operation that fails says. Nobody but the log may see it. */
export const FAULT = "connect ECONNREFUSED 10.9.8.7:5432";

const OPERATIONS = [
  "get",
  "put",
  "putIfAbsent",
  "take",
  "compareAndSet",
  "increment",
  "delete",
  "scan",
] as const;

/** A process that works on storage. */
export interface Life {
  isOver: boolean;
}

/** Something that happens to a storage once. */
export interface Accident {
  /** What a process works on; should it die there, it never does or hears anything again. */
  wrap(backend: StoreBackend, life: Life): StoreBackend;
  /**
   * From now on the operation of this number fails, counted from 1; a process is killed when so many
   * are done, 0 being before the first.
   */
  arm(at: number, fault: Fault): void;
  disarm(): void;
  /** Operations since it was armed. */
  count(): number;
  happened(): boolean;
  /** Resolves when the process dies. */
  readonly died: Promise<void>;
}

export const never = () => new Promise<never>(() => {});

/** Makes an accident. `end` ends the very process, where it is one of its own. */
export function createAccident(end?: () => void): Accident {
  let at = -1;
  let fault: Fault = "error";
  let count = 0;
  let happened = false;
  let tell = () => {};
  const died = new Promise<void>((resolve) => (tell = resolve));

  const die = (life: Life): Promise<never> => {
    end?.();
    life.isOver = true;
    happened = true;
    tell();
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
      // The sweep runs beside the requests, now and then: it would make the count a matter of luck.
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
