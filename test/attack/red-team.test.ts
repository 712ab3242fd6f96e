// Regression tests of confirmed vulnerabilities. Each title says what must hold.
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createHttp2Server, connect as connectHttp2 } from "node:http2";
import { connect, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import type { OAuthProvider } from "../../plugins/flows/oauth/provider.ts";
import { standardPreset } from "../../presets/index.ts";
import { createAuth as createNodeAuth } from "../../presets/node.ts";
import { customFetch } from "../../src/kernel.ts";
import type { Adapter, AdapterAccount, AdapterUser, AuthConfig } from "../../src/kernel.ts";
import { type Browser, createBrowser } from "../../src/testing/testing.ts";
import { createTestAuth, ORIGIN, SECRET } from "../_app.ts";
import { getCpuTime } from "../_cpu-time.ts";

function createPasswordApp(config: AuthConfig = {}) {
  return createTestAuth({
    preset: standardPreset,
    errors: "allowed",
    providers: [
      {
        id: "credentials",
        name: "Password",
        type: "credentials",
        credentials: { username: {} },
        authorize: ({ username }) => ({ id: `u-${String(username)}`, name: String(username) }),
      },
    ],
    ...config,
  });
}

function oauth(id: string, profile: object, more: Partial<OAuthProvider> = {}, token = "token") {
  const provider: OAuthProvider = {
    id,
    name: id,
    type: "oauth",
    clientId: "id",
    clientSecret: "secret",
    authorization: "https://idp.example/authorize",
    token: "https://idp.example/token",
    userinfo: "https://idp.example/userinfo",
    checks: ["pkce", "state"],
    [customFetch]: async (input) =>
      String(input instanceof Request ? input.url : input).endsWith("/token")
        ? Response.json({ access_token: token, token_type: "bearer" })
        : Response.json(profile),
    ...more,
  };
  return provider;
}

async function start(browser: Browser, provider: string): Promise<URL> {
  const response = await browser.signIn(provider);
  return new URL(response.headers.get("location") ?? "");
}

async function finish(browser: Browser, provider: string, url: URL): Promise<Response> {
  const state = url.searchParams.get("state") ?? "";
  return browser.get(`/auth/callback/${provider}?${new URLSearchParams({ code: "xyzzy", state })}`);
}

async function enter(browser: Browser, provider: string): Promise<Response> {
  return finish(browser, provider, await start(browser, provider));
}

function memory() {
  const users: AdapterUser[] = [];
  const accounts: AdapterAccount[] = [];
  const adapter: Adapter = {
    createUser: (user) => {
      users.push(user);
      return user;
    },
    getUser: (id) => users.find((user) => user.id === id) ?? null,
    getUserByEmail: (email) => users.find((user) => user.email === email) ?? null,
    getUserByAccount: (of) => {
      const account = accounts.find(
        ({ provider, providerAccountId }) =>
          provider === of.provider && providerAccountId === of.providerAccountId,
      );
      return users.find(({ id }) => id === account?.userId) ?? null;
    },
    linkAccount: (account) => void accounts.push(account),
  };
  const getOwner = (provider: string) =>
    accounts.find((account) => account.provider === provider)?.userId;
  return { adapter, users, getOwner };
}

function toCookie({ cookies }: Browser): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

// --- accounts ----------------------------------------------------------------------------------

test("an account is not linked to the owner of an address that this account has not verified (R5)", async () => {
  const { adapter, getOwner } = memory();
  const email = "victim@example.com";
  const { auth } = createPasswordApp({
    adapter,
    session: { strategy: "jwt" },
    providers: [
      oauth("weak", { sub: "attacker", email, email_verified: false }),
      oauth(
        "strong",
        { sub: "victim", email, email_verified: true },
        { allowDangerousEmailAccountLinking: true },
      ),
    ],
  });
  await enter(createBrowser(auth.fetch), "weak");
  await enter(createBrowser(auth.fetch), "strong");
  expect(getOwner("strong")).not.toBe(getOwner("weak"));
});

test("a session planted during an attempt does not receive the account (R13)", async () => {
  const { adapter, getOwner } = memory();
  const { auth, browser: attacker } = createPasswordApp({
    adapter,
    session: { strategy: "jwt" },
    providers: [
      oauth("one", { sub: "attacker", email: "a@example.com" }),
      oauth("two", { sub: "victim", email: "v@example.com" }),
    ],
  });
  await enter(attacker, "one");
  const victim = createBrowser(auth.fetch);
  const url = await start(victim, "two");
  victim.cookies.set(
    "authjs.session-token",
    attacker.cookies.get("authjs.session-token") as string,
  );
  await finish(victim, "two", url);
  expect(getOwner("two")).not.toBe(getOwner("one"));
});

test("a session that the jwt callback ends cannot link an account", async () => {
  const { adapter, getOwner } = memory();
  let ended = false;
  const { browser } = createPasswordApp({
    adapter,
    session: { strategy: "jwt" },
    callbacks: { jwt: ({ token, trigger }) => (ended && !trigger ? null : token) },
    providers: [
      oauth("one", { sub: "1", email: "a@example.com" }),
      oauth("two", { sub: "2", email: "b@example.com" }),
    ],
  });
  await enter(browser, "one");
  ended = true;
  await enter(browser, "two");
  expect(getOwner("two")).not.toBe(getOwner("one"));
});

test("a provider's address that only resembles another one is a different address", async () => {
  const { adapter, users } = memory();
  const { browser } = createPasswordApp({
    adapter,
    session: { strategy: "jwt" },
    providers: [oauth("one", { sub: "1", email: "\u212Aate@example.com" })],
  });
  await enter(browser, "one");
  expect(users[0]?.email).not.toBe("kate@example.com");
});

// --- sessions ----------------------------------------------------------------------------------

test("GET /session returns null when the session callback returns null", async () => {
  const { browser } = createPasswordApp({ callbacks: { session: () => null as never } });
  await browser.signInWith("credentials", { username: "ada" });
  expect(await browser.session()).toBeNull();
});

test("boot refuses one cookie name for two purposes (R3)", async () => {
  const { auth } = createPasswordApp({
    cookies: { sessionToken: { name: "one" }, state: { name: "one" } },
  });
  expect(() => auth.inspect()).toThrow(/one/);
});

test("boot refuses a cookie named like the salt of the redirect proxy's state (R3)", async () => {
  const { auth } = createPasswordApp({ cookies: { sessionToken: { name: "encodedState" } } });
  expect(() => auth.inspect()).toThrow(/encodedState/);
});

test("the `expires` of a session is not later than that of its token", async () => {
  const { browser } = createPasswordApp({
    jwt: { maxAge: 60 },
    session: { maxAge: 86_400, updateAge: 0 },
  });
  await browser.signInWith("credentials", { username: "ada" });
  const session = await browser.session<{ expires: string }>();
  expect(Date.parse(session?.expires ?? "")).toBeLessThanOrEqual(Date.now() + 61_000);
});

test("a cookie planted in front of the session cookie does not hide it (R8)", async () => {
  const { auth, browser } = createPasswordApp();
  await browser.signInWith("credentials", { username: "ada" });
  const cookie = `authjs.session-token=tossed; ${toCookie(browser)}`;
  expect(await auth.getSession(new Request(ORIGIN, { headers: { cookie } }))).not.toBeNull();
});

test("a response clears no more cookies than fit into a proxy's header buffer", async () => {
  const { auth } = createPasswordApp();
  const cookie = Array.from({ length: 400 }, (_, at) => `authjs.session-token.${at}=x`).join("; ");
  const response = await auth.fetch(new Request(`${ORIGIN}/auth/session`, { headers: { cookie } }));
  expect(response.headers.getSetCookie().join("\n").length).toBeLessThan(4096);
});

// --- redirects ---------------------------------------------------------------------------------

test.each(["//evil.example/", "/\\evil.example/"])(
  "a path that the redirect callback returns stays on the origin: %s",
  async (target) => {
    const { browser } = createPasswordApp({ callbacks: { redirect: ({ url }) => url } });
    const csrfToken = await browser.csrfToken();
    const fields = { csrfToken, username: "ada", callbackUrl: target };
    const response = await browser.post("/auth/callback/credentials", fields);
    expect(new URL(response.headers.get("location") ?? "").origin).toBe(ORIGIN);
  },
);

test("a javascript: URL is not a redirect target even when the redirect callback returns it", async () => {
  const { browser } = createPasswordApp({ callbacks: { redirect: ({ url }) => url } });
  await browser.get("/auth/signin?callbackUrl=javascript:alert(1)");
  const csrfToken = await browser.csrfToken();
  const fields = { csrfToken, username: "ada" };
  const headers = { "x-auth-return-redirect": "1" };
  const response = await browser.post("/auth/callback/credentials", fields, { headers });
  expect(await response.text()).not.toContain("javascript:");
});

test("a sign-in that ends on the error page leaves no session (I1)", async () => {
  const { browser } = createPasswordApp({ callbacks: { redirect: () => "http://[" } });
  const csrfToken = await browser.csrfToken();
  const fields = { csrfToken, username: "ada", callbackUrl: "/x" };
  const response = await browser.post("/auth/callback/credentials", fields);
  const failed = response.headers.get("location")?.includes("error=") ?? true;
  expect(failed && browser.cookies.has("authjs.session-token")).toBe(false);
});

test("the callback-url cookie stays small for a long target", async () => {
  const { auth } = createPasswordApp();
  const url = `${ORIGIN}/auth/signin?callbackUrl=/${"a".repeat(3900)}`;
  const response = await auth.fetch(new Request(url));
  const lengths = response.headers.getSetCookie().map(({ length }) => length);
  expect(Math.max(0, ...lengths)).toBeLessThan(2100);
});

// --- OAuth -------------------------------------------------------------------------------------

test("the redirect proxy does not forward a code to an untrusted host", async () => {
  const { auth } = createPasswordApp({
    env: { NODE_ENV: "production" },
    trustHost: ["proxy.example", "*.preview.example"],
    redirectProxyUrl: "https://proxy.example/auth",
    providers: [oauth("one", { sub: "1" })],
  });
  const spoofed = createPasswordApp({
    env: { NODE_ENV: "production" },
    trustHost: true,
    redirectProxyUrl: "https://proxy.example/auth",
    providers: [oauth("one", { sub: "1" })],
  });
  const browser = createBrowser(
    (request) => {
      request.headers.set("x-forwarded-host", "evil.example");
      request.headers.delete("origin");
      return spoofed.auth.fetch(request);
    },
    { origin: "https://app.preview.example" },
  );
  const state = (await start(browser, "one")).searchParams.get("state") ?? "";
  const query = new URLSearchParams({ code: "xyzzy", state });
  const response = await auth.fetch(
    new Request(`https://proxy.example/auth/callback/one?${query}`),
  );
  expect(response.headers.get("location")).not.toContain("evil.example");
});

test("a callback without state does not end a pending attempt that has one", async () => {
  const { browser } = createPasswordApp({ providers: [oauth("one", { sub: "1" })] });
  const url = await start(browser, "one");
  await browser.get("/auth/callback/one?code=stray");
  await finish(browser, "one", url);
  expect(browser.cookies.has("authjs.session-token")).toBe(true);
});

test("an access token that is not a valid header value is not logged (R16)", async () => {
  const { browser, log } = createPasswordApp({
    providers: [oauth("one", { sub: "1" }, {}, "hush-hush\nhush")],
  });
  await enter(browser, "one");
  const texts = log.errors.flatMap(({ message, cause }) => [message, JSON.stringify(cause)]);
  expect(texts.join()).not.toContain("hush-hush");
});

test(
  "a hanging adapter does not delay a callback beyond its timeout (R17)",
  { timeout: 15_000 },
  async () => {
    const { adapter } = memory();
    const { browser } = createPasswordApp({
      adapter: { ...adapter, getUserByAccount: () => new Promise(() => {}) },
      session: { strategy: "jwt" },
      providers: [oauth("one", { sub: "1" })],
    });
    const late = new Promise<undefined>((resolve) => void setTimeout(resolve, 12_000));
    expect(await Promise.race([enter(browser, "one"), late])).toBeDefined();
  },
);

// --- HTTP --------------------------------------------------------------------------------------

test("a path of many slashes is matched in less than 50 ms", async () => {
  const { auth } = createPasswordApp({ pages: { signIn: "/login" } });
  const request = () => new Request(`${ORIGIN}/auth${"/".repeat(15_000)}signin`);
  await auth.fetch(request());
  const began = getCpuTime();
  await auth.fetch(request());
  expect(getCpuTime() - began).toBeLessThan(50);
});

test("a Host header cannot change the path of a node request", async () => {
  const auth = createNodeAuth({ secret: SECRET, env: { NODE_ENV: "test" } });
  const server = createServer(auth.handler).listen(0);
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port);
  socket.end("GET /public HTTP/1.1\r\nHost: localhost/auth/csrf?\r\nConnection: close\r\n\r\n");
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  server.close();
  expect(answer).not.toContain("csrfToken");
});

test("the node binding handles HTTP/2 requests, where :authority is the host", async () => {
  const auth = createNodeAuth({ secret: SECRET, env: { NODE_ENV: "test" } });
  const server = createHttp2Server((req, res) => {
    auth.handler(req as never, res as never);
  }).listen(0);
  await once(server, "listening");
  const client = connectHttp2(`http://localhost:${(server.address() as AddressInfo).port}`);
  const stream = client.request({ ":path": "/auth/csrf" });
  const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
  client.destroy();
  server.close();
  expect(headers[":status"]).toBe(200);
});

// --- plugins and bindings ----------------------------------------------------------------------

test("a plugin route with two static segments receives its provider", async () => {
  const { auth } = createPasswordApp();
  auth.use({
    name: "deep",
    setup(kernel) {
      const handler = () => new Response("here");
      kernel.addRoute({ method: "GET", path: "/a/b/:provider", handler });
    },
  });
  const response = await auth.fetch(new Request(`${ORIGIN}/auth/a/b/credentials`));
  expect(response.status).toBe(200);
});

test("a frozen user object may sign in", async () => {
  const { browser } = createPasswordApp({
    providers: [
      {
        id: "credentials",
        name: "Password",
        type: "credentials",
        credentials: { username: {} },
        authorize: () => Object.freeze({ id: "1", name: "Ada" }),
      },
    ],
  });
  await browser.signInWith("credentials", { username: "ada" });
  expect(await browser.session()).not.toBeNull();
});

test("boot refuses a __Host- cookie with a domain, also under its default name", () => {
  const { auth } = createPasswordApp({
    useSecureCookies: true,
    cookies: { csrfToken: { options: { domain: "example.com" } } },
  });
  expect(() => auth.inspect()).toThrow(/__Host-/);
});

test("a user that is an instance of a class keeps the values of its getters", async () => {
  class Row {
    readonly #name = "Ada";
    get id() {
      return "1";
    }
    get name() {
      return this.#name;
    }
  }
  const { browser } = createPasswordApp({
    providers: [
      {
        id: "credentials",
        name: "Password",
        type: "credentials",
        credentials: { username: {} },
        authorize: () => new Row(),
      },
    ],
  });
  await browser.signInWith("credentials", { username: "ada" });
  expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
});
