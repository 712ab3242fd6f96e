import type { FlowSuite } from "./suite.ts";

const LINK = { link: "true" };

/** Tests sign-ins in a browser that has a session. */
export function testLinking({ describe, test, expect }: FlowSuite): void {
  describe("Flow: a browser with a session", () => {
    test("linking adds the account to the signed-in user", async (app) => {
      if (!app.isStored || app.facts.links !== "account") return;
      await app.signIn(app.browser, "eve");
      const eve = await app.readUser();
      await app.signIn(app.browser, "ada", LINK);
      expect(app.takeEvents()[0]).toBe("linkAccount");
      expect(await app.readUser()).toBe(eve);
      const other = app.openBrowser();
      await app.signIn(other, "ada");
      expect(await app.readUser(other)).toBe(eve);
    });

    test("a link that one user has started adds nothing to another user", async (app) => {
      if (!app.isStored || app.facts.links !== "account") return;
      await app.signIn(app.browser, "eve");
      const callback = await app.begin(app.browser, "ada", LINK);
      const other = app.openBrowser();
      await app.signIn(other, "bob");
      app.moveSession(other, app.browser);
      const bob = await app.readUser();
      app.takeEvents();
      app.expectRefused(await app.send(app.browser, callback));
      expect(app.takeEvents().filter((name) => name !== "signInFailed")).toEqual([]);
      expect(await app.readUser()).toBe(bob);
    });

    test("linking requires a session", async (app) => {
      if (!app.isStored || app.facts.links !== "account" || !app.facts.hasStart) return;
      const response = await app.browser.signIn(app.provider, LINK);
      const { searchParams } = new URL(response.headers.get("location") ?? "", app.origin);
      expect(searchParams.get("error")).toBe("SessionRequired");
      expect(app.listOwnCookies(app.browser)).toEqual([]);
    });

    test("if the flow does not link accounts, `link` adds nothing to the signed-in user", async (app) => {
      if (!app.isStored || app.facts.links === "account") return;
      await app.signIn(app.browser, "eve");
      const eve = await app.readUser();
      if (app.facts.hasStart) await app.browser.signIn(app.provider, LINK);
      else await app.signIn(app.browser, "ada", LINK);
      const other = app.openBrowser();
      await app.signIn(other, "ada");
      expect((await app.readUser(other)) === eve).toBe(false);
    });

    test("without `link`, no account is added to the signed-in user", async (app) => {
      if (!app.isStored) return;
      await app.signIn(app.browser, "eve");
      const eve = await app.readUser();
      await app.signIn();
      const other = app.openBrowser();
      await app.signIn(other, "ada");
      expect((await app.readUser(other)) === eve).toBe(false);
    });

    // Over http, the cookie that distinguishes browsers can be planted too.
    test(
      "an attempt that a sibling host has planted does not replace the session",
      async (app, clock) => {
        if (!app.isStored) return;
        await app.signIn(app.browser, "eve");
        const eve = await app.readUser();
        clock.advance("2 seconds");
        const other = app.openBrowser();
        const callback = await app.begin(other);
        // Another site can redirect to the callback, but cannot post it with the CSRF token.
        if (callback.fields) return;
        for (const [name, value] of other.cookies) app.browser.cookies.set(name, value);
        await app.send(app.browser, callback);
        expect(await app.readUser()).toBe(eve);
      },
      ["attempt"],
    );
  });
}
