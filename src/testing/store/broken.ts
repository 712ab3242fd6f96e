import type { StoreBackend } from "../../types/store.ts";
import type { StoreSuite } from "./suite.ts";

/** Tests that an operation throws if the server is unreachable, and never reports a record as absent. */
export function testBroken({ describe, expect, it, fresh, timeout, broken }: StoreSuite): void {
  if (!broken) return;
  describe("StoreBackend: unreachable server", () => {
    const operations: Record<string, (backend: StoreBackend, key: string) => unknown> = {
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
        `${name} rejects when the server is unreachable`,
        async () => {
          const backend = await broken();
          const attempt = async () => operation(backend, fresh());
          const outcome = await attempt().then(
            (value) => `resolved to ${String(value)}`,
            () => "threw",
          );
          expect(outcome).toBe("threw");
        },
        timeout,
      );
    }
  });
}
