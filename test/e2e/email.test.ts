import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { VerificationRequest } from "../../plugins/flows/email/provider.ts";
import { createAuth } from "../../presets/node.ts";
import { SECRET } from "../_app.ts";
import { ADA, createTestAdapter } from "../flows/_mail.ts";
import { isLeftOut, launch } from "./_chromium.ts";

/** Folder for screenshots. */
const pictures = process.env.KEYHOOK_PICTURES;

describe.skipIf(isLeftOut)("e-mail links in a browser", () => {
  const outbox: VerificationRequest[] = [];
  let posts: IncomingMessage[] = [];
  let server: Server;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    browser = await launch();
    server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const auth = createAuth({
      secret: SECRET,
      env: { NODE_ENV: "test", AUTH_URL: origin },
      session: { strategy: "jwt" },
      adapter: createTestAdapter(),
      providers: [
        {
          id: "mail",
          name: "Mail",
          type: "email",
          code: true,
          sendVerificationRequest: (request) => void outbox.push(request),
        },
      ],
    });
    server.on("request", (request, response) => {
      if (request.method === "POST") {
        posts.push(request);
        // As frameworks that contain Keyhook do (SvelteKit, Astro, ...).
        if (request.headers.origin !== origin) return void response.writeHead(403).end();
      }
      if (!request.url?.startsWith("/auth/")) return void response.end("home");
      auth.handler(request, response, () => response.end());
    });
  });

  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  afterEach(() => {
    outbox.length = 0;
    posts = [];
  });

  async function ask(): Promise<{ page: Awaited<ReturnType<Browser["newPage"]>>; link: string }> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${origin}/auth/signin`);
    if (pictures) await page.screenshot({ path: join(pictures, "email-signin.png") });
    await page.getByLabel("Email").fill(ADA);
    await page.getByRole("button", { name: "Email me a sign-in link" }).click();
    await page.waitForURL(/verify-request/);
    return { page, link: outbox[0]?.url ?? "" };
  }

  it("an e-mail link signs in the browser that requested it", async () => {
    const { page, link } = await ask();
    // As in webmail: from another site.
    await page.goto("about:blank");
    await page.setContent(`<a href="${link.replaceAll("&", "&amp;")}">Sign in</a>`);
    await page.getByRole("link").click();
    await page.waitForURL(`${origin}/`);
    expect((await page.context().cookies()).map(({ name }) => name)).toContain(
      "authjs.session-token",
    );
  });

  it("an e-mail code is entered where it was requested, also after a wrong code, and with a double click", async () => {
    const { page } = await ask();
    const field = page.getByLabel("Code");
    await field.fill("1234 5678");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/error=InvalidEmailCode/);
    expect(await page.getByRole("alert").textContent()).toContain("That code is wrong");
    if (pictures) await page.screenshot({ path: join(pictures, "email-code.png") });
    await field.fill(outbox[0]?.code ?? "");
    await page.getByRole("button", { name: "Sign in" }).dblclick();
    await page.waitForURL(`${origin}/`);
    expect((await page.context().cookies()).map(({ name }) => name)).toContain(
      "authjs.session-token",
    );
  });

  it("an e-mail link in another browser shows a button, and its POST sends the origin without a path", async () => {
    const { link } = await ask();
    const page = await (await browser.newContext()).newPage();
    await page.goto(link);
    posts = [];
    if (pictures) await page.screenshot({ path: join(pictures, "email-confirm.png") });
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`${origin}/`);
    expect(posts.map(({ headers }) => [headers.origin, headers.referer])).toEqual([
      [origin, `${origin}/`],
    ]);
    expect(await page.evaluate(() => document.referrer)).not.toContain("token");
  });

  it("a window of another site that closes during a double click presses no button of the page behind it", async () => {
    const { link } = await ask();
    const other = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<button onclick="window.open('/')">Play</button>`);
    });
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const page = await (await browser.newContext()).newPage();
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("button")]);
    await popup.waitForLoadState();
    // The pointer is over the window in front.
    await page.mouse.move(-1, -1);
    await popup.evaluate((url) => {
      (opener as Window).location = url;
    }, link);
    await page.waitForURL(link);
    const button = page.getByRole("button", { name: "Sign in" });
    const { x = 0, y = 0 } = (await button.boundingBox()) ?? {};
    await page.waitForTimeout(1000);
    posts = [];
    await popup.close();
    // The second click of a double click, without a preceding movement.
    const cdp = await page.context().newCDPSession(page);
    const half = { x: x + 9, y: y + 9, button: "left", clickCount: 1 } as const;
    await cdp.send("Input.dispatchMouseEvent", { type: "mousePressed", ...half });
    await page.waitForTimeout(80);
    await cdp.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...half });
    await page.waitForTimeout(100);
    await page.mouse.click(x + 9, y + 9);
    await page.waitForTimeout(500);
    expect([posts.length, page.url()]).toEqual([0, link]);
    // A user who reads the page can press the button after the delay that keeps a double click from
    // posting twice.
    await page.waitForTimeout(3000);
    await page.mouse.click(x + 9, y + 9);
    await page.waitForURL(`${origin}/`);
    expect(posts).toHaveLength(1);
    other.close();
  });

  it("the e-mail fits its width and loads nothing", async () => {
    await ask();
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({
        colorScheme,
        viewport: { width: 600, height: 640 },
      });
      const page = await context.newPage();
      const requests: string[] = [];
      page.on("request", (request) => requests.push(request.url()));
      await page.setContent(outbox[0]?.mail.html ?? "");
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
      );
      expect([overflow, requests]).toEqual([false, []]);
      if (pictures) await page.screenshot({ path: join(pictures, `email-${colorScheme}.png`) });
    }
  });
});
