import type { StoreSuite } from "./suite.ts";

/** Tests that a backend declares its guarantees. */
export function testGuarantees({ describe, test, expect }: StoreSuite): void {
  describe("StoreBackend: guarantees", () => {
    test("name and guarantees are valid", async ({ name, guarantees, sweep }) => {
      expect(name !== "").toBe(true);
      expect(["process", "host", "global"].includes(guarantees.scope)).toBe(true);
      expect(["strong", "eventual"].includes(guarantees.consistency)).toBe(true);
      expect(typeof guarantees.durable).toBe("boolean");
      expect(guarantees.ttl).toBe(sweep ? "sweep" : "native");
    });
  });
}
