import type { StoreBackend } from "../../types/store.ts";
import type { StoreSuite } from "./suite.ts";

/** A server out of reach is an error, never absence. */
export function testBroken({ describe, expect, it, fresh, timeout, broken }: StoreSuite): void {
  if (!broken) return;
  describe("fails when its server is out of reach", () => {
    const operations: Record<string, (backend: StoreBackend, key: string) => Promise<unknown>> = {
      get: (backend, key) => backend.get(key),
      put: (backend, key) => backend.put(key, "one"),
      putIfAbsent: (backend, key) => backend.putIfAbsent(key, "one"),
      take: (backend, key) => backend.take?.(key) ?? Promise.reject(new Error("no take")),
      compareAndSet: (backend, key) => backend.compareAndSet(key, "one", "two"),
      increment: (backend, key) => backend.increment(key, 1),
      delete: (backend, key) => backend.delete(key),
      scan: (backend, key) => backend.scan(`${key}.`, { limit: 1 }),
    };
    for (const [name, operation] of Object.entries(operations)) {
      it(
        `in ${name}`,
        async () => {
          const outcome = await operation(await broken(), fresh()).then(
            (value) => `answered ${String(value)}`,
            () => "threw",
          );
          expect(outcome).toBe("threw");
        },
        timeout,
      );
    }
  });
}
