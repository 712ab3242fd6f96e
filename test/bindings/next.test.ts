import { afterEach, describe, expect, it, vi } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { applyCookies, isSetByProxy, PROXY_COOKIES } from "../../plugins/bindings/next/cookies.ts";
import type { PageRequest, PageResponse } from "../../plugins/bindings/next/types.ts";
import { nextAuth4 } from "../../plugins/migrations/next-auth-4.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth, type NextAuthResult } from "../../presets/next.ts";
import { CredentialsSignin } from "../../src/errors.ts";
import { encode } from "../../src/jwt.ts";
import type { AnyRequestSource, AuthConfig, Plugin } from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import type { JWTDecodeParams } from "../../src/types.ts";
import { ADA, credentials, LOVELACE, ORIGIN, SECRET, setCookie, setCookieNames } from "../_app.ts";
import { OLD, sealOld } from "../migrations/_next-auth-4.ts";
import { inScope, NextRedirect, NextRequest, NextResponse } from "./_next.ts";
import { buildConfig } from "./_suite.ts";

vi.mock("next/server.js", () => import("./_next.ts"));
vi.mock("next/navigation", () => import("./_next.ts"));
vi.mock("next/headers.js", () => import("./_next.ts"));

const NAME = "authjs.session-token";
const ALWAYS: AuthConfig = { session: { updateAge: 0 } };

const create = (config: AuthConfig = {}): NextAuthResult =>
  createAuth(buildConfig(config) as never);

async function sealSession(): Promise<string> {
  const token = { sub: ADA.id, name: ADA.name, email: ADA.email };
  return `${NAME}=${await encode({ token, secret: SECRET, salt: NAME, maxAge: 30 * 86_400 })}`;
}

const toRequest = (path: string, init: RequestInit = {}): never =>
  new NextRequest(ORIGIN + path, init) as never;

const html = { accept: "text/html" };
const event = { waitUntil() {} };

afterEach(() => vi.unstubAllEnvs());

describe("several Auths that Next.js creates from one module", () => {
  const tryPassword = async ({ handlers }: NextAuthResult) => {
    const browser = createBrowser((request) => handlers.POST(request as never), {
      origin: ORIGIN,
      basePath: "/auth",
    });
    const response = await browser.signInWith("credentials", { username: "bob", password: "no" });
    return new URL(response.headers.get("location") ?? "", ORIGIN).searchParams.get("code");
  };

  it("two applications with different secrets, or store namespaces, count separately in one process", async () => {
    vi.stubEnv("NEXT_RUNTIME", "nodejs");
    const secret = "of applications that are apart in one test";
    const auths = [
      create({ providers: [credentials()], secret }),
      create({ providers: [credentials()], secret: `${secret}, another one` }),
      create({ providers: [credentials()], secret, storeNamespace: "admin" }),
    ];
    for (let at = 0; at < 21; at++) await tryPassword(auths[0] as NextAuthResult);
    const codes = [];
    for (const auth of auths) codes.push(await tryPassword(auth));
    expect(codes).toEqual(["rate_limited", "credentials", "credentials"]);
  });

  it.each([
    ["count wrong passwords together in the Node.js runtime", "nodejs", "rate_limited"],
    ["count separately elsewhere", "", "credentials"],
  ])("Auths of Next.js with one configuration %s", async (_, runtime, last) => {
    vi.stubEnv("NEXT_RUNTIME", runtime);
    const secret = `of ${runtime || "no"} runtime, for this test alone`.padEnd(40, "x");
    const auths = [1, 2].map(() => create({ providers: [credentials()], secret }));
    const codes: unknown[] = [];
    for (let at = 0; at < 21; at++) codes.push(await tryPassword(auths[at % 2] as NextAuthResult));
    expect(codes).toEqual([...Array.from({ length: 20 }, () => "credentials"), last]);
  });
});

describe("applyCookies()", () => {
  const jar = (...pairs: [name: string, value: string][]) =>
    pairs.map(([name, value]) => ({ name, value }));

  it("unchanged cookies stay as they were sent", () => {
    const sent = "a=%7B1%7D; b=x y; a=2; broken=%E0%A4%A";
    expect(applyCookies(sent, jar(["a", "2"], ["b", "x y"]))).toBe(sent);
    expect(applyCookies("a=%7b1%7d", jar(["a", "{1}"]))).toBe("a=%7b1%7d");
    expect(applyCookies(null, [])).toBe("");
  });

  it("a set cookie replaces all cookies of its name, and is encoded", () => {
    expect(applyCookies("a=1; b=2; a=3", jar(["b", "2"], ["a", "4;x"]))).toBe("b=2; a=4%3Bx");
    expect(applyCookies(null, jar(["a", "1"]))).toBe("a=1");
  });

  it("a deleted cookie is removed", () => {
    expect(applyCookies("a=1; b=2", jar(["a", ""], ["b", "2"]))).toBe("b=2");
    expect(applyCookies("a=1", jar(["a", ""]))).toBe("");
  });

  it("a name does not match a prefix of another, and names of object members are ordinary names", () => {
    expect(applyCookies("ab=1; __proto__=2", jar(["a", "3"]))).toBe("ab=1; __proto__=2; a=3");
  });
});

describe("jwt.decode of keyhook/next", () => {
  const OTHER = "another secret, with 32 characters";
  // next-auth passes on the text of AUTH_SECRET: applications verify with it.
  it.each<[string, Record<string, string>, string | string[]]>([
    ["AUTH_SECRET alone", { AUTH_SECRET: SECRET }, SECRET],
    ["NEXTAUTH_SECRET alone", { NEXTAUTH_SECRET: SECRET }, SECRET],
    ["several", { AUTH_SECRET: OTHER, AUTH_SECRET_1: SECRET }, [SECRET, OTHER]],
  ])("receives the secret of the environment: %s", async (_, variables, expected) => {
    const decode = vi.fn((_params: JWTDecodeParams) => null);
    const env = { NODE_ENV: "test", AUTH_URL: ORIGIN, ...variables };
    const { handlers } = create({ secret: "", env, jwt: { decode } });
    await handlers.GET(toRequest("/auth/session", { headers: { cookie: `${NAME}=x` } }));
    expect(decode.mock.calls[0]?.[0].secret).toEqual(expected);
  });
});

describe("the user of a stored session in keyhook/next", () => {
  const signedIn = async (callbacks: AuthConfig["callbacks"] = {}) => {
    const next = create({ plugins: [memoryStore(), storeAdapter()], callbacks });
    const cookie = await inScope({}, async ({ jar }) => {
      await next.signIn("credentials", { ...LOVELACE, redirect: false });
      return `${NAME}=${jar.get(NAME)}`;
    });
    return { ...next, cookie };
  };

  // next-auth passes the whole row to auth(): pages of applications read the id.
  it("has an id for auth() and the handlers that it wraps", async () => {
    const { auth, cookie } = await signedIn();
    const session = await inScope({ cookie }, async () => auth());
    expect(session?.user).toMatchObject({ id: expect.any(String), name: ADA.name });
    const request = toRequest("/api/me", { headers: { cookie } });
    const route = auth(({ auth: session }) => Response.json(session?.user?.id));
    const response = await inScope({ cookie }, () =>
      route(request, { params: undefined as never }),
    );
    expect(await response?.json()).toBe(session?.user?.id);
  });

  it("has no id for the browser", async () => {
    const { handlers, cookie } = await signedIn();
    const response = await handlers.GET(toRequest("/auth/session", { headers: { cookie } }));
    const { user } = (await response.json()) as { user: object };
    expect(user).toMatchObject({ name: ADA.name, email: ADA.email });
    expect(user).not.toHaveProperty("id");
  });

  it("is what the session callback returns", async () => {
    const session = () => ({ user: { name: "own" }, expires: "2030-01-01T00:00:00.000Z" });
    const { auth, cookie } = await signedIn({ session });
    expect(await inScope({ cookie }, async () => auth())).toEqual(session());
  });
});

describe("isSetByProxy()", () => {
  it.each([
    ["a=1; Path=/,b=2", "a", true],
    ["a=1; Path=/, b=2", "b", true],
    ["ab=1", "a", false],
    ["b=a=1", "a", false],
    ["", "a", false],
    [null, "a", false],
  ])("for the header %j and the name %s, returns %s", (header, name, isSet) => {
    expect(isSetByProxy(header, name)).toBe(isSet);
  });
});

describe("the proxy of keyhook/next", () => {
  it("a request without a session continues without cookies, and no shared cache stores the response", async () => {
    const response = await create().auth(toRequest("/"), event);
    expect(response.headers.get("x-middleware-next")).toBe("1");
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(response.headers.has(PROXY_COOKIES)).toBe(false);
    expect(response.headers.has("x-middleware-override-headers")).toBe(false);
  });

  it("a renewed session is in the cookie, and in the request that continues", async () => {
    const cookie = `theme=dark; ${await sealSession()}`;
    const response = await create(ALWAYS).auth(toRequest("/", { headers: { cookie } }), event);
    expect(setCookieNames(response)).toEqual([NAME]);
    const [value] = /(?<==)[^;]+/.exec(setCookie(response, NAME) ?? "") ?? [];
    const passed = response.headers.get("x-middleware-request-cookie");
    expect(passed).toBe(`theme=dark; ${NAME}=${value}`);
    expect(cookie).not.toContain(value);
    expect(isSetByProxy(response.headers.get(PROXY_COOKIES), NAME)).toBe(true);
  });

  it("headers that the application changes for later handlers stay changed", async () => {
    const sent = { headers: { cookie: await sealSession(), "x-mine": "1" } };
    const headers = new Headers({ "x-mine": "2" });
    const wrapped = create(ALWAYS).auth(() => NextResponse.next({ request: { headers } }));
    const response = await wrapped(toRequest("/", sent), event as never);
    expect(response.headers.get("x-middleware-request-x-mine")).toBe("2");
    // It has removed the cookies: none returns.
    expect(response.headers.has("x-middleware-request-cookie")).toBe(false);
    expect(setCookieNames(response)).toEqual([NAME]);
  });

  it("a redirect of the application carries the renewed session, and passes nothing to later handlers", async () => {
    const wrapped = create(ALWAYS).auth(({ auth, url }) =>
      Response.redirect(new URL(`/hello-${auth?.user?.name}`, url)),
    );
    const sent = { headers: { cookie: await sealSession() } };
    const response = await wrapped(toRequest("/", sent), event as never);
    expect([response.status, response.headers.get("location")]).toEqual([
      302,
      `${ORIGIN}/hello-Ada`,
    ]);
    expect(setCookieNames(response)).toEqual([NAME]);
    expect(response.headers.has(PROXY_COOKIES)).toBe(false);
    expect(response.headers.get("cache-control")).toContain("no-store");
  });

  it("a session whose cookie the application clears is not renewed", async () => {
    const wrapped = create(ALWAYS).auth(() => {
      const response = NextResponse.next();
      response.headers.append("set-cookie", `${NAME}=; Max-Age=0; Path=/`);
      return response;
    });
    const sent = { headers: { cookie: await sealSession() } };
    const response = await wrapped(toRequest("/", sent), event as never);
    expect(response.headers.getSetCookie()).toEqual([`${NAME}=; Max-Age=0; Path=/`]);
    expect(response.headers.has(PROXY_COOKIES)).toBe(false);
  });

  it("browsers store no response with a cookie, and others as the application says", async () => {
    const stored = async (config: AuthConfig) => {
      const headers = { "cache-control": "private, max-age=60" };
      const wrapped = create(config).auth(() => new Response("", { headers }));
      const sent = { headers: { cookie: await sealSession() } };
      const response = await wrapped(toRequest("/", sent), event as never);
      return response.headers.get("cache-control");
    };
    expect(await stored({})).toBe("private, max-age=60");
    expect(await stored(ALWAYS)).toContain("no-store");
  });

  describe("that refuses visitors without a session", () => {
    const guarded = () => {
      let calls = 0;
      const auth = create({ callbacks: { authorized: ({ auth: session }) => !!session } });
      const wrapped = auth.auth(() => void calls++);
      const visit = async (init: RequestInit) =>
        wrapped(toRequest("/locked?x=1", init), event as never);
      return { visit, calls: () => calls };
    };

    it("a page redirects to the sign-in page and back", async () => {
      const { visit, calls } = guarded();
      const response = await visit({ headers: html });
      const url = new URL(response.headers.get("location") ?? "");
      expect([response.status, url.pathname]).toEqual([302, "/auth/signin"]);
      expect(url.searchParams.get("callbackUrl")).toBe(`${ORIGIN}/locked?x=1`);
      expect(calls()).toBe(0);
    });

    it.each([
      ["the routes of Keyhook", {}, ["/auth/signin", "/auth/signin/", "/auth/csrf/"]],
      [
        "the sign-in page of the application",
        { pages: { signIn: "/login" } },
        ["/login", "/login/"],
      ],
    ])(
      "%s stay reachable under a matcher of all paths, also with trailingSlash of next.config",
      async (_, config, paths) => {
        const proxy = create({ ...config, callbacks: { authorized: () => false } }).auth(() => {});
        const visit = async (path: string) =>
          (await proxy(toRequest(path, { headers: html }), event as never)) as Response;
        for (const path of paths) {
          const { status, headers } = await visit(path);
          expect([path, status, headers.get("location")]).toEqual([path, 200, null]);
        }
        expect((await visit("/login//")).status).toBe(302);
      },
    );

    it("a form that is posted to a page redirects there too", async () => {
      const response = await guarded().visit({ method: "POST", headers: html });
      expect(response.status).toBe(302);
      expect(response.headers.get("location")).toContain("/auth/signin?callbackUrl=");
    });

    it("an action gets 401, and Next.js redirects in the browser", async () => {
      const headers = { "next-action": "00" };
      const response = await guarded().visit({ method: "POST", headers });
      expect(response.status).toBe(401);
      expect(response.headers.get("x-action-redirect")).toMatch(/\/auth\/signin\?.*;push$/);
      expect(response.headers.has("location")).toBe(false);
    });

    it("any other request only gets 401", async () => {
      const { visit, calls } = guarded();
      const response = await visit({ method: "POST" });
      expect(response.status).toBe(401);
      expect(response.headers.has("x-action-redirect")).toBe(false);
      expect(response.headers.has("location")).toBe(false);
      expect(calls()).toBe(0);
    });
  });
});

describe("route handlers of keyhook/next", () => {
  it("a wrapped handler has the session, and its response is private even if its headers are immutable", async () => {
    const cookie = await sealSession();
    const upstream = async ({ auth }: { auth: unknown }) => {
      const response = await fetch(
        `data:application/json,${encodeURIComponent(JSON.stringify(auth))}`,
      );
      expect(() => response.headers.set("a", "b")).toThrow(TypeError);
      return response;
    };
    const route = create().auth(upstream);
    const response = await inScope({ cookie }, () =>
      route(toRequest("/api/me", { headers: { cookie } }), { params: Promise.resolve({}) }),
    );
    expect(response.headers.get("cache-control")).toContain("private");
    expect(await response.json()).toMatchObject({ user: { name: "Ada" } });
  });

  // Next.js drops their Cache-Control if next.config or a proxy sets another one.
  it.each(["/auth/session", "/auth/csrf", "/auth/signin", "/auth/none"])(
    "headers besides Cache-Control also keep caches from storing the response to %s",
    async (path) => {
      const { headers } = await create().handlers.GET(toRequest(path));
      expect(headers.get("vary")).toBe("*");
      expect(headers.get("cdn-cache-control")).toBe("no-store");
    },
  );

  it("a route for all visitors is cached, and a response that the browser may store varies by cookies", async () => {
    const ask = async (caching: string) => {
      const headers = { "cache-control": caching };
      const open: Plugin = {
        name: "open",
        setup: (kernel) =>
          kernel.addRoute({
            method: "GET",
            path: "/open",
            handler: () => new Response("", { headers }),
          }),
      };
      const response = await create({ plugins: [open] }).handlers.GET(toRequest("/auth/open"));
      return [response.headers.get("cache-control"), response.headers.get("vary")];
    };
    expect(await ask("public, max-age=60")).toEqual(["public, max-age=60", null]);
    expect(await ask("private, max-age=60")).toEqual(["private, max-age=60", "cookie"]);
  });

  // As in next-auth: behind a proxy, `next start` only knows its own address, and a redirect would
  // lead there.
  it.each(["AUTH_URL", "NEXTAUTH_URL"])(
    "a wrapped handler and `authorized` get the request at the origin of %s, with its body",
    async (variable) => {
      vi.stubEnv(variable, "https://app.example/auth");
      const seen: string[] = [];
      const route = create({
        env: { NODE_ENV: "test", [variable]: "https://app.example/auth" },
        callbacks: {
          authorized: ({ request }) => seen.push((request as NextRequest).nextUrl.href) > 0,
        },
      }).auth(async (request) => {
        const to = new URL("/next?c=d", request.nextUrl);
        return Response.json([request.url, request.method, await request.text(), to, request.auth]);
      });
      const request = toRequest("/api/me?a=b", { method: "POST", body: "the body" });
      const context = { params: Promise.resolve({}) };
      const response = await inScope({}, () => route(request, context));
      const url = "https://app.example/api/me?a=b";
      const to = "https://app.example/next?c=d";
      expect(await response.json()).toEqual([url, "POST", "the body", to, null]);
      expect(seen).toEqual([url]);
    },
  );

  // Boot reports the fault.
  it.each(["localhost:3000", "app.example", "/auth"])(
    "a wrapped handler gets the request unchanged if AUTH_URL is not a URL: %s",
    async (value) => {
      vi.stubEnv("AUTH_URL", value);
      const route = create().auth(({ url }) => Response.json(url));
      const context = { params: Promise.resolve({}) };
      const response = await inScope({}, () => route(toRequest("/api/me"), context));
      expect(await response.json()).toBe(`${ORIGIN}/api/me`);
    },
  );

  it.each([
    ["a rewrite stays in the application", "/new?c=d", `${ORIGIN}/new?c=d`],
    [
      "a rewrite to another server keeps its target",
      "https://other.example/x",
      "https://other.example/x",
    ],
  ])("a proxy gets the request at the origin of AUTH_URL, and %s", async (_, to, expected) => {
    vi.stubEnv("AUTH_URL", "https://app.example");
    const seen: string[] = [];
    const proxy = create({
      env: { NODE_ENV: "test", AUTH_URL: "https://app.example" },
      callbacks: {
        authorized: ({ request }) => seen.push((request as NextRequest).nextUrl.href) > 0,
      },
    }).auth((request) => {
      seen.push(
        request.url,
        request.nextUrl.href,
        (request.nextUrl as unknown as NextRequest["nextUrl"]).base,
      );
      return NextResponse.rewrite(new URL(to, request.url));
    });
    const request = new NextRequest(`${ORIGIN}/old?a=b`);
    request.nextUrl.base = "/base";
    const response = await proxy(request as never, event as never);
    const url = "https://app.example/old?a=b";
    expect(seen).toEqual([url, url, url, "/base"]);
    expect(response.headers.get("x-middleware-rewrite")).toBe(expected);
    // Next.js compares the result with its own request.
    expect(request.nextUrl.href).toBe(`${ORIGIN}/old?a=b`);
  });

  it("Next.js handles and reports a handler that returns nothing", async () => {
    const route = create().auth(() => {});
    const context = { params: Promise.resolve({}) };
    expect(await inScope({}, () => route(toRequest("/api/me"), context))).toBeUndefined();
  });

  it("the routes are found with trailingSlash of next.config, by the path of the redirect", async () => {
    const { handlers } = create();
    const paths = ["/auth/providers/", "/auth/providers/?to=/a/", "/auth/providers"];
    const ask = async () =>
      Promise.all(paths.map(async (path) => (await handlers.GET(toRequest(path))).status));
    // Without it, each route has one path.
    expect(await ask()).toEqual([404, 404, 200]);
    vi.stubEnv("__NEXT_TRAILING_SLASH", "true");
    expect(await ask()).toEqual([200, 200, 200]);
    const asked = await handlers.GET(toRequest("/auth/csrf/"));
    const { csrfToken } = (await asked.json()) as { csrfToken: string };
    const cookie = asked.headers.getSetCookie().join().split(";")[0] ?? "";
    const body = new URLSearchParams({ ...LOVELACE, csrfToken });
    const headers = { cookie, origin: ORIGIN };
    const path = "/auth/callback/credentials/";
    const response = await handlers.POST(toRequest(path, { method: "POST", headers, body }));
    expect(setCookieNames(response)).toContain(NAME);
  });

  it("the routes use the base path of next.config", async () => {
    vi.stubEnv("__NEXT_ROUTER_BASEPATH", "/shop");
    const { handlers } = create({ basePath: "/shop/auth" });
    const response = await handlers.GET(toRequest("/auth/providers"));
    expect(await response.json()).toMatchObject({
      credentials: { callbackUrl: `${ORIGIN}/shop/auth/callback/credentials` },
    });
  });
});

describe("server components and actions of keyhook/next", () => {
  it("a session is read once per request, and its renewed cookie set once", async () => {
    let reads = 0;
    const session = ({ session: one }: { session: object }) => {
      reads++;
      return one;
    };
    const { auth } = create({ ...ALWAYS, callbacks: { session } });
    const cookie = await sealSession();
    await inScope({ cookie }, async ({ set }) => {
      const [first, second] = await Promise.all([auth(), auth()]);
      expect(first).toMatchObject({ user: { name: "Ada" } });
      expect(await auth()).toBe(first);
      expect(second).toBe(first);
      expect(set).toEqual([NAME]);
    });
    expect(reads).toBe(1);
  });

  it("a session that the proxy has renewed is not renewed again, but an update is set", async () => {
    const { auth, update } = create(ALWAYS);
    const cookie = await sealSession();
    const sent = { cookie, [PROXY_COOKIES]: `theme=1; Path=/, ${NAME}=x; Path=/` };
    await inScope(sent, async ({ set }) => {
      expect(await auth()).toMatchObject({ user: { name: "Ada" } });
      expect(set).toEqual([]);
      expect(await update({ name: "Countess" })).toMatchObject({ user: { name: "Countess" } });
      expect(set).toEqual([NAME]);
      expect(await auth()).toMatchObject({ user: { name: "Countess" } });
    });
  });

  it("a session of next-auth 4 continues in components, and ends with an action", async () => {
    const { auth, signOut } = create().use(nextAuth4());
    const cookie = `${OLD}=${await sealOld()}`;
    await inScope({ cookie }, async ({ set, jar }) => {
      const [first, second] = await Promise.all([auth(), auth()]);
      expect(first).toMatchObject({ user: { name: "Ada" } });
      expect(second).toBe(first);
      expect(set).toEqual([OLD, NAME]);
      await signOut({ redirect: false });
      expect(await auth()).toBeNull();
      expect([jar.get(OLD), jar.get(NAME)]).toEqual(["", ""]);
    });
    const proxied = await create()
      .use(nextAuth4())
      .auth(toRequest("/", { headers: { cookie, ...html } }), event as never);
    expect(setCookieNames(proxied as never)).toEqual([OLD, NAME]);
  });

  it("an action signs in, and the next page has the session", async () => {
    const { auth, signIn, signOut } = create();
    await inScope({}, async ({ set }) => {
      expect(await auth()).toBeNull();
      const options = { ...LOVELACE, redirect: false, redirectTo: "/in" };
      expect(await signIn("credentials", options)).toBe(`${ORIGIN}/in`);
      expect(set).toContain(NAME);
      expect(await auth()).toMatchObject({ user: { name: "Ada" } });
      expect(await signOut({ redirect: false, redirectTo: "/out" })).toBe(`${ORIGIN}/out`);
      expect(await auth()).toBeNull();
    });
  });

  it("a form redirects by the error of Next.js, and the provider receives no fields of React", async () => {
    let seen: object = {};
    const authorize = (fields: object) => {
      seen = fields;
      return ADA;
    };
    const { signIn } = create({ providers: [credentials({ authorize })] });
    const form = new FormData();
    const fields = { ...LOVELACE, redirectTo: "/in", $ACTION_ID_1: "", "$ACTION_1:0": "{}" };
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const error = await inScope({}, async () => signIn("credentials", form).catch((one) => one));
    expect(error).toBeInstanceOf(NextRedirect);
    expect((error as NextRedirect).digest).toBe(`${ORIGIN}/in`);
    expect(seen).toEqual(LOVELACE);
  });

  it("a wrong password throws the AuthError, and sets no session", async () => {
    const { signIn } = create();
    await inScope({}, async ({ set }) => {
      const wrong = signIn("credentials", { ...LOVELACE, password: "wrong" });
      await expect(wrong).rejects.toBeInstanceOf(CredentialsSignin);
      expect(set).not.toContain(NAME);
    });
  });

  it("a cookie that the application sets itself is used from then on", async () => {
    const { auth } = create();
    const cookie = await sealSession();
    await inScope({}, async ({ jar }) => {
      expect(await auth()).toBeNull();
      jar.set(NAME, cookie.slice(NAME.length + 1));
      expect(await auth()).toMatchObject({ user: { name: "Ada" } });
      jar.delete(NAME);
      expect(await auth()).toBeNull();
    });
  });

  it("functions of plugins accept the request of an action, a component and a page, and set cookies where Next.js allows it", async () => {
    const mark: Plugin<{ mark(call: AnyRequestSource): Promise<string | undefined> }> = {
      name: "mark",
      setup() {},
      extend: (run) => ({
        mark: (call) =>
          run(call, async (ctx) => {
            ctx.cookies.set("mark", "1", { path: "/" });
            return (await ctx.session())?.session.user?.name ?? undefined;
          }),
      }),
    };
    const next = create().use(mark);
    const cookie = await sealSession();
    await inScope({ cookie }, async ({ set }) => {
      expect(await next.mark(await next.toRequestSource())).toBe("Ada");
      const request = toRequest("/api/me", { headers: { cookie } });
      expect(await next.mark(request)).toBe("Ada");
      expect(set).toEqual(["mark", "mark"]);
    });
    await inScope({ cookie }, async ({ jar }) => {
      jar.set = () => {
        throw new Error("Cookies can only be modified in a Server Action or Route Handler.");
      };
      expect(await next.mark(await next.toRequestSource())).toBe("Ada");
      await expect(next.update({})).rejects.toThrow("Cookies can only be modified");
    });
    const lines: string[] = [];
    const kept = new Map<string, string>();
    const res = {
      headersSent: false,
      getHeader: (name: string) => kept.get(name),
      setHeader: (name: string, value: string) => void kept.set(name, value),
      removeHeader: (name: string) => void kept.delete(name),
      appendHeader: (_: string, line: string) => void lines.push(line),
    };
    const req = { headers: { cookie }, url: "/", socket: {} };
    expect(await next.mark(await next.toRequestSource(req, res))).toBe("Ada");
    expect(await next.mark(await next.toRequestSource({ req, res }))).toBe("Ada");
    expect(lines).toEqual(["mark=1; Path=/", "mark=1; Path=/"]);
    const event = { req: new Request(ORIGIN) };
    expect(await next.toRequestSource(event)).toBe(event);
  });

  it("a malformed Host does not crash the page", async () => {
    for (const host of ["a b", "[::1", "evil.example:x", ""]) {
      expect(await inScope({ host }, async () => create().auth())).toBeNull();
    }
  });
});

describe("the Pages router of keyhook/next", () => {
  const open = (sent: Record<string, string>, url = "/api/me", headersSent = false) => {
    const lines: [name: string, value: string][] = [];
    const res = {
      headersSent,
      getHeader: (name: string) => lines.find(([other]) => other === name)?.[1],
      setHeader: (name: string, value: string) => void lines.push([name, value]),
      appendHeader: (name: string, value: string) => void lines.push([name, value]),
      removeHeader() {},
    };
    const req = { url, method: "GET", headers: { host: "localhost:3000", ...sent }, socket: {} };
    return { req: req as unknown as PageRequest, res: res as unknown as PageResponse, lines };
  };
  const listSet = (lines: [name: string, value: string][]) =>
    lines.filter(([name]) => name === "set-cookie").map(([, value]) => value.split("=", 1)[0]);

  it("a session is read once, and its renewed cookie is in the response once", async () => {
    const { auth } = create(ALWAYS);
    const { req, res, lines } = open({ cookie: await sealSession() });
    const first = await auth(req, res);
    expect(first).toMatchObject({ user: { name: "Ada" } });
    expect(await auth({ req, res })).toBe(first);
    expect(listSet(lines)).toEqual([NAME]);
    expect(Object.fromEntries(lines)["cache-control"]).toContain("no-store");
  });

  it("a session that the proxy has renewed is not set again", async () => {
    const { auth } = create(ALWAYS);
    const { req, res, lines } = open({
      cookie: await sealSession(),
      [PROXY_COOKIES]: `${NAME}=x; Path=/`,
    });
    expect(await auth(req, res)).toMatchObject({ user: { name: "Ada" } });
    expect(listSet(lines)).toEqual([]);
  });

  it("headers of HTTP/2, a sent response and a malformed URL cause no errors", async () => {
    const { auth } = create(ALWAYS);
    const cookie = await sealSession();
    for (const { req, res } of [
      open({ cookie, ":path": "/", ":authority": "localhost" }),
      open({ cookie }, "/api/me", true),
      open({ cookie, host: "a b" }),
      open({ cookie }, "http://[::1"),
    ]) {
      expect(await auth(req, res)).toMatchObject({ user: { name: "Ada" } });
    }
  });
});
