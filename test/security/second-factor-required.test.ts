import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import type { AdapterUser } from "../../src/kernel.ts";
import { createClock } from "../../src/testing.ts";
import { acme, credentials, identityFlow, isSignedIn, locationOf, queryOf } from "../_app.ts";
import {
  answer,
  CHALLENGE,
  codeOf,
  createAdasApp,
  createFactorApp,
  enterPassword,
  open,
  openPaused,
  readCode,
  setUp,
  SETUP,
  submit,
} from "./_second-factor.ts";

describe.each(["jwt", "database", "hybrid"])(
  "a second factor that is required, %s sessions",
  (strategy) => {
    it("a user without a factor sets it up before the first session, and then gets the recovery codes", async () => {
      using clock = createClock();
      const app = createFactorApp({ strategy, factor: { required: true } });
      const browser = await openPaused(app);
      expect(locationOf(await browser.get(SETUP))).toMatch(/^\/auth\/signin/);
      const page = await open(browser, CHALLENGE);
      expect(page).toContain("To sign in here, you also need a code");
      expect(await isSignedIn(browser)).toBe(false);

      const key = readCode(page).replaceAll(" ", "");
      const wrong = await submit(browser, page, CHALLENGE, { code: "" });
      expect(readCode(await wrong.text()).replaceAll(" ", "")).toBe(key);
      expect(await isSignedIn(browser)).toBe(false);

      const confirmed = await submit(browser, page, CHALLENGE, { code: codeOf({ key }) });
      const html = await confirmed.text();
      expect(readCode(html).split("\n")).toHaveLength(10);
      expect(html).toContain('href="http://localhost:3000/inbox"');
      expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });

      clock.advance("30 seconds");
      const next = await openPaused(app);
      expect(locationOf(await answer(next, codeOf({ key })))).toBe("/inbox");
    });

    it("required may be a function of the user", async () => {
      const app = createFactorApp({
        strategy,
        providers: [
          credentials({
            authorize: ({ username }) => ({ id: `id-${String(username)}`, name: String(username) }),
          }),
        ],
        factor: { required: async ({ name }) => name === "admin" },
      });
      const enter = (username: string) =>
        app.openBrowser().signInWith("credentials", { username, callbackUrl: "/inbox" });
      expect(locationOf(await enter("guest"))).toBe("/inbox");
      expect(locationOf(await enter("admin"))).toBe(CHALLENGE);
    });

    it("a function that throws, or returns no boolean, refuses the sign-in", async () => {
      for (const [required, type] of [
        [() => Promise.reject(new Error("down")), "AccessDenied"],
        [() => undefined as unknown as boolean, "PluginError"],
      ] as const) {
        const { browser, log } = createFactorApp({ strategy, factor: { required } });
        await enterPassword(browser);
        expect(await isSignedIn(browser)).toBe(false);
        log.expectErrors(type);
      }
    });

    it("a factor that another browser set up first is asked for, instead of a second set-up", async () => {
      using clock = createClock();
      const app = createFactorApp({ strategy, factor: { required: true } });
      const [one, two] = [await openPaused(app), await openPaused(app)];
      const page = await open(two, CHALLENGE);
      const { key } = await setUp(one, CHALLENGE);
      const own = readCode(page).replaceAll(" ", "");
      const late = await submit(two, page, CHALLENGE, { code: codeOf({ key: own }) });
      expect(queryOf(late)).toEqual({ error: "InvalidSecondFactor" });
      expect(await isSignedIn(two)).toBe(false);
      clock.advance("30 seconds");
      expect(locationOf(await answer(two, codeOf({ key })))).toBe("/inbox");
    });

    it("after a user turns it off, the next sign-in sets it up again", async () => {
      const app = createFactorApp({ strategy, factor: { required: true } });
      const browser = await openPaused(app);
      const { recoveryCodes } = await setUp(browser, CHALLENGE);
      const page = await open(browser, SETUP);
      await submit(browser, page, `${CHALLENGE}/remove`, { code: recoveryCodes[0] ?? "" });
      expect(await open(await openPaused(app), CHALLENGE)).toContain("Set up two\u2011step");
    });
  },
);

it("a user without an id is refused if a second factor is required, and passes otherwise", async () => {
  const nameless = identityFlow(() => ({ user: { name: "Ada" } }), { links: "none" });
  const options = { strategy: "jwt", providers: [acme()], use: [nameless] };
  const without = createFactorApp(options);
  await without.browser.get("/auth/callback/acme");
  expect(await isSignedIn(without.browser)).toBe(true);
  const app = createFactorApp({ ...options, factor: { required: true } });
  const response = await app.browser.get("/auth/callback/acme");
  expect(queryOf(response)).toEqual({ error: "Configuration" });
  expect(await isSignedIn(app.browser)).toBe(false);
  const [error] = app.log.expectErrors("MissingUserId");
  expect(error?.message).toMatch(/has no id.*from `authorize`/);
});

it("skip decides which logins need no second factor, even if a factor is required", async () => {
  const skip = ({ account }: { account: { provider: string } }) => account.provider === "acme";
  const app = createFactorApp({
    providers: [acme(), credentials()],
    use: [identityFlow(() => ({}))],
    factor: { required: true, skip },
  });
  await app.browser.get("/auth/callback/acme");
  expect(await isSignedIn(app.browser)).toBe(true);
  const broken = createFactorApp({ factor: { skip: () => "yes" as unknown as boolean } });
  await enterPassword(broken.browser);
  expect(await isSignedIn(broken.browser)).toBe(false);
  broken.log.expectErrors("PluginError");
});

describe("a second factor during the life of its user", () => {
  it("the service tells which users have a factor, and removes it for a user who has lost it", async () => {
    const { app, userId } = await createAdasApp();
    const service = app.kernel().use("secondFactor");
    expect(await service.has(userId)).toBe(true);
    expect(await service.remove(userId)).toBe(true);
    expect(await service.remove(userId)).toBe(false);
    expect(await service.has(userId)).toBe(false);
    expect(app.events).toEqual([["removed", userId]]);
    expect(locationOf(await enterPassword(app.openBrowser()))).toBe("/inbox");
  });

  it("removing it lifts the limit of wrong codes, and the next factor does not inherit it", async () => {
    const { app, userId } = await createAdasApp();
    for (let count = 0; count < 6; count++) await answer(await openPaused(app), "");
    await app.kernel().use("secondFactor").remove(userId);
    const { recoveryCodes } = await setUp(app.browser);
    expect(locationOf(await answer(await openPaused(app), recoveryCodes[0] ?? ""))).toBe("/inbox");
  });

  it("a paused login of a deleted user cannot continue", async () => {
    using clock = createClock();
    const { app, factor, userId } = await createAdasApp({ strategy: "database" });
    const browser = await openPaused(app);
    const page = await open(browser, CHALLENGE);
    await app.adapter.deleteUser?.(userId);
    clock.advance("30 seconds");
    const response = await submit(browser, page, CHALLENGE, { code: codeOf(factor) });
    expect(queryOf(response)).toEqual({ error: "InvalidCheck" });
    app.log.expectErrors("InvalidCheck");
  });

  it("a new user with the id of a deleted one is not asked for the deleted user's code", async () => {
    // A database with numeric ids that restarts counting.
    const users = new Map<string, AdapterUser>();
    const owners = new Map<string, string>();
    const app = createFactorApp({
      strategy: "jwt",
      store: memoryBackend(),
      providers: [acme()],
      adapter: {
        createUser: (user) => {
          users.set("1", { ...user, id: "1" });
          return { ...user, id: "1" };
        },
        getUser: (id) => users.get(id) ?? null,
        getUserByEmail: () => null,
        getUserByAccount: ({ providerAccountId }) =>
          users.get(owners.get(providerAccountId) ?? "") ?? null,
        linkAccount: ({ providerAccountId, userId }) => void owners.set(providerAccountId, userId),
      },
      use: [identityFlow(() => ({ account: { providerAccountId: account } }))],
    });
    let account = "ada";
    await app.browser.get("/auth/callback/acme");
    await setUp(app.browser);
    users.clear();
    owners.clear();
    account = "grace";
    const grace = app.openBrowser();
    await grace.get("/auth/callback/acme");
    expect(await isSignedIn(grace)).toBe(true);
    expect(app.events).toEqual([
      ["added", "1"],
      ["removed", "1"],
    ]);
  });
});
