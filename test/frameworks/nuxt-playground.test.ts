import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { isCurrent } from "../../playground/nuxt-install.ts";
import { people, PASSWORD } from "../../playground/people.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import { isLeftOut, launch } from "../e2e/_chromium.ts";
import { isInstalled } from "./_app.ts";

const [mira] = people;
const isReady = isInstalled && isCurrent();
if (process.env.KEYHOOK_FRAMEWORKS && !isReady)
  throw new Error("playground/nuxt is not installed.");

describe.skipIf(!isReady)("npm run play:nuxt", () => {
  let server: ChildProcess;
  let origin: string;
  let said = "";
  beforeAll(async () => {
    const file = fileURLToPath(new URL("../../playground/nuxt-main.ts", import.meta.url));
    const { PATH, HOME, TMPDIR } = process.env;
    const env = { PATH, HOME, TMPDIR, CI: "1", PORT: "0" };
    server = spawn(process.execPath, [file], { env });
    for (const stream of [server.stdout, server.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => (said += text));
    }
    const isOpen = async () => {
      [, origin = ""] = /Open +(http:\S+)/.exec(said) ?? [];
      return origin !== "" && (await fetch(`${origin}/auth/session`)).ok;
    };
    await vi.waitUntil(async () => isOpen().catch(() => false), {
      timeout: 120_000,
      interval: 250,
    });
  });
  afterAll(async () => {
    if (server.exitCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    await ended;
  });

  const open = () =>
    createBrowser(async (request) => fetch(request, { redirect: "manual" }), { origin });

  it("a visitor without a session is redirected from the protected page to the application's own sign-in page", async () => {
    const browser = open();
    expect(await (await browser.get("/")).text()).toContain("You are not signed in");
    const { headers } = await browser.get("/secret", { headers: { accept: "text/html" } });
    const target = new URL(headers.get("location") ?? "", origin);
    expect(target.pathname).toBe("/login");
    const json = { headers: { accept: "application/json" } };
    expect((await browser.get("/api/secret", json)).status).toBe(401);
  });

  it("a password signs in, and pages and APIs know the user", async () => {
    const browser = open();
    await browser.signInWith("credentials", { username: mira?.username ?? "", password: PASSWORD });
    expect(await (await browser.get("/")).text()).toContain("Hello, Mira Solberg");
    expect(await (await browser.get("/secret")).text()).toContain("such as Mira Solberg");
    const { secret } = await (await browser.get("/api/secret")).json();
    expect(secret).toBe("Mira Solberg may read this.");
  });

  describe.skipIf(isLeftOut)("in a browser", () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launch();
    });
    afterAll(() => browser?.close());

    const visit = async (): Promise<Page> => {
      const context = await browser.newContext({ baseURL: origin });
      const page = await context.newPage();
      await page.goto("/login?callbackUrl=/secret", { waitUntil: "networkidle" });
      return page;
    };

    it("Playground ID signs in, and redirects back to the protected page", async () => {
      const page = await visit();
      await page.getByRole("button", { name: "Playground ID" }).click();
      await page.getByRole("button", { name: "Mira Solberg" }).click();
      await page.getByRole("button", { name: "Allow" }).click();
      await page.waitForURL(`${origin}/secret`);
      expect(await page.textContent("main")).toContain("such as Mira Solberg");
    });

    it("a new passkey signs in", async () => {
      const page = await visit();
      const cdp = await page.context().newCDPSession(page);
      await cdp.send("WebAuthn.enable", { enableUI: false });
      await cdp.send("WebAuthn.addVirtualAuthenticator", {
        options: {
          protocol: "ctap2",
          transport: "internal",
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      const email = `${Date.now()}@example.com`;
      await page.fill('input[type="email"]', email);
      await page.getByRole("button", { name: "New passkey" }).click();
      await page.waitForURL(`${origin}/secret`);
      expect(await page.textContent("main")).toContain(`such as ${email}`);
    });
  });
});
