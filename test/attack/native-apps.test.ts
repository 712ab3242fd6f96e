import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { locationOf, ORIGIN } from "../_app.ts";
import {
  allow,
  authorizePath,
  createNativeTest,
  getToken,
  IOS_URI,
  type NativeTest,
  readForm,
  redemption,
  signIn,
  startDevice,
  submitForm,
  type TokenResponse,
} from "../security/_native-apps.ts";
import { EVIL, expectSafe, givesSession, runs, watchRejections, wellFormed } from "./_attack.ts";

watchRejections();

async function open(): Promise<NativeTest> {
  const test = createNativeTest();
  await signIn(test.web.browser);
  return test;
}

const redeem = async (test: NativeTest, fields: Record<string, string>) => {
  const response = await test.post("/auth/token", fields);
  return (await response.json()) as TokenResponse;
};

const getCode = async (test: NativeTest, path?: string) =>
  (await allow(test.web.browser, path)).searchParams.get("code") ?? "";

describe("a browser is never redirected to an unregistered URI", () => {
  const uris = [
    `https://${EVIL}/`,
    `${IOS_URI}/`,
    `${IOS_URI}?x`,
    `${IOS_URI}#x`,
    "com.acme.app:/",
    "com.acme.app:/signed-in/../other",
    "COM.ACME.APP:/signed-in",
    ` ${IOS_URI}`,
    `${IOS_URI}\n`,
    "javascript:alert(1)//com.acme.app:/signed-in",
    "https://acme.example/app",
    `https://acme.example@${EVIL}/app?from=web`,
    `https://acme.example.${EVIL}/app?from=web`,
    `https://acme.example:444/app?from=web`,
    "http://127.0.0.1:1/callback",
    "",
  ];
  const loopback = [
    `http://127.0.0.1:80@${EVIL}/callback`,
    `http://127.0.0.1.${EVIL}/callback`,
    "http://127.0.0.1:99999/callback",
    "http://127.0.0.1:123456/callback",
    "http://127.0.0.1:/callback",
    "http://127.0.0.1:80/callback/..",
    "http://127.0.0.1:80/other",
    "http://127.0.0.1:80\\@evil.example/callback",
    "http://127.0.0.2:80/callback",
    "http://localhost:80/callback",
    "http://[::2]:80/callback",
    "https://127.0.0.1:80/callback",
  ];
  const all = [...uris.map((uri) => ["ios", uri]), ...loopback.map((uri) => ["cli", uri])];
  it.each(all)("%s at %j gets an error page", async (client, uri) => {
    const test = await open();
    const path = authorizePath({ client_id: client, redirect_uri: uri });
    for (const browser of [test.web.browser, test.web.openBrowser()]) {
      const response = await browser.get(path);
      expect(response.status).toBe(400);
      expect(response.headers.get("location")).toBeNull();
      await expectSafe(response);
    }
  });

  it.each(["", "IOS", "constructor", "__proto__", "ios ", "ios\0"])(
    "the client %j gets an error page",
    async (client) => {
      const test = await open();
      const response = await test.web.browser.get(authorizePath({ client_id: client }));
      expect([response.status, response.headers.get("location")]).toEqual([400, null]);
    },
  );

  it.each(["client_id", "redirect_uri"])("two values of %s get an error page", async (name) => {
    const test = await open();
    const value = name === "client_id" ? "cli" : `https://${EVIL}/`;
    for (const path of [
      `${authorizePath()}&${new URLSearchParams({ [name]: value })}`,
      `${authorizePath()}&${new URLSearchParams({ [name]: "ios" })}`,
    ]) {
      const response = await test.web.browser.get(path);
      expect([response.status, response.headers.get("location")]).toEqual([400, null]);
    }
  });
});

describe("a request that violates the standards leads to the app with an error and no code", () => {
  const requests: [over: Record<string, string | undefined>, error: string][] = [
    [{ response_type: "token" }, "unsupported_response_type"],
    [{ response_type: undefined }, "invalid_request"],
    [{ code_challenge: undefined }, "invalid_request"],
    [{ code_challenge: "short" }, "invalid_request"],
    [{ code_challenge_method: "plain" }, "invalid_request"],
    [{ code_challenge_method: undefined }, "invalid_request"],
    [{ state: "x".repeat(1000) }, "invalid_request"],
  ];
  it.each(requests)("a request with %j gets an error of the type %s", async (over, error) => {
    const test = await open();
    const { browser } = test.web;
    const path = authorizePath(over);
    const csrfToken = await browser.csrfToken();
    const answers = [await browser.get(path), await browser.post(path, { csrfToken, allow: "1" })];
    for (const response of answers) {
      const url = new URL(response.headers.get("location") ?? "");
      expect(url.href.startsWith(`${IOS_URI}?`)).toBe(true);
      expect(url.searchParams.get("error")).toBe(error);
      expect(url.searchParams.get("code")).toBeNull();
    }
  });

  // A link to this site must not redirect to an app with text of the link's author (RFC 9700 section 4.11.2).
  it.each(requests.slice(0, -1))(
    "a request with %j leads a visitor without a session to the sign-in page first",
    async (over, error) => {
      const test = await open();
      const stranger = test.web.openBrowser();
      const path = authorizePath({ ...over, state: "phishing" });
      const response = await stranger.get(path);
      const page = new URL(response.headers.get("location") ?? "");
      expect(page.pathname).toBe("/auth/signin");
      const json = await stranger.get(path, { headers: { accept: "application/json" } });
      expect(json.status).toBe(401);
      expect(await json.text()).not.toContain("com.acme.app");
      await signIn(stranger);
      const again = await stranger.get(page.searchParams.get("callbackUrl") ?? "");
      const url = new URL(again.headers.get("location") ?? "");
      expect(url.href.startsWith(`${IOS_URI}?`)).toBe(true);
      expect(url.searchParams.get("error")).toBe(error);
    },
  );

  it("two values of `state` are refused, and neither is returned", async () => {
    const test = await open();
    const response = await test.web.browser.get(`${authorizePath()}&state=other`);
    const url = new URL(response.headers.get("location") ?? "");
    expect([url.searchParams.get("error"), url.searchParams.get("state")]).toEqual([
      "invalid_request",
      null,
    ]);
  });
});

describe("only the user can approve an app", () => {
  it("a GET, a HEAD or a POST without the page's token gives no code", async () => {
    const test = await open();
    const { browser } = test.web;
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    const csrfToken = await browser.csrfToken();
    const send = (init: RequestInit) =>
      test.web.auth.fetch(new Request(ORIGIN + authorizePath(), init));
    const body = () => new URLSearchParams({ allow: "1" });
    const responses = [
      await send({ headers: { cookie } }),
      await send({ method: "HEAD", headers: { cookie } }),
      await send({ method: "POST", headers: { cookie }, body: body() }),
      await send({
        method: "POST",
        headers: { cookie, origin: `https://${EVIL}` },
        body: new URLSearchParams({ allow: "1", csrfToken }),
      }),
    ];
    for (const { headers } of responses)
      expect(headers.get("location") ?? "").not.toContain("code=");
    test.web.log.expectErrors("MissingCSRF", "MissingCSRF");
    expect((await browser.post(authorizePath(), { csrfToken })).headers.get("location")).toContain(
      "error=access_denied",
    );
  });

  it("the form of one user does not approve it for another user who has signed in since", async () => {
    const test = await open();
    const { browser } = test.web;
    const { action, fields } = readForm(await (await browser.get(authorizePath())).text());
    await browser.signOut();
    const signedOut = await browser.post(action, fields);
    expect(locationOf(signedOut)).toBe(`${authorizePath()}&error=MissingCSRF`);
    await signIn(browser);
    const response = await browser.post(action, fields);
    expect(locationOf(response)).toBe(`${authorizePath()}&error=MissingCSRF`);
    test.web.log.expectErrors("MissingCSRF", "MissingCSRF");
    // The same question with a valid form.
    const page = await browser.get(`${authorizePath()}&error=MissingCSRF`);
    expect(await page.clone().text()).toContain('role="alert"');
    expect((await submitForm(browser, page)).headers.get("location")).toContain("code=");
  });

  // Pages of this site have links to the URL in their query, so another site may lead a window to them.
  it.each(["cross-site", "same-site", "same-origin"])(
    "if a %s page leads a window to the page with its own device's code, the user must type the code",
    async (site) => {
      const test = await open();
      const { user_code: code, verification_uri_complete: uri } = await startDevice(test);
      const show = async (headers: HeadersInit) => {
        const page = await test.web.browser.get(uri.replace(ORIGIN, ""), { headers });
        return page.text();
      };
      expect(await show({ "sec-fetch-site": site })).not.toContain(code);
      expect(await show({ "sec-fetch-site": site, accept: "application/json" })).not.toContain(
        code,
      );
      expect(await show({ "sec-fetch-site": "none" })).toContain(`value="${code}"`);
    },
  );

  it("the pages cannot be framed, and neither they nor the redirect to the app are cached", async () => {
    const test = await open();
    const { browser } = test.web;
    const page = await browser.get(authorizePath());
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(page.headers.get("x-frame-options")).toBe("DENY");
    const led = await submitForm(browser, page.clone());
    for (const { headers } of [page, led, await browser.get("/auth/device")]) {
      expect(headers.get("cache-control")).toMatch(/no-store/);
    }
  });
});

describe("a code is bound to its request", () => {
  const others: [what: string, over: Record<string, string>][] = [
    ["another app", { client_id: "cli" }],
    ["another redirect URI", { redirect_uri: "https://acme.example/app?from=web" }],
    ["another verifier", { code_verifier: "x".repeat(43) }],
  ];
  it.each(others)("%s cannot redeem it, and uses it up", async (_, over) => {
    const test = await open();
    const code = await getCode(test);
    expect(await redeem(test, redemption(code, over))).toEqual({ error: "invalid_grant" });
    expect(await redeem(test, redemption(code))).toEqual({ error: "invalid_grant" });
  });

  it("an app on loopback can redeem it only with the port that the browser was redirected to", async () => {
    const test = await open();
    const cli = { client_id: "cli", redirect_uri: "http://127.0.0.1:4000/callback" };
    const code = await getCode(test, authorizePath(cli));
    const other = { ...cli, redirect_uri: "http://127.0.0.1:4001/callback" };
    expect(await redeem(test, redemption(code, other))).toEqual({ error: "invalid_grant" });
  });

  it("a code is accepted once in all processes that share the store", async () => {
    const store = memoryBackend();
    const [one, two] = [createNativeTest({ store }), createNativeTest({ store })];
    await signIn(one.web.browser);
    const code = await getCode(one);
    const all = await Promise.all(
      [one, two, one, two].map((test) => redeem(test, redemption(code))),
    );
    expect(all.filter(({ error }) => error === undefined).length).toBeLessThan(2);
    expect(await redeem(two, redemption(code))).toEqual({ error: "invalid_grant" });
  });

  it("a device code is not accepted as an app's code, nor the other way round", async () => {
    const test = await open();
    const code = await getCode(test);
    const { device_code: deviceCode } = await startDevice(test);
    expect((await redeem(test, redemption(deviceCode))).error).toBe("invalid_grant");
    const grant = "urn:ietf:params:oauth:grant-type:device_code";
    const fields = { grant_type: grant, client_id: "cli", device_code: code };
    expect((await redeem(test, fields)).error).toMatch(/invalid_grant|expired_token/);
  });
});

describe("the token endpoint is for apps, not for browsers", () => {
  it("the token endpoint neither reads nor sets cookies, so it fixes and ends no session of a browser", async () => {
    const test = await open();
    const victim = test.web.openBrowser();
    await signIn(victim);
    const code = await getCode(test);
    const cookie = [...victim.cookies].map((pair) => pair.join("=")).join("; ");
    const response = await test.post("/auth/token", redemption(code), { cookie });
    expect(response.status).toBe(200);
    expect(givesSession(response)).toBe(false);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await victim.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it.each([
    [{ grant_type: "password" }, "unsupported_grant_type"],
    [{ grant_type: "" }, "unsupported_grant_type"],
    [{ code_verifier: "short" }, "invalid_request"],
    [{ code_verifier: "x".repeat(129) }, "invalid_request"],
    [{ client_id: "other" }, "invalid_client"],
    [{ code: "unknown" }, "invalid_grant"],
  ])("%j gets the error of RFC 6749: %s", async (over, error) => {
    const test = createNativeTest();
    const response = await test.post("/auth/token", redemption("x", over));
    expect([response.status, (await response.json()) as object]).toMatchObject([400, { error }]);
    expect(response.headers.get("cache-control")).toContain("no-store");
  });

  it("a body that is malformed, or repeats a field, is an invalid request", async () => {
    const test = createNativeTest();
    const send = (body: string, type: string) =>
      test.web.auth.fetch(
        new Request(`${ORIGIN}/auth/token`, {
          method: "POST",
          body,
          headers: { "content-type": type },
        }),
      );
    const form = "application/x-www-form-urlencoded";
    for (const [body, type] of [
      ["client_id=ios&client_id=cli", form],
      ["{", "application/json"],
      ["[]", "application/json"],
      ["client_id=ios", "text/plain"],
      ['{"client_id":{"$ne":null}}', "application/json"],
    ] as const) {
      const response = await send(body, type);
      expect([body, response.status, await response.json()]).toMatchObject([
        body,
        400,
        { error: "invalid_request" },
      ]);
    }
  });

  it("the store contains neither a code's approval nor a token as plain text", async () => {
    const values: string[] = [];
    const inner = memoryBackend();
    const store = {
      ...inner,
      putIfAbsent: (key: string, value: string, expires?: number) => {
        values.push(value);
        return inner.putIfAbsent(key, value, expires);
      },
      compareAndSet: (key: string, expected: string, value: string, expires?: number) => {
        values.push(value);
        return inner.compareAndSet(key, expected, value, expires);
      },
    };
    const test = createNativeTest({ store, strategy: "database" });
    await signIn(test.web.browser);
    values.splice(0);
    const browserToken = test.web.browser.cookies.get("authjs.session-token") ?? "?";
    const { access_token: token } = await getToken(test);
    const grants = values.filter((value) => value.includes('"challenge"'));
    expect(grants.length).toBeGreaterThan(2);
    for (const value of grants) {
      expect(value).not.toContain(browserToken);
      expect(value).not.toContain(token);
    }
  });
});

describe("properties of the pages for native apps", () => {
  const odd = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }).map(wellFormed),
    fc.constantFrom(
      '"><script>alert(1)</script>',
      "\r\nset-cookie: x=y",
      "javascript:alert(1)",
      `//${EVIL}`,
      "{name}",
      "%0d%0a",
    ),
  );
  const names = ["response_type", "client_id", "redirect_uri", "code_challenge", "state", "scope"];

  it("a parameter of a request appears in redirects and pages only as data", async () => {
    const test = await open();
    const { browser } = test.web;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), odd, async (name, value) => {
        const response = await browser.get(authorizePath({ [name]: value }));
        const location = response.headers.get("location");
        if (location !== null) {
          // oxlint-disable-next-line no-control-regex -- that is the attack
          expect(location).not.toMatch(/[\u0000-\u0020\u007f-\uffff"<>]/);
          expect(location.startsWith(`${IOS_URI}?`)).toBe(true);
          if (name === "state") expect(new URL(location).searchParams.get("state")).toBe(value);
          return;
        }
        const html = await response.text();
        expect(html).not.toMatch(/<script|<img|javascript:alert\(1\)"/);
        if (response.status !== 200) return;
        const { action } = readForm(html);
        expect(action.startsWith("/auth/authorize?")).toBe(true);
        const led = new URL(
          (await submitForm(browser, new Response(html))).headers.get("location") ?? "",
        );
        expect(led.href.startsWith(`${IOS_URI}?`)).toBe(true);
        if (name === "state") expect(led.searchParams.get("state")).toBe(value);
      }),
      runs(60),
    );
  });

  it("any text typed as a device code is a code or an error, and is never echoed", async () => {
    const test = await open();
    const { browser } = test.web;
    await fc.assert(
      fc.asyncProperty(odd, async (value) => {
        const query = new URLSearchParams({ user_code: value, error: value });
        await expectSafe(await browser.get(`/auth/device?${query}`));
        const csrfToken = await browser.csrfToken();
        const response = await browser.post("/auth/device", { csrfToken, user_code: value });
        expect(locationOf(response)).toBe("/auth/device?error=InvalidUserCode");
      }),
      runs(30),
    );
  });
});
