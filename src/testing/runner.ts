/** The part of a test runner that the suites use. Vitest, Jest, Bun and Mocha with an `expect` have it. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>, timeout?: number): unknown;
  expect(value: unknown): {
    toBe(expected: unknown): unknown;
    toEqual(expected: unknown): unknown;
  };
}
