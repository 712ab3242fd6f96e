import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { testBackend } from "./_backend.ts";

describe("memoryBackend", () => {
  testBackend(() => memoryBackend(), { describe, expect, it });
});

describe("memoryBackend without take", () => {
  testBackend(
    () => {
      const { take: _, ...backend } = memoryBackend();
      return backend;
    },
    { describe, expect, it },
  );
});
