import { describe, expect, it, vi } from "vitest";
import type { AuthConfig, Kernel, Plugin } from "../../src/index.ts";
import { createHouse, LOVELACE, ORIGIN, queryOf, setCookieNames } from "../_setup.ts";

const setup = (work: (kernel: Kernel) => void): Plugin => ({ name: "test/plugin", setup: work });

const statusOf = async (path: string, config: AuthConfig = {}, init?: RequestInit) => {
  const { auth } = createHouse(config);
  return (await auth.fetch(new Request(ORIGIN + path, init))).status;
};

describe("finding a route", () => {
  it.each([
    ["/auth/session", 200],
    ["/auth/session/", 200],
    ["/auth//session", 200],
    ["/auth/session?x=1", 200],
    ["/auth/session/undefined", 200],
    ["/auth", 404],
    ["/auth/", 404],
    ["/authsession", 404],
    ["/authority/session", 404],
    ["/Auth/session", 404],
    ["/auth/Session", 404],
    ["/auth/sessions", 404],
    ["/auth/session/x", 404],
    ["/auth/session/x/y", 404],
    ["/auth/__proto__", 404],
    ["/auth/constructor", 404],
    ["/auth/%73ession", 404],
    ["/x/auth/session", 404],
    ["/auth/../auth/session", 200],
    ["/auth/./session", 200],
    ["/auth;x/session", 404],
  ])("%s is answered by %i", async (path, status) => {
    expect(await statusOf(path)).toBe(status);
  });

  it.each(["/auth/signin/:provider", "/auth/callback/:provider"])(
    "%s names no provider: the pattern is no path",
    async (path) => {
      const { browser, log } = createHouse();
      const csrfToken = await browser.csrfToken();
      expect((await browser.get(path)).headers.get("location") ?? "none").not.toContain("callback");
      expect(queryOf(await browser.post(path, { csrfToken }))).toEqual({ error: "Configuration" });
      expect(new Set(log.errors.splice(0).map(({ name }) => name))).toEqual(
        new Set(["InvalidProvider"]),
      );
    },
  );

  it.each([
    ["/", "/session"],
    ["/api/auth", "/api/auth/session"],
    ["/a.b", "/a.b/session"],
    ["/a+b(c)", "/a+b(c)/session"],
    ["/%C3%A9", "/é/session"],
  ])("works below the base path %s", async (basePath, path) => {
    expect(await statusOf(path, { basePath })).toBe(200);
  });

  it("takes a base path for text, not for a pattern", async () => {
    expect(await statusOf("/axb/session", { basePath: "/a.b" })).toBe(404);
  });

  it("answers `undefined` from `handle` for a path that is not ours, and 404 from `fetch`", async () => {
    const { auth } = createHouse();
    expect(await auth.handle(new Request(`${ORIGIN}/elsewhere`))).toBeUndefined();
    expect((await auth.fetch(new Request(`${ORIGIN}/elsewhere`))).status).toBe(404);
    expect((await auth.handle(new Request(`${ORIGIN}/auth/nothing`)))?.status).toBe(404);
  });
});

describe("methods", () => {
  it("of a HEAD are a GET's, without its body", async () => {
    const { auth } = createHouse();
    const response = await auth.fetch(new Request(`${ORIGIN}/auth/session`, { method: "HEAD" }));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe("");
  });

  it.each(["PUT", "DELETE", "PATCH", "OPTIONS", "get", "BREW"])(
    "that no route has, such as %s, are refused by 405 with those it has",
    async (method) => {
      const { auth } = createHouse();
      const request = new Request(`${ORIGIN}/auth/session`, { method });
      const response = await auth.fetch(request);
      // `get` is normalised by the platform.
      expect(response.status).toBe(request.method === "GET" ? 200 : 405);
      if (response.status === 405) expect(response.headers.get("allow")).toBe("GET, HEAD, POST");
    },
  );

  it("override headers and fields mean nothing", async () => {
    const { browser } = createHouse();
    await browser.signInWith("credentials", LOVELACE);
    await browser.get("/auth/signout?_method=POST", {
      headers: { "x-http-method-override": "POST", "x-http-method": "POST" },
    });
    expect(await browser.session()).not.toBeNull();
  });
});

describe("the request hook", () => {
  it("may answer instead of the route", async () => {
    const { browser } = createHouse(
      {},
      {
        use: [
          setup((kernel) =>
            kernel.hooks.request.tap("maintenance", (ctx) =>
              ctx.action === "signin" ? new Response("closed", { status: 503 }) : undefined,
            ),
          ),
        ],
      },
    );
    expect((await browser.get("/auth/signin")).status).toBe(503);
    expect((await browser.get("/auth/session")).status).toBe(200);
  });

  it("comes after the guards: a POST without its token never reaches it", async () => {
    const seen = vi.fn();
    const { browser, log } = createHouse(
      {},
      { use: [setup((kernel) => kernel.hooks.request.tap("look", seen))] },
    );
    await browser.post("/auth/signout");
    log.expectErrors("MissingCSRF");
    expect(seen).not.toHaveBeenCalled();
  });

  it("is not asked about paths that are not ours or nobody's", async () => {
    const seen = vi.fn();
    const { auth } = createHouse(
      {},
      { use: [setup((kernel) => kernel.hooks.request.tap("look", seen))] },
    );
    await auth.fetch(new Request(`${ORIGIN}/elsewhere`));
    await auth.fetch(new Request(`${ORIGIN}/auth/nothing`));
    expect(seen).not.toHaveBeenCalled();
  });
});

describe("the response hook", () => {
  const shaped = (config: AuthConfig = {}) =>
    createHouse(config, {
      use: [
        setup((kernel) =>
          kernel.hooks.response.tap("mark", (response) => {
            const marked = new Response(response.body, response);
            marked.headers.set("x-mark", String(response.status));
            return marked;
          }),
        ),
      ],
    });

  it("shapes answers and errors alike", async () => {
    const { browser, log } = shaped();
    expect((await browser.get("/auth/session")).headers.get("x-mark")).toBe("200");
    expect((await browser.get("/auth/nothing")).headers.get("x-mark")).toBe("404");
    expect((await browser.post("/auth/signout")).headers.get("x-mark")).toBe("302");
    log.expectErrors("MissingCSRF");
  });

  it("comes before the cookies, which are added once", async () => {
    const { browser } = shaped();
    const response = await browser.get("/auth/csrf");
    expect(setCookieNames(response)).toEqual(["authjs.csrf-token"]);
    expect(response.headers.get("x-mark")).toBe("200");
  });

  it("that throws is answered by a fixed 500", async () => {
    const { browser, log } = createHouse(
      {},
      {
        use: [
          setup((kernel) =>
            kernel.hooks.response.tap("faulty", () => {
              throw new Error("secret detail");
            }),
          ),
        ],
      },
    );
    const response = await browser.get("/auth/session");
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret detail");
    log.expectErrors("Error");
  });
});

describe("cookies of a response", () => {
  const owning = (headers: Record<string, string>) =>
    createHouse(
      {},
      {
        use: [
          setup((kernel) =>
            kernel.addRoute({
              method: "GET",
              path: "/own",
              handler(ctx) {
                ctx.cookies.set("mine", "1", { path: "/" });
                return new Response("own", { headers });
              },
            }),
          ),
        ],
      },
    );

  it("make it private to the browser (R10)", async () => {
    const response = await owning({}).browser.get("/auth/own");
    expect(response.headers.get("cache-control")).toBe("private, no-store");
  });

  it("make it private even where the route said it is public (R10)", async () => {
    const response = await owning({ "cache-control": "public, max-age=60" }).browser.get(
      "/auth/own",
    );
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(response.headers.get("cache-control")).not.toContain("public");
  });

  it("are added to one whose headers cannot be changed", async () => {
    const { browser } = createHouse(
      {},
      {
        use: [
          setup((kernel) =>
            kernel.addRoute({
              method: "GET",
              path: "/own",
              handler(ctx) {
                ctx.cookies.set("mine", "1", {});
                return Response.redirect(`${ORIGIN}/there`);
              },
            }),
          ),
        ],
      },
    );
    const response = await browser.get("/auth/own");
    expect(setCookieNames(response)).toEqual(["mine"]);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/there`);
  });

  it("go out with an error's answer too: the way back is not lost", async () => {
    const { browser, log } = createHouse();
    const response = await browser.signInWith("credentials", {
      username: "ada",
      password: "wrong",
      callbackUrl: "/deep",
    });
    expect(setCookieNames(response)).toContain("authjs.callback-url");
    log.expectErrors("CredentialsSignin");
  });

  it("are not set by a mere look: session, providers, pages without forms", async () => {
    const { browser } = createHouse();
    for (const path of [
      "/auth/session",
      "/auth/providers",
      "/auth/error",
      "/auth/verify-request",
    ]) {
      expect(setCookieNames(await browser.get(path)), path).toEqual([]);
    }
  });
});

describe("the clients' header X-Auth-Return-Redirect", () => {
  it("turns a redirect into JSON, cookies and Location included", async () => {
    const { browser } = createHouse();
    const csrfToken = await browser.csrfToken();
    const response = await browser.post(
      "/auth/callback/credentials",
      { ...LOVELACE, csrfToken, callbackUrl: "/deep" },
      { headers: { "x-auth-return-redirect": "" } },
    );
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ url: `${ORIGIN}/deep` });
    expect(response.headers.get("location")).toBe(`${ORIGIN}/deep`);
    expect(setCookieNames(response)).toContain("authjs.session-token");
  });

  it("turns an error's redirect into JSON too", async () => {
    const { browser, log } = createHouse();
    const response = await browser.post(
      "/auth/signout",
      {},
      {
        headers: { "x-auth-return-redirect": "1" },
      },
    );
    expect(await response.json()).toEqual({ url: `${ORIGIN}/auth/signout?error=MissingCSRF` });
    log.expectErrors("MissingCSRF");
  });

  it("has no effect on what is no redirect", async () => {
    const { browser } = createHouse();
    const headers = { "x-auth-return-redirect": "1" };
    expect(await (await browser.get("/auth/session", { headers })).json()).toBeNull();
  });
});
