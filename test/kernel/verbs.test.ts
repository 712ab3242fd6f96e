import { describe, expect, it } from "vitest";
import { CallbackRouteError, CredentialsSignin, MissingRequest } from "../../src/errors.ts";
import { type AuthConfig, skipCSRFCheck } from "../../src/index.ts";
import { acme, createHouse, credentials, identityFlow, LOVELACE, ORIGIN } from "../_setup.ts";

const call = (headers: Record<string, string> = {}, path = "/page") =>
  new Request(ORIGIN + path, { headers });

/** An event, as h3 has them. */
const eventOf = (headers: Record<string, string> = {}) => ({
  req: call(headers),
  res: { headers: new Headers() },
});

const cookieOf = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");

describe("signIn on behalf of the visitor", () => {
  it("needs no CSRF token: the application's own code asks", async () => {
    const { auth } = createHouse();
    const response = (await auth.signIn(call(), "credentials", {
      ...LOVELACE,
      redirectTo: "/welcome",
    })) as Response;
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/welcome`);
    expect(await auth.getSession(call({ cookie: cookieOf(response.headers) }))).toMatchObject({
      user: { name: "Ada" },
    });
  });

  it("answers the target with `redirect: false`; cookies go onto the event", async () => {
    const { auth } = createHouse();
    const event = eventOf();
    const target = await auth.signIn(event, "credentials", {
      ...LOVELACE,
      redirect: false,
      redirectTo: "/welcome",
    });
    expect(target).toBe(`${ORIGIN}/welcome`);
    expect(cookieOf(event.res.headers)).toContain("authjs.session-token=");
    expect(event.res.headers.get("cache-control")).toContain("no-store");
  });

  it("puts cookies onto the event only, not onto the Response as well", async () => {
    const { auth } = createHouse();
    const event = eventOf();
    const response = (await auth.signIn(event, "credentials", LOVELACE)) as Response;
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(cookieOf(event.res.headers)).toContain("authjs.session-token=");
  });

  it("takes a form, which has no say in what is answered", async () => {
    const { auth } = createHouse();
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...LOVELACE, redirect: "false" })) {
      form.set(name, value);
    }
    const answer = await auth.signIn(call(), "credentials", form);
    expect((answer as Response).headers.get("location")).toBe(`${ORIGIN}/`);
  });

  it("goes back to the present page where nothing else is said", async () => {
    const { auth } = createHouse();
    const options = { ...LOVELACE, redirect: false };
    const here = { referer: `${ORIGIN}/deep?x=1` };
    expect(await auth.signIn(call(here), "credentials", options)).toBe(`${ORIGIN}/deep?x=1`);
    const foreign = { referer: "https://evil.example/" };
    expect(await auth.signIn(call(foreign), "credentials", options)).toBe(ORIGIN + "/");
  });

  it("leads to the sign-in page without a provider, or with one nobody knows", async () => {
    const { auth } = createHouse();
    for (const provider of [undefined, "nobody", "__proto__", ""]) {
      expect(await auth.signIn(call(), provider, { redirect: false, redirectTo: "/x" })).toBe(
        `${ORIGIN}/auth/signin?callbackUrl=${encodeURIComponent(`${ORIGIN}/x`)}`,
      );
    }
    const own = createHouse({ pages: { signIn: "/login" } });
    expect(await own.auth.signIn(call(), undefined, { redirect: false })).toMatch(
      /^http:\/\/localhost:3000\/login\?callbackUrl=/,
    );
  });

  it("throws the AuthError of a refusal, which is logged all the same (SPEC Errors)", async () => {
    const { auth, log } = createHouse();
    const wrong = auth.signIn(call(), "credentials", { username: "ada", password: "no" });
    await expect(wrong).rejects.toThrow(CredentialsSignin);
    log.expectErrors("CredentialsSignin");
  });

  it("throws an AuthError for whatever else is thrown, with the original in it", async () => {
    const reason = new RangeError("broken");
    const { auth, log } = createHouse({
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

  it("hands further options on as fields, and reaches `authorize` by its own request", async () => {
    let seen: unknown;
    const { auth } = createHouse({
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
    const fields = { username: "ada", nested: { deep: [1] }, callbackUrl: "/" };
    expect(seen).toEqual({
      fields,
      method: "POST",
      url: `${ORIGIN}/auth/callback/credentials`,
      body: fields,
    });
  });

  it("starts the flow of other types, with the extra parameters in any form", async () => {
    const seen: string[] = [];
    const { auth } = createHouse(
      { providers: [acme()] },
      {
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
      },
    );
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

  it("is not turned into JSON by the clients' header of the page's request", async () => {
    const { auth } = createHouse();
    const response = (await auth.signIn(
      call({ "x-auth-return-redirect": "1" }),
      "credentials",
      LOVELACE,
    )) as Response;
    expect(response.status).toBe(302);
  });

  it("adds its cookies to an answer whose headers cannot be changed", async () => {
    const { auth } = createHouse(
      { providers: [acme()] },
      {
        use: [
          {
            name: "starts",
            setup: (kernel) =>
              kernel.addFlow("oauth", {
                start: () => Response.redirect("https://acme.example/authorize"),
              }),
          },
        ],
      },
    );
    const response = (await auth.signIn(call(), "acme", { redirectTo: "/x" })) as Response;
    expect(response.headers.get("location")).toBe("https://acme.example/authorize");
    expect(cookieOf(response.headers)).toContain("authjs.callback-url=");
  });

  it("is asked from any method of the page: its body is not read", async () => {
    const { auth } = createHouse();
    const request = new Request(`${ORIGIN}/action`, { method: "POST", body: "a=1" });
    const target = await auth.signIn(request, "credentials", { ...LOVELACE, redirect: false });
    expect(target).toBe(`${ORIGIN}/`);
    expect(await request.text()).toBe("a=1");
  });
});

describe("signOut on behalf of the visitor", () => {
  const signedIn = async (config: AuthConfig = {}) => {
    const house = createHouse(config);
    const entered = (await house.auth.signIn(call(), "credentials", LOVELACE)) as Response;
    return { ...house, cookie: cookieOf(entered.headers) };
  };

  it("ends the session and leads on", async () => {
    const { auth, cookie } = await signedIn();
    const response = (await auth.signOut(call({ cookie }), { redirectTo: "/bye" })) as Response;
    expect(response.headers.get("location")).toBe(`${ORIGIN}/bye`);
    expect(response.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(/^authjs\.session-token=; Max-Age=0/),
    );
  });

  it("answers the target with `redirect: false`", async () => {
    const { auth, cookie } = await signedIn();
    const event = eventOf({ cookie, referer: `${ORIGIN}/here` });
    expect(await auth.signOut(event, { redirect: false })).toBe(`${ORIGIN}/here`);
    expect(cookieOf(event.res.headers)).toContain("authjs.session-token=");
  });

  it("announces what ended", async () => {
    const ended: unknown[] = [];
    const { auth, cookie } = await signedIn({
      events: { signOut: (message) => void ended.push(message) },
    });
    await auth.signOut(call({ cookie }));
    expect(ended).toEqual([{ token: expect.objectContaining({ name: "Ada", sub: "1" }) }]);
  });

  it("does nothing where nobody is signed in, but leads on", async () => {
    const ended: unknown[] = [];
    const { auth } = createHouse({ events: { signOut: (message) => void ended.push(message) } });
    expect(await auth.signOut(call(), { redirect: false })).toBe(`${ORIGIN}/`);
    expect(ended).toEqual([]);
  });
});

describe("update", () => {
  it("changes the session, under both of its names", async () => {
    const { auth } = createHouse({
      callbacks: {
        jwt: ({ token, trigger, session }) =>
          trigger === "update" ? { ...token, name: (session as { name: string }).name } : token,
      },
    });
    const entered = (await auth.signIn(call(), "credentials", LOVELACE)) as Response;
    const cookie = cookieOf(entered.headers);
    for (const verb of [auth.update, auth.unstable_update]) {
      const event = eventOf({ cookie });
      expect(await verb(event, { name: "Countess" })).toMatchObject({ user: { name: "Countess" } });
      const renewed = cookieOf(event.res.headers);
      expect(await auth.getSession(call({ cookie: renewed }))).toMatchObject({
        user: { name: "Countess" },
      });
    }
  });

  it("answers null where nobody is signed in", async () => {
    const { auth } = createHouse();
    expect(await auth.update(call(), { name: "x" })).toBeNull();
  });
});

describe("csrfToken", () => {
  it("is what a form of the application's own must carry; its cookie goes onto the event", async () => {
    const { auth, browser } = createHouse();
    const event = eventOf();
    const csrfToken = await auth.csrfToken(event);
    const [name, value] = cookieOf(event.res.headers).split("=") as [string, string];
    browser.cookies.set(name, value);
    await browser.post("/auth/callback/credentials", { ...LOVELACE, csrfToken: csrfToken ?? "" });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("is the browser's own where it has one, and nothing where there is no protection", async () => {
    const { auth, browser } = createHouse();
    const known = await browser.csrfToken();
    const cookie = `authjs.csrf-token=${browser.cookies.get("authjs.csrf-token")}`;
    const event = eventOf({ cookie });
    expect(await auth.csrfToken(event)).toBe(known);
    expect(event.res.headers.getSetCookie()).toEqual([]);
    const off = createHouse({ skipCSRFCheck });
    expect(await off.auth.csrfToken(eventOf())).toBeUndefined();
  });
});

describe("trust", () => {
  it("is claimed by no header, field or option of a request", async () => {
    const { auth, log } = createHouse();
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

  it("does not reach what a flow answers for others: each call is one request", async () => {
    const { auth, browser, log } = createHouse(
      { providers: [credentials(), acme()] },
      { use: [identityFlow(() => ({}))] },
    );
    await auth.signIn(call(), "credentials", LOVELACE);
    const response = await browser.post("/auth/callback/credentials", LOVELACE);
    expect(response.headers.get("location")).toContain("MissingCSRF");
    log.expectErrors("MissingCSRF");
  });

  it("is not there without a request at all", async () => {
    const { auth } = createHouse();
    await expect(auth.signOut(undefined as never)).rejects.toThrow(MissingRequest);
    await expect(auth.update(undefined as never, {})).rejects.toThrow(MissingRequest);
  });
});
