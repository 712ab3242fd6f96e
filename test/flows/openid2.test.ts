import { describe, expect, it } from "vitest";
import { steamPlugin } from "../../plugins/providers/steam.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { customFetch } from "../../src/kernel.ts";
import { type Browser, diagnose } from "../../src/testing.ts";
import { createTestAuth, locationOf, ORIGIN, queryOf } from "../_app.ts";
import { createSteam, ENDPOINT, type Fields, ID, KEY, NAMESPACE, SIGNED } from "./_steam.ts";

function createApp(options: { apiKey?: string } = { apiKey: KEY }) {
  const steam = createSteam();
  const app = createTestAuth({
    store: memoryBackend(),
    providers: [],
    use: [steamPlugin({ ...options, [customFetch]: steam.fetch }), databaseStrategy()],
  });
  return { ...app, steam };
}

async function start(browser: Browser): Promise<URL> {
  return new URL(locationOf(await browser.signIn("steam")));
}

const comeBack = (browser: Browser, request: URL, fields: Fields) => {
  const url = new URL(request.searchParams.get("openid.return_to") ?? "");
  for (const [name, value] of Object.entries(fields)) url.searchParams.append(name, value);
  return browser.get(url.href);
};

describe("sign-in by OpenID 2.0 with Steam", () => {
  it("the request asks Steam for the visitor's id, and to return to this attempt", async () => {
    const { browser } = createApp();
    const request = await start(browser);
    expect(request.origin + request.pathname).toBe(ENDPOINT);
    const fields = Object.fromEntries(request.searchParams);
    expect(fields).toEqual({
      "openid.ns": NAMESPACE,
      "openid.mode": "checkid_setup",
      "openid.claimed_id": `${NAMESPACE}/identifier_select`,
      "openid.identity": `${NAMESPACE}/identifier_select`,
      "openid.realm": ORIGIN,
      "openid.return_to": expect.stringMatching(
        /^http:\/\/localhost:3000\/auth\/callback\/steam\?state=[\w-]{22}$/,
      ),
    });
  });

  it("a response that Steam confirms signs the player in, with name and picture", async () => {
    const { browser, steam } = createApp();
    const request = await start(browser);
    await comeBack(browser, request, steam.respond(request));
    expect(await browser.session()).toMatchObject({
      user: { name: "Ada", image: "https://avatars.example/ada.jpg" },
    });
    expect(steam.requests.map(({ method }) => method)).toEqual(["POST", "GET"]);
  });

  it("the same player is the same user the next time", async () => {
    const { browser, openBrowser, steam } = createApp();
    const names: unknown[] = [];
    for (const visitor of [browser, openBrowser()]) {
      const request = await start(visitor);
      await comeBack(visitor, request, steam.respond(request));
      names.push(((await visitor.session()) as { user?: unknown }).user);
    }
    expect(names[1]).toEqual(names[0]);
  });

  it("two sign-ins in progress in one browser both complete", async () => {
    const { browser, steam } = createApp();
    for (const request of [await start(browser), await start(browser)]) {
      const response = await comeBack(browser, request, steam.respond(request));
      expect(queryOf(response)).toEqual({});
    }
  });

  it("without a key the id is known, and no profile is requested", async () => {
    const { browser, steam } = createApp({});
    const request = await start(browser);
    await comeBack(browser, request, steam.respond(request));
    expect(await browser.session()).toMatchObject({ user: { name: null } });
    expect(steam.requests).toHaveLength(1);
  });

  it("a visitor who cancels at Steam is not signed in", async () => {
    const { browser, log } = createApp();
    const request = await start(browser);
    const fields = { "openid.ns": NAMESPACE, "openid.mode": "cancel" };
    const response = await comeBack(browser, request, fields);
    expect(queryOf(response).error).toBe("AccessDenied");
    log.errors.length = 0;
  });
});

const CHANGED: [title: string, over: Fields][] = [
  ["asserts nothing", { "openid.mode": "setup_needed" }],
  ["is of version 1 of the protocol", { "openid.ns": "http://openid.net/signon/1.1" }],
  ["names another endpoint", { "openid.op_endpoint": "https://evil.example/openid/login" }],
  ["is for another site", { "openid.return_to": "https://evil.example/auth/callback/steam" }],
  ["is for another attempt", { "openid.return_to": `${ORIGIN}/auth/callback/steam?state=other` }],
  ["leaves the identifier unsigned", { "openid.signed": SIGNED.replace("claimed_id,", "") }],
  ["leaves the nonce unsigned", { "openid.signed": SIGNED.replace("response_nonce,", "") }],
  [
    "claims an identifier of another host",
    {
      "openid.claimed_id": `https://evil.example/openid/id/${ID}`,
      "openid.identity": `https://evil.example/openid/id/${ID}`,
    },
  ],
  [
    "claims an identifier that continues",
    {
      "openid.claimed_id": `https://steamcommunity.com/openid/id/${ID}/../1`,
      "openid.identity": `https://steamcommunity.com/openid/id/${ID}/../1`,
    },
  ],
  [
    "claims an identifier that begins elsewhere",
    {
      "openid.claimed_id": `https://evil.example/?https://steamcommunity.com/openid/id/${ID}`,
      "openid.identity": `https://evil.example/?https://steamcommunity.com/openid/id/${ID}`,
    },
  ],
  ["has two identifiers", { "openid.identity": "https://steamcommunity.com/openid/id/1" }],
  ["is an hour old", { "openid.response_nonce": "2026-01-01T00:00:00Zold" }],
  ["has no time", { "openid.response_nonce": "unique" }],
];

describe("a response of OpenID 2.0 is refused", () => {
  const expectRefused = async (
    { browser, log }: ReturnType<typeof createApp>,
    response: Response,
  ) => {
    expect(queryOf(response).error).toBe("OpenId2CallbackError");
    expect(await browser.session()).toBeNull();
    expect(log.errors.splice(0)).toMatchObject([{ type: "OpenId2CallbackError" }]);
  };

  it.each(CHANGED)("if it %s, even if Steam confirms it", async (_, over) => {
    const app = createApp();
    const request = await start(app.browser);
    const response = await comeBack(app.browser, request, app.steam.respond(request, over));
    await expectRefused(app, response);
    expect(app.steam.requests).toEqual([]);
  });

  it("if another player's id was inserted", async () => {
    const app = createApp();
    const request = await start(app.browser);
    const claimed = "https://steamcommunity.com/openid/id/1";
    const forged = { "openid.claimed_id": claimed, "openid.identity": claimed };
    const fields = { ...app.steam.respond(request), ...forged };
    await expectRefused(app, await comeBack(app.browser, request, fields));
  });

  it("if it repeats a parameter", async () => {
    const app = createApp();
    const request = await start(app.browser);
    const url = new URL(request.searchParams.get("openid.return_to") ?? "");
    for (const [name, value] of Object.entries(app.steam.respond(request))) {
      url.searchParams.append(name, value);
    }
    // This server and Steam could each read a different one.
    url.searchParams.append("openid.sig", url.searchParams.get("openid.sig") ?? "");
    await expectRefused(app, await app.browser.get(url.href));
    expect(app.steam.requests).toEqual([]);
  });

  // A server in PHP, or one that ignores case, would read the attacker's own response.
  it.each(["openid.claimed.id", "openid.Claimed_id", "openid.claimed_id\0", "openid.claimed id"])(
    "if a server could mistake a parameter for another one: %j",
    async (name) => {
      const app = createApp();
      const request = await start(app.browser);
      const own = "https://steamcommunity.com/openid/id/1";
      const fields = app.steam.respond(request, { [name]: own });
      await expectRefused(app, await comeBack(app.browser, request, fields));
      expect(app.steam.requests).toEqual([]);
    },
  );

  it("if it was issued for another browser", async () => {
    const app = createApp();
    const request = await start(app.openBrowser());
    await start(app.browser);
    const response = await comeBack(app.browser, request, app.steam.respond(request));
    expect(queryOf(response).error).toBe("InvalidCheck");
    expect(await app.browser.session()).toBeNull();
    app.log.expectErrors("InvalidCheck");
  });

  it("if it was used before, in a separate attempt", async () => {
    const app = createApp();
    const nonce = { "openid.response_nonce": `${new Date().toISOString().slice(0, 19)}Zsame` };

    const other = app.openBrowser();
    const request = await start(other);
    await comeBack(other, request, app.steam.respond(request, nonce));
    const again = await start(app.browser);
    await expectRefused(app, await comeBack(app.browser, again, app.steam.respond(again, nonce)));
  });

  it.each([
    ["denies it", `ns:${NAMESPACE}\nis_valid:false\n`, 200],
    ["contradicts itself", `ns:${NAMESPACE}\nis_valid:false\nis_valid:true\n`, 200],
    ["hides its denial", `ns:${NAMESPACE}\nerror:is_valid:true\nis_valid:false\n`, 200],
    ["does not name the protocol", "is_valid:true\n", 200],
    ["confirms it by an error", `ns:${NAMESPACE}\nis_valid:true\n`, 403],
    ["says nothing", "", 200],
  ])("if Steam %s", async (_, text, status) => {
    const app = createApp();
    Object.assign(app.steam, { verdict: () => text, status });
    const request = await start(app.browser);
    const response = await comeBack(app.browser, request, app.steam.respond(request));
    await expectRefused(app, response);
  });

  it.each([
    ["no player", undefined],
    ["another player", { steamid: "1", personaname: "Eve" }],
  ])("if the profile belongs to %s", async (_, player) => {
    const app = createApp();
    app.steam.player = player;
    const request = await start(app.browser);
    const response = await comeBack(app.browser, request, app.steam.respond(request));
    await expectRefused(app, response);
  });
});

describe("Steam that cannot be reached", () => {
  it("the visitor learns that it is unreachable, and the log does not contain its key", async () => {
    const { browser, steam, log } = createApp();
    const request = await start(browser);
    const fields = steam.respond(request);
    steam.status = 502;
    const response = await comeBack(browser, request, fields);
    expect(queryOf(response).error).toBe("OpenId2Unreachable");
    expect(await browser.session()).toBeNull();
    const logged = log.errors.splice(0);
    expect(logged).toMatchObject([{ type: "OpenId2Unreachable" }]);
    expect(logged.map(({ message, stack }) => message + stack).join()).not.toContain(KEY);
  });
});

it("an account of another user is explained even if no OAuth flow is used", async () => {
  const { browser } = createApp();
  const headers = { accept: "text/html" };
  const page = await browser.get("/auth/error?error=OAuthAccountNotLinked", { headers });
  expect(page.status).toBe(409);
  expect(await page.text()).toContain("Account already exists");
  const late = await browser.get("/auth/error?error=OpenId2Unreachable", { headers });
  expect(await late.text()).toContain("Service unavailable");
});

describe("the configuration of a provider of OpenID 2.0", () => {
  it.each([
    [{ endpoint: "http://steamcommunity.com/openid/login" }, /`endpoint`.*https/],
    [
      { claimedId: "https://steamcommunity.com/openid/id/" },
      /`claimedId` without exactly one "\{id\}"/,
    ],
    [{ claimedId: "steam/{id}" }, /`claimedId`.*https/],
    [{ userinfo: { url: "api", id: "id" } }, /`userinfo\.url`.*https/],
  ])("%o is refused at boot", (options, message) => {
    const { auth } = createTestAuth({ providers: [], use: [steamPlugin(options)] });
    const { faults } = diagnose(auth);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toMatch(message);
    expect(faults[0]?.message).toContain('"steam"');
  });

  it("reads the key from AUTH_STEAM_KEY", async () => {
    const steam = createSteam();
    const { browser } = createTestAuth({
      store: memoryBackend(),
      providers: [],
      env: { NODE_ENV: "test", AUTH_STEAM_KEY: KEY },
      use: [steamPlugin({ [customFetch]: steam.fetch }), databaseStrategy()],
    });
    const request = await start(browser);
    await comeBack(browser, request, steam.respond(request));
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });
});
