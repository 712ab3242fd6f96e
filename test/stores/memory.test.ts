import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { testBackend } from "./_backend.ts";

describe("memory", () => {
  testBackend(() => memoryBackend(), { describe, expect, it });
});

describe("memory without a take of its own", () => {
  testBackend(
    () => {
      const { take: _, ...backend } = memoryBackend();
      return backend;
    },
    { describe, expect, it },
  );
});
