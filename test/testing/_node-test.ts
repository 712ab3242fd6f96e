import assert from "node:assert/strict";
import { afterEach, before, describe, it } from "node:test";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import {
  createClock,
  createOutbox,
  createTestAuth,
  testAdapter,
  testFlow,
  type TestRunner,
} from "../../src/testing/testing.ts";

// `runner.test.ts` runs this file, which uses nothing of vitest.
const clock = createClock();
afterEach(() => clock.restore());

void describe("keyhook/testing under node:test", () => {
  void it("signs in at the identity provider, by a link, and lets the session end", async () => {
    const outbox = createOutbox();
    const app = createTestAuth(createAuth, { plugins: [memoryStore(), storeAdapter()] });
    await app.browser.signInAs({ name: "Ada" });
    assert.equal((await app.browser.session<{ user: { name: string } }>())?.user.name, "Ada");
    await assert.rejects(createTestAuth(createAuth).browser.signInAs({}, "none"), /\?error=/);
    clock.advance("31 days");
    assert.equal(await app.browser.session(), null);

    const { browser } = createTestAuth(createAuth, {
      providers: [outbox.provider()],
      plugins: [memoryStore(), storeAdapter()],
    });
    await browser.signIn("email", { email: "ada@example.com" });
    await browser.get(outbox.last().url);
    assert.notEqual(await browser.session(), null);
  });
});

const runner: TestRunner = {
  describe: (name, body) => void describe(name, body),
  it: (name, body) => void it(name, body),
  expect: (value) => ({
    toBe: (expected) => assert.equal(value, expected),
    toEqual: (expected) => assert.deepEqual(value, expected),
  }),
};

testAdapter(() => ({}), runner, { parallel: 1, rounds: 1 });

void describe("testFlow() under node:test", () => {
  // The suite has its own clock.
  before(() => clock.restore());
  testFlow(() => createTestAuth(createAuth), runner, {
    async begin({ app, browser, user, provider, fields }) {
      const started = await browser.signIn(provider, fields);
      return app.idp.authorize(started.headers.get("location") ?? "", { sub: user });
    },
  });
});
