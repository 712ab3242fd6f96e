import { afterEach, expect, vi } from "vitest";
import { openLogs } from "./_logs.ts";

// Of every file, also where files share their modules: a hook in a shared module is one file's alone.
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  for (const log of openLogs.splice(0)) {
    expect(log.errors.map(String), "errors that the test did not assert").toEqual([]);
  }
});
