import type { Browser } from "../browser.ts";
import { OTHER_PROVIDER } from "./probe.ts";
import { JUNK_COOKIES } from "./sign-ins.ts";
import type { FlowApp, FlowSuite, SentCallback } from "./suite.ts";

const PARALLEL = 8;

// Sends the request with the other method: fields become a query, and a query becomes fields.
function swapMethod(browser: Browser, { url, fields }: SentCallback): Promise<Response> {
  const swapped = new URL(url);
  if (fields) {
    swapped.search = new URLSearchParams(fields).toString();
    return browser.get(swapped.href);
  }
  swapped.search = "";
  const posted = Object.fromEntries(new URL(url).searchParams);
  return browser
    .csrfToken()
    .then((csrfToken) => browser.post(swapped.href, { csrfToken, ...posted }));
}

const sendAs = (app: FlowApp, method: string, { url }: SentCallback): Promise<Response> =>
  app.auth.fetch(app.browser.request(url, { method }));

/** Tests callbacks that must sign no one in. */
export function testAttempts({ describe, test, expect, maxAge }: FlowSuite): void {
  const expectSignedIn = async (app: FlowApp, callback: SentCallback) => {
    await app.send(app.browser, callback);
    expect(Boolean(await app.readUser())).toBe(true);
  };

  describe("Flow: a callback without its attempt, or repeated", () => {
    test("a callback without parameters signs no one in, and causes no server error", async (app) => {
      const { url, fields } = await app.begin();
      const { pathname } = new URL(url);
      const browser = app.openBrowser();
      const empty = { url: app.origin + pathname, ...(fields && { fields: {} }) };
      app.expectRefused(await app.send(browser, empty));
      expect(await app.readUser(browser)).toBe(null);
    });

    test(
      "a callback in another browser signs no one in, and the attempt stays valid",
      async (app) => {
        const callback = await app.begin();
        const stranger = app.openBrowser();
        app.expectRefused(await app.send(stranger, callback));
        expect(await app.readUser(stranger)).toBe(null);
        await expectSignedIn(app, callback);
      },
      ["attempt"],
    );

    test(
      "a callback in a browser with another attempt signs no one in",
      async (app) => {
        const callback = await app.begin();
        const other = app.openBrowser();
        await app.begin(other, "eve");
        app.expectHandled(await app.send(other, callback));
        expect(await app.readUser(other)).toBe(null);
      },
      ["attempt", "state"],
    );

    // A sibling host can set cookies, but not the cookie with the prefix that distinguishes browsers.
    test(
      "an attempt's cookies that a sibling host has set in another browser sign no one in",
      async (app) => {
        const visitor = app.openBrowser();
        const callback = await app.begin();
        for (const name of app.listOwnCookies(app.browser)) {
          visitor.cookies.set(name, app.browser.cookies.get(name) ?? "");
        }
        app.expectRefused(await app.send(visitor, callback));
        expect(await app.readUser(visitor)).toBe(null);
      },
      ["attempt"],
    );

    test(
      "a callback with invalid cookies signs no one in, and causes no server error",
      async (app) => {
        for (const junk of JUNK_COOKIES) {
          const callback = await app.begin();
          for (const name of app.listOwnCookies(app.browser)) app.browser.cookies.set(name, junk);
          app.expectRefused(await app.send(app.browser, callback));
        }
        expect(await app.readUser()).toBe(null);
      },
      ["attempt"],
    );

    test(
      "a callback that is sent to another provider signs no one in",
      async (app) => {
        const callback = await app.begin();
        const url = callback.url.replace(`/${app.provider}`, `/${OTHER_PROVIDER}`);
        app.expectRefused(await app.send(app.browser, { ...callback, url }));
        expect(await app.readUser()).toBe(null);
      },
      ["attempt"],
      true,
    );

    test(
      "a callback of an expired attempt signs no one in",
      async (app, clock) => {
        const callback = await app.begin();
        // Clocks may differ by seconds.
        clock.advance((maxAge + 60) * 1000);
        app.expectRefused(await app.send(app.browser, callback));
        expect(await app.readUser()).toBe(null);
      },
      ["attempt"],
    );

    test(
      "a repeated callback signs no one in, even in a copy of the browser",
      async (app) => {
        const callback = await app.begin();
        const copy = app.copy(app.browser);
        await expectSignedIn(app, callback);
        app.takeEvents();
        app.expectRefused(await app.send(copy, callback));
        expect(await app.readUser(copy)).toBe(null);
        app.expectRefused(await app.send(app.browser, callback));
      },
      ["attempt"],
    );

    test(
      "of concurrent callbacks of one attempt in copies of the browser, exactly one signs in",
      async (app) => {
        const callback = await app.begin();
        const copies = Array.from({ length: PARALLEL }, () => app.copy(app.browser));
        await Promise.all(copies.map((copy) => app.send(copy, callback)));
        const signedIn = app.takeEvents().filter((name) => name === "signIn");
        expect(signedIn.length).toBe(1);
        const users = await Promise.all(copies.map((copy) => app.readUser(copy)));
        expect(users.filter((user) => user !== null).length).toBe(1);
      },
      ["attempt"],
    );
  });

  describe("Flow: other requests to the callback and the sign-in route", () => {
    for (const method of ["HEAD", "OPTIONS"]) {
      test(`a ${method} request to the callback signs no one in, and the attempt stays valid`, async (app) => {
        const callback = await app.begin();
        const response = await sendAs(app, method, callback);
        expect([response.status < 500, response.headers.getSetCookie()]).toEqual([true, []]);
        expect(app.takeEvents()).toEqual([]);
        await expectSignedIn(app, callback);
      });
    }

    test("a callback by a method that the flow does not declare signs no one in, and the attempt stays valid", async (app) => {
      const callback = await app.begin();
      if (app.facts.methods.includes(callback.fields ? "GET" : "POST")) return;
      await swapMethod(app.browser, callback);
      expect(await app.readUser()).toBe(null);
      app.expectNoLeak();
      await expectSignedIn(app, callback);
    });

    test("a form without the CSRF token, of the application or of another site, signs no one in", async (app) => {
      const callback = await app.begin();
      const { url, fields, site } = callback;
      if (!fields || site !== undefined) return;
      app.expectRefused(await app.browser.post(url, fields));
      app.expectRefused(await app.browser.postFrom("https://evil.example", url, fields));
      expect(await app.readUser()).toBe(null);
      await expectSignedIn(app, callback);
    });

    test("a sign-in starts only by a POST with the CSRF token", async (app) => {
      const path = `${app.basePath}/signin/${app.provider}`;
      await app.browser.get(path);
      await app.browser.post(path, {});
      await app.auth.fetch(app.browser.request(path, { method: "HEAD" }));
      expect(app.listOwnCookies(app.browser)).toEqual([]);
    });
  });
}
