import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  CDPSession,
  Page,
} from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from "vitest";
import { PASSWORD } from "../../playground/people.ts";
import { type Playground, startPlayground } from "../../playground/start.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { closeAll, launch } from "./_chromium.ts";

export const SIZES = {
  desktop: { width: 1200, height: 900 },
  phone: { width: 390, height: 844 },
  // The width at which content must reflow (WCAG 1.4.10).
  "small phone": { width: 320, height: 640 },
};

/** A virtual authenticator that confirms every ceremony. */
export interface Key {
  cdp: CDPSession;
  authenticatorId: string;
}

/** The playground and a browser for the tests of one file. */
export interface Walk {
  readonly playground: Playground;
  /** Creates a visitor. A console message or an error in the visitor's browser fails the test. */
  visitor(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Opens a page of a new visitor. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Opens a page of a visitor. */
  tab(context: BrowserContext, path?: string): Promise<Page>;
  /** Removes expected console messages. */
  forgive(text: string): void;
}

/** Starts the playground and a browser before the tests of a file, and stops them afterwards. */
export function walkPlayground(): Walk {
  let playground: Playground;
  let browser: Browser;
  let contexts: BrowserContext[] = [];
  let complaints: string[] = [];

  beforeAll(async () => {
    playground = await startPlayground(0, memoryStore());
    browser = await launch();
  });

  afterAll(async () => {
    await browser?.close();
    await playground?.stop();
  });

  beforeEach(() => {
    complaints = [];
    // Failed sign-ins are logged to the console, and so are errors of Playground ID.
    vi.spyOn(console, "error").mockImplementation((...words) => {
      if (String(words[0]).includes("Playground ID")) complaints.push(words.join(" "));
    });
    vi.spyOn(console, "warn").mockImplementation((...words) => {
      complaints.push(words.join(" "));
    });
  });

  afterEach(async () => {
    vi.useRealTimers();
    await closeAll(contexts);
    contexts = [];
    vi.restoreAllMocks();
    expect(complaints).toEqual([]);
  });

  const walk: Walk = {
    get playground() {
      return playground;
    },
    async visitor(options = {}) {
      const context = await browser.newContext({ viewport: SIZES.desktop, ...options });
      contexts.push(context);
      context.setDefaultTimeout(15_000);
      context.on("console", (message) => {
        // Violations of the content security policy are reported here too.
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
    },
    async open(path, options) {
      return walk.tab(await walk.visitor(options), path);
    },
    async tab(context, path = "/") {
      const page = await context.newPage();
      await page.goto(playground.origin + path);
      return page;
    },
    forgive(text) {
      complaints = complaints.filter((complaint) => !complaint.includes(text));
    },
  };
  return walk;
}

export const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
export const heading = (page: Page) => page.getByRole("heading", { level: 1 }).textContent();
export const json = (page: Page) => page.locator("[data-json]").textContent();

/** Waits for a page with this heading. */
export const sees = (page: Page, text: string) =>
  page.getByRole("heading", { level: 1, name: text }).waitFor();

/** Signs in with a password, on any page with its form. */
export async function enter(page: Page, username: string, password = PASSWORD): Promise<void> {
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password").fill(password);
  await button(page, /^Sign in$/).click();
}

/** Signs in with Playground ID. `answer` is the button of the consent page. */
export async function identify(page: Page, name: string, answer = "Allow"): Promise<void> {
  await button(page, "Sign in with Playground ID").click();
  await button(page, new RegExp(name)).click();
  await button(page, answer).click();
}

/** Requests an e-mail, and returns the link in it. */
export async function askForLink(page: Page, email: string): Promise<string> {
  await page.getByLabel("Email", { exact: true }).fill(email);
  await button(page, "Email me a sign-in link").click();
  await page.getByRole("link", { name: "Open the outbox" }).click();
  const letter = page.getByRole("article").filter({ hasText: `to ${email}` });
  const link = letter.first().getByRole("link", { name: "Follow the link" });
  return (await link.getAttribute("href")) ?? "";
}

/** Adds a virtual authenticator to the machine of a page. */
export async function plugIn(page: Page): Promise<Key> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable", { enableUI: false });
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      ctap2Version: "ctap2_1",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

/** Lists the passkeys of an authenticator. */
export async function held({ cdp, authenticatorId }: Key) {
  return (await cdp.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
}

/** Advances the servers' clock. The browser's clock is unchanged. */
export function later(minutes: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000 });
}
