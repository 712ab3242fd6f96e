import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { isLeftOut } from "./_chromium.ts";
import { askForLink, button, enter, identify, later, sees, walkPlayground } from "./_playground.ts";

describe.skipIf(isLeftOut).each([
  ["with scripts", true],
  ["without scripts", false],
])("expired pages of the playground, %s", (_, javaScriptEnabled) => {
  const walk = walkPlayground();
  const open = (path?: string) => walk.open(path, { javaScriptEnabled });

  const toSignIn = async (page: Page) => {
    await page
      .getByRole("link", { name: /again|new link|sign in/i })
      .first()
      .click();
    await page.waitForURL(/\/auth\/signin/);
  };

  it.each(["/", "/auth/signin"])(
    "the form at %s reports missing cookies and can be submitted again",
    async (path) => {
      const page = await open(path);
      await page.context().clearCookies();
      await enter(page, "mira");
      await page.getByText("This page expired").waitFor();
      walk.forgive("status of 4");
      await enter(page, "mira");
      await sees(page, "Hello, Mira Solberg");
    },
  );

  it.each(["Sign in with Playground ID", "Email me a sign-in link"])(
    'the button "%s" reports missing cookies and can be used again',
    async (name) => {
      const page = await open();
      await page.context().clearCookies();
      await page.getByLabel("Email", { exact: true }).fill("late@playground.example");
      await button(page, name).click();
      await page.getByText("This page expired").waitFor();
      walk.forgive("status of 4");
      await identify(page, "Mira");
      await sees(page, "Hello, Mira Solberg");
    },
  );

  it("a sign-out without its CSRF token asks again", async () => {
    const page = await open();
    await enter(page, "mira");
    await page.goto(`${walk.playground.origin}/auth/signout`);
    await page.context().clearCookies({ name: "authjs.csrf-token" });
    await button(page, "Sign out").click();
    await page.getByText("This page expired").waitFor();
    await page.getByRole("heading", { name: "Sign out?" }).waitFor();
    await button(page, "Sign out").click();
    await sees(page, "You are signed out");
  });

  it("a consent whose cookies are missing leads to the sign-in page", async () => {
    const page = await open();
    await button(page, "Sign in with Playground ID").click();
    await button(page, /Mira/).click();
    await page.context().clearCookies({ domain: "localhost" });
    await button(page, "Allow").click();
    await page.getByText("attempt expired or was already used").waitFor();
    await identify(page, "Mira");
    await sees(page, "Hello, Mira Solberg");
  });

  it("a consent after the attempt has expired leads to the sign-in page", async () => {
    const page = await open();
    await button(page, "Sign in with Playground ID").click();
    await button(page, /Mira/).click();
    later(20);
    await button(page, "Allow").click();
    await page.getByText("attempt expired or was already used").waitFor();
    await identify(page, "Mira");
    await sees(page, "Hello, Mira Solberg");
  });

  it("a consent that the provider has forgotten leads back to the playground", async () => {
    const page = await open();
    await button(page, "Sign in with Playground ID").click();
    await button(page, /Mira/).click();
    later(90);
    await button(page, "Allow").click();
    await sees(page, "That did not work");
    walk.forgive("status of 4");
    await page.getByRole("link", { name: /^Back to localhost/ }).click();
    await sees(page, "You are signed out");
  });

  it("an expired e-mail link leads to a new one that works", async () => {
    const address = `late-${randomUUID()}@playground.example`;
    const page = await open();
    const link = await askForLink(page, address);
    later(11);
    await page.goto(link);
    expect(await page.textContent("main")).toContain("This link no longer works");
    walk.forgive("status of 4");
    await toSignIn(page);
    await page.getByLabel("Email", { exact: true }).fill(address);
    await button(page, /sign-in link/i).click();
    await page.getByRole("link", { name: "Open the outbox" }).click();
    await page.getByRole("link", { name: "Follow the link" }).first().click();
    await sees(page, `Hello, ${address}`);
  });

  it("an expired session is shown as signed out, and the account page leads to the sign-in page", async () => {
    const page = await open();
    await enter(page, "mira");
    await sees(page, "Hello, Mira Solberg");
    later(61);
    await page.getByRole("link", { name: "Refresh" }).click();
    await sees(page, "You are signed out");
    await page.getByRole("link", { name: "Account", exact: true }).click();
    await page.waitForURL(/\/auth\/signin\?callbackUrl=/);
    await enter(page, "mira");
    await sees(page, "Your account");
  });

  it("an account page with an expired session links nothing and leads to the sign-in page", async () => {
    const page = await open();
    await enter(page, "tomas");
    await page.goto(`${walk.playground.origin}/auth/account`);
    later(61);
    await button(page, /Connect Playground ID/).click();
    await page.waitForURL(/\/auth\/signin\?error=/);
    await enter(page, "tomas");
    await page.goto(`${walk.playground.origin}/auth/account`);
    expect(await button(page, "Connect Playground ID").count()).toBe(1);
  });
});
