import { describe, expect, it, vi } from "vitest";
import type { AccountData } from "../../plugins/pages/account.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { definePlugin, type JWT } from "../../src/kernel.ts";
import { createClock } from "../../src/testing/testing.ts";
import { locationOf, LOVELACE, ORIGIN } from "../_app.ts";
import {
  allow,
  authorizePath,
  createNativeTest,
  getToken,
  IOS_URI,
  type NativeOptions,
  type NativeTest,
  redemption,
  signIn,
  startDevice,
  submitForm,
  toChallenge,
  type TokenResponse,
  typeCode,
  VERIFIER,
} from "./_native-apps.ts";

const STRATEGIES: [name: string, options: NativeOptions][] = [
  ["jwt", { strategy: "jwt" }],
  ["jwt without an adapter", { strategy: "jwt", stored: false }],
  ["database", { strategy: "database" }],
  [
    "database of a plain adapter",
    { strategy: "database", without: ["getSessionStart", "limitSessions"] },
  ],
  ["hybrid", { strategy: "hybrid" }],
];
const STORED = STRATEGIES.filter(([name]) => name === "database" || name === "hybrid");

async function open(options: NativeOptions = {}): Promise<NativeTest> {
  const test = createNativeTest(options);
  await signIn(test.web.browser);
  return test;
}

const redeem = async (test: NativeTest, fields: Record<string, string>) => {
  const response = await test.post("/auth/token", fields);
  return { status: response.status, body: (await response.json()) as TokenResponse, response };
};

const getCode = async (test: NativeTest, path?: string) =>
  (await allow(test.web.browser, path)).searchParams.get("code") ?? "";

describe.each(STRATEGIES)("an app signs in under the strategy %s", (name, options) => {
  it("the browser is redirected to the app with a code, which the app redeems for its own session", async () => {
    const test = await open(options);
    const { browser } = test.web;
    const page = await browser.get(authorizePath());
    const html = await page.text();
    expect(html).toContain("Acme for iOS wants to sign in as ada@example.com.");
    const url = await allow(browser);
    expect(url.href.split("?")[0]).toBe(IOS_URI);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/) as string,
      state: "st 1&/",
      iss: `${ORIGIN}/auth`,
    });
    const { status, body, response } = await redeem(
      test,
      redemption(url.searchParams.get("code") ?? ""),
    );
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w.-]+$/) as string,
      token_type: "Bearer",
      expires_in: expect.any(Number) as number,
    });
    expect(body.expires_in).toBeGreaterThan(2_591_000);
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await test.session(body.access_token)).toMatchObject({ user: { name: "Ada" } });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("the app's session and the browser's session end independently", async () => {
    const test = await open(options);
    const { access_token: token } = await getToken(test);
    await test.web.browser.signOut();
    expect(await test.session(token)).toMatchObject({ user: { name: "Ada" } });
    if (name.startsWith("jwt")) return;
    const headers = { authorization: `Bearer ${token}` };
    const out = new Request(`${ORIGIN}/api/auth/signout`, { method: "POST", headers });
    await test.api.auth.fetch(out);
    await signIn(test.web.browser);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
    expect(await test.session(token)).toBeNull();
    expect(await test.web.browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("a code is valid for one request: a second request ends the session that the first got", async () => {
    const test = await open(options);
    const code = await getCode(test);
    const { body } = await redeem(test, redemption(code));
    const second = await redeem(test, redemption(code));
    expect([second.status, second.body]).toEqual([400, { error: "invalid_grant" }]);
    expect(test.web.log.warnings).toContain("native-app-code-reused");
    if (name.startsWith("jwt")) return;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
    expect(await test.session(body.access_token)).toBeNull();
    expect(await test.web.browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("of many concurrent requests with one code, at most one gets a token, and the code is used up", async () => {
    const test = await open(options);
    const code = await getCode(test);
    const all = await Promise.all(Array.from({ length: 20 }, () => redeem(test, redemption(code))));
    const got = all.filter(({ status }) => status === 200);
    expect(got.length).toBeLessThan(2);
    if (name.startsWith("jwt")) return;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
    for (const { body } of got) expect(await test.session(body.access_token)).toBeNull();
  });

  it("a code is valid for a minute", async () => {
    const test = await open(options);
    const code = await getCode(test);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
    expect((await redeem(test, redemption(code))).body).toEqual({ error: "invalid_grant" });
  });

  it("the session of the app is no fresher than the sign-in in the browser", async () => {
    const fresh = definePlugin({
      name: "test/fresh",
      setup(kernel) {
        kernel.addRoute({
          method: "GET",
          path: "/fresh",
          auth: "fresh",
          handler: (ctx) => ctx.json("fresh"),
        });
      },
    });
    const test = await open({ ...options, session: { freshAge: 600 }, both: [fresh] });
    const ask = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await test.api.auth.fetch(new Request(`${ORIGIN}/api/auth/fresh`, { headers })))
        .status;
    };
    const now = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: now + 300_000 });
    const { access_token: token } = await getToken(test);
    expect(await ask(token)).toBe(200);
    vi.setSystemTime(now + 601_000);
    expect(await ask(token)).toBe(401);
  });
});

describe.each(STORED)(
  "changes between the consent and the redemption of the code, under %s",
  (_, options) => {
    const refused = { status: 400, body: { error: "invalid_grant" } };

    it("after a sign-out in the browser, the code gives no session", async () => {
      const test = await open(options);
      const code = await getCode(test);
      await test.web.browser.signOut();
      expect(await redeem(test, redemption(code))).toMatchObject(refused);
    });

    it("if the user's sessions were ended elsewhere, as for a disabled user, the code gives no session", async () => {
      const test = await open(options);
      const code = await getCode(test);
      const userId = (await test.web.getUserId()) ?? "";
      await test.web.adapter.deleteSessionsByUserId?.(userId);
      expect(await redeem(test, redemption(code))).toMatchObject(refused);
    });

    it.each([0, -60_000])(
      "if the user has ended all other sessions since, in the same browser, the code gives no session: %i ms",
      async (skew) => {
        using clock = createClock();
        const test = await open(options);
        const { browser } = test.web;
        const code = await getCode(test);
        const csrfToken = await browser.csrfToken();
        // By a process with a different clock.
        clock.advance(skew);
        await browser.post("/auth/account", { csrfToken, sessions: "others" });
        clock.advance(-skew);
        expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
        expect(await redeem(test, redemption(code))).toMatchObject(refused);
      },
    );

    it("for a removed user, or one whose address has changed, the code gives no session", async () => {
      for (const change of ["deleteUser", "updateUser"] as const) {
        const test = await open(options);
        const code = await getCode(test);
        const id = (await test.web.getUserId()) ?? "";
        if (change === "deleteUser") await test.web.adapter.deleteUser?.(id);
        else await test.web.adapter.updateUser?.({ id, email: "eve@example.com" });
        expect(await redeem(test, redemption(code))).toMatchObject(refused);
      }
    });

    it("after the owner of the address has proved it, the code gives no session", async () => {
      const test = await open(options);
      const code = await getCode(test);
      const id = (await test.web.getUserId()) ?? "";
      const emailVerified = new Date(Date.now() + 1000);
      await test.web.adapter.updateUser?.({ id, emailVerified });
      expect(await redeem(test, redemption(code))).toMatchObject(refused);
    });

    it("the session of the app is listed and ended on the account page, like other sessions", async () => {
      const test = await open(options);
      const { access_token: token } = await getToken(test);
      const { browser } = test.web;
      const headers = { accept: "application/json" };
      const { data } = (await (await browser.get("/auth/account", { headers })).json()) as {
        data: AccountData;
      };
      expect(data.sessions).toHaveLength(2);
      // Not by the requests of the app.
      const names = data.sessions.map(({ current, description }) => [current, description]);
      expect(names).toEqual([
        [true, null],
        [false, "Acme for iOS"],
      ]);
      const session = data.sessions.find(({ current }) => !current)?.id ?? "";
      const csrfToken = await browser.csrfToken();
      await browser.post("/auth/account", { csrfToken, session });
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
      expect(await test.session(token)).toBeNull();
      expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    });

    it("`absoluteMaxAge` counts from the sign-in in the browser", async () => {
      const test = await open({ ...options, session: { absoluteMaxAge: 1000 } });
      const now = Date.now();
      vi.useFakeTimers({ toFake: ["Date"], now: now + 600_000 });
      const { access_token: token, expires_in: seconds } = await getToken(test);
      expect(seconds).toBeLessThanOrEqual(400);
      expect(seconds).toBeGreaterThan(390);
      expect(await test.session(token)).toMatchObject({ user: { name: "Ada" } });
      vi.setSystemTime(now + 1_001_000);
      expect(await test.session(token)).toBeNull();
    });
  },
);

describe("`absoluteMaxAge` on an adapter that does not store when a session began", () => {
  const plain: NativeOptions = { strategy: "database", without: ["getSessionStart"] };
  const session = { freshAge: 600 };
  const dated = { ...plain, session: { ...session, absoluteMaxAge: 10_000 } };

  it("counts from the sign-in in the browser, also after that session stops being fresh", async () => {
    const test = await open(dated);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 9_000_000 });
    const { expires_in: seconds } = await getToken(test);
    expect(seconds).toBeLessThanOrEqual(1000);
    expect(seconds).toBeGreaterThan(990);
  });

  it("refuses consent in a session without a known start", async () => {
    const store = memoryBackend();
    const before = await open({ ...plain, session, store });
    const { browser } = createNativeTest({ ...dated, store }).web;
    const name = "authjs.session-token";
    browser.cookies.set(name, before.web.browser.cookies.get(name) ?? "");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 601_000 });
    const response = await submitForm(browser, await browser.get(authorizePath()));
    expect(locationOf(response)).toContain("error=SessionRequired");
  });
});

it("a user who allows very many apps is refused for a while, on the pages and for devices", async () => {
  const test = await open();
  const { browser } = test.web;
  for (let at = 0; at < 50; at++) expect(await getCode(test)).not.toBe("");
  const limited = await submitForm(browser, await browser.get(authorizePath()));
  expect(locationOf(limited)).toMatch(/[?&]error=TooManyAttempts/);
  const asked = await typeCode(browser, (await startDevice(test)).user_code);
  expect(locationOf(await submitForm(browser, asked.clone()))).toMatch(/[?&]error=TooManyAttempts/);
  expect((await submitForm(browser, asked, { deny: "1" })).status).toBe(200);
  expect(
    (await submitForm(browser, await browser.get(authorizePath()), { deny: "1" })).status,
  ).toBe(302);
});

it("the `jwt` callback that returns null for a user gives an app no session", async () => {
  let isDisabled = false;
  const callbacks = { jwt: ({ token }: { token: JWT }) => (isDisabled ? null : token) };
  const test = await open({ strategy: "jwt", callbacks });
  const code = await getCode(test);
  isDisabled = true;
  expect((await redeem(test, redemption(code))).body).toEqual({ error: "invalid_grant" });
});

describe("users of e-mail links under the strategy jwt, whose sessions cannot be ended", () => {
  async function openMailed() {
    const test = createNativeTest({ preset: standardPreset, mail: {}, strategy: "jwt" });
    const { web } = test;
    await web.requestLink();
    await web.followLink();
    const user = await web.adapter.getUserByEmail?.("ada@example.com");
    return { test, browser: web.browser, id: user?.id ?? "" };
  }

  it("the app's session has the verified address, and is valid for a user that a link created", async () => {
    const { test } = await openMailed();
    const { access_token: token } = await getToken(test);
    const other = test.web.openBrowser();
    other.cookies.set("authjs.session-token", token);
    expect(await other.session()).toMatchObject({ user: { email: "ada@example.com" } });
  });

  it("a session from before the owner has proved the address cannot consent", async () => {
    const { test, browser, id } = await openMailed();
    const page = await browser.get(authorizePath());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10_000 });
    await test.web.adapter.updateUser?.({ id, emailVerified: new Date() });
    const response = await submitForm(browser, page);
    expect(locationOf(response)).toContain("error=SessionRequired");
  });
});

it("a visitor without a session signs in first, and returns to the same question", async () => {
  const test = createNativeTest();
  const { browser } = test.web;
  const response = await browser.get(authorizePath());
  const target = new URL(response.headers.get("location") ?? "");
  expect(target.pathname).toBe("/auth/signin");
  const callbackUrl = target.searchParams.get("callbackUrl") ?? "";
  expect(callbackUrl).toBe(ORIGIN + authorizePath());
  const signedIn = await browser.signInWith("credentials", { ...LOVELACE, callbackUrl });
  expect(signedIn.headers.get("location")).toBe(callbackUrl);
  expect((await allow(browser)).searchParams.get("code")).toMatch(/./);
});

it("a user who denies it is redirected to the app with an error and no code", async () => {
  const test = await open();
  const { browser } = test.web;
  const page = await browser.get(authorizePath());
  const response = await submitForm(browser, page, { deny: "1" });
  const url = new URL(response.headers.get("location") ?? "");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    error: "access_denied",
    state: "st 1&/",
    iss: `${ORIGIN}/auth`,
  });
});

it("an application's own page reads and decides the question as JSON", async () => {
  const test = await open();
  const { browser } = test.web;
  const headers = { accept: "application/json" };
  const page = await browser.get(authorizePath(), { headers });
  expect(await page.json()).toMatchObject({
    name: "authorize",
    data: { app: "Acme for iOS", user: "ada@example.com" },
  });
  const answer = await browser.send(authorizePath(), {
    method: "POST",
    json: { allow: "1" },
    headers,
  });
  const { url } = (await answer.json()) as { url: string };
  expect(url).toMatch(/^com\.acme\.app:\/signed-in\?code=/);
  const signedOut = await test.web.openBrowser().get(authorizePath(), { headers });
  expect(signedOut.status).toBe(401);
});

it("the event `signIn` names the app, and session callbacks recognize the session by the account type", async () => {
  const seen: unknown[] = [];
  const test = await open({
    strategy: "database",
    events: { signIn: ({ account }) => void seen.push([account?.provider, account?.type]) },
  });
  await getToken(test);
  expect(seen).toEqual([
    ["credentials", "credentials"],
    ["ios", "native-app"],
  ]);
});

it("a redirect URI with a query keeps it, and one on loopback may have any port", async () => {
  const test = await open();
  const web = { redirect_uri: "https://acme.example/app?from=web" };
  const url = await allow(test.web.browser, authorizePath(web));
  expect([url.origin, url.searchParams.get("from")]).toEqual(["https://acme.example", "web"]);
  for (const uri of ["http://127.0.0.1:49152/callback", "http://[::1]:8080/callback"]) {
    const cli = { client_id: "cli", redirect_uri: uri };
    const code = await getCode(test, authorizePath(cli));
    const { status } = await redeem(test, redemption(code, cli));
    expect([uri, status]).toEqual([uri, 200]);
  }
});

it("the policy of the page lets its form redirect to the app, and otherwise only to https", async () => {
  const test = await open();
  const read = async (over: Record<string, string>) => {
    const { headers } = await test.web.browser.get(authorizePath(over));
    return /form-action ([^;]*)/.exec(headers.get("content-security-policy") ?? "")?.[1];
  };
  expect(await read({})).toBe("'self' com.acme.app:");
  const cli = { client_id: "cli", redirect_uri: "http://[::1]:1/callback" };
  expect(await read(cli)).toBe("'self' http:");
});

it("an Auth with second factors asks for the code first: the app gets no session before", async () => {
  const { secondFactor } = await import("../../plugins/security/second-factor.ts");
  const test = createNativeTest({ use: [secondFactor({ required: true })] });
  const { browser } = test.web;
  const callbackUrl = ORIGIN + authorizePath();
  const paused = await browser.signInWith("credentials", { ...LOVELACE, callbackUrl });
  expect(locationOf(paused)).toBe("/auth/second-factor");
  const response = await browser.get(authorizePath());
  expect(locationOf(response)).toMatch(/^\/auth\/signin/);
});

it("a code is refused with another verifier, such as its challenge (the method `plain`)", async () => {
  const test = await open();
  const code = await getCode(test);
  const over = { code_verifier: toChallenge(VERIFIER) };
  expect((await redeem(test, redemption(code, over))).body.error).toBe("invalid_grant");
  // After a wrong verifier, the code is no longer valid.
  expect((await redeem(test, redemption(code))).body.error).toBe("invalid_grant");
});
