import { expect } from "vitest";
import type { TestRunner } from "../../src/testing.ts";

/**
 * Runs a conformance suite without a test runner, or only its tests whose names contain a text.
 * Returns the failures.
 */
export async function listFailures(
  register: (runner: TestRunner) => void,
  only = "",
): Promise<string[]> {
  const tests: { name: string; body: () => Promise<void> }[] = [];
  register({
    describe: (_, body) => body(),
    it(name, body) {
      if (name.includes(only)) tests.push({ name, body });
    },
    expect,
  });
  const failures: string[] = [];
  for (const { name, body } of tests) {
    await body().catch((error: unknown) => failures.push(`${name}: ${String(error)}`));
  }
  return failures;
}
