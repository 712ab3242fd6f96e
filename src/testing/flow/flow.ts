import type { TestRunner } from "../runner.ts";
import type { TestAuth } from "../test-auth.ts";
import { testAttempts } from "./attempts.ts";
import { testDecisions } from "./decisions.ts";
import { testInput } from "./input.ts";
import { testLinking } from "./linking.ts";
import { testPages } from "./pages.ts";
import { testSignIns } from "./sign-ins.ts";
import { createFlowSuite, type FlowSuiteOptions } from "./suite.ts";

const PARTS = [testSignIns, testAttempts, testInput, testDecisions, testLinking, testPages];

/**
 * Registers the conformance suite for a flow, which handles a provider type. `make` creates an application with a
 * provider of this type, a new one for each test. It needs an in-process store, since the suite moves the clock.
 * `begin` performs everything that users and the other side do before the request that completes a sign-in. The suite
 * sends that request, and variants of it.
 * @example
 * import { describe, expect, it } from "vitest";
 *
 * const make = () =>
 *   createTestAuth(createAuth, { plugins: [memoryStore(), storeAdapter()] });
 * testFlow(make, { describe, expect, it }, {
 *   async begin({ app, browser, user, provider, fields }) {
 *     const started = await browser.signIn(provider, fields);
 *     const url = started.headers.get("location") ?? "";
 *     return { account: user, ...(await app.idp.authorize(url, { sub: user, name: user })) };
 *   },
 * });
 */
export function testFlow<App extends TestAuth>(
  make: () => App,
  runner: TestRunner,
  options: FlowSuiteOptions<App>,
): void {
  const suite = createFlowSuite(make, runner, options);
  for (const part of PARTS) part(suite);
}
