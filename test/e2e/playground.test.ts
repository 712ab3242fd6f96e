import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import memoryStore from "../../plugins/stores/memory.ts";
import { PASSWORD } from "../../playground/people.ts";
import { type Playground, startPlayground } from "../../playground/start.ts";

const executablePath =
  process.env.CHROMIUM ||
  spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).stdout.trim();
/** A folder to take pictures into. */
const pictures = process.env.KEYHOOK_PICTURES;

// On CI a missing browser is a failure.
const isLeftOut = !executablePath && !process.env.CI;
if (isLeftOut) console.warn("no chromium found: the playground is NOT tested in a browser");

const SIZES = { desktop: { width: 1200, height: 900 }, phone: { width: 390, height: 844 } };

describe.skipIf(isLeftOut)("the playground in a browser", () => {
  let playground: Playground;
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  let complaints: string[] = [];

  beforeAll(async () => {
    expect(executablePath, "chromium is needed on CI").not.toBe("");
    playground = await startPlayground(0, memoryStore());
    browser = await chromium.launch({
      executablePath,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    });
  });

  afterAll(async () => {
    await browser?.close();
    await playground?.stop();
  });

  beforeEach(() => {
    complaints = [];
    // Sign-ins that fail are told on the console; a fault of Playground ID's would be too.
    vi.spyOn(console, "error").mockImplementation((...words) => {
      if (String(words[0]).includes("Playground ID")) complaints.push(words.join(" "));
    });
  });

  afterEach(async () => {
    for (const context of contexts) await context.close();
    contexts = [];
    vi.restoreAllMocks();
    expect(complaints).toEqual([]);
  });

  /** A visitor, every complaint of whose browser is a failure of the test. */
  async function visitor(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: SIZES.desktop, ...options });
    contexts.push(context);
    context.on("console", (message) => {
      // Violations of a content security policy are told here too.
      if (["error", "warning"].includes(message.type())) {
        complaints.push(`${message.location().url}: ${message.text()}`);
      }
    });
    context.on("weberror", (error) => complaints.push(String(error.error())));
    context.on("request", (request) => {
      const { origin } = new URL(request.url());
      if (origin !== playground.origin && origin !== playground.issuer) {
        complaints.push(`asked ${request.url()}`);
      }
    });
    return context;
  }

  async function open(path = "/", options?: BrowserContextOptions): Promise<Page> {
    const page = await (await visitor(options)).newPage();
    await page.goto(playground.origin + path);
    return page;
  }

  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
  const heading = (page: Page) => page.getByRole("heading", { level: 1 }).textContent();
  const message = (page: Page) => page.getByRole("alert").textContent();
  const json = (page: Page) => page.locator("[data-json]").textContent();

  async function enter(page: Page, username: string, password = PASSWORD): Promise<void> {
    await page.getByLabel("User name").fill(username);
    await page.getByLabel("Password").fill(password);
    await button(page, /^Sign in$|with password/).click();
  }

  async function signInWithPlaygroundId(page: Page, name: string, answer = "Allow"): Promise<void> {
    await button(page, "Sign in with Playground ID").click();
    await button(page, new RegExp(name)).click();
    await button(page, answer).click();
  }

  const flows = () => {
    it("signs in with Playground ID, and out", async () => {
      const page = await open("/", scripts);
      await signInWithPlaygroundId(page, "Mira");
      expect(page.url()).toBe(`${playground.origin}/`);
      expect(await heading(page)).toBe("Hello, Mira Solberg");
      expect(await json(page)).toContain('"email": "mira@playground.example"');
      await button(page, "Sign out").click();
      expect(await heading(page)).toBe("You are signed out");
      expect(await page.locator("[data-events]").textContent()).toMatch(
        /Mira Solberg signed out.*Mira Solberg signed in with playground/s,
      );
    });

    it("signs in with a password, and out", async () => {
      const page = await open("/", scripts);
      await enter(page, "tomas");
      expect(page.url()).toBe(`${playground.origin}/`);
      expect(await heading(page)).toBe("Hello, Tomás Rey");
      await button(page, "Sign out").click();
      expect(await heading(page)).toBe("You are signed out");
    });

    it("signs in from the built-in page", async () => {
      const page = await open("/auth/signin", scripts);
      expect(await page.getByText(`Try mira with the password ${PASSWORD}`).isVisible()).toBe(true);
      await enter(page, "mira");
      expect(await heading(page)).toBe("Hello, Mira Solberg");
      await page.goto(`${playground.origin}/auth/signout`);
      await button(page, "Sign out").click();
      expect(await heading(page)).toBe("You are signed out");
    });

    it("leads a refused consent to the sign-in page, which says so", async () => {
      const page = await open("/", scripts);
      await signInWithPlaygroundId(page, "Mira", "Deny");
      expect(new URL(page.url()).pathname).toBe("/auth/signin");
      expect(await message(page)).toContain("The sign-in did not go through");
      await signInWithPlaygroundId(page, "Mira");
      expect(await heading(page)).toBe("Hello, Mira Solberg");
    });

    it("leads a cancelled choice to the sign-in page", async () => {
      const page = await open("/", scripts);
      await button(page, "Sign in with Playground ID").click();
      await button(page, "Cancel").click();
      expect(await message(page)).toContain("The sign-in did not go through");
    });

    it("says that a password is wrong, and lets try again", async () => {
      const page = await open("/", scripts);
      await enter(page, "mira", "guessed");
      expect(new URL(page.url()).pathname).toBe("/auth/signin");
      expect(await message(page)).toContain("Check what you entered");
      await enter(page, "mira");
      expect(await heading(page)).toBe("Hello, Mira Solberg");
    });

    it.each(["Playground ID", "a password"])(
      "refuses who is not on the list, with %s",
      async (way) => {
        const page = await open("/", scripts);
        // A page with the status 403 is a complaint of the browser's console.
        if (way === "a password") await enter(page, "quill");
        else await signInWithPlaygroundId(page, "Quill");
        expect(await heading(page)).toBe("Access denied");
        complaints = complaints.filter((text) => !text.includes("403"));
        await page.goto(playground.origin);
        expect(await heading(page)).toBe("You are signed out");
      },
    );

    it("signs in by a mailed link, once", async () => {
      const page = await open("/", scripts);
      const address = `ada-${randomUUID()}@playground.example`;
      await page.getByLabel("Address").fill(address);
      await button(page, "Sign in by e-mail").click();
      expect(await heading(page)).toBe("Check your email");
      await page.getByRole("link", { name: "Open the outbox" }).click();
      expect(await heading(page)).toBe("Outbox");
      const letter = page.getByRole("article").first();
      expect(await letter.textContent()).toContain(`to ${address}`);
      const link = letter.getByRole("link", { name: "Follow the link" });
      expect(await letter.locator("pre").textContent()).toContain(await link.getAttribute("href"));

      await link.click();
      expect(page.url()).toBe(`${playground.origin}/`);
      expect(await heading(page)).toBe(`Hello, ${address}`);
      expect(await json(page)).toContain(`"email": "${address}"`);
      expect(await page.locator("[data-events]").textContent()).toContain(
        `${address} signed in with outbox`,
      );
      await button(page, "Sign out").click();
      expect(await heading(page)).toBe("You are signed out");

      // Followed again, from a browser that has forgotten that it asked: a button first.
      await page.goto(`${playground.origin}/outbox`);
      await link.click();
      await button(page, "Sign in").click();
      expect(await page.textContent("main")).toContain("The sign-in link is no longer valid");
      complaints = complaints.filter((text) => !text.includes("403"));
      await page.goto(playground.origin);
      expect(await heading(page)).toBe("You are signed out");
    });

    it("follows the link in the mail itself", async () => {
      const page = await open("/", scripts);
      await page.getByLabel("Address").fill("mira@playground.example");
      await button(page, "Sign in by e-mail").click();
      await page.getByRole("link", { name: "Open the outbox" }).click();
      await page.getByText("As HTML").first().click();
      const frame = page.frameLocator("iframe").first();
      await frame.getByRole("link").first().click();
      await page.waitForURL(`${playground.origin}/`);
      expect(await heading(page)).toMatch(/^Hello, mira|^Hello, Mira/);
    });

    it("mails nobody who is not on the list", async () => {
      const page = await open("/", scripts);
      await page.getByLabel("Address").fill("quill@playground.example");
      await button(page, "Sign in by e-mail").click();
      expect(await heading(page)).toBe("Access denied");
      complaints = complaints.filter((text) => !text.includes("403"));
      await page.goto(`${playground.origin}/outbox`);
      expect(await page.textContent("main")).not.toContain("quill@");
    });

    it("refreshes and updates the session", async () => {
      const page = await open("/", scripts);
      await enter(page, "mira");
      await page.getByLabel("Nickname").fill("Comet");
      await button(page, "Update").click();
      await page.getByText("Hello, Comet").waitFor();
      expect(await json(page)).toContain('"nickname": "Comet"');

      await page.getByLabel("Nickname").fill("<b>no</b>");
      await button(page, "Update").click();
      await page.getByText("That nickname was refused").waitFor();
      expect(await heading(page)).toBe("Hello, Comet");

      await page.getByRole("link", { name: "Refresh" }).click();
      await page.getByText("took the nickname Comet").waitFor();
      expect(await heading(page)).toBe("Hello, Comet");
    });

    it("lets two tabs sign in at once", async () => {
      const context = await visitor(scripts);
      const [one, other] = [await context.newPage(), await context.newPage()];
      for (const page of [one, other]) {
        await page.goto(playground.origin);
        await button(page, "Sign in with Playground ID").click();
      }
      await button(one, /Mira/).click();
      await button(other, /Tomás/).click();
      await button(one, "Allow").click();
      expect(await heading(one)).toBe("Hello, Mira Solberg");
      await button(other, "Allow").click();
      expect(await heading(other)).toBe("Hello, Tomás Rey");
      await one.reload();
      expect(await heading(one)).toBe("Hello, Tomás Rey");
    });

    it("shows what is plugged in", async () => {
      const page = await open("/inspector", scripts);
      const hooks = page.getByRole("table").first();
      expect(await hooks.textContent()).toMatch(/error.*bail.*audit-log.*first/s);
      const tables = await page.getByRole("heading", { level: 2 }).allTextContents();
      expect(tables).toEqual(["Hooks", "Events", "Providers", "Plugins", "Routes", "Cookies"]);
    });
  };

  let scripts: BrowserContextOptions;
  describe("with scripts", () => {
    beforeAll(() => {
      scripts = {};
    });
    flows();

    it("counts down to the session's end", async () => {
      const page = await open();
      await enter(page, "mira");
      const time = page.locator("[data-expires]");
      const before = await time.textContent();
      expect(before).toMatch(/^in (60:00|59:\d\d)$/);
      await expect.poll(() => time.textContent(), { timeout: 5000 }).not.toBe(before);
    });

    it("notices that another tab signed out", async () => {
      const context = await visitor();
      const [one, other] = [await context.newPage(), await context.newPage()];
      await one.goto(playground.origin);
      await enter(one, "mira");
      await other.goto(playground.origin);
      await button(other, "Sign out").click();
      await one.getByRole("link", { name: "Refresh" }).click();
      await one.getByText("You are signed out").waitFor();
    });
  });

  describe("without scripts", () => {
    beforeAll(() => {
      scripts = { javaScriptEnabled: false };
    });
    flows();
  });

  it("has one name", async () => {
    const { port } = new URL(playground.origin);
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    expect(page.url()).toBe(`${playground.origin}/`);
    await page.context().close();
  });

  it("takes no post of another site's", async () => {
    const response = await fetch(`${playground.origin}/nickname`, {
      method: "POST",
      headers: { origin: playground.issuer },
      body: new URLSearchParams({ nickname: "Mallory" }),
    });
    expect(response.status).toBe(403);
  });

  it("takes the next port when its own is taken", async () => {
    const taken = Number(new URL(playground.origin).port);
    const second = await startPlayground(taken, memoryStore());
    expect(second.port).toBeGreaterThan(taken);
    expect((await fetch(second.origin)).status).toBe(200);
    await second.stop();
  });

  it("starts from the command line, says where it is, and stops when asked", async () => {
    const main = fileURLToPath(new URL("../../playground/main.ts", import.meta.url));
    const child = spawn(process.execPath, [main], { env: { PATH: process.env.PATH, PORT: "0" } });
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
  });

  it.each(Object.keys(SIZES) as (keyof typeof SIZES)[])("fits a %s", async (size) => {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await open("/", { viewport: SIZES[size], colorScheme });
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
      await enter(page, "mira", "guessed");
      await look("wrong-password");
      await page.goto(`${playground.origin}/auth/signin`);
      await look("built-in");
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
      await page.goto(`${playground.origin}/inspector`);
      await look("inspector");
      await page.goto(`${playground.origin}/outbox`);
      await page.getByText("As HTML").first().click();
      await look("outbox");
      await page.goto(`${playground.issuer}/interaction/none`);
      await look("problem");
      complaints = complaints.filter((text) => !text.includes("400"));
    }
  });
});
