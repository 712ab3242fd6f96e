import type { StoreSuite } from "./suite.ts";

/** A backend says what it promises. */
export function testPromises({ describe, test, expect }: StoreSuite): void {
  describe("says what it promises", () => {
    test("in its guarantees", async ({ name, guarantees, sweep }) => {
      expect(name !== "").toBe(true);
      expect(["process", "host", "global"].includes(guarantees.scope)).toBe(true);
      expect(["strong", "eventual"].includes(guarantees.consistency)).toBe(true);
      expect(typeof guarantees.durable).toBe("boolean");
      expect(guarantees.ttl).toBe(sweep ? "sweep" : "native");
    });
  });
}
