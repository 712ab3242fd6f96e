import { expect, it } from "vitest";
import type { Browser } from "../../src/testing/testing.ts";
import type { App } from "./_app.ts";

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

/** Waits for something that happens soon. */
export async function waitFor<T>(
  what: string,
  find: () => T | undefined | null | false,
): Promise<T> {
  for (let attempt = 0; attempt < 400; attempt++) {
    const found = find();
    if (found) return found;
    await pause(50);
  }
  throw new Error(`This did not happen: ${what}.`);
}

/** Requests a link by e-mail in a browser. The application writes the e-mail into its log. */
export async function requestLink(app: App, browser: Browser, email: string): Promise<string> {
  const sent = await browser.signIn("mail", { email });
  expect([sent.status, sent.headers.get("location")]).toEqual([
    302,
    expect.stringContaining("verify-request"),
  ]);
  const log = () => app.output().split(`mailed to ${email}: `).slice(1);
  const [url = ""] = await waitFor("an e-mail", () => log().at(-1)?.split(/\s/));
  return url;
}

/** Follows the link of an e-mail, as a browser does when it navigates. */
export async function follow(browser: Browser, url: string): Promise<Response> {
  return browser.get(url, { headers: { accept: "text/html", "sec-fetch-mode": "navigate" } });
}

/** Signs in by e-mail. */
export async function signInByMail(app: App, email: string): Promise<Browser> {
  const browser = app.open();
  const response = await follow(browser, await requestLink(app, browser, email));
  expect(response.headers.get("location")).not.toContain("error");
  expect(await browser.session()).toMatchObject({ user: { email } });
  return browser;
}

/** Tests what every stored application must do. */
export function testStored(getApp: () => App): void {
  it("a session is a record, and ending it also ends a copy of the cookie", async () => {
    const app = getApp();
    const ada = await signInByMail(app, "ada@example.com");
    expect(await (await ada.get("/api/me")).json()).toMatchObject({ email: "ada@example.com" });
    const copy = app.open();
    for (const [name, value] of ada.cookies) copy.cookies.set(name, value);
    expect(await copy.session()).not.toBeNull();
    await ada.signOut();
    expect(await copy.session()).toBeNull();
    expect((await copy.get("/locked")).status).toBe(302);
  });

  it("an e-mail link signs in once", async () => {
    const app = getApp();
    const browser = app.open();
    const url = await requestLink(app, browser, "once@example.com");
    await follow(browser, url);
    const second = app.open();
    for (const [name, value] of browser.cookies) {
      if (!name.includes("session-token")) second.cookies.set(name, value);
    }
    await follow(second, url);
    expect(await browser.session()).not.toBeNull();
    expect(await second.session()).toBeNull();
  });
}
