import { describe, expect, it } from "vitest";
import { credentialsPlugin } from "../../plugins/providers/credentials.ts";
import { createAuth } from "../../presets/index.ts";
import { createAuth as createMinimal } from "../../presets/minimal.ts";
import { ClientError, createAuthClient, getSession, signIn } from "../../src/client.ts";
import { createBus, parseSession } from "../../src/client/broadcast.ts";
import { getTargetUrl } from "../../src/client/navigation.ts";
import { CredentialsSignin } from "../../src/errors.ts";
import { type AuthContext, type Plugin, skipCSRFCheck } from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import {
  createTestAuth,
  credentials,
  ENV,
  LOVELACE,
  ORIGIN,
  SECRET,
  type TestAuthOptions,
} from "../_app.ts";
import { ADA, createMailApp } from "../flows/_mail.ts";
import { toFetch, HREF, openPage, createTestServer, settle } from "./_page.ts";

function open(testApp = createTestAuth()) {
  const asked: string[] = [];
  return { asked, ...createAuthClient({ fetch: toFetch(testApp.browser, asked) }), testApp };
}

const quiet = { redirect: false } as const;

describe("createAuthClient with a real handler", () => {
  it("getSession, getCsrfToken and getProviders read the server's responses", async () => {
    const client = open();
    expect(await client.getSession()).toBeNull();
    expect(await client.getCsrfToken()).toMatch(/^[0-9a-f]{64}$/);
    expect(await client.getProviders()).toMatchObject({ credentials: { type: "credentials" } });
  });

  it("signIn and signOut start and end a session", async () => {
    const client = open();
    const result = await client.signIn("credentials", { ...LOVELACE, ...quiet, redirectTo: "/in" });
    expect(result).toEqual({ ok: true, status: 200, url: `${ORIGIN}/in` });
    expect(await client.getSession()).toMatchObject({ user: { name: "Ada" } });
    expect(await client.signOut({ ...quiet, callbackUrl: "/bye" })).toEqual({
      ok: true,
      status: 200,
      url: `${ORIGIN}/bye`,
    });
    expect(await client.getSession()).toBeNull();
  });

  it("signIn resolves with ok: false and the error when the password is wrong", async () => {
    const client = open();
    const result = await client.signIn("credentials", { ...LOVELACE, password: "x", ...quiet });
    expect(result).toEqual({
      ok: false,
      error: "CredentialsSignin",
      code: "credentials",
      status: 200,
      url: `${ORIGIN}/auth/signin?error=CredentialsSignin&code=credentials`,
    });
    client.testApp.log.expectErrors("CredentialsSignin");
  });

  it("signIn resolves with the code of an application's CredentialsSignin", async () => {
    const locked = credentials({
      authorize() {
        throw Object.assign(new CredentialsSignin("locked"), { code: "locked" });
      },
    });
    const client = open(createTestAuth({ providers: [locked] }));
    expect(await client.signIn("credentials", { ...LOVELACE, ...quiet })).toMatchObject({
      ok: false,
      code: "locked",
    });
    client.testApp.log.expectErrors("CredentialsSignin");
  });

  it("signIn detects credentials providers by their type, not their id", async () => {
    const client = open(createTestAuth({ providers: [credentials({ id: "ldap~1" })] }));
    expect(await client.signIn("ldap~1", { ...LOVELACE, ...quiet })).toMatchObject({ ok: true });
    expect(client.asked).toContain("POST /auth/callback/ldap~1");
  });

  it("signIn resolves with the error type that a response to its own GET requests states", async () => {
    const body = { error: "TooManyAttempts", message: "Try again later." };
    const client = createAuthClient({
      fetch: async (url) =>
        url.endsWith("/providers")
          ? Response.json(body, { status: 429 })
          : Response.json({}, { status: 500 }),
    });
    const failed = { ok: false, error: "TooManyAttempts", status: 429 };
    expect(await client.signIn("acme", quiet)).toMatchObject(failed);
  });

  it("signIn resolves with the error of a server without pages", async () => {
    const auth = createMinimal({
      secret: SECRET,
      env: ENV,
      logger: { error() {} },
    }).use(credentialsPlugin(credentials()));
    const client = createAuthClient({ fetch: toFetch(createBrowser(auth.fetch)) });
    expect(await client.signIn("credentials", { ...LOVELACE, password: "x", ...quiet })).toEqual({
      ok: false,
      error: "CredentialsSignin",
      code: "credentials",
      status: 401,
      url: null,
    });
  });

  it("signIn with an e-mail code reads the session, so that the page shows it", async () => {
    const app = createMailApp({ mail: { code: true } });
    const asked: string[] = [];
    openPage();
    const client = createAuthClient({ fetch: toFetch(app.browser, asked) });
    const watch = client.watchSession({ session: null });
    const seen: string[] = [];
    const stop = watch.subscribe(() => void seen.push(watch.read().status));
    await client.signIn("mail", { email: ADA, ...quiet });
    const code = app.mails.at(-1)?.code;
    expect(await client.signIn("mail", { code, ...quiet })).toMatchObject({ ok: true });
    stop();
    expect(seen).toEqual(["authenticated"]);
    expect(asked.slice(-2)).toEqual(["POST /auth/signin/mail", "GET /auth/session"]);
    expect(await client.signIn("mail", { code, ...quiet })).toMatchObject({
      ok: false,
      error: "InvalidEmailCode",
    });
    expect(asked.at(-1)).toBe("POST /auth/signin/mail");
    // If the page is left, the next page reads the session.
    await client.signIn("mail", { email: ADA });
    expect(asked.at(-1)).toBe("POST /auth/signin/mail");
  });

  it("signIn resolves with the URL of the identity provider and the given parameters", async () => {
    const auth = createAuth({
      secret: SECRET,
      env: ENV,
      providers: [
        {
          id: "acme",
          name: "Acme",
          type: "oauth",
          clientId: "id",
          clientSecret: "secret",
          authorization: "https://acme.example/authorize",
          token: "https://acme.example/token",
          userinfo: "https://acme.example/userinfo",
        },
      ],
    });
    const asked: string[] = [];
    const client = createAuthClient({ fetch: toFetch(createBrowser(auth.fetch), asked) });
    const result = await client.signIn("acme", quiet, { login_hint: "ada" });
    expect(result.ok).toBe(true);
    // The session is not read: it starts at the callback.
    expect(asked).toEqual(["GET /auth/providers", "GET /auth/csrf", "POST /auth/signin/acme"]);
    const url = new URL(result.url ?? "");
    expect(url.origin).toBe("https://acme.example");
    expect(url.searchParams.get("login_hint")).toBe("ada");
  });

  it("signIn does not read the session when any type of provider leads to another site", async () => {
    const elsewhere: Plugin = {
      name: "flows/elsewhere",
      setup(kernel) {
        kernel.addFlow("openid2", { start: (ctx) => ctx.redirect("https://id.example/enter") });
        kernel.addProvider({ id: "id", name: "Id", type: "openid2" });
      },
    };
    openPage();
    const client = open(createTestAuth({ use: [elsewhere] }));
    expect(await client.signIn("id", quiet)).toMatchObject({
      ok: true,
      url: "https://id.example/enter",
    });
    expect(client.asked.at(-1)).toBe("POST /auth/signin/id");
  });

  it("signIn resolves with the sign-in page when the provider is missing or unknown", async () => {
    openPage();
    const client = open();
    const page = `${ORIGIN}/auth/signin?callbackUrl=%2Fin`;
    expect(await client.signIn(undefined, { ...quiet, redirectTo: "/in" })).toEqual({
      ok: true,
      status: 200,
      url: page,
    });
    expect(await client.signIn("nobody", { ...quiet, redirectTo: "/in" })).toEqual({
      ok: false,
      error: "InvalidProvider",
      status: 200,
      url: page,
    });
    expect(await client.signIn("constructor", quiet)).toMatchObject({ error: "InvalidProvider" });
  });

  it("update changes the session", async () => {
    const client = open(
      createTestAuth({
        callbacks: {
          jwt: ({ token, trigger, session }) =>
            trigger === "update" ? { ...token, name: String((session as { n: string }).n) } : token,
        },
      }),
    );
    expect(await client.update({ n: "x" })).toBeNull();
    await client.signIn("credentials", { ...LOVELACE, ...quiet });
    expect(await client.update({ n: "Countess" })).toMatchObject({ user: { name: "Countess" } });
    expect(await client.update()).toMatchObject({ user: { name: "Countess" } });
  });

  it("getSession rejects when the session could not be read, and does not return null", async () => {
    const client = createAuthClient({
      fetch: toFetch(createBrowser(async () => new Response("busy", { status: 503 }))),
    });
    await expect(client.getSession()).rejects.toMatchObject({ type: "ClientError", status: 503 });
    await expect(client.update({})).rejects.toBeInstanceOf(ClientError);
    await expect(client.getProviders()).rejects.toMatchObject({ status: 503 });
    await expect(client.getCsrfToken()).rejects.toMatchObject({ status: 503 });
    expect(await client.signIn("credentials", quiet)).toEqual({
      ok: false,
      error: "RequestFailed",
      status: 503,
      url: null,
    });
    expect(await client.signOut(quiet)).toMatchObject({ ok: false, status: 503 });
  });

  it("getCsrfToken returns an empty string when the server skips CSRF checks", async () => {
    const { skipCSRFCheck } = await import("../../src/kernel.ts");
    const client = open(createTestAuth({ skipCSRFCheck }));
    expect(await client.getCsrfToken()).toBe("");
    expect(await client.signIn("credentials", { ...LOVELACE, ...quiet })).toMatchObject({
      ok: true,
    });
  });
});

describe("createAuthClient with any server", () => {
  const answering = (post: unknown) =>
    createTestServer((path) => {
      if (path.endsWith("/csrf")) return { csrfToken: "t" };
      if (path.endsWith("/providers")) return { acme: { id: "acme", type: "oauth" } };
      if (path.endsWith("/session")) return {};
      return post;
    });

  it("signIn sends the same request as the Auth.js client", async () => {
    openPage();
    const sent: Request[] = [];
    const { fetch } = answering({ url: `${ORIGIN}/in` });
    const client = createAuthClient({
      basePath: "/api/auth/",
      fetch: async (url, init) => {
        sent.push(new Request(new URL(url, HREF), init));
        return fetch(url, init);
      },
    });
    await client.signIn("acme", { ...quiet, email: "a@b.example", n: 1, no: undefined, file: {} });
    const post = sent.find(({ method }) => method === "POST") as Request;
    expect(post.url).toBe(`${ORIGIN}/api/auth/signin/acme`);
    expect(post.method).toBe("POST");
    expect(post.headers.get("x-auth-return-redirect")).toBe("1");
    expect(post.headers.get("content-type")).toMatch(/^application\/x-www-form-urlencoded/);
    expect(Object.fromEntries(await post.formData())).toEqual({
      email: "a@b.example",
      n: "1",
      csrfToken: "t",
      callbackUrl: HREF,
    });
  });

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "blob:http://localhost:3000/1",
    "http://",
    17,
    null,
    undefined,
  ])("signIn and signOut navigate nowhere for the URL %j", async (url) => {
    const page = openPage();
    const client = createAuthClient({ fetch: answering({ url }).fetch });
    const failed = { ok: false, error: "RequestFailed" };
    expect(await client.signIn("acme")).toMatchObject(failed);
    expect(await client.signOut()).toMatchObject(failed);
    expect(page.left).toEqual([]);
  });

  it("requireSignIn replaces the page in the history: going back does not return to it", () => {
    const page = openPage();
    open().requireSignIn();
    const target = encodeURIComponent(HREF);
    expect(page.left).toEqual([
      `${ORIGIN}/auth/signin?error=SessionRequired&callbackUrl=${target}`,
    ]);
    expect(page.replacing).toEqual(page.left);
  });

  it("signIn navigates to the URL of the response, also for a failure", async () => {
    const page = openPage();
    const good = createAuthClient({ fetch: answering({ url: "https://idp.example/a" }).fetch });
    await good.signIn("acme");
    const bad = createAuthClient({
      fetch: answering({ url: `${ORIGIN}/login?error=AccessDenied` }).fetch,
    });
    expect(await bad.signIn("acme")).toMatchObject({ ok: false, error: "AccessDenied" });
    expect(page.left).toEqual(["https://idp.example/a", `${ORIGIN}/login?error=AccessDenied`]);
    expect(page.reloads).toBe(0);
  });

  it("signIn and signOut stay on the page with `redirect: false`, and return the target", async () => {
    const page = openPage();
    const url = "https://idp.example/a";
    const client = createAuthClient({ fetch: answering({ url }).fetch });
    expect(await client.signIn("acme", { redirect: false })).toMatchObject({ ok: true, url });
    expect(await client.signOut({ redirect: false })).toMatchObject({ ok: true, url });
    expect([page.left, page.reloads]).toEqual([[], 0]);
  });

  it.each([
    [{ error: { code: 1 } }, { error: "RequestFailed", code: undefined }],
    [
      { error: "", code: 7 },
      { error: "RequestFailed", code: undefined },
    ],
    [
      { error: "AccessDenied", code: "no" },
      { error: "AccessDenied", code: "no" },
    ],
    [
      { error: "AccessDenied", code: "" },
      { error: "AccessDenied", code: undefined },
    ],
    [null, { error: "RequestFailed", code: undefined }],
  ])(
    "signIn resolves with strings as error and code, whatever the server responds: %j",
    async (body, found) => {
      openPage();
      const { fetch } = answering(Response.json(body, { status: 400 }));
      const result = await createAuthClient({ fetch }).signIn("acme");
      expect(result).toEqual({ ok: false, status: 400, url: null, ...found });
    },
  );

  it("the client exposes its base path", () => {
    expect(createAuthClient().basePath).toBe("/auth");
    expect(createAuthClient({ basePath: "/api/auth" }).basePath).toBe("/api/auth");
  });

  it("signOut reloads the page when only the fragment of the URL differs", async () => {
    const page = openPage();
    const client = createAuthClient({ fetch: answering({ url: `${HREF}#top` }).fetch });
    await client.signOut();
    expect([page.left, page.reloads]).toEqual([[`${HREF}#top`], 1]);
  });

  it("signIn and signOut resolve with Unreachable when the network fails", async () => {
    const page = openPage();
    const client = createAuthClient({ fetch: () => Promise.reject(new TypeError("offline")) });
    const unreachable = { ok: false, error: "Unreachable", status: 0, url: null };
    expect(await client.signIn("acme")).toEqual(unreachable);
    expect(await client.signOut()).toEqual(unreachable);
    expect(page.left).toEqual([]);
    await expect(client.getSession()).rejects.toMatchObject({ status: 0 });
  });

  it("signIn removes the error of an earlier attempt from callbackUrl", async () => {
    openPage({ href: `${ORIGIN}/login?error=CredentialsSignin&code=x&next=1` });
    const sent: string[] = [];
    const client = createAuthClient({
      fetch: createTestServer(async (path, { body }) => {
        if (path.endsWith("/csrf")) return { csrfToken: "t" };
        if (path.endsWith("/providers")) return { pw: { id: "pw", type: "credentials" } };
        if (path.endsWith("/session")) return null;
        const url = (body as URLSearchParams).get("callbackUrl") ?? "";
        sent.push(url);
        return { url };
      }).fetch,
    });
    expect(await client.signIn("pw", quiet)).toMatchObject({ ok: true });
    expect(await client.signIn("pw", { ...quiet, redirectTo: "/x?error=y" })).toMatchObject({
      ok: true,
    });
    expect(sent).toEqual([`${ORIGIN}/login?next=1`, `${ORIGIN}/x`]);
  });

  it.each([
    ["?tab=2", `${ORIGIN}/shop/cart?tab=2`],
    ["#pay", `${ORIGIN}/shop/cart?tab=1#pay`],
    ["pay", `${ORIGIN}/shop/pay`],
    ["../help?error=x", `${ORIGIN}/help`],
    ["/help", "/help"],
    ["", ""],
    ["https://other.example/", "https://other.example/"],
  ])("the target %j of a sign-in and a sign-out is relative to the page", async (given, sent) => {
    openPage({ href: `${ORIGIN}/shop/cart?tab=1` });
    const targets: (string | null)[] = [];
    const { fetch } = answering({ url: `${ORIGIN}/in` });
    const client = createAuthClient({
      fetch: async (url, init) => {
        if (init.method === "POST") targets.push((init.body as URLSearchParams).get("callbackUrl"));
        return fetch(url, init);
      },
    });
    await client.signIn("acme", { ...quiet, redirectTo: given });
    await client.signOut({ ...quiet, callbackUrl: given });
    expect(targets).toEqual([sent, sent]);
  });

  it.each(["<!doctype html>", "", "17", '"text"', "[]", "true"])(
    "getSession rejects for the body %j",
    async (text) => {
      const client = createAuthClient({ fetch: async () => new Response(text) });
      await expect(client.getSession()).rejects.toMatchObject({ status: 200 });
    },
  );

  it("getSession resolves to null for {}", async () => {
    const client = createAuthClient({ fetch: answering(null).fetch });
    expect(await client.getSession()).toBeNull();
  });
});

it("a page whose last listener was removed follows other tabs again with the next listener", async () => {
  openPage();
  const [here, tab] = [createBus("test/again"), createBus("test/again")];
  here.subscribe(() => {})();
  const heard: unknown[] = [];
  const unsubscribe = here.subscribe((news) => heard.push(news));
  tab.publish({ at: 1, session: null });
  await expect.poll(() => heard).toEqual([{ at: 1, session: null }]);
  unsubscribe();
});

describe("createAuthClient on a server", () => {
  it("getSession without a baseUrl rejects with an error that names it", async () => {
    await expect(getSession()).rejects.toThrow(/baseUrl/);
    expect(await signIn("acme")).toMatchObject({ ok: false, error: "Unreachable" });
  });

  it("session changes of one visitor reach no other: listeners on a server are never called", async () => {
    const heard: unknown[] = [];
    const [one, other] = [createBus("test"), createBus("test")];
    const unsubscribe = one.subscribe((news) => heard.push(news));
    for (const bus of [one, other]) bus.publish({ at: 1, session: null });
    await settle();
    unsubscribe();
    expect(heard).toEqual([]);
  });

  it("a target on a server keeps its path, query and fragment, and loses the error of an earlier attempt", () => {
    expect(getTargetUrl("/x?error=E&code=c&tab=1#a")).toBe("/x?tab=1#a");
    expect(getTargetUrl(`${ORIGIN}/x?error=E`)).toBe(`${ORIGIN}/x`);
    expect(getTargetUrl("/x?code=c")).toBe("/x?code=c");
    expect(getTargetUrl(undefined)).toBeUndefined();
  });

  it("a session is an object: an empty one signs no one in, and any other response is refused", () => {
    const session = { user: { name: "Ada" }, expires: "2100-01-01" };
    expect([session, {}, null].map(parseSession)).toEqual([session, null, null]);
    for (const body of [[], [session], "text", 5, true, undefined])
      expect(() => parseSession(body)).toThrow(ClientError);
  });

  it("a sign-in on a server navigates nowhere: the caller decides what to do with the target", async () => {
    const { fetch } = createTestServer((path) => {
      if (path.endsWith("/providers")) return { acme: { id: "acme", type: "oauth" } };
      return path.endsWith("/csrf") ? { csrfToken: "t" } : { url: `${ORIGIN}/next` };
    });
    const client = createAuthClient({ baseUrl: ORIGIN, fetch });
    expect(await client.signIn("acme")).toMatchObject({ ok: true, url: `${ORIGIN}/next` });
  });

  it("getSession requests the session at baseUrl", async () => {
    const urls: string[] = [];
    const client = createAuthClient({
      baseUrl: "https://app.example/",
      basePath: "/auth",
      fetch: async (url) => {
        urls.push(url);
        return Response.json(null);
      },
    });
    expect(await client.getSession()).toBeNull();
    expect(urls).toEqual(["https://app.example/auth/session"]);
  });

  it("getSession never returns one visitor's session to another", async () => {
    let turn = 0;
    const client = createAuthClient({
      baseUrl: ORIGIN,
      fetch: async () => {
        const mine = ++turn;
        // The later request gets its response first.
        for (let tick = 0; tick < 20 - mine; tick++) await Promise.resolve();
        return Response.json({ user: { name: `visitor ${mine}` }, expires: "2100-01-01" });
      },
    });
    const watch = client.watchSession();
    const stop = watch.subscribe(() => {});
    const names = await Promise.all(
      Array.from({ length: 8 }, async () => (await client.getSession())?.user?.name),
    );
    expect(names).toEqual(names.map((_, at) => `visitor ${at + 1}`));
    expect(watch.read()).toMatchObject({ status: "loading" });
    stop();
  });
});

describe("call", () => {
  const things: Plugin = {
    name: "things",
    setup(kernel) {
      const echo = async (ctx: AuthContext) =>
        ctx.json({ body: await ctx.body(), id: ctx.params.id, query: ctx.url.search });
      kernel.addRoute({ method: "GET", path: "/things/:id", json: true, handler: echo });
      kernel.addRoute({ method: "POST", path: "/things/:id", json: true, handler: echo });
      kernel.addRoute({
        method: "GET",
        path: "/mine",
        auth: true,
        json: true,
        handler: async (ctx) => ctx.json((await ctx.requireSession()).id),
      });
      kernel.addRoute({
        method: "POST",
        path: "/gone",
        json: true,
        handler: () => new Response(null, { status: 204 }),
      });
      kernel.addRoute({
        method: "GET",
        path: "/broken",
        json: true,
        handler() {
          throw new Error("secret");
        },
      });
    },
  };
  const openThings = (options: TestAuthOptions = {}) =>
    open(createTestAuth({ use: [things], ...options }));

  it("call sends a GET without a body, and resolves to the JSON of the response", async () => {
    const client = openThings();
    expect(await client.call<{ id: string }>("/things/7?x=1")).toEqual({
      body: {},
      id: "7",
      query: "?x=1",
    });
    expect(client.asked).toEqual(["GET /auth/things/7"]);
  });

  it("call posts a body as JSON, unchanged, with the CSRF token in a header", async () => {
    const client = openThings();
    const body = { name: "Ada", nested: { list: [1] }, csrfToken: "mine" };
    expect(await client.call("/things/7", body)).toMatchObject({ body });
    expect(client.asked).toEqual(["GET /auth/csrf", "POST /auth/things/7"]);
    expect(await client.call("things/8", {})).toMatchObject({ id: "8" });
  });

  it("call rejects with type, status and message of the server's error", async () => {
    const client = openThings();
    await expect(client.call("/mine")).rejects.toMatchObject({
      name: "ClientError",
      type: "SessionRequired",
      status: 401,
      message: "Sign in first.",
    });
    await client.signIn("credentials", { ...LOVELACE, ...quiet });
    expect(await client.call("/mine")).toBe("1");
  });

  it("call rejects with the type ClientError when the server sends no type", async () => {
    const client = openThings();
    await expect(client.call("/broken")).rejects.toMatchObject({
      type: "ClientError",
      status: 500,
    });
    await expect(client.call("/nothing")).rejects.toMatchObject({
      type: "ClientError",
      status: 404,
    });
    client.testApp.log.expectErrors("Error");
    const html = createTestServer(() => new Response("<html>"));
    const other = createAuthClient({ fetch: html.fetch });
    await expect(other.call("/x")).rejects.toMatchObject({
      type: "ClientError",
      status: 200,
      message:
        "/auth/x responded with the status 200, and not with JSON. Are the routes below another `basePath`?",
    });
    const down = createAuthClient({
      fetch: () => Promise.reject(new TypeError("failed")),
    });
    await expect(down.call("/x")).rejects.toMatchObject({ type: "ClientError", status: 0 });
    await expect(down.call("/x", {})).rejects.toMatchObject({ type: "ClientError", status: 0 });
  });

  it.each([
    [{ error: 5, message: "x" }],
    [{ error: "Odd" }],
    [{ error: "Odd", message: { html: "x" } }],
    [null],
    ["text"],
    [[]],
  ])("call rejects with its own message for the error %j", async (body) => {
    const server = createTestServer(() => Response.json(body, { status: 400 }));
    const error = createAuthClient({ fetch: server.fetch }).call("/x");
    await expect(error).rejects.toMatchObject({
      type: "ClientError",
      status: 400,
      message: "/auth/x responded with the status 400.",
    });
  });

  it("call resolves to undefined for a 204", async () => {
    expect(await openThings().call("/gone", {})).toBeUndefined();
  });

  it("call reads the session only after a POST whose response has a target", async () => {
    openPage();
    const { fetch, asked } = createTestServer((path) => {
      if (path.endsWith("/csrf")) return { csrfToken: "t" };
      return path.endsWith("/session") ? {} : { url: `${ORIGIN}/in` };
    });
    const client = createAuthClient({ fetch });
    expect(await client.call("/left", {})).toEqual({ url: `${ORIGIN}/in` });
    await client.call("/left");
    expect(asked.slice(1)).toEqual(["POST /auth/left", "GET /auth/session", "GET /auth/left"]);
  });

  it("call rejects with the error of a route that also has pages", async () => {
    const pages: Plugin = {
      name: "pages",
      setup(kernel) {
        const handler = (ctx: AuthContext) => ctx.redirect("/");
        kernel.addRoute({ method: "GET", path: "/terms", auth: true, handler });
        kernel.addRoute({ method: "POST", path: "/terms", auth: "fresh", handler });
      },
    };
    const { call, testApp } = open(createTestAuth({ use: [pages] }));
    const required = { type: "SessionRequired", status: 401, message: "Sign in first." };
    await expect(call("/terms")).rejects.toMatchObject(required);
    await expect(call("/terms", {})).rejects.toMatchObject(required);
    const init = { headers: { accept: "application/json" } };
    const forged = await testApp.browser.post("/auth/terms", {}, init);
    expect([forged.status, await forged.json()]).toMatchObject([403, { error: "MissingCSRF" }]);
    testApp.log.expectErrors("MissingCSRF");
  });

  it("call sends no token to a server that requires none", async () => {
    const client = openThings({ skipCSRFCheck });
    expect(await client.call("/things/7", { a: 1 })).toMatchObject({ body: { a: 1 } });
    client.testApp.log.ignoreErrors();
  });

  it("call uses the base path, has a time limit and waits for other tabs", async () => {
    openPage();
    const seen: RequestInit[] = [];
    const server = createTestServer((_, init) => {
      seen.push(init);
      return [];
    });
    const client = createAuthClient({ basePath: "/api/auth", fetch: server.fetch });
    let release = () => {};
    const held = navigator.locks.request(
      "/api/auth",
      () => new Promise<void>((resolve) => (release = resolve)),
    );
    const result = client.call("/things");
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(server.asked).toEqual([]);
    release();
    await held;
    expect(await result).toEqual([]);
    expect(server.asked).toEqual(["GET /api/auth/things"]);
    expect(seen[0]?.signal).toBeInstanceOf(AbortSignal);
    expect(seen[0]?.cache).toBe("no-store");
  });

  it("update and getSession reject with the server's error too", async () => {
    const server = createTestServer((path) =>
      path.endsWith("/csrf")
        ? { csrfToken: "x" }
        : Response.json({ error: "MissingCSRF", message: "The token." }, { status: 403 }),
    );
    const client = createAuthClient({ fetch: server.fetch });
    const error = { type: "MissingCSRF", status: 403, message: "The token." };
    await expect(client.update({})).rejects.toMatchObject(error);
    await expect(client.getSession()).rejects.toMatchObject(error);
  });
});
