import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { testAdapter } from "../../src/testing.ts";
import { adapterOn } from "./_shelf.ts";

describe("on memory", () => {
  testAdapter(() => adapterOn(memoryBackend()), { describe, expect, it });
});

describe("on memory without a take of its own", () => {
  testAdapter(
    () => {
      const { take: _, ...backend } = memoryBackend();
      return adapterOn(backend);
    },
    { describe, expect, it },
  );
});
