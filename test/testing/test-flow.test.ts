import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { getUserFingerprint } from "../../src/_kit.ts";
import { InvalidCheck } from "../../src/errors.ts";
import { clearCheck, type Kernel, sealCheck } from "../../src/kernel.ts";
import { createTestAuth, testFlow } from "../../src/testing.ts";
import { listFailures } from "./_list-failures.ts";
import { KEY, statePlugin, type Steps } from "./_state-flow.ts";

type Change = (kernel: Kernel) => Partial<Steps>;

const check = (change?: Change, only?: string) =>
  listFailures(
    (runner) =>
      testFlow(
        () =>
          createTestAuth(createAuth, {
            providers: [],
            plugins: [memoryStore(), storeAdapter(), statePlugin(change)],
          }),
        runner,
        {
          async begin({ browser, user, provider, fields }) {
            const started = await browser.signIn(provider, fields);
            const { searchParams } = new URL(started.headers.get("location") ?? "");
            const state = searchParams.get("state") ?? "";
            const query = new URLSearchParams({ state, user });
            return { url: `/auth/callback/${provider}?${query}`, account: user };
          },
        },
      ),
    only,
  );

// Stores attempts by their state, and not in the browser.
const keptApart: Change = () => {
  const kept = new Map<string, object>();
  return {
    async seal(ctx, attempt) {
      kept.set(attempt.value, attempt);
      await sealCheck(ctx, KEY, attempt);
    },
    open: async ({ url }) => kept.get(url.searchParams.get("state") ?? "") ?? {},
  };
};

const DEFECTS: Record<string, [fails: string, change: Change]> = {
  "is completed in any browser": ["a callback in another browser", keptApart],
  "is completed at the callback of any provider": ["sent to another provider", keptApart],
  "has no expiry": ["of an expired attempt", keptApart],
  "signs in each time": ["a repeated callback", () => ({ use: () => true })],
  "signs in several concurrent callbacks": [
    "of concurrent callbacks",
    () => {
      const used = new Set<string>();
      return {
        async use(_, value) {
          const isFirst = !used.has(value);
          await new Promise((resolve) => setTimeout(resolve, 1));
          used.add(value);
          return isFirst;
        },
      };
    },
  ],
  "does not clear its cookie": ["leaves no cookie of the attempt", () => ({ clear: () => {} })],
  "ends the attempt at a callback of another browser": [
    "a callback in another browser",
    ({ useOnce }) => ({ see: async (_, state) => void (await useOnce("state", state ?? "")) }),
  ],
  "throws an error without a type": [
    "a callback without parameters",
    () => ({
      see(_, state) {
        if (state === null) throw new Error("There is no state.");
      },
    }),
  ],
  "logs the state": [
    "leaves no cookie of the attempt",
    () => ({ see: (ctx, state) => ctx.log.warn("state-seen", `The state is ${state}.`) }),
  ],
  "has one account for all users": ["each time", () => ({ identify: () => ({ account: "1" }) })],
  "has a new account each time": [
    "the callback begins the session",
    () => ({ identify: (user) => ({ account: user + crypto.randomUUID() }) }),
  ],
  "forgets to link": ["linking adds the account", () => ({ getLink: async () => undefined })],
  "links accounts without a request": [
    "without `link`, no account",
    () => ({
      async getLink(ctx) {
        const current = await ctx.kernel.strategy.current(ctx);
        return current ? getUserFingerprint(current) : undefined;
      },
    }),
  ],
  "replaces the session of another user": [
    "planted does not replace the session",
    () => ({ identify: (user) => ({ account: user, session: undefined }) }),
  ],
  "redirects to another target": [
    "a target within the application is kept",
    () => ({ identify: (user) => ({ account: user, callbackUrl: "/welcome" }) }),
  ],
  "omits its form from the sign-in page": [
    "the sign-in page names the provider",
    () => ({ flow: { form: () => undefined } }),
  ],
  "trusts the user that the browser sends": ["cut short", () => ({ isUser: () => true })],
  "throws a built-in error of JavaScript": [
    "that is missing",
    () => ({ see: (_, state) => void (state as string).length }),
  ],
  "refuses users after its storage has failed once": [
    "whichever call of the storage fails",
    (kernel) => {
      const locks = kernel.store<boolean>("locks");
      return {
        async see() {
          if (!(await locks.putIfAbsent("lock", true))) throw new InvalidCheck("It is locked.");
        },
        clear(ctx) {
          clearCheck(ctx, KEY);
          locks.delete("lock").catch(() => {});
        },
      };
    },
  ],
  "does not seal the attempt": [
    "a sibling host has set in another browser sign no one in",
    () => ({
      seal: async (ctx, { value }) => ctx.cookies.set("state.attempt", value, {}),
      open: async (ctx) => ({ value: ctx.cookies.get("state.attempt") ?? "" }),
      clear: (ctx) => ctx.cookies.clear("state.attempt", {}),
    }),
  ],
};

describe("testFlow()", () => {
  it("passes for a flow that keeps to the contract", async () => {
    expect(await check()).toEqual([]);
  });

  it.each(Object.entries(DEFECTS))("notices a flow that %s", async (_, [fails, change]) => {
    expect(await check(change, fails)).toHaveLength(1);
  });

  it("omits the tests that the traits exclude, and runs each test in its own application", async () => {
    const names: string[] = [];
    const options = { begin: () => ({}), without: ["attempt"] as const };
    const runner = {
      describe: (_: string, body: () => void) => body(),
      it: (name: string) => void names.push(name),
      expect,
    };
    testFlow(() => createTestAuth(createAuth), runner, options);
    expect(names.join("\n")).not.toContain("a callback in another browser");
    expect(new Set(names).size).toBe(names.length);
  });
});
