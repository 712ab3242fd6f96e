import type { StoreBackend } from "../../src/kernel.ts";
import { pack, parseCounter } from "./_packed.ts";

/**
 * Changes a record, and resolves to its previous value. `decide` gets the value and its expiry, and returns the next
 * packed text, `null` to delete the record, or `undefined` to keep it. No other write may come in between.
 */
export type ChangeRecord = (
  key: string,
  decide: (current: string | null, end: number | undefined) => string | null | undefined,
) => Promise<string | null>;

/** Creates the atomic operations of a backend that can change a record atomically. */
export function createChangeOperations(
  change: ChangeRecord,
): Required<Pick<StoreBackend, "putIfAbsent" | "take" | "compareAndSet" | "increment" | "delete">> {
  return {
    async putIfAbsent(key, value, expires) {
      const found = await change(key, (current) =>
        current === null ? pack(value, expires) : undefined,
      );
      return found === null;
    },
    take: (key) => change(key, () => null),
    async compareAndSet(key, expected, value, expires) {
      const found = await change(key, (current) =>
        current === expected ? pack(value, expires) : undefined,
      );
      return found === expected;
    },
    async increment(key, by, expires) {
      let sum = 0;
      await change(key, (current, end) => {
        sum = parseCounter(current) + by;
        return pack(String(sum), current === null ? expires : end);
      });
      return sum;
    },
    async delete(key) {
      return (await change(key, () => null)) !== null;
    },
  };
}
