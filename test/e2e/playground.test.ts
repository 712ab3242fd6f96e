import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { PASSWORD } from "../../playground/people.ts";
import { startPlayground } from "../../playground/start.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { isLeftOut } from "./_chromium.ts";
import {
  askForLink,
  button,
  enter,
  heading,
  identify,
  json,
  sees,
  SIZES,
  walkPlayground,
} from "./_playground.ts";

/** Folder for screenshots. */
const pictures = process.env.KEYHOOK_PICTURES;

describe.skipIf(isLeftOut)("the playground in a browser", () => {
  const walk = walkPlayground();
  let scripts: BrowserContextOptions;

  const flows = () => {
    it("Playground ID signs in and out", async () => {
      const page = await walk.open("/", scripts);
      await identify(page, "Mira");
      expect(page.url()).toBe(`${walk.playground.origin}/`);
      expect(await heading(page)).toBe("Hello, Mira Solberg");
      expect(await json(page)).toContain('"email": "mira@playground.example"');
      // The session here has ended when the provider asks.
      await button(page, "Sign out").click();
      await sees(page, "Sign out of Playground ID?");
      expect(new URL(page.url()).origin).toBe(walk.playground.issuer);
      await button(page, "Sign out everywhere").click();
      await sees(page, "You are signed out");
      expect(page.url()).toBe(`${walk.playground.origin}/`);
      expect(await page.locator("[data-events]").textContent()).toMatch(
        /somebody signed out.*Mira Solberg signed in with playground/s,
      );
    });

    it("a sign-out that is not confirmed at Playground ID still ends the application's session", async () => {
      const page = await walk.open("/", scripts);
      await identify(page, "Mira");
      await button(page, "Sign out").click();
      await button(page, "Stay signed in").click();
      await sees(page, "You are signed out");
    });

    it("a sign-out at Playground ID ends the application's session by the back channel", async () => {
      const page = await walk.open("/", scripts);
      await identify(page, "Mira");
      const opened = page.waitForEvent("popup");
      await page.getByRole("link", { name: "Sign out there" }).click();
      const there = await opened;
      await button(there, "Sign out everywhere").click();
      await sees(there, "You are signed out of Playground ID");
      await expect
        .poll(async () => {
          await page.goto(walk.playground.origin);
          return heading(page);
        })
        .toBe("You are signed out");
      expect(await page.locator("[data-events]").textContent()).toContain(
        "playground ended a session",
      );
    });

    it("the API of Playground ID receives a refreshed token", async () => {
      const page = await walk.open("/", scripts);
      await identify(page, "Tomás");
      await page.getByRole("link", { name: "Ask it who you are" }).click();
      await sees(page, "Playground ID knows you");
      expect(await page.locator("[data-userinfo]").textContent()).toContain('"name": "Tomás Rey"');
      await button(page, "Refresh the token").click();
      await page.getByRole("link", { name: "Ask again" }).click();
      await sees(page, "Playground ID knows you");
      await page.getByRole("link", { name: "Back to the session" }).click();
      expect(await page.locator("[data-events]").textContent()).toMatch(
        /playground gave new tokens(?! ×)/,
      );
    });

    it("a user who signed in with a password has no tokens of Playground ID", async () => {
      const page = await walk.open("/", scripts);
      await enter(page, "tomas");
      await page.getByRole("link", { name: "Ask it who you are" }).click();
      await page.getByRole("alert").getByText("AccessTokenMissing").waitFor();
    });

    it("a password signs in and out", async () => {
      const page = await walk.open("/", scripts);
      await enter(page, "tomas");
      expect(page.url()).toBe(`${walk.playground.origin}/`);
      expect(await heading(page)).toBe("Hello, Tomás Rey");
      await button(page, "Sign out").click();
      await sees(page, "You are signed out");
    });

    it("the built-in pages sign in and out", async () => {
      const page = await walk.open("/auth/signin", scripts);
      expect(await page.getByText(`Try mira with the password ${PASSWORD}`).isVisible()).toBe(true);
      await enter(page, "mira");
      expect(await heading(page)).toBe("Hello, Mira Solberg");
      await page.goto(`${walk.playground.origin}/auth/signout`);
      await button(page, "Sign out").click();
      await sees(page, "You are signed out");
    });

    it("a denied consent leads to the sign-in page with an error", async () => {
      const page = await walk.open("/", scripts);
      await identify(page, "Mira", "Deny");
      expect(new URL(page.url()).pathname).toBe("/auth/signin");
      await page.getByRole("alert").getByText("Sign-in was canceled").waitFor();
      await identify(page, "Mira");
      expect(await heading(page)).toBe("Hello, Mira Solberg");
    });

    it("a canceled choice of a user leads to the sign-in page with an error", async () => {
      const page = await walk.open("/", scripts);
      await button(page, "Sign in with Playground ID").click();
      await button(page, "Cancel").click();
      await page.getByRole("alert").getByText("Sign-in was canceled").waitFor();
    });

    it("a wrong password shows an error and can be corrected", async () => {
      const page = await walk.open("/", scripts);
      await enter(page, "mira", "guessed");
      expect(new URL(page.url()).pathname).toBe("/auth/signin");
      await page.getByRole("alert").getByText("Check your details").waitFor();
      await enter(page, "mira");
      expect(await heading(page)).toBe("Hello, Mira Solberg");
    });

    it.each(["Playground ID", "a password"])(
      "a user who is not on the guest list is rejected with %s",
      async (way) => {
        const page = await walk.open("/", scripts);
        if (way === "a password") await enter(page, "quill");
        else await identify(page, "Quill");
        expect(await heading(page)).toBe("Access denied");
        // Chromium reports a page with status 403 on the console.
        walk.forgive("403");
        await page.goto(walk.playground.origin);
        expect(await heading(page)).toBe("You are signed out");
      },
    );

    it("an e-mail link signs in once", async () => {
      const page = await walk.open("/", scripts);
      const address = `ada-${randomUUID()}@playground.example`;
      const link = await askForLink(page, address);
      expect(await page.getByRole("article").first().locator("pre").textContent()).toContain(link);
      await page.getByRole("link", { name: "Follow the link" }).first().click();
      expect(page.url()).toBe(`${walk.playground.origin}/`);
      expect(await heading(page)).toBe(`Hello, ${address}`);
      expect(await json(page)).toContain(`"email": "${address}"`);
      await button(page, "Sign out").click();
      await sees(page, "You are signed out");

      // Followed again in a browser without the attempt's cookie, the link shows a button first.
      await page.goto(link);
      await button(page, "Sign in").click();
      expect(await page.textContent("main")).toContain("This link no longer works");
      walk.forgive("403");
      await page.getByRole("link", { name: /new link/i }).click();
      expect(new URL(page.url()).pathname).toBe("/auth/signin");
    });

    it("an e-mail link in another browser shows a button and signs in only that browser", async () => {
      const address = `grace-${randomUUID()}@playground.example`;
      const page = await walk.open("/", scripts);
      const link = await askForLink(page, address);
      const other = await (await walk.visitor(scripts)).newPage();
      await other.goto(link);
      await other.getByText(address).waitFor();
      await button(other, "Sign in").click();
      await sees(other, `Hello, ${address}`);
      await page.goto(walk.playground.origin);
      expect(await heading(page)).toBe("You are signed out");
    });

    it("the link in the HTML e-mail signs in", async () => {
      const address = `frame-${randomUUID()}@playground.example`;
      const page = await walk.open("/", scripts);
      await askForLink(page, address);
      await page.getByText("As HTML").first().click();
      const frame = page.frameLocator("iframe").first();
      await frame.getByRole("link").first().click();
      await sees(page, `Hello, ${address}`);
    });

    it("a user who is not on the guest list gets no e-mail", async () => {
      const page = await walk.open("/", scripts);
      await page.getByLabel("Email", { exact: true }).fill("quill@playground.example");
      await button(page, "Email me a sign-in link").click();
      expect(await heading(page)).toBe("Access denied");
      walk.forgive("403");
      await page.goto(`${walk.playground.origin}/outbox`);
      expect(await page.textContent("main")).not.toContain("quill@");
    });

    it("the session is refreshed and updated", async () => {
      const page = await walk.open("/", scripts);
      await page.goto(await askForLink(page, `star-${randomUUID()}@playground.example`));
      await page.getByLabel("Nickname").fill("Comet");
      await button(page, "Update").click();
      await sees(page, "Hello, Comet");
      expect(await json(page)).toContain('"nickname": "Comet"');

      await page.getByLabel("Nickname").fill("<b>no</b>");
      await button(page, "Update").click();
      await page.getByText("That nickname was refused").waitFor();
      expect(await heading(page)).toBe("Hello, Comet");

      await page.getByRole("link", { name: "Refresh" }).click();
      await page.getByText("took the nickname Comet").first().waitFor();
      expect(await heading(page)).toBe("Hello, Comet");
    });

    it("the inspector shows the last requests and everything that is registered", async () => {
      const page = await walk.open("/auth/inspector", scripts);
      const hooks = page.locator('[data-section="hooks"]');
      expect(await hooks.textContent()).toMatch(/error.*bail.*activity-log \(activity-log, first/s);
      expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
        "Sign in as",
        "Requests",
        "This browser",
        "Cookies",
        "Decisions",
        "Plugins",
        "Hooks",
        "Events",
        "Routes",
        "Providers",
        "Store",
        "Adapter",
        "Services",
        "Caches",
        "Wraps",
      ]);
    });

    it("the inspector explains why a sign-in failed, linked from the page with the error", async () => {
      const page = await walk.open("/auth/signin", scripts);
      await enter(page, "mira", "guessed");
      await page.getByRole("alert").getByText("Check your details").waitFor();
      await page.getByRole("link", { name: "Developers: why it failed" }).click();
      expect(new URL(page.url()).pathname).toBe("/auth/inspector");
      const entry = page.locator('[data-section="requests"]');
      expect(await entry.textContent()).toMatch(
        /POST \/auth\/callback\/credentials.*Error: CredentialsSignin.*event signInFailed/s,
      );
      expect(await page.textContent("main")).not.toContain("guessed");
    });
  };

  describe("with scripts", () => {
    beforeAll(() => void (scripts = {}));
    flows();
  });

  describe("without scripts", () => {
    beforeAll(() => void (scripts = { javaScriptEnabled: false }));
    flows();

    it("the page without scripts explains what passkeys need", async () => {
      const page = await walk.open("/", scripts);
      await page.getByText("Passkeys need a browser with JavaScript").waitFor();
      expect(await button(page, /passkey/).count()).toBe(0);
    });
  });

  it("other host names redirect to the playground's origin", async () => {
    const { origin } = walk.playground;
    const at = (path: string) => `http://127.0.0.1:${new URL(origin).port}${path}`;
    const response = await fetch(at("/outbox?a=1"), { redirect: "manual" });
    expect(response.headers.get("location")).toBe(`${origin}/outbox?a=1`);
  });

  it("a POST from another site is rejected with 403", async () => {
    for (const path of ["/nickname", "/look"]) {
      const response = await fetch(walk.playground.origin + path, {
        method: "POST",
        headers: { origin: walk.playground.issuer },
        body: new URLSearchParams({ nickname: "Mallory", scheme: "dark" }),
      });
      expect(response.status).toBe(403);
    }
  });

  it("startPlayground uses the next port when its own is taken", async () => {
    const taken = Number(new URL(walk.playground.origin).port);
    const second = await startPlayground(taken, memoryStore());
    expect(second.port).toBeGreaterThan(taken);
    expect((await fetch(second.origin)).status).toBe(200);
    await second.stop();
  });

  it("npm run play prints the origin and the password, and stops on SIGINT", async () => {
    const main = fileURLToPath(new URL("../../playground/main.ts", import.meta.url));
    const cwd = mkdtempSync(join(tmpdir(), "keyhook-play-"));
    const env = { PATH: process.env.PATH, PORT: "0" };
    const child = spawn(process.execPath, [main], { cwd, env });
    let told = "";
    let complained = "";
    child.stdout.on("data", (chunk) => (told += chunk));
    child.stderr.on("data", (chunk) => (complained += chunk));
    await expect.poll(() => told, { timeout: 20_000 }).toContain("Ctrl+C");
    expect(told).toContain(PASSWORD);
    const origin = /http:\/\/localhost:\d+/.exec(told)?.[0] ?? "";
    expect(await (await fetch(origin)).text()).toContain("You are signed out");
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(complained).toBe("");
    rmSync(cwd, { recursive: true });
  });

  it.each(Object.keys(SIZES) as (keyof typeof SIZES)[])("every page fits a %s", async (size) => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await walk.open("/", { viewport: SIZES[size], colorScheme });
      const look = async (name: string) => {
        const tooWide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(tooWide, name).toBe(0);
        if (!pictures) return;
        mkdirSync(pictures, { recursive: true });
        const path = join(pictures, `${name}-${size}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: true });
      };
      await look("signed-out");
      // A separate name, because guesses at one name are limited.
      await enter(page, size, "guessed");
      await look("wrong-password");
      await button(page, "Sign in with Playground ID").click();
      await look("choose");
      await button(page, /Mira/).click();
      await look("consent");
      await button(page, "Allow").click();
      await look("signed-in");
      await page.getByLabel("Nickname").fill("<b>no</b>");
      await button(page, "Update").click();
      await page.getByText("That nickname was refused").waitFor();
      await look("refused");
      for (const name of ["auth/inspector", "outbox", "auth/account"]) {
        await page.goto(`${walk.playground.origin}/${name}`);
        await look(name.replace("/", "-"));
      }
      await page.goto(`${walk.playground.issuer}/interaction/none`);
      await look("problem");
      walk.forgive("400");
    }
  });
});
