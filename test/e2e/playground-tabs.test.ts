import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { isLeftOut } from "./_chromium.ts";
import {
  askForLink,
  button,
  enter,
  heading,
  identify,
  json,
  sees,
  walkPlayground,
} from "./_playground.ts";

describe.skipIf(isLeftOut)("tabs of the playground", () => {
  const walk = walkPlayground();

  async function tabs(javaScriptEnabled = true): Promise<[Page, Page]> {
    const context = await walk.visitor({ javaScriptEnabled });
    return [await walk.tab(context), await walk.tab(context)];
  }

  // A browser focuses a window when the user selects it. A headless browser focuses all windows.
  // Within five seconds of a response, focus sends no request.
  const becomes = async (page: Page, text: string) => {
    const look = async () => {
      await page.evaluate(() => dispatchEvent(new Event("focus"))).catch(() => {});
      return heading(page).catch(() => "");
    };
    await expect.poll(look, { timeout: 10_000 }).toBe(text);
  };

  describe.each(["with", "without"])("%s scripts", (scripts) => {
    it.each([
      ["in the order in which they started", false],
      ["in reverse order", true],
    ])("two tabs sign in with Playground ID concurrently and finish %s", async (_, isTurned) => {
      const [one, other] = await tabs(scripts === "with");
      for (const page of [one, other]) await button(page, "Sign in with Playground ID").click();
      await button(one, /Mira/).click();
      await button(other, /Tomás/).click();
      const both = [
        [one, "Hello, Mira Solberg"],
        [other, "Hello, Tomás Rey"],
      ] as const;
      const order = isTurned ? ([both[1], both[0]] as const) : both;
      for (const [page, greeting] of order) {
        await button(page, "Allow").click();
        await sees(page, greeting);
      }
      // The later sign-in is this browser's session.
      await order[0][0].reload();
      expect(await heading(order[0][0])).toBe(order[1][1]);
    });

    it("two tabs sign in with different methods concurrently", async () => {
      const address = `tabs-${randomUUID()}@playground.example`;
      const [one, other] = await tabs(scripts === "with");
      await button(one, "Sign in with Playground ID").click();
      await button(one, /Mira/).click();
      const link = await askForLink(other, address);
      await other.goto(link);
      await sees(other, `Hello, ${address}`);
      await button(one, "Allow").click();
      await sees(one, "Hello, Mira Solberg");
      await other.reload();
      expect(await heading(other)).toBe("Hello, Mira Solberg");
    });
  });

  it("a sign-out in one tab updates the other tab immediately", async () => {
    const [one, other] = await tabs();
    await enter(one, "mira");
    await other.reload();
    await sees(other, "Hello, Mira Solberg");
    await button(other, "Sign out").click();
    await sees(one, "You are signed out");
    expect(await json(one)).toBe("null");
  });

  it("a change without the client updates the other tab on focus", async () => {
    const [one, other] = await tabs();
    await identify(one, "Mira");
    await becomes(other, "Hello, Mira Solberg");
    await one.goto(`${walk.playground.origin}/auth/signout`);
    await button(one, "Sign out").click();
    await button(one, "Sign out everywhere").click();
    await sees(one, "You are signed out");
    await becomes(other, "You are signed out");
  });

  it("a new nickname updates the other tab without a reload", async () => {
    const [one, other] = await tabs();
    await one.goto(await askForLink(one, `nick-${randomUUID()}@playground.example`));
    await other.reload();
    await other.evaluate(() => Object.assign(globalThis, { kept: true }));
    await one.getByLabel("Nickname").fill("Comet");
    await button(one, "Update").click();
    await sees(other, "Hello, Comet");
    expect(await other.evaluate(() => "kept" in globalThis)).toBe(true);
    expect(JSON.parse((await json(other)) ?? "")).toMatchObject({ nickname: "Comet" });
  });

  it("the page counts down to the session's expiry", async () => {
    const [page] = await tabs();
    await page.clock.install();
    await enter(page, "mira");
    const time = page.locator("[data-expires]");
    await expect.poll(() => time.textContent()).toMatch(/^in (60:00|59:\d\d)$/);
    await page.clock.fastForward(60_000);
    await expect.poll(() => time.textContent()).toMatch(/^in (59:00|58:\d\d)$/);
  });

  describe("the back button", () => {
    it("the back button shows no account page after the sign-out", async () => {
      const page = await walk.open("/auth/signin");
      await enter(page, "mira");
      await sees(page, "Hello, Mira Solberg");
      await page.getByRole("link", { name: /^Your account/ }).click();
      await sees(page, "Your account");
      await button(page, "Sign out").last().click();
      await sees(page, "You are signed out");
      const seen = async () => `${page.url()} ${await page.locator("main").textContent()}`;
      await page.goBack();
      await page.waitForURL(/\/auth\/signin\?callbackUrl=/);
      expect(await seen()).not.toContain("Mira Solberg");
      await page.goBack();
      await sees(page, "You are signed out");
      expect(await page.locator("[data-name]").count()).toBe(0);
    });

    it("the back button shows no account page after the sign-out without scripts", async () => {
      const page = await walk.open("/", { javaScriptEnabled: false });
      await enter(page, "mira");
      await page.goto(`${walk.playground.origin}/auth/account`);
      await button(page, "Sign out").last().click();
      await sees(page, "You are signed out");
      await page.goBack();
      await page.waitForURL(/\/auth\/signin\?callbackUrl=/);
      expect(await page.locator("main").textContent()).not.toContain("Mira Solberg");
    });

    it("the back button returns to a sign-in page that still works", async () => {
      const page = await walk.open("/auth/signin");
      await enter(page, "mira");
      await sees(page, "Hello, Mira Solberg");
      await page.goBack();
      await enter(page, "tomas");
      await sees(page, "Hello, Tomás Rey");
    });

    it("the back button returns to a consent that has ended, which links back", async () => {
      const page = await walk.open();
      await identify(page, "Mira");
      await sees(page, "Hello, Mira Solberg");
      await page.goBack();
      await sees(page, "That did not work");
      walk.forgive("400");
      await page.getByRole("link", { name: /^Back to localhost/ }).click();
      await sees(page, "Hello, Mira Solberg");
    });
  });
});
