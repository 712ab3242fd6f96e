import { randomUUID } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import type { BrowserContextOptions, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { isLeftOut } from "./_chromium.ts";
import {
  askForLink,
  button,
  heading,
  held,
  identify,
  plugIn,
  sees,
  walkPlayground,
} from "./_playground.ts";

describe.skipIf(isLeftOut)("the account page of the playground", () => {
  const walk = walkPlayground();
  let scripts: BrowserContextOptions;

  const somebody = () => `owner-${randomUUID()}@playground.example`;
  const account = (page: Page) => page.goto(`${walk.playground.origin}/auth/account`);

  /** Signs a user in with a new browser. */
  async function arrive(address: string, options = scripts): Promise<Page> {
    const page = await walk.open("/", options);
    await page.goto(await askForLink(page, address));
    await sees(page, `Hello, ${address}`);
    return page;
  }

  async function isIn(page: Page): Promise<boolean> {
    await page.goto(walk.playground.origin);
    return (await heading(page)) !== "You are signed out";
  }

  const walks = () => {
    it("the navigation opens the account page through the sign-in page", async () => {
      const page = await walk.open("/", scripts);
      await page.getByRole("link", { name: "Account", exact: true }).click();
      await page.waitForURL(/\/auth\/signin\?callbackUrl=/);
      await identify(page, "Mira");
      await sees(page, "Your account");
      await page.getByRole("link", { name: /^Back to localhost/ }).click();
      await sees(page, "Hello, Mira Solberg");
    });

    it("ending one session keeps the current one", async () => {
      const address = somebody();
      const [here, there] = [await arrive(address), await arrive(address)];
      await account(here);
      await button(here, /^Sign out of the session/).click();
      await here.getByRole("status").getByText("saved").waitFor();
      expect(await button(here, /^Sign out of the session/).count()).toBe(0);
      expect([await isIn(here), await isIn(there)]).toEqual([true, false]);
    });

    it("a second factor is set up, and required at the next sign-in", async () => {
      const address = somebody();
      const page = await arrive(address);
      await account(page);
      await page.getByRole("link", { name: "Set up" }).click();
      const secret = Secret.fromBase32(
        (await page.locator("pre").textContent())!.replaceAll(" ", ""),
      );
      const codeAt = (timestamp: number) => TOTP.generate({ secret, timestamp });
      await page.getByLabel("Code from the app").fill(codeAt(Date.now() - 30_000));
      await button(page, "Turn on").click();
      await sees(page, "Recovery codes");
      await account(page);
      await button(page, /^Sign out$/).click();
      await page.goto(await askForLink(page, address));
      await sees(page, "Enter your code");
      await page.getByLabel("Code from the app").fill(codeAt(Date.now()));
      await button(page, "Continue").first().click();
      await sees(page, `Hello, ${address}`);
    });

    it("signing out everywhere else keeps the current session", async () => {
      const address = somebody();
      const [one, two, here] = [
        await arrive(address),
        await arrive(address),
        await arrive(address),
      ];
      await account(here);
      expect(await button(here, /^Sign out of the session/).count()).toBe(2);
      await button(here, "Sign out of other sessions").click();
      await here.getByRole("status").getByText("saved").waitFor();
      expect([await isIn(here), await isIn(one), await isIn(two)]).toEqual([true, false, false]);
    });

    it("signing out keeps the sessions of other browsers", async () => {
      const address = somebody();
      const [here, there] = [await arrive(address), await arrive(address)];
      await account(here);
      await button(here, /^Sign out$/).click();
      await sees(here, "You are signed out");
      expect([await isIn(here), await isIn(there)]).toEqual([false, true]);
    });

    it("Playground ID is linked, signs in, and is unlinked", async () => {
      const address = somebody();
      const page = await arrive(address);
      await account(page);
      await button(page, "Connect Playground ID").click();
      await button(page, /Tomás/).click();
      await button(page, "Allow").click();
      await sees(page, "Your account");
      const other = await walk.open("/", scripts);
      await identify(other, "Tomás");
      await sees(other, `Hello, ${address}`);
      await page.reload();
      await button(page, "Disconnect Playground ID").click();
      await page.getByRole("status").getByText("saved").waitFor();
      expect(await button(page, "Connect Playground ID").count()).toBe(1);
    });
  };

  describe("with scripts", () => {
    beforeAll(() => void (scripts = {}));
    walks();

    it("a sign-out by the client in another tab also ends the account page's session", async () => {
      const page = await arrive(somebody());
      const other = await page.context().newPage();
      await account(other);
      await button(page, "Sign out").click();
      await sees(page, "You are signed out");
      await button(other, /^Sign out$/).click();
      await sees(other, "You are signed out");
    });

    it("passkeys are added, numbered and removed", async () => {
      const address = somebody();
      const page = await arrive(address);
      const key = await plugIn(page);
      await account(page);
      await button(page, "Add a passkey").click();
      await page.getByText("Passkey 1", { exact: true }).waitFor();
      expect(await held(key)).toHaveLength(1);

      const other = await arrive(address);
      await plugIn(other);
      await account(other);
      await button(other, "Add a passkey").click();
      await other.getByText("Passkey 2", { exact: true }).waitFor();

      await button(other, /^Remove.*1/).click();
      await other.getByRole("status").getByText("saved").waitFor();
      expect(await other.getByText("Passkey 2", { exact: true }).count()).toBe(0);
      for (const one of [page, other]) {
        await one.goto(walk.playground.origin);
        await button(one, "Sign out").click();
        await sees(one, "You are signed out");
      }
      await button(page, "Use a passkey").click();
      await page.getByText("did not work").waitFor();
      await other.bringToFront();
      await button(other, "Use a passkey").click();
      await sees(other, `Hello, ${address}`);
    });
  });

  describe("without scripts", () => {
    beforeAll(() => void (scripts = { javaScriptEnabled: false }));
    walks();
  });
});
