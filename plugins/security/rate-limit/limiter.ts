import type { Kernel } from "../../../src/kernel.ts";
import { createRecords } from "./records.ts";
import type { Limit } from "./types.ts";

/** A limit that was exceeded. */
export interface Lock {
  /** When attempts are admitted again, in milliseconds since the epoch. */
  readonly until: number;
  /** Whether this attempt caused the lock. It is true for only one attempt across all processes. */
  readonly isNew: boolean;
}

/** The attempts of one subject, such as an account. No method rejects. */
export interface Counter {
  /** Resolves to the lock, or to `undefined` if attempts are admitted. Counts nothing. */
  lock(): Promise<Lock | undefined>;
  /**
   * Counts an attempt that begins. Resolves to the lock if the attempt must be refused. Atomic: of N concurrent
   * attempts, at most `max` are admitted.
   */
  add(): Promise<Lock | undefined>;
  /** Reverts an admitted attempt. */
  refund(): Promise<void>;
  /** Forgets all attempts, and the lock. */
  reset(): Promise<void>;
}

/**
 * Counts an attempt that begins for several counters, narrowest first. A counter that refuses the attempt keeps it from
 * counting for the later ones. Resolves to the lock if the attempt must be refused.
 */
export async function admitAll(counters: readonly Counter[]): Promise<Lock | undefined> {
  const locks = await Promise.all(counters.map((counter) => counter.lock()));
  const known = locks.find((lock) => lock !== undefined);
  if (known) return known;
  for (const counter of counters) {
    const lock = await counter.add();
    if (lock) return lock;
  }
  return undefined;
}

/**
 * Returns the counter of a limit and its subject. Both must be short, because without a store they are kept in memory
 * unhashed.
 */
export type Limiter = (limit: Limit, ...subject: readonly string[]) => Counter;

/**
 * Creates a limiter for what a plugin counts itself, such as attempts at a code, in a namespace of the store. Without a
 * store, or while it fails, this process counts alone. Call it in `setup`.
 * @example
 * const limiter = createLimiter(kernel, "pin-attempts");
 * const attempts = limiter({ max: 5, window: 900 }, phone);
 * if ((await attempts.lock()) ?? (await attempts.add())) throw new WrongPin("Too many attempts.");
 * if (isRight) await attempts.reset();
 */
export function createLimiter(kernel: Kernel, namespace: string): Limiter {
  const records = createRecords(kernel, namespace);
  return ({ max, window }, ...subject) => {
    const ttl = window * 1000;
    const name = JSON.stringify(subject);
    const count = ["count", name] as const;
    const lock = ["lock", name] as const;

    return {
      async lock() {
        const until = await records.get(lock);
        return until !== undefined && until > Date.now() ? { until, isNew: false } : undefined;
      },
      // The count began before the lock and ends no later, so after the lock it starts at 0.
      async add() {
        if ((await records.increment(count, 1, { ttl })) <= max) return undefined;
        const until = Date.now() + ttl;
        return { until, isNew: await records.putIfAbsent(lock, until, { ttl }) };
      },
      async refund() {
        // The window may have ended since. A count below zero would admit more than `max` in the next window.
        if ((await records.increment(count, -1, { ttl })) < 0) {
          await records.increment(count, 1, { ttl });
        }
      },
      async reset() {
        await Promise.all([records.delete(count), records.delete(lock)]);
      },
    };
  };
}
