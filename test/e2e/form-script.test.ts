import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { credentialsPlugin } from "../../plugins/providers/credentials.ts";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/node.ts";
import { definePlugin, type Plugin } from "../../src/kernel.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { closeAll, isLeftOut, launch } from "./_chromium.ts";

// What the other site serves: a widget that is solved at once.
const WIDGET = `export const render = (place, done) => { place.textContent = "solved"; done("good"); };`;

/** The password form with a captcha of another site, as a third-party plugin would add it. */
function captcha(site: string): Plugin {
  const script = `
    import { render } from "${site}/widget.js";
    for (const form of document.querySelectorAll("form[data-live]")) {
      if (form.dataset.live !== import.meta.url) continue;
      const field = form.querySelector("input[name=captcha]");
      const place = document.createElement("p");
      form.prepend(place);
      render(place, (token) => { field.value = token; });
      form.hidden = false;
      form.nextElementSibling.textContent = "";
    }`;
  const integrity = `sha256-${createHash("sha256").update(script).digest("base64")}`;
  return definePlugin({
    name: "captcha",
    setup(kernel) {
      const headers = { "content-type": "text/javascript" };
      kernel.addRoute({
        method: "GET",
        path: "/captcha.js",
        cookies: false,
        handler: () => new Response(script, { headers }),
      });
      kernel.hooks.page.for("signin").tap("captcha", (page, { base }) => ({
        ...page,
        policy: { "script-src": site },
        blocks: page.blocks.map((block) => {
          if (block.kind !== "form" || block.provider !== "credentials") return block;
          const src = `${base}/captcha.js`;
          const texts = { fallback: "Needs JavaScript.", failure: "Not loaded." };
          return { ...block, form: { ...block.form, script: { src, integrity, ...texts } } };
        }),
      }));
    },
  });
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

describe.skipIf(isLeftOut)("a script of a plugin in a browser", () => {
  const server = createServer();
  const other = createServer((_, response) => {
    response.setHeader("content-type", "text/javascript");
    response.setHeader("access-control-allow-origin", "*");
    response.end(WIDGET);
  });
  let browser: Browser;
  let origin: string;
  let context: BrowserContext | undefined;

  beforeAll(async () => {
    browser = await launch();
    const site = await listen(other);
    origin = await listen(server);
    const auth = createAuth({
      secret: "keyhook-test-secret-0123456789abcdef",
      env: { NODE_ENV: "test", AUTH_URL: origin },
      experimental: { enableWebAuthn: true },
      session: { strategy: "jwt" },
      adapter: adapterOn(memoryBackend()),
    })
      .use(passkeyPlugin())
      .use(
        credentialsPlugin({
          credentials: { username: {}, captcha: { type: "hidden" } },
          async authorize({ username, captcha: token }) {
            await new Promise((resolve) => setTimeout(resolve, 300));
            return token === "good" ? { id: String(username), name: String(username) } : null;
          },
        }),
      )
      .use(captcha(site));
    server.on("request", (request, response) =>
      auth.handler(request, response, () => response.end("<!doctype html><h1>home</h1>")),
    );
  });

  afterEach(async () => {
    if (context) await closeAll([context]);
    context = undefined;
  });

  afterAll(async () => {
    await browser?.close();
    server.close();
    other.close();
  });

  it("a captcha of another site protects passwords, next to the passkey form", async () => {
    context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(8000);
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    const posted: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") posted.push(new URL(request.url()).pathname);
    });

    await page.goto(`${origin}/auth/signin`);
    await page.getByText("solved").waitFor();
    // Both forms are shown, each by its own script.
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
    await page.getByLabel("Username").fill("Ada");
    await page
      .getByRole("button", { name: "Sign in", exact: true })
      .click({ clickCount: 2, delay: 120 });
    await page.waitForURL(`${origin}/`);
    const session = await page.evaluate(async () => (await fetch("/auth/session")).json());
    expect(session).toMatchObject({ user: { name: "Ada" } });
    // The passkey script has not handled the other button, and a double click posts once: the
    // service accepts a token once.
    expect(posted).toEqual(["/auth/callback/credentials"]);
    expect(complaints).toEqual([]);
  });
});
