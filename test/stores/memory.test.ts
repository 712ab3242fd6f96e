import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { testStore } from "../../src/testing.ts";

describe("memory", () => {
  testStore(() => memoryBackend(), { describe, expect, it });
});

describe("memory without a take of its own", () => {
  testStore(
    () => {
      const { take: _, ...backend } = memoryBackend();
      return backend;
    },
    { describe, expect, it },
  );
});
