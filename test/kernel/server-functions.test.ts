import { describe, expect, it, vi } from "vitest";
import {
  CallbackRouteError,
  CredentialsSignin,
  MissingRequest,
  Refused,
} from "../../src/errors/errors.ts";
import { type AuthConfig, type JWT, type Plugin, skipCSRFCheck } from "../../src/kernel.ts";
import {
  acme,
  createTestAuth,
  credentials,
  identityFlow,
  LOVELACE,
  ORIGIN,
  SECRET,
} from "../_app.ts";

const call = (headers: Record<string, string> = {}, path = "/page") =>
  new Request(ORIGIN + path, { headers });

/** Builds an event like those of h3. */
const buildEvent = (headers: Record<string, string> = {}) => ({
  req: call(headers),
  res: { headers: new Headers() },
});

const toCookieHeader = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");

describe("auth.signIn()", () => {
  it("signIn() needs no CSRF token, because the application's own code calls it", async () => {
    const { auth } = createTestAuth();
    const response = (await auth.signIn(call(), "credentials", {
      ...LOVELACE,
      redirectTo: "/welcome",
    })) as Response;
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/welcome`);
    expect(await auth.getSession(call({ cookie: toCookieHeader(response.headers) }))).toMatchObject(
      {
        user: { name: "Ada" },
      },
    );
  });

  it("signIn() with `redirect: false` returns the target and writes cookies to the event", async () => {
    const { auth } = createTestAuth();
    const event = buildEvent();
    const target = await auth.signIn(event, "credentials", {
      ...LOVELACE,
      redirect: false,
      redirectTo: "/welcome",
    });
    expect(target).toBe(`${ORIGIN}/welcome`);
    expect(toCookieHeader(event.res.headers)).toContain("authjs.session-token=");
    expect(event.res.headers.get("cache-control")).toContain("no-store");
  });

  it("signIn() keeps an event with cookies out of every cache, whatever the application set before (R10)", async () => {
    const { auth } = createTestAuth();
    const event = buildEvent();
    event.res.headers.set("cache-control", "public, x-note=no-store");
    event.res.headers.set("cdn-cache-control", "max-age=600");
    event.res.headers.set("surrogate-control", "max-age=600");
    await auth.signIn(event, "credentials", LOVELACE);
    expect(event.res.headers.get("cache-control")).toBe("private, no-store");
    expect(event.res.headers.has("cdn-cache-control")).toBe(false);
    expect(event.res.headers.has("surrogate-control")).toBe(false);
  });

  it("signIn() writes cookies to the event only, not also to the Response", async () => {
    const { auth } = createTestAuth();
    const event = buildEvent();
    const response = (await auth.signIn(event, "credentials", LOVELACE)) as Response;
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(toCookieHeader(event.res.headers)).toContain("authjs.session-token=");
  });

  it("signIn() accepts a form, whose fields do not change its options", async () => {
    const { auth } = createTestAuth();
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...LOVELACE, redirect: "false" })) {
      form.set(name, value);
    }
    const answer = await auth.signIn(call(), "credentials", form);
    expect((answer as Response).headers.get("location")).toBe(`${ORIGIN}/`);
  });

  it("signIn() redirects to the current page by default, unless it is foreign", async () => {
    const { auth } = createTestAuth();
    const options = { ...LOVELACE, redirect: false };
    const here = { referer: `${ORIGIN}/deep?x=1` };
    expect(await auth.signIn(call(here), "credentials", options)).toBe(`${ORIGIN}/deep?x=1`);
    const foreign = { referer: "https://evil.example/" };
    expect(await auth.signIn(call(foreign), "credentials", options)).toBe(ORIGIN + "/");
  });

  it("signIn() redirects to the current page if `redirectTo` of a form is empty or a file", async () => {
    const { auth } = createTestAuth();
    for (const redirectTo of ["", new File(["/there"], "there")]) {
      const form = new FormData();
      for (const [name, value] of Object.entries(LOVELACE)) form.set(name, value);
      form.set("redirectTo", redirectTo);
      const request = call({ referer: `${ORIGIN}/here` });
      const response = (await auth.signIn(request, "credentials", form)) as Response;
      expect(response.headers.get("location")).toBe(`${ORIGIN}/here`);
    }
  });

  it("signIn() without a provider awaits the redirect callback", async () => {
    const { auth } = createTestAuth({
      callbacks: { redirect: async ({ baseUrl }) => `${baseUrl}/decided` },
    });
    const target = await auth.signIn(call(), undefined, { redirect: false });
    expect(new URL(target as string).searchParams.get("callbackUrl")).toBe(`${ORIGIN}/decided`);
  });

  it("signIn() redirects to the sign-in page without a provider or with an unknown one", async () => {
    const { auth } = createTestAuth();
    for (const provider of [undefined, "nobody", "__proto__", ""]) {
      expect(await auth.signIn(call(), provider, { redirect: false, redirectTo: "/x" })).toBe(
        `${ORIGIN}/auth/signin?callbackUrl=${encodeURIComponent(`${ORIGIN}/x`)}`,
      );
    }
    const own = createTestAuth({ pages: { signIn: "/login" } });
    expect(await own.auth.signIn(call(), undefined, { redirect: false })).toMatch(
      /^http:\/\/localhost:3000\/login\?callbackUrl=/,
    );
  });

  it("signIn() with an unknown provider suggests a name in the log", async () => {
    const said: string[] = [];
    const logger = { warn: (_code: string, text?: string) => void said.push(text ?? "") };
    const signIn = async (provider: string | undefined, config: AuthConfig = {}) => {
      const { auth } = createTestAuth({ logger, ...config });
      await auth.signIn(call(), provider, { redirect: false });
      return said.splice(0).filter((text) => text.includes("no provider"));
    };
    expect(await signIn("credentails")).toEqual([
      'auth.signIn(): there is no provider "credentails". Did you mean "credentials"?',
    ]);
    expect(await signIn("x".repeat(9000))).toEqual([
      `auth.signIn(): there is no provider "${"x".repeat(64)}".`,
    ]);
    for (const none of [undefined, ""]) expect(await signIn(none)).toEqual([]);
    // The request may come from a visitor.
    const env = { NODE_ENV: "production", AUTH_URL: ORIGIN, AUTH_SECRET: SECRET };
    expect(await signIn("credentails", { env })).toEqual([]);
  });

  it("signIn() rejects with the AuthError of a refused sign-in, which is also logged (SPEC Errors)", async () => {
    const { auth, log } = createTestAuth();
    const wrong = auth.signIn(call(), "credentials", { username: "ada", password: "no" });
    await expect(wrong).rejects.toThrow(CredentialsSignin);
    log.expectErrors("CredentialsSignin");
  });

  it("signIn() wraps any other error in an AuthError with the original as its cause", async () => {
    const reason = new RangeError("broken");
    const { auth, log } = createTestAuth({
      providers: [
        credentials({
          authorize() {
            throw reason;
          },
        }),
      ],
    });
    const error = await auth.signIn(call(), "credentials", {}).catch((it: unknown) => it);
    expect(error).toBeInstanceOf(CallbackRouteError);
    expect((error as CallbackRouteError).cause?.err).toBe(reason);
    log.expectErrors("CallbackRouteError");
  });

  it("signIn() passes further options as fields (for credentials the declared ones), and `authorize` receives a separate request", async () => {
    let seen: unknown;
    const { auth } = createTestAuth({
      providers: [
        credentials({
          async authorize(fields, request) {
            seen = { fields, method: request.method, url: request.url, body: await request.json() };
            return { id: "7" };
          },
        }),
      ],
    });
    await auth.signIn(call({ "x-real-ip": "1.2.3.4" }), "credentials", {
      username: "ada",
      nested: { deep: [1] },
    });
    const fields = { username: "ada" };
    expect(seen).toEqual({
      fields,
      method: "POST",
      url: `${ORIGIN}/auth/callback/credentials`,
      body: fields,
    });
  });

  it("signIn() starts the flow of other provider types, with authorization parameters in any form", async () => {
    const seen: string[] = [];
    const { auth } = createTestAuth({
      providers: [acme()],
      use: [
        {
          name: "starts",
          setup: (kernel) =>
            kernel.addFlow("oauth", {
              start(ctx) {
                seen.push(ctx.url.search);
                return ctx.redirect("https://acme.example/authorize");
              },
            }),
        },
      ],
    });
    const params = { prompt: "login", login_hint: "a b" };
    for (const given of [
      new URLSearchParams(params).toString(),
      `?${new URLSearchParams(params)}`,
      params,
      new URLSearchParams(params),
      Object.entries(params),
    ]) {
      const target = await auth.signIn(call(), "acme", { redirect: false }, given);
      expect(target).toBe("https://acme.example/authorize");
    }
    expect(new Set(seen)).toEqual(new Set(["?prompt=login&login_hint=a+b"]));
  });

  it("signIn() ignores the X-Auth-Return-Redirect header of the page's request", async () => {
    const { auth } = createTestAuth();
    const response = (await auth.signIn(
      call({ "x-auth-return-redirect": "1" }),
      "credentials",
      LOVELACE,
    )) as Response;
    expect(response.status).toBe(302);
  });

  it("signIn() adds cookies to a response with immutable headers", async () => {
    const { auth } = createTestAuth({
      providers: [acme()],
      use: [
        {
          name: "starts",
          setup: (kernel) =>
            kernel.addFlow("oauth", {
              start: () => Response.redirect("https://acme.example/authorize"),
            }),
        },
      ],
    });
    const response = (await auth.signIn(call(), "acme", { redirectTo: "/x" })) as Response;
    expect(response.headers.get("location")).toBe("https://acme.example/authorize");
    expect(toCookieHeader(response.headers)).toContain("authjs.callback-url=");
  });

  it("signIn() does not read the body of the page's request", async () => {
    const { auth } = createTestAuth();
    const request = new Request(`${ORIGIN}/action`, { method: "POST", body: "a=1" });
    const target = await auth.signIn(request, "credentials", { ...LOVELACE, redirect: false });
    expect(target).toBe(`${ORIGIN}/`);
    expect(await request.text()).toBe("a=1");
  });
});

describe("auth.signOut()", () => {
  const signedIn = async (config: AuthConfig = {}) => {
    const app = createTestAuth(config);
    const entered = (await app.auth.signIn(call(), "credentials", LOVELACE)) as Response;
    return { ...app, cookie: toCookieHeader(entered.headers) };
  };

  it("signOut() ends the session and redirects", async () => {
    const { auth, cookie } = await signedIn();
    const response = (await auth.signOut(call({ cookie }), { redirectTo: "/bye" })) as Response;
    expect(response.headers.get("location")).toBe(`${ORIGIN}/bye`);
    expect(response.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(/^authjs\.session-token=; Max-Age=0/),
    );
  });

  it("signOut() with `redirect: false` returns the target", async () => {
    const { auth, cookie } = await signedIn();
    const event = buildEvent({ cookie, referer: `${ORIGIN}/here` });
    expect(await auth.signOut(event, { redirect: false })).toBe(`${ORIGIN}/here`);
    expect(toCookieHeader(event.res.headers)).toContain("authjs.session-token=");
  });

  it("signOut() emits the signOut event with the ended session", async () => {
    const ended: unknown[] = [];
    const { auth, cookie } = await signedIn({
      events: { signOut: (message) => void ended.push(message) },
    });
    await auth.signOut(call({ cookie }));
    expect(ended).toEqual([{ token: expect.objectContaining({ name: "Ada", sub: "1" }) }]);
  });

  it("signOut() without a session redirects and emits no event", async () => {
    const ended: unknown[] = [];
    const { auth } = createTestAuth({ events: { signOut: (message) => void ended.push(message) } });
    expect(await auth.signOut(call(), { redirect: false })).toBe(`${ORIGIN}/`);
    expect(ended).toEqual([]);
  });
});

describe("auth.update()", () => {
  it("update() and unstable_update() change the session", async () => {
    const { auth } = createTestAuth({
      callbacks: {
        jwt: ({ token, trigger, session }) =>
          trigger === "update" ? { ...token, name: (session as { name: string }).name } : token,
      },
    });
    const entered = (await auth.signIn(call(), "credentials", LOVELACE)) as Response;
    const cookie = toCookieHeader(entered.headers);
    for (const verb of [auth.update, auth.unstable_update]) {
      const event = buildEvent({ cookie });
      expect(await verb(event, { name: "Countess" })).toMatchObject({ user: { name: "Countess" } });
      const renewed = toCookieHeader(event.res.headers);
      expect(await auth.getSession(call({ cookie: renewed }))).toMatchObject({
        user: { name: "Countess" },
      });
    }
  });

  it("update() returns null without a session", async () => {
    const { auth } = createTestAuth();
    expect(await auth.update(call(), { name: "x" })).toBeNull();
  });
});

describe("refusals of server-side methods", () => {
  /** A tap of `request` that responds instead of every route, and sets a cookie. */
  const refusing = (response: () => Response): Plugin => ({
    name: "refusing",
    setup: ({ hooks }) =>
      hooks.request.tap("refusing", (ctx) => {
        ctx.cookies.set("seen", "1", { path: "/" });
        return response();
      }),
  });
  const tooMany = () => new Response("Too many attempts.", { status: 429 });

  it.each(["signIn", "signOut", "update"] as const)(
    "%s() rejects with the Response of a tap of `request`, and does nothing else",
    async (method) => {
      const { auth, log } = createTestAuth({
        use: [refusing(tooMany)],
        callbacks: {
          jwt() {
            throw new Error("must not run");
          },
        },
      });
      const event = buildEvent();
      const calls = {
        signIn: () => auth.signIn(event, "credentials", { ...LOVELACE, redirect: false }),
        signOut: () => auth.signOut(event, { redirect: false }),
        update: () => auth.update(event, { name: "x" }),
      };
      const error = await calls[method]().catch((it: unknown) => it);
      expect(error).toBeInstanceOf(Refused);
      const { response, message, type } = error as Refused;
      expect([response.status, await response.text()]).toEqual([429, "Too many attempts."]);
      expect(type).toBe("Refused");
      expect(message).toContain("refused with the status 429");
      // The cookies of the refusal reach the event.
      expect(toCookieHeader(event.res.headers)).toBe("seen=1");
      expect(log.errors).toEqual([]);
    },
  );

  it("update() that a tap of `request` refuses changes no session", async () => {
    let refuses = false;
    const refusesLater: Plugin = {
      name: "refuses-later",
      setup: ({ hooks }) =>
        hooks.request.tap("refuses-later", () => (refuses ? tooMany() : undefined)),
    };
    const jwt = vi.fn(({ token }: { token: JWT }) => token);
    const { auth, browser } = createTestAuth({ use: [refusesLater], callbacks: { jwt } });
    await browser.signInWith("credentials", LOVELACE);
    refuses = true;
    jwt.mockClear();
    const cookie = `authjs.session-token=${browser.cookies.get("authjs.session-token")}`;
    const event = buildEvent({ cookie });
    await expect(auth.update(event, { name: "Eve" })).rejects.toThrow(Refused);
    expect(jwt).not.toHaveBeenCalled();
    expect(event.res.headers.getSetCookie()).toEqual([]);
  });

  it("a refusal of any status rejects, also a redirect", async () => {
    const { auth } = createTestAuth({
      use: [refusing(() => Response.redirect(`${ORIGIN}/maintenance`))],
    });
    const refused = auth.signIn(call(), "credentials", { ...LOVELACE, redirect: false });
    await expect(refused).rejects.toMatchObject({ type: "Refused", response: { status: 302 } });
  });

  it("with `redirect: true` the refusal is returned unchanged, with its cookies", async () => {
    const { auth } = createTestAuth({ use: [refusing(tooMany)] });
    for (const response of [
      await auth.signIn(call(), "credentials", LOVELACE),
      await auth.signOut(call()),
    ] as Response[]) {
      expect([response.status, await response.text()]).toEqual([429, "Too many attempts."]);
      expect(toCookieHeader(response.headers)).toBe("seen=1");
    }
  });

  it("an error Response of a route rejects with `redirect: false`, and is not returned as a URL", async () => {
    const broke: Plugin = {
      name: "broke",
      setup: (kernel) =>
        kernel.addRoute({
          method: "POST",
          path: "/signout",
          replaces: true,
          handler: (ctx) => ctx.json({ message: "down" }, { status: 503 }),
        }),
    };
    const { auth } = createTestAuth({ use: [broke] });
    await expect(auth.signOut(call(), { redirect: false })).rejects.toMatchObject({
      type: "Refused",
      response: { status: 503 },
    });
    expect(((await auth.signOut(call())) as Response).status).toBe(503);
  });

  it("a tap of `request` that returns nothing refuses nothing", async () => {
    const quiet: Plugin = {
      name: "quiet",
      setup: ({ hooks }) => hooks.request.tap("quiet", () => undefined),
    };
    const { auth } = createTestAuth({ use: [quiet] });
    const options = { ...LOVELACE, redirect: false, redirectTo: "/in" };
    expect(await auth.signIn(call(), "credentials", options)).toBe(`${ORIGIN}/in`);
    expect(await auth.update(call(), {})).toBeNull();
  });

  it("a tap of `request` that throws makes the methods reject with its error", async () => {
    const throwing: Plugin = {
      name: "throwing",
      setup: ({ hooks }) =>
        hooks.request.tap("throwing", () => {
          throw new RangeError("limit");
        }),
    };
    const { auth, log } = createTestAuth({ use: [throwing] });
    log.ignoreErrors();
    await expect(auth.signOut(call(), { redirect: false })).rejects.toBeInstanceOf(
      CallbackRouteError,
    );
    await expect(auth.update(call(), {})).rejects.toThrow("limit");
  });
});

describe("auth.csrfToken()", () => {
  it("csrfToken() returns a token for the application's own form and sets its cookie on the event", async () => {
    const { auth, browser } = createTestAuth();
    const event = buildEvent();
    const csrfToken = await auth.csrfToken(event);
    const [name, value] = toCookieHeader(event.res.headers).split("=") as [string, string];
    browser.cookies.set(name, value);
    await browser.post("/auth/callback/credentials", { ...LOVELACE, csrfToken: csrfToken ?? "" });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("csrfToken() also sets the cookie of a signed-in visitor", async () => {
    const { auth, browser } = createTestAuth();
    await browser.signInWith("credentials", LOVELACE);
    const cookie = `authjs.session-token=${browser.cookies.get("authjs.session-token")}`;
    const event = buildEvent({ cookie });
    const token = await auth.csrfToken(event);
    expect(toCookieHeader(event.res.headers)).toContain(`authjs.csrf-token=${token}`);
  });

  it("csrfToken() returns the browser's existing token, and undefined when CSRF checks are off", async () => {
    const { auth, browser } = createTestAuth();
    const known = await browser.csrfToken();
    const cookie = `authjs.csrf-token=${browser.cookies.get("authjs.csrf-token")}`;
    const event = buildEvent({ cookie });
    expect(await auth.csrfToken(event)).toBe(known);
    expect(event.res.headers.getSetCookie()).toEqual([]);
    const off = createTestAuth({ skipCSRFCheck });
    expect(await off.auth.csrfToken(buildEvent())).toBeUndefined();
  });
});

describe("trust of server calls", () => {
  it("no header, field or option of a request skips the CSRF check", async () => {
    const { auth, log } = createTestAuth();
    for (const headers of [{ trusted: "1" }, { "x-keyhook-trusted": "true" }]) {
      const response = await auth.fetch(
        new Request(`${ORIGIN}/auth/callback/credentials`, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify({ ...LOVELACE, trusted: true, "Symbol(trusted)": true }),
        }),
      );
      expect(response.headers.get("location")).toContain("MissingCSRF");
      log.expectErrors("MissingCSRF");
    }
  });

  it("a server call does not exempt later requests from the CSRF check", async () => {
    const { auth, browser, log } = createTestAuth({
      providers: [credentials(), acme()],
      use: [identityFlow(() => ({}))],
    });
    await auth.signIn(call(), "credentials", LOVELACE);
    const response = await browser.post("/auth/callback/credentials", LOVELACE);
    expect(response.headers.get("location")).toContain("MissingCSRF");
    log.expectErrors("MissingCSRF");
  });

  it("signOut() and update() reject with MissingRequest without a request", async () => {
    const { auth } = createTestAuth();
    await expect(auth.signOut(undefined as never)).rejects.toThrow(MissingRequest);
    await expect(auth.update(undefined as never, {})).rejects.toThrow(MissingRequest);
  });
});

describe("ctx.signal of a server-side call", () => {
  it("is no longer aborted after the call has ended, for every kind of call", async () => {
    const seen = new Map<string, AbortSignal>();
    const look: Plugin = {
      name: "look",
      setup: ({ hooks }) =>
        hooks.around.tap("look", (ctx, next) => {
          seen.set(ctx.operation, ctx.signal);
          return next().then(() => undefined);
        }),
    };
    const { auth } = createTestAuth({ use: [look] });
    const client = new AbortController();
    const event = () => ({
      req: new Request(`${ORIGIN}/page`, { signal: client.signal }),
      res: { headers: new Headers() },
    });
    await auth.getSession(event());
    await auth.authorize(event());
    const token = await auth.csrfToken(event());
    await auth.verifyCsrfToken(event(), token).catch(() => undefined);
    client.abort();
    const aborted = [...seen].filter(([, signal]) => signal.aborted).map(([name]) => name);
    expect([...seen.keys()]).toEqual(["getSession", "authorize", "csrfToken", "verifyCsrfToken"]);
    expect(aborted).toEqual([]);
  });
});
