import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { bearer } from "../../plugins/security/bearer.ts";
import { nativeApps } from "../../plugins/security/native-apps.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/node.ts";
import { credentials, SECRET } from "../_app.ts";
import { toChallenge, VERIFIER } from "../security/_native-apps.ts";
import { isLeftOut, launch } from "./_chromium.ts";

const SCHEME = "com.acme.app";

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

describe.skipIf(isLeftOut)("native apps that sign in through the pages, in a browser", () => {
  let browser: Browser;
  let app: Awaited<ReturnType<typeof serve>>;
  let origin: string;
  let command: Awaited<ReturnType<typeof serve>>;
  /** Requests of the browser to a command-line tool after redirects. */
  const led: URL[] = [];

  beforeAll(async () => {
    let handler: RequestListener = () => {};
    app = await serve((request, response) => handler(request, response));
    origin = `http://localhost:${app.port}`;
    command = await serve((request, response) => {
      led.push(new URL(request.url ?? "/", "http://127.0.0.1"));
      response.end("Signed in. Close this page.");
    });
    const store = memoryStore();
    const config = { secret: SECRET, env: { NODE_ENV: "test", AUTH_URL: origin } };
    const apps = {
      ios: { name: "Acme for iOS", redirectUris: [`${SCHEME}:/signed-in`] },
      cli: { name: "Acme CLI", redirectUris: ["http://127.0.0.1/callback"], device: true },
    };
    const pages = createAuth({ ...config, providers: [credentials()] })
      .use(store)
      .use(storeAdapter())
      .use(nativeApps({ apps }));
    const api = createAuth({ ...config, basePath: "/api/auth" })
      .use(store)
      .use(storeAdapter())
      .use(bearer());
    handler = (request, response) => {
      const isApi = request.url?.startsWith("/api/");
      (isApi ? api : pages).handler(request, response, () => response.end("Home"));
    };
    browser = await launch();
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await command?.close();
  });

  const open = async (path: string): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(origin + path);
    // The page that the app opened in the browser follows the sign-in.
    await page.getByLabel("Username").fill("ada");
    await page.getByLabel("Password").fill("lovelace");
    await page.getByRole("button", { name: /^Sign in/ }).click();
    return page;
  };

  const authorize = (client_id: string, redirect_uri: string): string =>
    `/auth/authorize?${new URLSearchParams({
      ...{ response_type: "code", client_id, redirect_uri, state: "st 1&/" },
      ...{ code_challenge: toChallenge(VERIFIER), code_challenge_method: "S256" },
    })}`;

  const redeem = async (fields: Record<string, string>) => {
    const body = new URLSearchParams(fields);
    return (await fetch(`${origin}/auth/token`, { method: "POST", body })).json();
  };

  const readName = async (token: string): Promise<string | undefined> => {
    const headers = { authorization: `Bearer ${token}` };
    const session = await (await fetch(`${origin}/api/auth/session`, { headers })).json();
    return session?.user?.name;
  };

  it("a command-line tool that listens on a free port gets a code for the user who signs in and allows it", async () => {
    const uri = `http://127.0.0.1:${command.port}/callback`;
    const page = await open(authorize("cli", uri));
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${uri}?**`);
    const { searchParams } = led.at(-1) ?? new URL(origin);
    expect(searchParams.get("state")).toBe("st 1&/");
    const { access_token: token } = await redeem({
      ...{ grant_type: "authorization_code", client_id: "cli", redirect_uri: uri },
      ...{ code: searchParams.get("code") ?? "", code_verifier: VERIFIER },
    });
    expect(await readName(token)).toBe("Ada");
  });

  it("the policy of the page lets its form redirect to the scheme of an app", async () => {
    const page = await open(authorize("ios", `${SCHEME}:/signed-in`));
    const violations: string[] = [];
    page.on("console", (message) => {
      if (/Content Security Policy/.test(message.text())) violations.push(message.text());
    });
    const answer = page.waitForResponse((one) => one.request().method() === "POST");
    await page.getByRole("button", { name: "Allow" }).click();
    const { location = "" } = await (await answer).allHeaders();
    expect(location.startsWith(`${SCHEME}:/signed-in?`)).toBe(true);
    expect(violations).toEqual([]);
  });

  it("a device gets a token after its user has compared the code and allowed it", async () => {
    const body = new URLSearchParams({ client_id: "cli" });
    const started = await fetch(`${origin}/auth/device-authorization`, { method: "POST", body });
    const { device_code, user_code, verification_uri_complete: uri } = await started.json();
    const ask = () =>
      redeem({
        ...{ grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id: "cli" },
        device_code,
      });
    expect(await ask()).toMatchObject({ error: "authorization_pending" });
    const page = await open(uri.slice(origin.length));
    // After the sign-in, the user types the code.
    await page.waitForURL(uri);
    expect(await page.getByRole("textbox").inputValue()).toBe("");
    await page.goto(uri);
    expect(await page.getByRole("textbox").inputValue()).toBe(user_code);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText(user_code, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("You’re signed in on your device.").waitFor();
    expect(await readName((await ask()).access_token)).toBe("Ada");
  });

  it.each([
    ["navigates its opener to the page of its own device", [], (uri: string) => uri],
    [
      "navigates its opener to a page whose link opens the page of its own device",
      ["Stay signed in"],
      (uri: string) => `${new URL("/auth/signout", uri)}?callbackUrl=${encodeURIComponent(uri)}`,
    ],
  ])("a window of another site that %s gets no token by clicks alone", async (_, links, lead) => {
    const other = await serve((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<button onclick="window.open('/')">Play</button>`);
    });
    const body = new URLSearchParams({ client_id: "cli" });
    const started = await fetch(`${origin}/auth/device-authorization`, { method: "POST", body });
    const { device_code, verification_uri_complete: uri } = await started.json();
    const page = await open("/auth/account");
    await page.getByRole("heading", { name: "Ada" }).or(page.getByText("Ada")).first().waitFor();
    await page.goto(`http://127.0.0.1:${other.port}/`);
    const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("button")]);
    await popup.waitForLoadState();
    await popup.evaluate((url) => {
      (opener as Window).location = url;
    }, lead(uri));
    await page.waitForURL(lead(uri));
    await popup.close();
    // What the second clicks of double clicks press.
    for (const name of links) await page.getByRole("link", { name }).click();
    await page.waitForURL(uri);
    await page.getByRole("button", { name: "Continue" }).click();
    expect(await page.getByRole("textbox").inputValue()).toBe("");
    expect(await page.getByRole("button", { name: "Allow" }).count()).toBe(0);
    expect(
      await redeem({
        ...{ grant_type: "urn:ietf:params:oauth:grant-type:device_code", client_id: "cli" },
        device_code,
      }),
    ).toEqual({ error: "authorization_pending" });
    await other.close();
  });
});
