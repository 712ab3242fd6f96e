import { afterEach, describe, expect, it, vi } from "vitest";
import { nextAuth4 } from "../../../plugins/migrations/next-auth-4.ts";
import githubPlugin from "../../../plugins/providers/github.ts";
import { createAuth } from "../../../presets/index.ts";
import { type Browser, createBrowser, createClock } from "../../../src/testing/testing.ts";
import { createMapAdapter, createRows, type Rows } from "./_map-adapter.ts";
import { hasNextAuth4, loadNextAuth4, loadOld, type NextAuth4 } from "./_next-auth-4.ts";
import { NOW } from "./_run.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

const DAY = 86_400;
const SECRET = "keyhook-test-secret-0123456789abcdef";
const OLD = "next-auth.session-token";
const OWN = "authjs.session-token";
const ADA = { id: "ada-1", name: "Ada", email: "ada@example.com", image: null };
const PASSWORD = { username: "ada", password: "lovelace" };

interface Mail {
  url: string;
}

/** The client of next-auth 4. */
interface Client {
  getSession(): Promise<unknown>;
  signIn(provider: string, options?: Record<string, unknown>): Promise<unknown>;
  signOut(options?: Record<string, unknown>): Promise<unknown>;
}

/** The same application on both libraries, each with a browser that has the same cookies. */
interface Application {
  old: Browser;
  own: Browser;
  rows: Rows;
  mails: Mail[];
  send: (request: Request) => Promise<Response>;
}

describe.skipIf(!hasNextAuth4)("an application that migrates from next-auth 4 to Keyhook", () => {
  const library = hasNextAuth4 ? loadNextAuth4() : ({} as NextAuth4);

  function open(
    strategy: "jwt" | "database",
    {
      origin = "http://localhost:3000",
      ...more
    }: { origin?: string; [field: string]: unknown } = {},
  ): Application {
    vi.stubEnv("NEXTAUTH_URL", origin);
    const rows = createRows();
    const mails: Mail[] = [];
    const config = {
      secret: SECRET,
      session: { strategy },
      logger: { error() {}, warn() {}, debug() {} },
      ...(strategy === "database" && { adapter: createMapAdapter(rows) }),
      ...more,
    };
    const password = {
      credentials: { username: {}, password: { type: "password" } },
      authorize: async ({ password: text }: { password?: unknown } = {}) =>
        text === "lovelace" ? ADA : null,
    };
    const mail = {
      from: "no-reply@app.example",
      maxAge: DAY,
      sendVerificationRequest: async (sent: Mail) => void mails.push(sent),
    };
    const client = { clientId: "id", clientSecret: "the client secret of a test" };
    const isStored = strategy === "database";
    const before = library.create({
      ...config,
      providers: [
        library.credentials(password),
        library.github(client),
        ...(isStored ? [library.email(mail)] : []),
      ],
    });
    const after = createAuth({
      ...config,
      basePath: "/api/auth",
      env: { NODE_ENV: "test", NEXTAUTH_URL: origin },
      providers: [
        { id: "credentials", name: "Credentials", type: "credentials", ...password },
        ...(isStored ? [{ id: "email", name: "Email", type: "email", ...mail }] : []),
      ],
    } as never)
      .use({ name: "stores/development", setup() {} })
      .use(githubPlugin(client))
      .use(nextAuth4());
    const old = createBrowser(before, { origin, basePath: "/api/auth" });
    const own = createBrowser(after.fetch, { origin, basePath: "/api/auth" });
    return { old, own: { ...own, cookies: own.cookies }, rows, mails, send: after.fetch };
  }

  // Copies the browser's cookies from the old application to the new one.
  function carry({ old, own }: Application): void {
    for (const [name, value] of old.cookies) own.cookies.set(name, value);
  }

  const sessionCookies = ({ cookies }: Browser) =>
    [...cookies.keys()].filter((name) => name.includes("session-token"));

  it.each([
    ["http://localhost:3000", OLD, OWN],
    ["https://app.example", `__Secure-${OLD}`, `__Secure-${OWN}`],
  ])("at %s a session in %s becomes one in %s", async (origin, before, after) => {
    using _clock = createClock(NOW);
    const app = open("jwt", { origin });
    await app.old.signInWith("credentials", PASSWORD);
    const session = await app.old.session();
    expect(sessionCookies(app.old)).toEqual([before]);
    carry(app);
    expect(await app.own.session()).toEqual(session);
    expect(sessionCookies(app.own)).toEqual([after]);
    expect(await app.own.session()).toEqual(session);
  });

  it("callbacks receive the same token as those of next-auth 4, without its times and ids", async () => {
    using _clock = createClock(NOW);
    const seen: Record<string, unknown>[] = [];
    const jwt = async ({ token, user }: { token: Record<string, unknown>; user?: unknown }) => {
      if (user) Object.assign(token, { role: "admin", nested: { list: [1, { two: 2 }] } });
      else seen.push({ ...token });
      return token;
    };
    const app = open("jwt", { callbacks: { jwt } });
    await app.old.signInWith("credentials", PASSWORD);
    await app.old.session();
    carry(app);
    await app.own.session();
    const [before, after] = seen;
    expect(after).toEqual({
      ...before,
      jti: expect.any(String),
      "keyhook.next_auth_4": expect.any(String),
    });
    expect(after).toMatchObject({ sub: "ada-1", role: "admin", picture: null });
  });

  it("a token that next-auth 4 keeps in several cookies is migrated, and leaves none of them", async () => {
    const jwt = async ({ token }: { token: Record<string, unknown> }) => ({
      ...token,
      large: "x".repeat(7000),
    });
    const session = async (params: { session: object; token: { large?: string } }) => ({
      ...params.session,
      size: params.token.large?.length,
    });
    const app = open("jwt", { callbacks: { jwt, session } });
    await app.old.signInWith("credentials", PASSWORD);
    expect(sessionCookies(app.old)).toEqual([`${OLD}.0`, `${OLD}.1`, `${OLD}.2`]);
    carry(app);
    expect(await app.own.session()).toMatchObject({ user: { name: "Ada" }, size: 7000 });
    expect(sessionCookies(app.own)).toEqual([`${OWN}.0`, `${OWN}.1`, `${OWN}.2`]);
  });

  it.each<[string, number]>([
    ["shorter", DAY],
    ["longer", 90 * DAY],
  ])(
    "with a session.maxAge that is %s than the default, both sessions end at the same second",
    async (_, maxAge) => {
      using clock = createClock(NOW);
      const app = open("jwt", { session: { strategy: "jwt", maxAge } });
      await app.old.signInWith("credentials", PASSWORD);
      await app.old.session();
      carry(app);
      clock.advance((maxAge - 1) * 1000);
      expect(await app.own.session()).not.toBe(null);
      carry(app);
      app.own.cookies.delete(OWN);
      clock.advance(1000);
      expect(await app.own.session()).toBe(null);
    },
  );

  it("signing out of Keyhook leaves no cookie that either library accepts", async () => {
    const app = open("jwt");
    await app.old.signInWith("credentials", PASSWORD);
    carry(app);
    await app.own.signOut();
    expect(sessionCookies(app.own)).toEqual([]);
    app.old.cookies.clear();
    for (const [name, value] of app.own.cookies) app.old.cookies.set(name, value);
    expect(await app.old.session()).toEqual({});
  });

  it("a cookie of a next-auth 4 sign-in attempt is not accepted as a session", async () => {
    const app = open("jwt");
    const response = await app.old.signIn("github");
    expect(response.headers.get("location")).toContain("https://github.com/login/oauth/authorize");
    const [, state = ""] = [...app.old.cookies].find(([name]) => name === "next-auth.state") ?? [];
    expect(state).toMatch(/^ey/);
    for (const name of [OLD, OWN]) {
      app.own.cookies.set(name, state);
      expect(await app.own.session()).toBe(null);
    }
  });

  describe("with stored sessions", () => {
    async function signInByMail(app: Application, browser: Browser): Promise<Response> {
      await browser.signIn("email", { email: "ada@example.com" });
      const { pathname, search } = new URL(app.mails.at(-1)?.url ?? "");
      return browser.get(pathname + search);
    }

    it("the row stays the same, and both libraries report the same expiry", async () => {
      using _clock = createClock(NOW);
      const app = open("database");
      await signInByMail(app, app.old);
      const session = await app.old.session();
      const token = app.old.cookies.get(OLD);
      carry(app);
      expect(await app.own.session()).toEqual(session);
      expect(app.own.cookies.get(OWN)).toBe(token);
      expect(app.rows.sessions).toHaveLength(1);
      await app.own.signOut();
      expect(app.rows.sessions).toEqual([]);
      expect(await app.old.session()).toEqual({});
    });

    it("users and accounts that next-auth 4 stored sign in again as themselves", async () => {
      const app = open("database");
      await signInByMail(app, app.old);
      await signInByMail(app, app.own);
      expect(app.rows.users).toHaveLength(1);
      expect(await app.own.session()).toMatchObject({ user: { email: "ada@example.com" } });
    });

    it("a link that next-auth 4 sent signs in with Keyhook", async () => {
      const app = open("database");
      await app.old.signIn("email", { email: "ada@example.com" });
      const { pathname, search } = new URL(app.mails.at(-1)?.url ?? "");
      const response = await app.own.get(pathname + search);
      const page = await response.text();
      // A browser that has not requested the link here gets a confirmation page first.
      const token = /name="token" value="([^"]+)"/.exec(page)?.[1] ?? "";
      await app.own.post(pathname, {
        token,
        email: "ada@example.com",
        csrfToken: await app.own.csrfToken(),
        confirm: "1",
      });
      expect(await app.own.session()).toMatchObject({ user: { email: "ada@example.com" } });
    });
  });

  describe("with the client of next-auth 4 still on its pages", () => {
    function openPage(app: Application) {
      const visited: string[] = [];
      const location = {
        reload() {},
        get href() {
          return visited.at(-1) ?? "http://localhost:3000/page";
        },
        set href(url: string) {
          visited.push(url);
        },
      };
      const storage = { setItem() {}, getItem: () => null };
      vi.stubGlobal("window", { location, addEventListener() {}, removeEventListener() {} });
      vi.stubGlobal("localStorage", storage);
      vi.stubGlobal("navigator", {});
      const logged: string[] = [];
      vi.stubGlobal(
        "fetch",
        async (path: string, { method = "GET", ...init }: RequestInit = {}) => {
          if (path.endsWith("/_log")) return void logged.push(`${init.body as URLSearchParams}`);
          const response = await (method === "GET"
            ? app.own.get(path, init)
            : app.own.send(path, { ...init, method: method.toUpperCase() }));
          if (response.headers.has("location")) throw new TypeError("a redirect to another page");
          return response;
        },
      );
      return { client: loadOld<Client>("./react/index.js"), visited, logged };
    }

    it("getSession, signIn and signOut of the client work, with and without leaving the page", async () => {
      const app = open("jwt");
      await app.old.signInWith("credentials", PASSWORD);
      carry(app);
      const { client, visited, logged } = openPage(app);
      expect(await client.getSession()).toMatchObject({ user: { name: "Ada" } });
      const left = await client.signOut({ redirect: false, callbackUrl: "/bye" });
      expect(left).toEqual({ url: "http://localhost:3000/bye" });
      const wrong = { ...PASSWORD, password: "x", redirect: false };
      expect(await client.signIn("credentials", wrong)).toEqual({
        error: "CredentialsSignin",
        status: 401,
        ok: false,
        url: null,
      });
      const right = { ...PASSWORD, redirect: false, callbackUrl: "/in" };
      expect(await client.signIn("credentials", right)).toEqual({
        error: null,
        status: 200,
        ok: true,
        url: "http://localhost:3000/in",
      });
      expect(await client.getSession()).toMatchObject({ user: { name: "Ada" } });
      await client.signIn("github");
      expect(visited.at(-1)).toContain("https://github.com/login/oauth/authorize");
      await client.signOut({ callbackUrl: "/bye" });
      expect(visited.at(-1)).toBe("http://localhost:3000/bye");
      expect(logged).toEqual([]);
    });

    it("getSession of the client resolves to null without a session, though it logs that", async () => {
      const { client, logged } = openPage(open("jwt"));
      expect(await client.getSession()).toBe(null);
      expect(logged).toEqual([expect.stringContaining("CLIENT_FETCH_ERROR")]);
    });
  });
});
