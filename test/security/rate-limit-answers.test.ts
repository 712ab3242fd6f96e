import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  createLimiter,
  CredentialsLocked,
  rateLimit,
  TooManyAttempts,
} from "../../plugins/security/rate-limit.ts";
import { minimalPreset } from "../../presets/minimal.ts";
import { createAuthClient } from "../../src/client.ts";
import { AuthError, CredentialsSignin } from "../../src/errors.ts";
import type { AuthContext, Plugin } from "../../src/kernel.ts";
import type { Browser } from "../../src/testing/testing.ts";
import { createClock } from "../../src/testing/testing.ts";
import { createTestAuth, LOVELACE, ORIGIN, testPreset } from "../_app.ts";
import { only, parse } from "../pages/_parse.ts";
import { createLimitApp, HERE, type LimitApp, toQuery } from "./_limits.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const languages = await Promise.all(
  globSync("plugins/languages/*.ts", { cwd: root }).map(async (file) => {
    const [make] = Object.values((await import(root + file)) as Record<string, () => Plugin>);
    return (make as () => Plugin)();
  }),
);
const CALLBACK = "/auth/callback/credentials";
const QUERY = "error=CredentialsSignin&code=rate_limited&retry_after=900";

/** Creates an application and a browser that is locked. */
async function createLocked(options: Parameters<typeof createLimitApp>[0] = {}) {
  const app = createLimitApp(options);
  const browser = app.from(HERE);
  await app.fail(browser, 6);
  return { app, browser };
}

async function post(browser: Browser, headers: Record<string, string>, fields = LOVELACE) {
  const csrfToken = await browser.csrfToken();
  return browser.post(CALLBACK, { csrfToken, ...fields }, { headers });
}

describe("the response to credentials that a limit refuses", () => {
  it("a form gets the response to wrong credentials: status, headers and cookies are the same", async () => {
    using _clock = createClock();
    const app = createLimitApp();
    const browser = app.from(HERE);
    const submit = async () => {
      browser.cookies.clear();
      const fields = { ...LOVELACE, password: "no", callbackUrl: "/dashboard" };
      const response = await post(browser, {}, fields);
      const cookies = response.headers.getSetCookie();
      response.headers.delete("location");
      return [response.status, [...response.headers], cookies, await response.text()];
    };
    const wrong = await submit();
    await app.fail(browser, 5);
    expect(await submit()).toEqual(wrong);
    expect(String(wrong[2])).toContain("authjs.callback-url=");
  });

  it("a client that requests the URL as JSON gets the status 429 and Retry-After", async () => {
    using _clock = createClock();
    const { browser } = await createLocked();
    const response = await post(browser, { "x-auth-return-redirect": "1" });
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe("900");
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(await response.json()).toEqual({ url: `${ORIGIN}/auth/signin?${QUERY}` });
  });

  it("a client that accepts only JSON gets the error as JSON, with the status 429 and Retry-After", async () => {
    using _clock = createClock();
    const { browser } = await createLocked();
    const response = await post(browser, { accept: "application/json" });
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "900"]);
    expect(await response.json()).toEqual({
      error: "CredentialsSignin",
      code: "rate_limited",
      message: "Too many attempts. Try again later.",
    });
  });

  it("without a sign-in page the response is JSON, with the status 429 and Retry-After", async () => {
    using _clock = createClock();
    const plugins = testPreset.plugins?.filter(({ name }) => !name.startsWith("pages/"));
    const preset = { name: "bare", plugins: plugins ?? [] };
    const { browser } = await createLocked({ preset, plugins: [rateLimit()] });
    const response = await post(browser, {});
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "900"]);
    expect(await response.json()).toMatchObject({ code: "rate_limited" });
  });

  it("a sign-in page of the application gets error, code and seconds", async () => {
    using _clock = createClock();
    const { browser } = await createLocked({ pages: { signIn: "/login" } });
    const response = await post(browser, {});
    expect(response.headers.get("location")).toBe(`${ORIGIN}/login?${QUERY}`);
  });

  it("a tap of the error hook replaces the response", async () => {
    const { browser } = await createLocked({
      use: [
        {
          name: "own",
          setup: ({ hooks }) =>
            hooks.error.tap("own", (error) =>
              error instanceof CredentialsLocked
                ? new Response(`wait ${error.retryAfter > 0}`, { status: 503 })
                : undefined,
            ),
        },
      ],
    });
    const response = await post(browser, {});
    expect([response.status, await response.text()]).toEqual([503, "wait true"]);
  });

  it("a refused attempt is logged as debug, without the name", async () => {
    const { app } = await createLocked({ errors: "expected" });
    app.log.expectErrors(...Array.from({ length: 5 }, () => "CredentialsSignin"));
    const [refusal] = app.log.debugs.filter(([text]) => text.includes("rate limit"));
    expect(refusal?.[0]).toMatch(/^A rate limit refuses attempts for \d+ s\.$/);
    // As a word: the digits of a request's id or of a hash may spell it.
    expect(JSON.stringify(app.log.debugs)).not.toMatch(/\bada\b/);
  });
});

describe("clients whose attempts a limit refuses", () => {
  const connect = (browser: Browser) =>
    createAuthClient({
      baseUrl: ORIGIN,
      fetch: (url, init) => browser.send(url.slice(ORIGIN.length), { method: "GET", ...init }),
    });

  it("signIn() of keyhook/client returns the error, its code and the status 429", async () => {
    using _clock = createClock();
    const { browser } = await createLocked();
    const result = await connect(browser).signIn("credentials", { ...LOVELACE, redirect: false });
    expect(result).toEqual({
      ok: false,
      error: "CredentialsSignin",
      code: "rate_limited",
      status: 429,
      url: `${ORIGIN}/auth/signin?${QUERY}`,
    });
  });

  // How `signIn` of next-auth/react 5 handles the response.
  it("the response has what the Auth.js client reads: JSON with a URL that contains error and code", async () => {
    const { browser } = await createLocked();
    const csrfToken = await browser.csrfToken();
    const body = new URLSearchParams({ ...LOVELACE, csrfToken, callbackUrl: ORIGIN });
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "x-auth-return-redirect": "1",
    };
    const response = await browser.send(CALLBACK, { method: "POST", body, headers });
    const data = (await response.json()) as { url: string };
    const { searchParams } = new URL(data.url);
    expect([response.ok, response.status]).toEqual([false, 429]);
    expect(searchParams.get("error")).toBe("CredentialsSignin");
    expect(searchParams.get("code")).toBe("rate_limited");
  });
});

describe("server-side sign-ins that a limit refuses", () => {
  const signIn = ({ auth }: LimitApp, password: string, redirect = false) => {
    const req = Object.assign(new Request(ORIGIN), { ip: HERE });
    return auth.signIn({ req }, "credentials", { username: "ada", password, redirect });
  };

  it("auth.signIn() counts its attempts and rejects with a CredentialsSignin of the status 429", async () => {
    using _clock = createClock();
    const app = createLimitApp();
    const codes: unknown[] = [];
    for (let time = 0; time < 7; time++) {
      const error: unknown = await signIn(app, "no", time % 2 === 0).catch((thrown) => thrown);
      codes.push((error as CredentialsSignin).code);
      expect(error).toBeInstanceOf(CredentialsSignin);
    }
    expect(codes.slice(4)).toEqual(["credentials", "rate_limited", "rate_limited"]);
    const error = await signIn(app, LOVELACE.password).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CredentialsLocked);
    expect(error).toMatchObject({
      type: "CredentialsSignin",
      status: 429,
      retryAfter: 900,
      public: true,
    });
    expect(app.authorize).toHaveBeenCalledTimes(5);
  });

  it("auth.signIn() that succeeds forgets the failures", async () => {
    const app = createLimitApp();
    for (let round = 0; round < 3; round++) {
      for (let time = 0; time < 4; time++) await signIn(app, "no").catch(() => {});
      expect(await signIn(app, LOVELACE.password)).toBe(`${ORIGIN}/`);
    }
  });
});

describe("the sign-in page after an attempt that a limit refused", () => {
  const show = async (query: string, language = "en") => {
    const { browser } = createLimitApp({ plugins: languages });
    const headers = { "accept-language": language, accept: "text/html" };
    const response = await browser.get(`/auth/signin?${query}`, { headers });
    const html = await response.text();
    return { html, text: parse(html).texts.join("\n"), lang: only(parse(html), "html").lang };
  };

  it.each([
    ["en", "Too many attempts. Try again in 15 minutes."],
    ["de", "Zu viele Versuche. Versuchen Sie es in 15 Minuten erneut."],
    ["es", "Demasiados intentos. Inténtalo de nuevo en 15 minutos."],
    ["fr", "Trop de tentatives. Réessayez dans 15 minutes."],
    ["ja", "試行回数が多すぎます。15 分後にもう一度お試しください。"],
    ["zh", "尝试次数过多。请在15分钟后重试。"],
    ["ar", "محاولات كثيرة جدًا. مدة الانتظار قبل المحاولة التالية: \u206815 دقيقة\u2069."],
  ])("the page shows how long to wait, in the language %s", async (language, sentence) => {
    const { text, lang } = await show(QUERY, language);
    expect(lang).toBe(language);
    expect(text).toContain(sentence);
  });

  it.each([
    ["1", "in 1 minute."],
    ["61", "in 2 minutes."],
    ["7200", "in 120 minutes."],
    ["7201", "in 3 hours."],
  ])("%s seconds are described as %s", async (seconds, ending) => {
    const { text } = await show(`error=TooManyAttempts&retry_after=${seconds}`);
    expect(text).toContain(`Too many attempts. Try again ${ending}`);
  });

  it.each(["", "0", "-5", "1e9", "99999999", "NaN", "<b>5</b>", "5; drop", "١٥"])(
    "%j seconds in the URL are not shown",
    async (seconds) => {
      const query = new URLSearchParams({ error: "TooManyAttempts", retry_after: seconds });
      const { text, html } = await show(query.toString());
      expect(text).toContain("Too many attempts. Wait a few minutes, then try again.");
      expect(html).not.toContain("{duration}");
      expect(html).not.toContain("<b>5");
    },
  );

  it("wrong credentials are explained as usual", async () => {
    const { text } = await show("error=CredentialsSignin&code=credentials&retry_after=900");
    expect(text).toContain("Check your details");
    expect(text).not.toContain("Too many");
  });

  it("the form is present, and works after the wait", async () => {
    using clock = createClock();
    const { app, browser } = await createLocked();
    const page = await browser.follow(await post(browser, {}));
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain("Too many attempts. Try again in 15 minutes.");
    expect(html).toContain('name="username"');
    clock.advance("15 minutes");
    expect(await app.attempt(browser)).toEqual({});
  });
});

describe("routes without a provider that a limit refuses", () => {
  const routes: Plugin = {
    name: "routes",
    setup(kernel) {
      kernel.addRoute({ method: "POST", path: "/invite", handler: (ctx) => ctx.json("sent") });
      kernel.addRoute({
        method: "POST",
        path: "/invite.json",
        json: true,
        handler: (ctx) => ctx.json("sent"),
      });
    },
  };
  const rule = { by: "client", max: 1, window: 90 } as const;
  const rules = {
    invite: { ...rule, route: "POST /invite" },
    json: { ...rule, route: "POST /invite.json" },
  };

  async function refuse(path: string, accept: string, use: Plugin[] = []) {
    const app = createLimitApp({ use: [routes, rateLimit({ rules }), ...use] });
    const browser = app.from(HERE);
    const csrfToken = await browser.csrfToken();
    const init = { headers: { accept } };
    expect((await browser.post(path, { csrfToken }, init)).status).toBe(200);
    return browser.post(path, { csrfToken }, init);
  }

  it("a form gets a page with the status 429, the wait and Retry-After", async () => {
    using _clock = createClock();
    const response = await refuse("/auth/invite", "text/html");
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "90"]);
    expect(response.headers.get("content-security-policy")).toContain("default-src");
    const { texts } = parse(await response.text());
    expect(texts).toContain("Too many attempts. Try again in 2 minutes.");
  });

  it.each(["application/json", "text/html", "*/*"])(
    "a JSON route gets JSON, even if the client accepts %s",
    async (accept) => {
      using _clock = createClock();
      const response = await refuse("/auth/invite.json", accept);
      expect([response.status, response.headers.get("retry-after")]).toEqual([429, "90"]);
      expect(await response.json()).toEqual({
        error: "TooManyAttempts",
        message: "Too many attempts. Try again later.",
      });
    },
  );

  it("a refused client call rejects with the error's type and status", async () => {
    const app = createLimitApp({ use: [routes, rateLimit({ rules })] });
    const browser = app.from(HERE);
    const { call } = createAuthClient({
      baseUrl: ORIGIN,
      fetch: (url, init) => browser.send(url.slice(ORIGIN.length), { method: "GET", ...init }),
    });
    expect(await call("/invite.json", {})).toBe("sent");
    await expect(call("/invite.json", {})).rejects.toMatchObject({
      type: "TooManyAttempts",
      status: 429,
    });
  });

  it.each([true, false])(
    "a plugin that limits its own route sets Retry-After without any rule, json: %s",
    async (json) => {
      const { browser, log } = createTestAuth({
        preset: minimalPreset,
        providers: [],
        errors: "allowed",
        use: [
          {
            name: "own",
            setup: (kernel) => {
              const limiter = createLimiter(kernel, "own");
              kernel.addError(TooManyAttempts);
              const handler = async (ctx: AuthContext) => {
                if (await limiter({ max: 1, window: 30 }, "all").add()) {
                  throw new TooManyAttempts("The invitations of a minute are used up.", 29.5);
                }
                return ctx.json("sent");
              };
              kernel.addRoute({ method: "GET", path: "/invite", ...(json && { json }), handler });
            },
          },
        ],
      });
      await browser.get("/auth/invite");
      const refused = await browser.get("/auth/invite");
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "30"]);
      expect(await refused.json()).toMatchObject({
        error: "TooManyAttempts",
        message: "There were too many requests. Try again later.",
      });
      expect(log.errors).toEqual([]);
    },
  );

  it("the error is a public AuthError of the status 429", () => {
    const error = new TooManyAttempts("no", 5);
    expect(error).toBeInstanceOf(AuthError);
    expect(error).toMatchObject({
      type: "TooManyAttempts",
      status: 429,
      public: true,
      kind: "signIn",
      level: "debug",
      retryAfter: 5,
    });
    expect(toQuery(new Response())).toEqual({});
  });
});
