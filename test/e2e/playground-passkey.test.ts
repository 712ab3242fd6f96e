import { randomUUID } from "node:crypto";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { isLeftOut } from "./_chromium.ts";
import {
  button,
  enter,
  heading,
  held,
  json,
  type Key,
  later,
  plugIn,
  sees,
  walkPlayground,
} from "./_playground.ts";

const somebody = () => `key-${randomUUID()}@playground.example`;

describe.skipIf(isLeftOut)("passkeys in the playground", () => {
  const walk = walkPlayground();

  /**
   * Opens a page with an authenticator. The browser offers no passkey before a button is pressed.
   */
  async function open(context?: BrowserContext): Promise<{ page: Page; key: Key }> {
    const page = await (context ?? (await walk.visitor())).newPage();
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    const key = await plugIn(page);
    await page.goto(walk.playground.origin);
    return { page, key };
  }

  async function create(page: Page, email: string): Promise<void> {
    await page.getByLabel("Address for a new passkey").fill(email);
    await button(page, "Create a passkey").click();
    await sees(page, `Hello, ${email}`);
  }

  async function leave(page: Page): Promise<void> {
    await button(page, "Sign out").click();
    await sees(page, "You are signed out");
  }

  it("a passkey is bound to localhost and signs in on the home page and the built-in page", async () => {
    const email = somebody();
    const { page, key } = await open();
    await create(page, email);
    expect(await held(key)).toMatchObject([{ rpId: "localhost", isResidentCredential: true }]);
    expect(JSON.parse((await json(page)) ?? "")).toMatchObject({ user: { email } });
    await leave(page);
    await button(page, "Use a passkey").click();
    await sees(page, `Hello, ${email}`);
    await leave(page);
    await page.goto(`${walk.playground.origin}/auth/signin`);
    await button(page, "Sign in with a passkey").click();
    await sees(page, `Hello, ${email}`);
  });

  it("a passkey is created on the built-in page", async () => {
    const email = somebody();
    const { page } = await open();
    await page.goto(`${walk.playground.origin}/auth/signin`);
    await page.getByLabel("Email for your new account").fill(email);
    await button(page, "Sign up with a passkey").click();
    await sees(page, `Hello, ${email}`);
  });

  it("a passkey is added to a user who signed in with a password, once per device", async () => {
    const { page, key } = await open();
    await enter(page, "tomas");
    await button(page, "Add a passkey").click();
    await page.getByText("Added: it stands on your account page.").waitFor();
    await button(page, "Add a passkey").click();
    await page.getByText("This device has a passkey for you already.").waitFor();
    expect(await held(key)).toHaveLength(1);
    await leave(page);
    await button(page, "Use a passkey").click();
    await sees(page, "Hello, Tomás Rey");
  });

  it("a passkey is added on a second device, and either one signs in", async () => {
    const email = somebody();
    const first = await open();
    await create(first.page, email);
    const second = await open();
    const cookies = await first.page.context().cookies();
    await second.page.context().addCookies(cookies);
    await second.page.reload();
    await button(second.page, "Add a passkey").click();
    await second.page.getByText("Added: it stands on your account page.").waitFor();
    await leave(second.page);
    await button(second.page, "Use a passkey").click();
    await sees(second.page, `Hello, ${email}`);
    await first.page.reload();
    expect(await heading(first.page)).toBe("You are signed out");
    await button(first.page, "Use a passkey").click();
    await sees(first.page, `Hello, ${email}`);
  });

  it("a ceremony without a passkey or an address shows an error and stays on the page", async () => {
    const { page, key } = await open();
    await button(page, "Create a passkey").click();
    await page.waitForFunction(() => document.activeElement?.matches("#owner:invalid"));
    expect(await held(key)).toHaveLength(0);
    const { cdp, authenticatorId } = key;
    await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await button(page, "Use a passkey").click();
    await page.getByText("there is no passkey for this address").waitFor();
    expect(await heading(page)).toBe("You are signed out");
  });

  it("a passkey is rejected for an address of another user, with an explanation", async () => {
    const email = somebody();
    await create((await open()).page, email);
    const { page } = await open();
    await page.getByLabel("Address for a new passkey").fill(email);
    await button(page, "Create a passkey").click();
    await page.getByText(/did not work|already/).waitFor();
    walk.forgive("status of 4");
    expect(await heading(page)).toBe("You are signed out");
  });

  it("a pending ceremony is refused after another tab signed in, and completes after a sign-out there", async () => {
    const [email, other] = [somebody(), somebody()];
    const one = await open();
    await create(one.page, email);
    await leave(one.page);
    const two = await open(one.page.context());
    for (const { page } of [one, two]) await page.goto(`${walk.playground.origin}/auth/signin`);
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await one.page.route("**/auth/callback/passkey", async (route) => {
      await answered;
      await route.continue();
    });
    // Only the tab in front can use passkeys.
    await one.page.bringToFront();
    const held = one.page.waitForRequest("**/auth/callback/passkey");
    await button(one.page, "Sign in with a passkey").click({ noWaitAfter: true });
    await held;
    await two.page.bringToFront();
    await two.page.getByLabel("Email for your new account").fill(other);
    await button(two.page, "Sign up with a passkey").click();
    await sees(two.page, `Hello, ${other}`);
    // For a minute it would count as a double click, and redirect as the other tab's user.
    later(2);
    answer();
    // The form is older than the other tab's session (SECURITY.md R13).
    await one.page.getByRole("alert").getByText("This page expired").waitFor();
    await leave(two.page);
    await one.page.unroute("**/auth/callback/passkey");
    await one.page.bringToFront();
    await one.page.goto(`${walk.playground.origin}/auth/signin`);
    await button(one.page, "Sign in with a passkey").click();
    await sees(one.page, `Hello, ${email}`);
  });

  it("a passkey response after the challenge has expired is rejected, and the next one works", async () => {
    const email = somebody();
    const { page } = await open();
    await create(page, email);
    await leave(page);
    await page.goto(`${walk.playground.origin}/auth/signin`);
    await page.route("**/auth/callback/passkey", async (route) => {
      later(20);
      await route.continue();
    });
    await button(page, "Sign in with a passkey").click();
    await page.waitForURL(/error=/);
    await page.getByRole("alert").getByText("expired or was already used").waitFor();
    await page.unroute("**/auth/callback/passkey");
    await button(page, "Sign in with a passkey").click();
    await sees(page, `Hello, ${email}`);
  });
});
