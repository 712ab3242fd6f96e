import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import type { EmailProvider } from "../../plugins/flows/email/provider.ts";
import { nativeApps } from "../../plugins/security/native-apps.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/node.ts";
import { credentials, SECRET } from "../_app.ts";
import { toChallenge, VERIFIER } from "../security/_native-apps.ts";
import { isLeftOut, launch } from "./_chromium.ts";

async function serve(listener: RequestListener): Promise<{ server: Server; origin: string }> {
  const server = createServer(listener);
  server.listen(0, "localhost");
  await once(server, "listening");
  return { server, origin: `http://localhost:${(server.address() as AddressInfo).port}` };
}

const oauth = (id: string, name: string) => ({
  ...{ id, name, type: "oauth", clientId: "client", clientSecret: "secret" },
  ...{ authorization: "https://idp.example/authorize", token: "https://idp.example/token" },
  ...{ userinfo: "https://idp.example/userinfo", profile: () => ({ id: "1" }) },
});

// A window of another site covers a page of this site, and closes between the two clicks of a
// double click.
describe.skipIf(isLeftOut)("the second click of a double click", () => {
  const posts: string[] = [];
  let browser: Browser;
  let app: Awaited<ReturnType<typeof serve>>;
  let other: Awaited<ReturnType<typeof serve>>;

  beforeAll(async () => {
    let handler: RequestListener = () => {};
    app = await serve((request, response) => {
      if (request.method === "POST") posts.push((request.url ?? "").split("?", 1)[0] ?? "");
      handler(request, response);
    });
    other = await serve((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<button onclick="window.open('/')">Play</button>`);
    });
    const mail: EmailProvider = {
      ...{ id: "mail", name: "Mail", type: "email" },
      sendVerificationRequest: () => {},
    };
    const apps = { ios: { name: "Acme for iOS", redirectUris: ["com.acme.app:/signed-in"] } };
    const auth = createAuth({
      secret: SECRET,
      env: { NODE_ENV: "test", AUTH_URL: app.origin },
      session: { strategy: "database" },
      providers: [
        mail,
        credentials(),
        ...["one", "two", "three"].map((id) => oauth(id, `Site ${id}`)),
      ],
    })
      .use(memoryStore())
      .use(storeAdapter())
      .use(nativeApps({ apps }));
    handler = (request, response) => auth.handler(request, response, () => response.end("Home"));
    browser = await launch();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    for (const one of [app, other]) one?.server.close();
  });

  async function signIn(): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${app.origin}/auth/signin`);
    await page.getByLabel("Username").fill("ada");
    await page.getByLabel("Password").fill("lovelace");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL(`${app.origin}/`);
    return page;
  }

  const authorize = `/auth/authorize?${new URLSearchParams({
    ...{ response_type: "code", client_id: "ios", redirect_uri: "com.acme.app:/signed-in" },
    ...{ code_challenge: toChallenge(VERIFIER), code_challenge_method: "S256" },
  })}`;

  it.each([
    ["links no account", "/auth/account", /^Connect Site one/, "/auth/signin/one"],
    ["ends no session", "/auth/account", "Sign out of other sessions", "/auth/account"],
    ["ends no session of a list", "/auth/account", /^Sign out of the session/, "/auth/account"],
    // The link would open in the browser that requested it.
    [
      "requests no link for an address that another site fills in",
      "/auth/signin?email=mallory%40evil.example",
      "Email me a sign-in link",
      "/auth/signin/mail",
    ],
    ["allows no app", authorize, "Allow", "/auth/authorize"],
  ])(
    "%s, but a click of a user who has seen the page does: %s %s",
    async (_, path, name, action) => {
      await signIn();
      const page = await signIn();
      await page.goto(other.origin);
      const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("button")]);
      await popup.waitForLoadState();
      // The pointer is over the window in front.
      await page.mouse.move(-1, -1);
      await popup.evaluate((url) => {
        (opener as Window).location = url;
      }, app.origin + path);
      await page.waitForURL(app.origin + path);
      const button = page.getByRole("button", { name }).first();
      await button.scrollIntoViewIfNeeded();
      const { x = 0, y = 0, width = 0, height = 0 } = (await button.boundingBox()) ?? {};
      await page.waitForTimeout(700);
      posts.length = 0;
      await popup.close();
      await page.mouse.click(x + width / 2, y + height / 2);
      await page.waitForTimeout(300);
      expect(posts).toEqual([]);
      await page.waitForTimeout(400);
      await page.mouse.click(x + width / 2, y + height / 2);
      await expect.poll(() => posts).toEqual([action]);
    },
  );

  it("continued clicks do not press a button of a page that loads under the pointer", async () => {
    const page = await signIn();
    await page.goto(other.origin);
    await page.mouse.move(5, 5);
    await page.goto(app.origin + authorize);
    const button = page.getByRole("button", { name: "Allow" });
    const { x = 0, y = 0 } = (await button.boundingBox()) ?? {};
    posts.length = 0;
    for (let clicks = 0; clicks < 12; clicks++) {
      await page.mouse.click(x + 9, y + 9, { delay: 60 });
      await page.waitForTimeout(150);
    }
    expect(posts).toEqual([]);
    await page.waitForTimeout(600);
    await page.mouse.click(x + 9, y + 9, { delay: 60 });
    await expect.poll(() => posts).toEqual(["/auth/authorize"]);
  });
});
