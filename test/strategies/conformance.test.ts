import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { createTestAuth, testStrategy } from "../../src/testing.ts";

const STRATEGIES: Record<string, () => Parameters<typeof createTestAuth>[1]> = {
  jwt: () => ({ session: { strategy: "jwt" } }),
  "jwt, with stored users": () => ({
    plugins: [memoryStore(), storeAdapter()],
    session: { strategy: "jwt" },
  }),
  database: () => ({ plugins: [memoryStore(), storeAdapter()] }),
  hybrid: () => ({
    plugins: [memoryStore(), storeAdapter()],
    session: { strategy: "hybrid", checkAge: 60 },
  }),
};

for (const [name, options] of Object.entries(STRATEGIES)) {
  describe(`the strategy ${name}`, () => {
    testStrategy(() => createTestAuth(createAuth, options()), { describe, expect, it });
  });
}
