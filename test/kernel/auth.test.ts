import { describe, expect, it, vi } from "vitest";
import { createAuth, minimalPreset } from "../../presets/minimal.ts";
import { MissingRequest } from "../../src/errors/errors.ts";
import {
  type AuthConfig,
  type AuthedRequest,
  createAuthWith,
  type Plugin,
} from "../../src/kernel.ts";
import {
  createTestAuth,
  credentials,
  ENV,
  LOVELACE,
  ORIGIN,
  SECRET,
  setCookie,
  setCookieNames,
} from "../_app.ts";

/** Builds a browser's request for a page of the application, with or without a session. */
async function pageRequest(
  { signedIn = false, path = "/page", init = {} as RequestInit } = {},
  config: AuthConfig = {},
) {
  const app = createTestAuth(config);
  if (signedIn) await app.browser.signInWith("credentials", LOVELACE);
  const cookie = [...app.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { accept: "text/html", cookie, ...init.headers };
  const request = new Request(ORIGIN + path, { ...init, headers });
  return { ...app, request };
}

const ok = () => new Response("page");

const SESSION = "authjs.session-token";

describe("auth.getSession() and auth.auth()", () => {
  it("getSession() and auth() return the session of the request, or null without one", async () => {
    const out = await pageRequest();
    expect(await out.auth.getSession(out.request)).toBeNull();
    const { auth, request } = await pageRequest({ signedIn: true });
    expect(await auth.getSession(request)).toMatchObject({ user: { name: "Ada" } });
    expect(await auth.auth(request)).toMatchObject({ user: { name: "Ada" } });
  });

  it("auth() accepts an event and writes renewed cookies to its response", async () => {
    const { auth, request } = await pageRequest({ signedIn: true }, { session: { updateAge: 0 } });
    const headers = new Headers();
    await auth.auth({ req: request, res: { headers } });
    expect(headers.getSetCookie()[0]).toMatch(/^authjs\.session-token=/);
    expect(headers.get("cache-control")).toBe("private, no-store");
  });

  it("getSession() accepts an event without a response", async () => {
    const { auth, request } = await pageRequest({ signedIn: true });
    expect(await auth.getSession({ req: request })).toMatchObject({ user: { name: "Ada" } });
  });

  it("getSession(), auth() and signIn() reject with MissingRequest without a request", async () => {
    const { auth } = createTestAuth();
    // The third is a Node request, which bindings accept.
    const node = { url: "/", headers: { host: "localhost" } };
    const headersAlone = { headers: new Headers() };
    for (const call of [undefined, null, "x", node, { req: node }, new Headers(), headersAlone]) {
      await expect(auth.getSession(call as never)).rejects.toThrow(MissingRequest);
      await expect(auth.auth(call as never)).rejects.toThrow(MissingRequest);
      await expect(auth.signIn(call as never)).rejects.toThrow(MissingRequest);
    }
  });
});

describe("auth.handle() and auth.fetch()", () => {
  it("a value that is not a request gets status 500, and the log says what to pass", async () => {
    const { auth, log } = createTestAuth();
    for (const given of [undefined, null, "/auth/session", {}, { headers: new Headers() }]) {
      expect((await auth.handle(given as never))?.status).toBe(500);
      expect((await auth.fetch(given as never)).status).toBe(500);
      const errors = log.expectErrors("MissingRequest", "MissingRequest");
      expect(errors[0]?.message).toContain("Pass the Request");
    }
  });
});

describe("auth.auth(handler)", () => {
  it("auth(handler) passes the request with its session and the framework's further arguments", async () => {
    const { auth, request } = await pageRequest({ signedIn: true });
    const handler = vi.fn((req: AuthedRequest, extra: object) =>
      Response.json({ auth: req.auth, extra }),
    );
    const response = await auth.auth(handler)(request, { params: { id: 1 } });
    expect(await response.json()).toMatchObject({
      auth: { user: { name: "Ada" } },
      extra: { params: { id: 1 } },
    });
  });

  it("auth(handler) runs the handler without a session when no guard is configured", async () => {
    const { auth, request } = await pageRequest();
    const response = await auth.auth((req) => Response.json(req.auth))(request);
    expect(await response.json()).toBeNull();
  });

  it("auth(handler) adds renewed cookies to the response and makes it private (R10)", async () => {
    const { auth, request } = await pageRequest({ signedIn: true }, { session: { updateAge: 0 } });
    const wrapped = auth.auth(
      () => new Response("page", { headers: { "cache-control": "public, max-age=60" } }),
    );
    const response = await wrapped(request);
    expect(setCookieNames(response)).toEqual(["authjs.session-token"]);
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(await response.text()).toBe("page");
  });

  it("auth(handler) does not extend the session that the handler has signed out of", async () => {
    const { auth, request } = await pageRequest({ signedIn: true }, { session: { updateAge: 0 } });
    const response = (await auth.auth((own) => auth.signOut(own) as Promise<Response>)(
      request,
    )) as Response;
    const lines = response.headers.getSetCookie().filter((line) => line.startsWith(SESSION));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`${SESSION}=;`);
  });

  it.each([
    ["clears", `${SESSION}=; Max-Age=0; Path=/`],
    ["sets in parts", `${SESSION}.0=x; Path=/`],
  ])("auth(handler) does not extend the session whose cookie the handler %s", async (_, line) => {
    const { auth, request } = await pageRequest({ signedIn: true }, { session: { updateAge: 0 } });
    const headers = { "set-cookie": line };
    const response = await auth.auth(() => new Response("", { headers }))(request);
    expect(response.headers.getSetCookie()).toEqual([line]);
  });

  it("auth(handler) keeps the user whom the handler signed in, instead of the previous one", async () => {
    const other = { id: "2", name: "Bob", email: "bob@example.com" };
    const config: AuthConfig = {
      session: { updateAge: 0 },
      providers: [credentials(), credentials({ id: "other", authorize: () => other })],
    };
    const { auth, request } = await pageRequest({ signedIn: true }, config);
    const wrapped = auth.auth((own) => auth.signIn(own, "other", {}) as Promise<Response>);
    const response = (await wrapped(request)) as Response;
    const line = response.headers.getSetCookie().findLast((one) => one.startsWith(SESSION));
    const cookie = line?.split(";", 1)[0] ?? "";
    const session = await auth.getSession(new Request(ORIGIN, { headers: { cookie } }));
    expect(session?.user?.name).toBe("Bob");
  });

  it("auth(handler) adds renewed cookies to a response created by Response.redirect()", async () => {
    const { auth, request } = await pageRequest({ signedIn: true }, { session: { updateAge: 0 } });
    const response = await auth.auth(() => Response.redirect(`${ORIGIN}/there`))(request);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/there`);
    expect(setCookie(response, "authjs.session-token")).toBeDefined();
  });

  it.each([
    [undefined, "private, no-store"],
    ["public, max-age=60", "private, no-store"],
    ["private, max-age=60", "private, max-age=60"],
    ["no-store", "no-store"],
  ])(
    "auth(handler) keeps a response with Cache-Control %s out of shared caches",
    async (given, expected) => {
      const { auth, request } = await pageRequest({ signedIn: true });
      const headers = {
        "cdn-cache-control": "max-age=60",
        ...(given && { "cache-control": given }),
      };
      const response = await auth.auth(() => new Response("ok", { headers }))(request);
      expect(response.headers.get("cache-control")).toBe(expected);
      expect(response.headers.get("cdn-cache-control")).toBeNull();
      expect(await response.text()).toBe("ok");
    },
  );

  it("auth(handler) rejects with the error that the handler throws", async () => {
    const { auth, request } = await pageRequest();
    const wrapped = auth.auth(() => {
      throw new RangeError("mine");
    });
    await expect(wrapped(request)).rejects.toThrow("mine");
  });
});

describe("callbacks.authorized", () => {
  const guard = (authorized: NonNullable<AuthConfig["callbacks"]>["authorized"]): AuthConfig => ({
    callbacks: { authorized: authorized as never },
  });
  const signedInOnly = guard(({ auth }) => auth);

  it.each(["/auth/signin/github", "/auth/session", "/auth/callback/credentials"])(
    "a visitor without a session reaches %s, a route of the Auth itself that sign-ins need",
    async (path) => {
      const { auth, request } = await pageRequest({ path }, signedInOnly);
      expect(await auth.authorize(request)).toBeUndefined();
    },
  );

  it.each([
    ["/auth", "/auth/reports"],
    ["/auth", "/auth/session/reports"],
    ["/auth", "/auth//session"],
    ["/auth", "/auth/session%2freports"],
    ["/auth", "/authors"],
    ["/", "/reports"],
    ["/", "/session/reports"],
  ])(
    "with the base path %s a visitor without a session does not reach %s, which is not a route of the Auth",
    async (basePath, path) => {
      const { auth, request } = await pageRequest({ path }, { ...signedInOnly, basePath });
      expect((await auth.authorize(request))?.status).toBe(302);
    },
  );

  it("runs the handler when the authorized callback returns a truthy value", async () => {
    const { auth, request } = await pageRequest({ signedIn: true }, signedInOnly);
    expect(await (await auth.auth(ok)(request)).text()).toBe("page");
  });

  it("redirects to the sign-in page when the authorized callback returns a falsy value", async () => {
    const { auth, request } = await pageRequest({ path: "/page?x=1" }, signedInOnly);
    const handler = vi.fn(ok);
    const response = await auth.auth(handler)(request);
    expect(handler).not.toHaveBeenCalled();
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe(
      `${ORIGIN}/auth/signin?callbackUrl=${encodeURIComponent(`${ORIGIN}/page?x=1`)}`,
    );
  });

  it("redirects a refused request to the application's own sign-in page", async () => {
    const { auth, request } = await pageRequest(
      {},
      { ...signedInOnly, pages: { signIn: "/login" } },
    );
    const response = await auth.auth(ok)(request);
    expect(response.headers.get("location")).toMatch(
      /^http:\/\/localhost:3000\/login\?callbackUrl=/,
    );
  });

  it("does not redirect from the application's sign-in page to itself", async () => {
    const config = { ...signedInOnly, pages: { signIn: "/login" } };
    const { auth, request } = await pageRequest({ path: "/login?error=x" }, config);
    expect(await (await auth.auth(ok)(request)).text()).toBe("page");
  });

  it.each(["/", "/login"])(
    "does not treat %s as the sign-in page when pages.signIn is that path of another site",
    async (path) => {
      const config = { ...signedInOnly, pages: { signIn: `https://accounts.example${path}` } };
      const { auth, request } = await pageRequest({ path }, config);
      const handler = vi.fn(ok);
      const response = await auth.auth(handler)(request);
      expect(handler).not.toHaveBeenCalled();
      expect(response.headers.get("location")).toContain("https://accounts.example/");
    },
  );

  it.each(["POST", "PUT", "DELETE", "PATCH"])(
    "responds to a refused %s request of a script with 401",
    async (method) => {
      const init = { method, headers: { accept: "*/*" } };
      const { auth, request } = await pageRequest({ init }, signedInOnly);
      const response = await auth.auth(ok)(request);
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({
        error: "SessionRequired",
        message: "Sign in first.",
      });
    },
  );

  it("returns the Response of the authorized callback unchanged", async () => {
    const { auth, request } = await pageRequest(
      {},
      guard(() => new Response("pay first", { status: 402 })),
    );
    expect((await auth.auth(ok)(request)).status).toBe(402);
  });

  it.each([[undefined], [null], [false], [0], [""]])(
    "refuses the request when the authorized callback returns %j",
    async (answer) => {
      const { auth, request } = await pageRequest(
        { signedIn: true },
        guard(() => answer),
      );
      expect((await auth.auth(ok)(request)).status).toBe(302);
    },
  );

  it("rejects without running the handler when the authorized callback throws", async () => {
    const { auth, request } = await pageRequest(
      { signedIn: true },
      guard(() => {
        throw new Error("broken guard");
      }),
    );
    const handler = vi.fn(ok);
    await expect(auth.auth(handler)(request)).rejects.toThrow("broken guard");
    expect(handler).not.toHaveBeenCalled();
  });

  it("authorize() returns the redirect of a refused request, and undefined for an allowed one", async () => {
    const out = await pageRequest({}, signedInOnly);
    const refused = await out.auth.authorize(out.request);
    expect(refused?.headers.get("location")).toContain("/auth/signin?callbackUrl=");
    const inside = await pageRequest({ signedIn: true }, signedInOnly);
    expect(await inside.auth.authorize(inside.request)).toBeUndefined();
  });

  it("authorize() responds to a refused script with a 401 that no cache stores", async () => {
    const init = { headers: { accept: "*/*" } };
    const { auth, request } = await pageRequest({ init }, signedInOnly);
    const refused = await auth.authorize(request);
    expect(refused?.status).toBe(401);
    expect(refused?.headers.get("cache-control")).toContain("no-store");
  });

  it("authorize() writes renewed cookies to the response of an event, which no cache stores", async () => {
    const config = { ...signedInOnly, session: { updateAge: 0 } };
    const { auth, request } = await pageRequest({ signedIn: true }, config);
    const headers = new Headers();
    expect(await auth.authorize({ req: request, res: { headers } })).toBeUndefined();
    expect(headers.getSetCookie()[0]).toMatch(/^authjs\.session-token=/);
    expect(headers.get("cache-control")).toBe("private, no-store");
  });

  it("a request that is authorized after its own sign-in keeps its method and other cookies", async () => {
    const authorized = vi.fn(({ request }: { request: Request }) => request.method === "POST");
    const { auth } = createTestAuth({ callbacks: { authorized } });
    const req = new Request(`${ORIGIN}/page`, {
      method: "POST",
      headers: { cookie: "theme=dark" },
    });
    const event = { req, res: { headers: new Headers() } };
    await auth.signIn(event, "credentials", { ...LOVELACE, redirect: false });
    expect(await auth.authorize(event)).toBeUndefined();
    const cookies = authorized.mock.lastCall?.[0].request.headers.get("cookie");
    expect(cookies).toContain("theme=dark");
    expect(cookies).toContain("authjs.session-token=");
  });

  it("passes the request and its session to the authorized callback", async () => {
    const authorized = vi.fn(() => true);
    const { auth, request } = await pageRequest({ signedIn: true }, guard(authorized));
    await auth.authorize(request);
    expect(authorized).toHaveBeenCalledExactlyOnceWith({
      request,
      auth: expect.objectContaining({ user: expect.objectContaining({ name: "Ada" }) }),
    });
  });
});

describe("createAuth()", () => {
  it("createAuth() does not throw and reads neither the environment nor the clock", () => {
    expect(() => createAuth({ basePath: "/a b", secret: "" })).not.toThrow();
    expect(() => createAuth()).not.toThrow();
  });

  it("handlers.GET, handlers.POST and fetch behave the same and need no `this`", async () => {
    const { handlers, fetch } = createAuth({ secret: SECRET, env: ENV });
    const request = () => new Request(`${ORIGIN}/auth/session`);
    for (const answer of [handlers.GET, handlers.POST, fetch]) {
      expect(await (await answer(request())).json()).toBeNull();
    }
  });
});

describe("auth.authorize() without a tap of `authorized`", () => {
  it("authorize() allows every request, and warns once for each kernel", async () => {
    const warnings: [string, string | undefined][] = [];
    const logger = { warn: (code: string, text?: string) => void warnings.push([code, text]) };
    const { auth } = createTestAuth({ logger });
    for (let time = 0; time < 3; time++) {
      expect(await auth.authorize(new Request(`${ORIGIN}/page`))).toBeUndefined();
    }
    const unused = warnings.filter(([code]) => code === "authorized-unused");
    expect(unused).toHaveLength(1);
    expect(unused[0]?.[1]).toContain("`callbacks.authorized`");
    expect(unused[0]?.[1]).toContain("`auth.requireSession`");
    const other = createTestAuth({ logger });
    await other.auth.authorize(new Request(`${ORIGIN}/page`));
    expect(warnings.filter(([code]) => code === "authorized-unused")).toHaveLength(2);
  });

  it("authorize() also warns when an interceptor observes the hook, because an interceptor decides nothing", async () => {
    const observer: Plugin = {
      name: "observer",
      setup: (kernel) => kernel.interceptHooks(() => ({ run: () => undefined })),
    };
    const app = createTestAuth({ use: [observer] });
    await app.auth.authorize(new Request(`${ORIGIN}/page`));
    expect(app.log.warnings).toContain("authorized-unused");
  });

  it("authorize() does not warn with a callback or a tap, nor does `auth.auth(handler)`", async () => {
    const tap: Plugin = {
      name: "tap",
      setup: ({ hooks }) => hooks.authorized.tap("tap", () => undefined),
    };
    for (const app of [
      createTestAuth({ callbacks: { authorized: () => true } }),
      createTestAuth({ use: [tap] }),
    ]) {
      await app.auth.authorize(new Request(`${ORIGIN}/page`));
      expect(app.log.warnings).not.toContain("authorized-unused");
    }
    const wrapped = createTestAuth();
    await wrapped.auth.auth(() => new Response())(new Request(`${ORIGIN}/page`));
    expect(wrapped.log.warnings).not.toContain("authorized-unused");
  });
});

describe("a configuration function and keyhook/minimal", () => {
  const config = { env: ENV, secret: SECRET, trustHost: true };
  const source = () => config;

  it("createAuth() refuses it, and names createAuthWith(), which accepts it", async () => {
    expect(() => createAuth(source as never)).toThrow("createAuthWith(minimalPreset, ");
    const auth = createAuthWith(minimalPreset, source);
    const response = await auth.fetch(new Request(`${ORIGIN}/auth/session`));
    expect([response.status, await response.json()]).toEqual([200, null]);
  });
});
