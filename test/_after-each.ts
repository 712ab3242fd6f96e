import { afterEach, expect, vi } from "vitest";
import { openLogs } from "./_logs.ts";

// Imported by every file. With shared modules, a hook that a module registers would apply to one file only.
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  for (const log of openLogs.splice(0)) {
    expect(log.errors.map(String), "errors that the test did not assert").toEqual([]);
  }
});
