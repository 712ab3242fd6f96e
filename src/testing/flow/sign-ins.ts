import type { FlowSuite, SentCallback } from "./suite.ts";

/** Low, because flows limit what one account may request. */
const PARALLEL = 4;

interface EmittedAccount {
  provider: string;
  providerAccountId: string;
}

/** Values of cookies that no application has set. */
export const JUNK_COOKIES: readonly string[] = [
  "x",
  "eyJhbGciOiJkaXIifQ..a.b.c",
  "%00",
  "x".repeat(2000),
];

/** Tests sign-ins that succeed. */
export function testSignIns({ describe, test, expect }: FlowSuite): void {
  describe("Flow: a sign-in", () => {
    test("the callback begins the session, with the account that has signed in", async (app) => {
      const callback = await app.begin();
      expect(await app.browser.session()).toBe(null);
      const response = await app.send(app.browser, callback);
      expect([response.status, response.headers.get("location")]).toEqual([302, `${app.origin}/`]);
      expect(Boolean(await app.readUser())).toBe(true);
      const signIn = app.probe.events.find(({ name }) => name === "signIn");
      const { account } = (signIn?.message ?? {}) as { account?: EmittedAccount };
      expect([account?.provider, account?.providerAccountId]).toEqual([
        app.provider,
        callback.account ?? account?.providerAccountId,
      ]);
    });

    test("an account signs in the same user each time, and another account another user", async (app) => {
      if (!app.isStored) return;
      const [again, other] = [app.openBrowser(), app.openBrowser()];
      await app.signIn();
      await app.signIn(again);
      await app.signIn(other, "eve");
      const [ada, same, eve] = await Promise.all([
        app.readUser(),
        app.readUser(again),
        app.readUser(other),
      ]);
      expect(Boolean(ada && eve)).toBe(true);
      expect([same === ada, eve === ada]).toEqual([true, false]);
    });

    test("events are emitted in order: the user, the account, the sign-in, each once", async (app) => {
      await app.signIn();
      const names = app.takeEvents();
      const order = ["createUser", "updateUser", "linkAccount", "signIn"];
      expect(names).toEqual(order.filter((name) => name === "signIn" || names.includes(name)));
      await app.signIn(app.openBrowser());
      expect(app.takeEvents().filter((name) => !name.startsWith("update"))).toEqual(["signIn"]);
    });

    test("a sign-in leaves no cookie of the attempt, and no secret in the log", async (app) => {
      await app.signIn();
      expect(app.listOwnCookies(app.browser)).toEqual([]);
      app.expectNoLeak();
    });

    test("concurrent first sign-ins with one account create one user", async (app) => {
      if (!app.isStored) return;
      const browsers = Array.from({ length: PARALLEL }, () => app.openBrowser());
      const callbacks: SentCallback[] = [];
      for (const browser of browsers) callbacks.push(await app.begin(browser));
      await Promise.all(
        browsers.map(async (browser, at) => app.send(browser, callbacks[at] as SentCallback)),
      );
      expect(app.takeEvents().filter((name) => name === "createUser").length <= 1).toBe(true);
      const users = await Promise.all(browsers.map(async (browser) => app.readUser(browser)));
      expect(new Set(users.filter((user) => user !== null)).size).toBe(1);
    });

    test("an abandoned sign-in does not prevent the next one", async (app) => {
      await app.begin();
      await app.begin(app.browser, "eve");
      await app.signIn();
      expect(Boolean(await app.readUser())).toBe(true);
    });

    test("two concurrent sign-ins in tabs of one browser do not end each other", async (app) => {
      const [first, second] = [await app.begin(), await app.begin()];
      for (const callback of [first, second]) {
        app.expectHandled(await app.send(app.browser, callback));
      }
      expect(Boolean(await app.readUser())).toBe(true);
    });

    test("invalid cookies do not prevent a sign-in", async (app) => {
      const { cookies } = app.auth.inspect();
      for (const junk of JUNK_COOKIES) {
        const browser = app.openBrowser();
        for (const { name } of Object.values(cookies)) browser.cookies.set(name, junk);
        await app.signIn(browser);
        expect([junk, Boolean(await app.readUser(browser))]).toEqual([junk, true]);
      }
    });

    test("while the storage fails, a sign-in succeeds or fails as a whole, and later sign-ins succeed", async (app) => {
      const callback = await app.begin();
      app.probe.isDown = true;
      const response = await app.send(app.browser, callback);
      app.probe.isDown = false;
      const user = await app.readUser();
      const isFailed = /[?&]error=/.test(response.headers.get("location") ?? "");
      expect(user === null ? isFailed || response.status >= 500 : !isFailed).toBe(true);
      app.expectNoLeak();
      await app.signIn();
      expect(Boolean(await app.readUser())).toBe(true);
    });
  });

  describe("Flow: a storage that fails in the middle of a sign-in", () => {
    test("whichever call of the storage fails, a failed sign-in creates no session, and the user can sign in afterwards", async (first) => {
      let isReached = first.isStored;
      for (let call = 1; isReached; call++) {
        const app = first.openAnother();
        const callback = await app.begin();
        app.probe.callsLeft = call;
        const response = await app.send(app.browser, callback);
        isReached = app.probe.callsLeft <= 0;
        app.probe.callsLeft = -1;
        app.expectNoLeak();
        const isSignedIn = (await app.readUser()) !== null;
        const isFailed = /[?&]error=/.test(response.headers.get("location") ?? "");
        expect([call, isSignedIn && isFailed]).toEqual([call, false]);
        await app.signIn(app.openBrowser());
        await app.signIn();
        expect([call, (await app.readUser()) === null]).toEqual([call, false]);
      }
    });
  });

  describe("Flow: the target of a sign-in", () => {
    test("a target within the application is kept until the session begins", async (app) => {
      const { response } = await app.signIn(app.browser, "ada", { callbackUrl: "/inside?x=1" });
      expect(response.headers.get("location")).toBe(`${app.origin}/inside?x=1`);
    });

    test("a target that is too long for a cookie does not prevent a sign-in", async (app) => {
      const callbackUrl = `/${"x".repeat(3000)}`;
      const { response } = await app.signIn(app.browser, "ada", { callbackUrl });
      const target = response.headers.get("location") ?? "";
      expect(new URL(target, app.origin).origin).toBe(app.origin);
      expect(Boolean(await app.readUser())).toBe(true);
    });

    for (const callbackUrl of [
      "https://evil.example/inside",
      "//evil.example/inside",
      "/\\evil.example/inside",
      "javascript:alert(1)",
    ]) {
      test(`the target ${callbackUrl} is refused, at the start of a sign-in and at its callback`, async (app) => {
        const callback = await app.begin(app.browser, "ada", { callbackUrl });
        const { url, fields } = callback;
        const changed = new URL(url);
        if (!fields) changed.searchParams.set("callbackUrl", callbackUrl);
        const response = await app.send(app.browser, {
          ...callback,
          url: changed.href,
          ...(fields && { fields: { ...fields, callbackUrl } }),
        });
        const target = response.headers.get("location") ?? "";
        expect([target, new URL(target, app.origin).origin]).toEqual([target, app.origin]);
      });
    }
  });
}
