import { describe, expect, it, vi } from "vitest";
import { standardPreset } from "../../presets/standard.ts";
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
    [new errors.SessionTooLarge(), "/auth/error", { error: "SessionTooLarge" }],
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

describe("errors of another copy of this package", () => {
  const loadCopy = async (): Promise<typeof errors> => {
    vi.resetModules();
    return import("../../src/errors/errors.ts");
  };

  it("an error of a plugin with its own copy of this package gets the same response", async () => {
    const copy = await loadCopy();
    expect(copy.BadRequest).not.toBe(errors.BadRequest);
    const { log, browser } = failing(new copy.BadRequest("x"));
    const response = await browser.get("/auth/faulty-json");
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: "BadRequest" });
    expect(log.debugs).toEqual([["x", { type: "BadRequest" }]]);
    class Locked extends copy.CredentialsSignin {
      override code = "locked";
    }
    const two = failing(new Locked());
    expect(queryOf(await two.fail())).toEqual({ error: "CredentialsSignin", code: "locked" });
    two.log.expectErrors("CredentialsSignin");
  });

  it("an error of another copy belongs to the classes that it extends there, and to no other", async () => {
    const copy = await loadCopy();
    const error: unknown = new copy.ContentTooLarge("x");
    for (const made of [errors.AuthError, errors.BadRequest, errors.ContentTooLarge]) {
      expect(error).toBeInstanceOf(made);
    }
    class Own extends errors.BadRequest {}
    for (const made of [errors.RequestTimeout, errors.SignInError, Own]) {
      expect(error).not.toBeInstanceOf(made);
    }
    expect(new errors.BadRequest()).not.toBeInstanceOf(Own);
    expect(new Own()).toBeInstanceOf(copy.BadRequest);
    for (const value of [null, undefined, {}, new Error("x")]) {
      expect(value instanceof (errors.AuthError as never)).toBe(false);
    }
  });

  it("an object with a copied field `constructor` is not an error of another copy", async () => {
    const stated = {
      constructor: { type: "AuthError" },
      status: 200,
      public: true,
      level: "debug",
    };
    const error = Object.assign(new Error("upstream"), stated);
    expect(error).not.toBeInstanceOf(errors.AuthError);
    const { log, browser } = failing(error);
    expect((await browser.get("/auth/faulty-json")).status).toBe(500);
    log.expectErrors("Error");
  });

  it("`customFetch` and `skipCSRFCheck` of another copy are the same symbols", async () => {
    const own = await import("../../src/platform/symbols.ts");
    vi.resetModules();
    const copy = await import("../../src/platform/symbols.ts");
    expect({ ...copy }).toEqual({ ...own });
  });
});

describe("requests whose client has disconnected", () => {
  const leave = (thrown: (signal: AbortSignal) => unknown, signal: AbortSignal) => {
    const plugin: Plugin = {
      name: "test/left",
      setup: (kernel) =>
        kernel.addRoute({
          method: "GET",
          path: "/left",
          handler: (ctx) => Promise.reject(thrown(ctx.signal)),
        }),
    };
    const app = createTestAuth({ use: [plugin] });
    return app.auth.fetch(new Request(`${ORIGIN}/auth/left`, { signal })).then(() => app.log);
  };
  const wrap = (err: unknown) =>
    new errors.CallbackRouteError("it failed", { cause: { err: new Error("x", { cause: err }) } });

  it("an error caused by the end of the connection is logged as debug", async () => {
    const gone = AbortSignal.abort();
    for (const thrown of [
      (signal: AbortSignal) => signal.reason,
      ({ reason }: AbortSignal) => wrap(reason),
    ]) {
      const log = await leave(thrown, gone);
      expect(log.errors).toEqual([]);
      expect(log.debugs).toEqual([
        ["The client has disconnected: the request ends without its response.", undefined],
      ]);
    }
  });

  it("an error with another cause is logged as an error, and so is an abort while the client waits", async () => {
    const one = await leave(() => wrap(new Error("disk full")), AbortSignal.abort());
    one.expectErrors("CallbackRouteError");
    const { signal } = new AbortController();
    const other = await leave(() => wrap(AbortSignal.abort().reason), signal);
    other.expectErrors("CallbackRouteError");
  });
});

describe("failures that a script receives as JSON with a URL", () => {
  it.each([
    [new errors.AdapterError("x"), 503, "/auth/error?error=Configuration"],
    [new Error("x"), 500, "/auth/error?error=Configuration"],
    [new errors.EmailSignInError("x"), 503, "/auth/signin?error=EmailSignInError"],
    [new errors.AccessDenied("x"), 200, "/auth/error?error=AccessDenied"],
  ])("%s has the status %i and its URL", async (thrown, status, path) => {
    const app = failing(thrown);
    const headers = { "x-auth-return-redirect": "1" };
    const response = await app.browser.get("/auth/faulty", { headers });
    expect(response.status).toBe(status);
    expect(response.headers.get("location")).toBe(ORIGIN + path);
    expect(await response.json()).toEqual({ url: ORIGIN + path });
    app.log.errors.length = 0;
  });

  it("the URL contains the code of a public error, and not of other errors", async () => {
    const known = Object.assign(new errors.AccessDenied("x"), { code: "closed" });
    const one = failing(known);
    expect(queryOf(await one.fail())).toEqual({ error: "AccessDenied", code: "closed" });
    one.log.expectErrors("AccessDenied");
    const two = failing(Object.assign(new errors.AdapterError("x"), { code: "P2002" }));
    expect(queryOf(await two.fail())).toEqual({ error: "Configuration" });
    two.log.expectErrors("AdapterError");
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

  it("malformed JSON gets status 400, and is logged as debug, because clients cause it", async () => {
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

  it("an error on the error page gets status 500 instead of a redirect to itself", async () => {
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

describe("errors of JSON routes", () => {
  class Locked extends errors.AuthError {
    static override readonly type: string = "Locked";
    static override readonly public: boolean = true;
    static override readonly status: number = 423;
  }
  class Busy extends errors.AuthError {
    static override readonly type: string = "Busy";
    static override readonly public: boolean = true;
    static override readonly status: number = 429;
    static override readonly level: errors.ErrorLevel = "debug";
  }
  const explained: Plugin = {
    name: "explained",
    setup: (kernel) => kernel.addError("Locked", { message: "The account is locked." }),
  };
  const fail = async (thrown: unknown, ...more: Plugin[]) => {
    const { browser, log } = failing(thrown, {}, ...more);
    const response = await browser.get("/auth/faulty-json");
    const body = (await response.json()) as Record<string, unknown>;
    expect(response.headers.get("cache-control")).toContain("no-store");
    return { status: response.status, body, log };
  };

  it.each([
    [new errors.SessionRequired("secret"), 401, "SessionRequired", "Sign in first."],
    [new errors.BadRequest("secret"), 400, "BadRequest", "The request could not be understood."],
    [new Busy("secret"), 429, "Busy", "There were too many requests. Try again later."],
  ])(
    "errors that visitors cause have a type and a fixed sentence, and are logged as debug: %s",
    async (thrown, status, error, message) => {
      const failed = await fail(thrown);
      expect(failed).toMatchObject({ status, body: { error, message } });
      expect(Object.keys(failed.body)).toEqual(["error", "message"]);
      expect(failed.log.errors).toEqual([]);
      expect(failed.log.debugs).toEqual([["secret", { type: error }]]);
    },
  );

  it.each([
    [new errors.AccessDenied("secret"), 403, "AccessDenied", "Access is denied."],
    [new errors.OAuthAccountNotLinked("secret"), 409, "OAuthAccountNotLinked", undefined],
    [new errors.OAuthSignInError("secret"), 503, "OAuthSignInError", undefined],
    [new Locked("secret"), 423, "Locked", undefined],
  ])(
    "other public errors also have the id of the log line: %s",
    async (thrown, status, error, message) => {
      const failed = await fail(thrown);
      expect(failed.status).toBe(status);
      expect(failed.body).toMatchObject({ error, ...(message !== undefined && { message }) });
      expect(JSON.stringify(failed.body)).not.toContain("secret");
      const [logged] = failed.log.expectErrors(error);
      expect(failed.body.id).toBe((logged as unknown as { id: string }).id);
    },
  );

  it("a plugin can set the sentence of its public error", async () => {
    const failed = await fail(new Locked("secret"), explained);
    expect(failed.body).toMatchObject({ error: "Locked", message: "The account is locked." });
    failed.log.expectErrors("Locked");
  });

  it("wrong credentials are reported with their code", async () => {
    const failed = await fail(Object.assign(new errors.CredentialsSignin(), { code: "locked" }));
    expect(failed).toMatchObject({
      status: 401,
      body: { error: "CredentialsSignin", code: "locked", message: "The credentials are wrong." },
    });
    failed.log.expectErrors("CredentialsSignin");
  });

  it.each([
    [new errors.AdapterError("secret"), 503],
    [new errors.InvalidProvider("secret"), 404],
    [new TypeError("secret"), 500],
  ])("an error that is not public has neither type nor message: %s", async (thrown, status) => {
    const failed = await fail(thrown);
    expect(failed.status).toBe(status);
    expect(Object.keys(failed.body)).toEqual(["message", "id"]);
    expect(JSON.stringify(failed.body)).not.toContain("secret");
    expect(failed.log.errors.splice(0)).toEqual([thrown]);
  });

  it("every public error of the flows and the kernel has a sentence", () => {
    const kernel = createTestAuth({ preset: standardPreset }).kernel();
    const shown = Object.values(errors as unknown as Record<string, typeof errors.AuthError>)
      .filter((one) => one.prototype instanceof errors.AuthError && one.public)
      .map(({ type }) => type);
    for (const type of shown) {
      const { message, status = 0 } = kernel.errors.get(type) ?? {};
      expect(message ?? (status === 400 || status === 403), type).toBeTruthy();
    }
  });

  it("a body that a parser has already read is an error of the application, not of the visitor", async () => {
    const { auth, log } = createTestAuth();
    const request = new Request(`${ORIGIN}/auth/session`, {
      method: "POST",
      body: new URLSearchParams({ csrfToken: "x" }),
    });
    await request.text();
    expect((await auth.fetch(request)).status).toBe(500);
    const [error] = log.expectErrors("BodyUsed");
    expect(error?.message).toContain("before body parsers");
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

  it("an error hook that throws leads to a generic 500", async () => {
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
