import { describe, expect, it } from "vitest";
import * as errors from "../../src/errors/errors.ts";
import type { AuthConfig, Plugin } from "../../src/kernel.ts";
import { createTestAuth, ORIGIN, queryOf } from "../_app.ts";

/** Adds routes that throw. */
const faulty = (thrown: () => unknown): Plugin => ({
  name: "faulty",
  setup(kernel) {
    const handler = () => {
      throw thrown();
    };
    kernel.addRoute({ method: "GET", path: "/faulty", handler });
    kernel.addRoute({ method: "GET", path: "/faulty-json", json: true, handler });
  },
});

const failing = (thrown: unknown, config: AuthConfig = {}, ...more: Plugin[]) => {
  const app = createTestAuth({ ...config, use: [faulty(() => thrown), ...more] });
  return { ...app, fail: () => app.browser.get("/auth/faulty") };
};

describe("redirects of failed requests", () => {
  it.each([
    [
      new errors.CredentialsSignin(),
      "/auth/signin",
      { error: "CredentialsSignin", code: "credentials" },
    ],
    [new errors.OAuthAccountNotLinked(), "/auth/signin", { error: "OAuthAccountNotLinked" }],
    [new errors.OAuthCallbackError(), "/auth/signin", { error: "OAuthCallbackError" }],
    [new errors.MissingCSRF(), "/auth/signin", { error: "MissingCSRF" }],
    [new errors.AccessDenied(), "/auth/error", { error: "AccessDenied" }],
    [new errors.Verification(), "/auth/error", { error: "Verification" }],
    [new errors.CallbackRouteError(), "/auth/error", { error: "Configuration" }],
    [new errors.AdapterError(), "/auth/error", { error: "Configuration" }],
    [new errors.SessionTooLarge(), "/auth/error", { error: "Configuration" }],
    [new errors.AuthError(), "/auth/error", { error: "Configuration" }],
    [new Error("plain"), "/auth/error", { error: "Configuration" }],
    [new TypeError("plain"), "/auth/error", { error: "Configuration" }],
  ])("redirects %s to %s", async (thrown, path, query) => {
    const { fail, log } = failing(thrown);
    const response = await fail();
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toMatch(new RegExp(`^${ORIGIN}${path}\\?`));
    expect(queryOf(response)).toEqual(query);
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(log.errors.splice(0)).toEqual([thrown]);
  });

  it("redirects an error to the application's own page and keeps its query", async () => {
    const pages = { signIn: "/login?from=auth", error: "https://help.example/oops" };
    const one = failing(new errors.CredentialsSignin(), { pages });
    expect((await one.fail()).headers.get("location")).toBe(
      `${ORIGIN}/login?from=auth&error=CredentialsSignin&code=credentials`,
    );
    one.log.expectErrors("CredentialsSignin");
    const two = failing(new Error("x"), { pages });
    expect((await two.fail()).headers.get("location")).toBe(
      "https://help.example/oops?error=Configuration",
    );
    two.log.expectErrors("Error");
  });

  it("the error page does not show the message of an error that is not public", async () => {
    const { fail, log, browser } = failing(new Error("password=hunter2"));
    const page = await browser.follow(await fail());
    expect(page.status).toBe(500);
    expect(await page.text()).not.toContain("hunter2");
    log.expectErrors("Error");
  });

  it("an application's own error type is reported as Configuration", async () => {
    class Mine extends errors.AuthError {
      static override readonly type: string = "Mine";
    }
    const { fail, log } = failing(new Mine("x"));
    expect(queryOf(await fail())).toEqual({ error: "Configuration" });
    log.expectErrors("Mine");
  });

  it("a subclass of a public error type is reported by its type and code", async () => {
    class Locked extends errors.CredentialsSignin {
      static override readonly type: string = "CredentialsSignin";
      override code = "locked out & more";
    }
    const { fail, log } = failing(new Locked());
    expect(queryOf(await fail())).toEqual({
      error: "CredentialsSignin",
      code: "locked out & more",
    });
    log.expectErrors("CredentialsSignin");
  });
});

describe("error responses without a redirect", () => {
  it.each([
    ["text/html,*/*", "text/html"],
    ["application/json", "application/json"],
    ["*/*", "application/json"],
  ])(
    "an error response is a page for browsers and JSON for other clients: Accept %s",
    async (accept, type) => {
      const { browser } = createTestAuth();
      const response = await browser.get("/auth/nothing", { headers: { accept } });
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toContain(type);
      expect(response.headers.get("cache-control")).toContain("no-store");
    },
  );

  it("malformed JSON is responded to with 400, and logged as debug: clients cause it", async () => {
    const { browser, log } = createTestAuth();
    const response = await browser.post("/auth/signout", undefined, {
      body: "{",
      headers: { "content-type": "application/json", accept: "application/json" },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      message: "The request could not be understood.",
    });
    expect(log.debugs).toEqual([["The JSON is malformed.", { type: "BadRequest" }]]);
  });

  it("an error response contains the id of the logged error", async () => {
    const { browser, log } = failing(new Error("x"));
    const response = await browser.get("/auth/faulty-json");
    expect(response.status).toBe(500);
    const { id } = (await response.json()) as { id: string };
    const [error] = log.expectErrors("Error");
    expect(id).toMatch(/^[0-9a-f]{12}$/);
    expect((error as unknown as { id: string }).id).toBe(id);
  });

  it("an error on the error page is responded to with 500 instead of a redirect to itself", async () => {
    const { browser, log } = createTestAuth({
      use: [
        {
          name: "faulty",
          setup: (kernel) =>
            kernel.hooks.page.for("error").tap("breaks", () => {
              throw new Error("broken page");
            }),
        },
      ],
    });
    const response = await browser.get("/auth/error?error=AccessDenied");
    expect(response.status).toBe(500);
    log.expectErrors("Error");
  });

  it("an error response is JSON when no pages are installed", async () => {
    const { createAuth } = await import("../../presets/minimal.ts");
    const { createLog, ENV, SECRET } = await import("../_app.ts");
    const log = createLog();
    const auth = createAuth({ secret: SECRET, env: ENV, logger: log.logger });
    const response = await auth.fetch(new Request(`${ORIGIN}/auth/signout`, { method: "POST" }));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: "MissingCSRF" });
    log.expectErrors("MissingCSRF");
  });
});

describe("hooks.error", () => {
  const answering = (answer: () => Response | undefined): Plugin => ({
    name: "answering",
    setup: (kernel) => kernel.hooks.error.tap("answer", answer),
  });

  it("a response of the error hook replaces the default one, after the error was logged", async () => {
    const { fail, log } = failing(
      new Error("x"),
      {},
      answering(() => new Response("mine")),
    );
    expect(await (await fail()).text()).toBe("mine");
    log.expectErrors("Error");
  });

  it("the error hook receives the error and the context", async () => {
    const thrown = new Error("x");
    const seen: unknown[] = [];
    const { fail, log } = failing(
      thrown,
      {},
      {
        name: "look",
        setup: (kernel) =>
          kernel.hooks.error.tap("look", (error, ctx) => void seen.push(error, ctx.url.pathname)),
      },
    );
    await fail();
    expect(seen).toEqual([thrown, "/auth/faulty"]);
    log.expectErrors("Error");
  });

  it("an error hook that throws is responded to with a generic 500", async () => {
    const { fail, log } = failing(
      new Error("first"),
      {},
      {
        name: "throws",
        setup: (kernel) =>
          kernel.hooks.error.tap("throws", () => {
            throw new Error("second");
          }),
      },
    );
    const response = await fail();
    expect(response.status).toBe(500);
    expect(await response.json()).not.toHaveProperty("error");
    expect(log.errors.splice(0).map(({ message }) => message)).toEqual(["first", "second"]);
  });
});

describe("unusual thrown values", () => {
  it.each([["text"], [null], [undefined], [42], [{ status: 200 }]])(
    "the thrown value %j is handled as an error",
    async (it) => {
      const { fail, log } = failing(it);
      expect(queryOf(await fail())).toEqual({ error: "Configuration" });
      const [error] = log.expectErrors("Error");
      expect(error?.message).toBe("The thrown value is not an Error.");
    },
  );

  it("a thrown Response is handled as an error and not sent", async () => {
    const { fail, log } = failing(new Response("mine"));
    expect(queryOf(await fail())).toEqual({ error: "Configuration" });
    log.expectErrors("Error");
  });

  it("an error that is thrown repeatedly gets a new id each time", async () => {
    const { browser, log } = failing(new errors.AdapterError("down"));
    const ids: unknown[] = [];
    for (let time = 0; time < 3; time++) {
      const response = await browser.get("/auth/faulty-json");
      ids.push(((await response.json()) as { id: string }).id);
      expect(log.expectErrors("AdapterError")[0]).toHaveProperty("id", ids[time]);
    }
    expect(new Set(ids).size).toBe(3);
  });

  it("a frozen error is handled like any other", async () => {
    const { fail, log } = failing(Object.freeze(new Error("x")));
    expect(queryOf(await fail())).toEqual({ error: "Configuration" });
    log.expectErrors("Error");
  });
});
