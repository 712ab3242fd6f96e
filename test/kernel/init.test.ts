import { afterEach, describe, expect, it, vi } from "vitest";
import { InitError } from "../../src/errors/errors.ts";
import { createAuthWith, type Kernel, type Plugin } from "../../src/kernel.ts";
import { INIT_TIMEOUT_MS } from "../../src/kernel/init.ts";
import { createLog, createTestAuth, ENV, ORIGIN, SECRET, testPreset } from "../_app.ts";

afterEach(() => void vi.useRealTimers());

const plugin = (name: string, init: Plugin["init"], rest: Partial<Plugin> = {}): Plugin => ({
  name,
  setup() {},
  ...(init && { init }),
  ...rest,
});
const wait = (milliseconds = 5) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
const pageRequest = (path = "/auth/session") => new Request(ORIGIN + path);

describe("init() of a plugin", () => {
  it("init() is awaited before the first request, and receives the kernel", async () => {
    let key: string | undefined;
    let kernel: Kernel | undefined;
    const { auth, browser } = createTestAuth({
      use: [
        plugin(
          "keys",
          async (given) => {
            await wait();
            kernel = given;
            key = "ready";
          },
          {
            setup: (it) =>
              it.addRoute({ method: "GET", path: "/key", handler: (ctx) => ctx.json(key) }),
          },
        ),
      ],
    });
    auth.inspect();
    expect(key).toBeUndefined();
    expect(await (await browser.get("/auth/key")).json()).toBe("ready");
    expect(kernel?.config.basePath).toBe("/auth");
  });

  it.each(["getSession", "auth", "authorize", "csrfToken", "signIn", "signOut", "update"] as const)(
    "init() is awaited before auth.%s()",
    async (name) => {
      let finish = () => {};
      const init = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
      const { auth } = createTestAuth({ use: [plugin("keys", init)] });
      const call = auth[name] as (request: Request) => Promise<unknown>;
      const done = call(pageRequest("/page")).then(() => "done");
      expect(await Promise.race([done, wait().then(() => "waiting")])).toBe("waiting");
      finish();
      expect(await done).toBe("done");
      expect(init).toHaveBeenCalledOnce();
    },
  );

  it("init() runs once, however many requests arrive at the same time or later", async () => {
    const init = vi.fn(() => wait());
    const { auth, browser } = createTestAuth({ use: [plugin("keys", init)] });
    await Promise.all(Array.from({ length: 5 }, () => auth.fetch(pageRequest())));
    await browser.session();
    expect(init).toHaveBeenCalledOnce();
  });

  it("plugins are initialized one after another, in their order", async () => {
    const steps: string[] = [];
    const step = (name: string, rest?: Partial<Plugin>) =>
      plugin(
        name,
        async () => {
          steps.push(`${name} starts`);
          await wait();
          steps.push(`${name} ends`);
        },
        rest,
      );
    const { browser } = createTestAuth({
      use: [step("late", { requires: ["early"] }), step("early"), plugin("between", undefined)],
    });
    await browser.session();
    expect(steps).toEqual(["early starts", "early ends", "late starts", "late ends"]);
  });

  it("init() may be synchronous", async () => {
    const init = vi.fn();
    const { browser } = createTestAuth({ use: [plugin("keys", init)] });
    expect(await browser.session()).toBeNull();
    expect(init).toHaveBeenCalledOnce();
  });

  it("init() runs once for each configuration that a function returns", async () => {
    const log = createLog();
    const init = vi.fn(() => wait());
    const configs = ["/one", "/two"].map((basePath) => ({
      basePath,
      secret: SECRET,
      env: ENV,
      logger: log.logger,
    }));
    const auth = createAuthWith(testPreset, (request) =>
      request?.url.includes("/one") ? configs[0]! : configs[1]!,
    ).use(plugin("keys", init));
    for (const path of ["/one/session", "/two/session", "/one/session"]) {
      expect((await auth.fetch(pageRequest(path))).status).toBe(200);
    }
    expect(init).toHaveBeenCalledTimes(2);
  });

  it("nothing can be registered in init()", async () => {
    const { browser, log } = createTestAuth({
      use: [
        plugin("keys", (kernel) =>
          kernel.addRoute({ method: "GET", path: "/own", handler: () => new Response() }),
        ),
      ],
    });
    expect((await browser.get("/auth/session")).status).toBe(503);
    const [error] = log.expectErrors("InitError");
    expect((error as InitError).cause?.err?.message).toContain("after the first request");
  });

  it("inspect() does not run init()", () => {
    const init = vi.fn();
    const { auth } = createTestAuth({ use: [plugin("keys", init)] });
    expect(auth.inspect().plugins.map(({ name }) => name)).toContain("keys");
    expect(init).not.toHaveBeenCalled();
  });
});

describe("init() that fails", () => {
  it("a failed init() is logged once, and fails the requests that waited with status 503", async () => {
    const init = vi.fn(async () => {
      await wait();
      throw new RangeError("no keys");
    });
    const { auth, log } = createTestAuth({ use: [plugin("keys", init)] });
    const calls = [
      auth.fetch(pageRequest()),
      auth.fetch(pageRequest("/auth/signin")),
      auth.getSession(pageRequest()).catch((error: unknown) => error),
    ];
    const [session, page, thrown] = await Promise.all(calls);
    expect((session as Response).status).toBe(503);
    expect((page as Response).status).toBe(503);
    expect(init).toHaveBeenCalledOnce();
    const [error] = log.expectErrors("InitError");
    expect(thrown).toBe(error);
    expect(error?.message).toBe(
      '`init` of the plugin "keys" failed. The next request runs it again.',
    );
    expect((error as InitError).cause).toMatchObject({ plugin: "keys" });
    expect((error as InitError).cause?.err?.message).toBe("no keys");
  });

  it("a browser receives a page that does not describe the failure", async () => {
    const init = () => {
      throw new Error("postgres://user:password@host");
    };
    const { browser, log } = createTestAuth({ use: [plugin("keys", init)] });
    const response = await browser.get("/auth/signin", { headers: { accept: "text/html" } });
    expect(response.status).toBe(503);
    expect(response.headers.get("cache-control")).toContain("no-store");
    const text = await response.text();
    expect(text).toContain("Sign-in is not ready yet. Try again in a moment.");
    expect(text).not.toMatch(/keys|postgres/);
    log.expectErrors("InitError");
  });

  it("the next request continues with the plugin that failed, and not with those before it", async () => {
    const first = vi.fn();
    const second = vi.fn().mockRejectedValueOnce(new Error("not yet"));
    const third = vi.fn();
    const { browser, log } = createTestAuth({
      use: [plugin("first", first), plugin("second", second), plugin("third", third)],
    });
    expect((await browser.get("/auth/session")).status).toBe(503);
    log.expectErrors("InitError");
    expect(third).not.toHaveBeenCalled();
    expect((await browser.get("/auth/session")).status).toBe(200);
    expect((await browser.get("/auth/session")).status).toBe(200);
    expect([first, second, third].map((init) => init.mock.calls.length)).toEqual([1, 2, 1]);
  });

  it("each attempt that fails is logged", async () => {
    const init = vi.fn().mockRejectedValue(new Error("never"));
    const { browser, log } = createTestAuth({ use: [plugin("keys", init)] });
    for (let round = 0; round < 3; round++) await browser.get("/auth/session");
    log.expectErrors("InitError", "InitError", "InitError");
  });

  it("init() may throw any value", async () => {
    const init = () => Promise.reject("broken" as unknown as Error);
    const { browser, log } = createTestAuth({ use: [plugin("keys", init)] });
    expect((await browser.get("/auth/session")).status).toBe(503);
    const [error] = log.expectErrors("InitError");
    expect((error as InitError).cause?.err?.message).toBe("broken");
  });

  it("init() that never settles fails after its time limit", async () => {
    vi.useFakeTimers();
    const { auth, log } = createTestAuth({ use: [plugin("keys", () => new Promise(() => {}))] });
    const response = auth.fetch(pageRequest());
    await vi.advanceTimersByTimeAsync(INIT_TIMEOUT_MS - 1);
    expect(log.errors).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect((await response).status).toBe(503);
    const [error] = log.expectErrors("InitError");
    expect((error as InitError).cause?.err?.message).toBe(`no result within ${INIT_TIMEOUT_MS} ms`);
  });
});
