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

  // What a browser does when a window is chosen; a headless one gives all of them the focus. Nobody
  // is asked within five seconds of an answer.
  const becomes = async (page: Page, text: string) => {
    const look = async () => {
      await page.evaluate(() => dispatchEvent(new Event("focus"))).catch(() => {});
      return heading(page).catch(() => "");
    };
    await expect.poll(look, { timeout: 10_000 }).toBe(text);
  };

  describe.each(["with", "without"])("%s scripts", (scripts) => {
    it.each([
      ["in the order in which they began", false],
      ["in the other order", true],
    ])("sign in with Playground ID at once, and finish %s", async (_, isTurned) => {
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
      // The later one is who this browser is now.
      await order[0][0].reload();
      expect(await heading(order[0][0])).toBe(order[1][1]);
    });

    it("sign in by different ways at once", async () => {
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

  it("see that another signed out, at once", async () => {
    const [one, other] = await tabs();
    await enter(one, "mira");
    await other.reload();
    await sees(other, "Hello, Mira Solberg");
    await button(other, "Sign out").click();
    await sees(one, "You are signed out");
    expect(await json(one)).toBe("null");
  });

  it("see what another did without the client, when they are looked at", async () => {
    const [one, other] = await tabs();
    await identify(one, "Mira");
    await becomes(other, "Hello, Mira Solberg");
    await one.goto(`${walk.playground.origin}/auth/signout`);
    await button(one, "Sign out").click();
    await sees(one, "You are signed out");
    await becomes(other, "You are signed out");
  });

  it("show a new nickname without being loaded", async () => {
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

  it("count down to the session's end", async () => {
    const [page] = await tabs();
    await page.clock.install();
    await enter(page, "mira");
    const time = page.locator("[data-expires]");
    await expect.poll(() => time.textContent()).toMatch(/^in (60:00|59:\d\d)$/);
    await page.clock.fastForward(60_000);
    await expect.poll(() => time.textContent()).toMatch(/^in (59:00|58:\d\d)$/);
  });

  describe("the back button", () => {
    it("shows no account after the sign-out", async () => {
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

    it("shows no account without scripts either", async () => {
      const page = await walk.open("/", { javaScriptEnabled: false });
      await enter(page, "mira");
      await page.goto(`${walk.playground.origin}/auth/account`);
      await button(page, "Sign out").last().click();
      await sees(page, "You are signed out");
      await page.goBack();
      await page.waitForURL(/\/auth\/signin\?callbackUrl=/);
      expect(await page.locator("main").textContent()).not.toContain("Mira Solberg");
    });

    it("leads to a sign-in page that still works", async () => {
      const page = await walk.open("/auth/signin");
      await enter(page, "mira");
      await sees(page, "Hello, Mira Solberg");
      await page.goBack();
      await enter(page, "tomas");
      await sees(page, "Hello, Tomás Rey");
    });

    it("leads to a consent that is over, which leads on", async () => {
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
