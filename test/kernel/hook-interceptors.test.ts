import { describe, expect, it, vi } from "vitest";
import { callHook, createHooks } from "../../src/hooks/hooks.ts";
import type { AuthContext, HookInterceptor, HookRun, Kernel, TapInfo } from "../../src/kernel.ts";
import { createLog, createTestAuth, LOVELACE } from "../_app.ts";
import { listFaults, plugin } from "./_faults.ts";

const ctx = {} as AuthContext;

function app() {
  const log = createLog();
  const registrar = { plugin: "plugin-a", frozen: false };
  return { log, registrar, ...createHooks(registrar, log.logger) };
}

/** Records what a run reports. */
function recorder(seen: unknown[], label = ""): HookRun {
  return {
    tap({ name }) {
      seen.push(`${label}tap ${name}`);
      return () => void seen.push(`${label}end ${name}`);
    },
    error: (error, { name }) => void seen.push(`${label}error ${name} ${error.message}`),
    done: (outcome, error) => void seen.push([`${label}done`, outcome, error?.message]),
  };
}

const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe("an interceptor observes a run", () => {
  it("run() gets the arguments, tap() each tap with its plugin, done() the outcome once", () => {
    const { hooks } = app();
    const done = vi.fn();
    const tap = vi.fn<(info: TapInfo) => void>();
    const run = vi.fn<HookInterceptor["run"]>(() => ({ tap, done }));
    hooks.jwt.tap({ name: "one", stage: "late" }, (token) => ({ ...token, one: 1 }));
    hooks.jwt.intercept({ run });
    const token = { sub: "x" };
    expect(callHook(hooks.jwt, token, {}, ctx)).toEqual({ sub: "x", one: 1 });
    expect(run).toHaveBeenCalledExactlyOnceWith(token, {}, ctx);
    expect(tap.mock.calls).toEqual([[{ name: "one", stage: 10, plugin: "plugin-a" }]]);
    expect(done.mock.calls).toEqual([[{ sub: "x", one: 1 }, undefined]]);
  });

  it("a tap ends before the next one begins, even when it is asynchronous", async () => {
    const { hooks } = app();
    const seen: unknown[] = [];
    hooks.session.tap("slow", async (session) => {
      await later(5);
      seen.push("works");
      return session;
    });
    hooks.session.tap("quick", () => {});
    hooks.session.intercept({ run: () => recorder(seen) });
    const session = { expires: "" };
    await callHook(hooks.session, session, {}, ctx);
    expect(seen).toEqual([
      "tap slow",
      "works",
      "end slow",
      "tap quick",
      "end quick",
      ["done", session, undefined],
    ]);
  });

  it.each([
    [
      "synchronous",
      () => {
        throw new Error("broken");
      },
    ],
    [
      "asynchronous",
      async () => {
        throw new Error("broken");
      },
    ],
  ])("an error of a tap is reported before its end, and ends the run (%s)", async (_, fn) => {
    const { hooks } = app();
    const seen: unknown[] = [];
    hooks.request.tap("throws", fn);
    hooks.request.tap("never", () => {});
    hooks.request.intercept({ run: () => recorder(seen) });
    await expect(async () => callHook(hooks.request, ctx)).rejects.toThrow("broken");
    expect(seen).toEqual([
      "tap throws",
      "error throws broken",
      "end throws",
      ["done", undefined, "broken"],
    ]);
  });

  it("a value that the hook does not accept is an error of the tap", () => {
    const { hooks } = app();
    const seen: unknown[] = [];
    hooks.request.tap("rubbish", () => "hello" as never);
    hooks.request.intercept({ run: () => recorder(seen) });
    expect(() => callHook(hooks.request, ctx)).toThrow("returned a string");
    expect(seen).toHaveLength(4);
    expect(seen[1]).toContain("error rubbish");
  });

  it("a series reports each error, and all of them at its end", () => {
    const { hooks } = app();
    const seen: unknown[] = [];
    for (const name of ["a", "b"]) {
      hooks.ready.tap(name, () => {
        throw new Error(name);
      });
    }
    hooks.ready.intercept({ run: () => recorder(seen) });
    expect(() => callHook(hooks.ready, {} as Kernel)).toThrow(AggregateError);
    expect(seen).toEqual([
      "tap a",
      "error a a",
      "end a",
      "tap b",
      "error b b",
      "end b",
      ["done", undefined, "2 taps of ready threw"],
    ]);
  });

  it("a tap that never settles is an error of the tap, which ends with the run", async () => {
    vi.useFakeTimers();
    const { hooks } = app();
    const seen: unknown[] = [];
    hooks.request.tap("hangs", () => new Promise<never>(() => {}));
    hooks.request.intercept({ run: () => recorder(seen) });
    const failed = expect(callHook(hooks.request, ctx)).rejects.toThrow("has not settled");
    await vi.advanceTimersByTimeAsync(10_000);
    await failed;
    expect(seen).toEqual([
      "tap hangs",
      expect.stringContaining("error hangs The taps of the hook request took more than 10 seconds"),
      "end hangs",
      ["done", undefined, expect.stringContaining('"hangs" (plugin plugin-a) has not settled')],
    ]);
  });

  it("an interceptor of `ready` observes each tap with its plugin at boot", () => {
    const tapped: TapInfo[] = [];
    const { auth } = createTestAuth({
      use: [
        plugin("one", ({ hooks }) => hooks.ready.tap("first", () => {})),
        plugin("two", ({ hooks }) => {
          hooks.ready.tap({ name: "second", stage: "last" }, () => {});
          hooks.ready.intercept({ run: () => ({ tap: (info) => void tapped.push(info) }) });
        }),
      ],
    });
    auth.inspect();
    expect(tapped.slice(-2)).toEqual([
      { name: "first", plugin: "one", stage: 0 },
      { name: "second", plugin: "two", stage: 100 },
    ]);
  });

  it("a run without taps is observed too, and a run without an observer does no more work", () => {
    const { hooks } = app();
    const seen: unknown[] = [];
    hooks.redirect.intercept({ run: () => recorder(seen) });
    hooks.redirect.intercept({ run: () => undefined });
    expect(callHook(hooks.redirect, { url: "/", baseUrl: "" }, ctx)).toBeUndefined();
    expect(seen).toEqual([["done", undefined, undefined]]);
  });

  it("concurrent runs are kept apart", async () => {
    const { hooks } = app();
    const seen: Record<string, unknown[]> = {};
    hooks.session.tap("a", async () => later(4));
    hooks.session.tap("b", async ({ expires }) => later(expires === "1" ? 6 : 2));
    hooks.session.tap("c", () => {});
    hooks.session.intercept({
      run: ({ expires }) => recorder((seen[expires] = []), `${expires} `),
    });
    const sessions = ["1", "2", "3"].map((expires) => ({ expires }));
    await Promise.all(sessions.map((session) => callHook(hooks.session, session, {}, ctx)));
    for (const session of sessions) {
      const label = session.expires;
      expect(seen[label]).toEqual([
        ...["a", "b", "c"].flatMap((name) => [`${label} tap ${name}`, `${label} end ${name}`]),
        [`${label} done`, session, undefined],
      ]);
    }
  });

  it("several interceptors observe the same run, in the order of their registration", () => {
    const { hooks } = app();
    const seen: unknown[] = [];
    hooks.locale.tap("a", () => "de");
    hooks.locale.intercept({ run: () => recorder(seen, "1 ") });
    hooks.locale.intercept({ run: () => recorder(seen, "2 ") });
    expect(callHook(hooks.locale, ctx)).toBe("de");
    expect(seen).toEqual([
      "1 tap a",
      "2 tap a",
      "1 end a",
      "2 end a",
      ["1 done", "de", undefined],
      ["2 done", "de", undefined],
    ]);
  });

  it("an interceptor may be an instance of a class", () => {
    const { hooks } = app();
    class Counter implements HookInterceptor {
      runs = 0;
      run() {
        this.runs++;
      }
    }
    const counter = new Counter();
    hooks.locale.intercept(counter);
    void callHook(hooks.locale, ctx);
    expect(counter.runs).toBe(1);
  });

  it("an interceptor makes isUsed() return true, and leaves other hooks unused", () => {
    const { hooks } = app();
    hooks.jwt.intercept({ run() {} });
    expect(hooks.jwt.isUsed()).toBe(true);
    expect(hooks.session.isUsed()).toBe(false);
  });
});

describe("an interceptor cannot change the outcome", () => {
  const boom = () => {
    throw new Error("boom");
  };
  const broken: Record<string, HookInterceptor["run"]> = {
    "throws in run": boom,
    "throws in tap": () => ({ tap: boom }),
    "throws at the end of a tap": () => ({ tap: () => boom }),
    "throws in done": () => ({ done: boom }),
    "returns a promise": (async () => {}) as never,
    "returns a promise that rejects": (async () => boom()) as never,
    "returns a promise from tap": () => ({ tap: (async () => boom()) as never }),
  };

  it.each(Object.keys(broken))("an interceptor that %s is logged with its plugin", async (name) => {
    const { hooks, log } = app();
    hooks.jwt.tap("one", (token) => ({ ...token, one: 1 }));
    hooks.jwt.intercept({ run: broken[name] as never });
    expect(callHook(hooks.jwt, {}, {}, ctx)).toEqual({ one: 1 });
    await later(0);
    const errors = log.errors.splice(0);
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) {
      expect(error.message).toContain("interceptor of the hook jwt (plugin plugin-a) failed");
      expect(error.cause).toEqual({
        err: expect.any(Error) as Error,
        hook: "jwt",
        plugin: "plugin-a",
      });
    }
  });

  it("an interceptor that throws in `error` does not change the error of the tap", () => {
    const { hooks, log } = app();
    hooks.jwt.tap("throws", () => {
      throw new RangeError("mine");
    });
    hooks.jwt.intercept({ run: () => ({ error: boom }) });
    expect(() => callHook(hooks.jwt, {}, {}, ctx)).toThrow(RangeError);
    log.expectErrors("PluginError");
  });

  it("an interceptor without the functions of a run does not fail", () => {
    const { hooks } = app();
    hooks.jwt.tap("throws", () => {
      throw new RangeError("mine");
    });
    hooks.jwt.intercept({ run: () => ({}) });
    expect(() => callHook(hooks.jwt, {}, {}, ctx)).toThrow("mine");
    hooks.session.intercept({ run: () => ({}) });
    hooks.session.tap("one", () => {});
    expect(callHook(hooks.session, { expires: "" }, {}, ctx)).toEqual({ expires: "" });
  });

  it("the return values of an interceptor are ignored", () => {
    const { hooks } = app();
    hooks.jwt.intercept({ run: () => ({ tap: () => 5 as never, done: () => 6 as never }) });
    hooks.jwt.tap("one", () => {});
    hooks.session.intercept({ run: () => 7 as never });
    expect(callHook(hooks.jwt, {}, {}, ctx)).toEqual({});
    expect(callHook(hooks.session, { expires: "" }, {}, ctx)).toEqual({ expires: "" });
  });

  it("a TapInfo cannot be changed", () => {
    const { hooks, log, list } = app();
    hooks.jwt.tap("one", () => {});
    hooks.jwt.intercept({
      run: () => ({ tap: (tap) => void Object.assign(tap, { name: "other" }) }),
    });
    void callHook(hooks.jwt, {}, {}, ctx);
    log.expectErrors("PluginError");
    expect(list().get("jwt")?.taps[0]?.name).toBe("one");
  });
});

describe("registration of interceptors", () => {
  it("an interceptor without a function `run` is a fault that names the plugin", () => {
    for (const interceptor of [{}, { call() {} }, null, undefined, () => {}]) {
      expect(
        listFaults({
          use: [plugin("old", ({ hooks }) => hooks.jwt.intercept(interceptor as never))],
        }),
      ).toEqual(["The interceptor of the hook jwt (plugin old) has no function `run`. Add it."]);
    }
  });

  it("an interceptor cannot be added after setup", () => {
    const { kernel } = createTestAuth();
    expect(() => kernel().hooks.jwt.intercept({ run() {} })).toThrow(
      "The hook jwt was intercepted after setup",
    );
    expect(() => kernel().interceptHooks(() => undefined)).toThrow(
      "All hooks were intercepted after setup",
    );
  });

  it("around has no interceptors", () => {
    const intercept = ({ hooks }: Kernel) =>
      (hooks.around as unknown as Kernel["hooks"]["jwt"]).intercept({ run() {} });
    expect(listFaults({ use: [plugin("spans", intercept)] })).toEqual([
      'The plugin "spans" intercepts the hook around, which has no interceptors. Tap it instead.',
    ]);
  });

  it("inspect() names the plugins that intercept a hook", () => {
    const { auth } = createTestAuth({
      use: [
        plugin("spans", ({ hooks }) => {
          hooks.jwt.intercept({ run() {} });
          hooks.jwt.intercept({ run() {} });
        }),
        plugin("all", (kernel) => kernel.interceptHooks(() => ({ run() {} }))),
      ],
    });
    const { hooks } = auth.inspect();
    expect(hooks.jwt?.interceptors).toEqual(["spans", "all"]);
    expect(hooks.session?.interceptors).toEqual(["all"]);
    expect(hooks.around?.interceptors).toEqual([]);
  });
});

describe("kernel.interceptHooks()", () => {
  it("interceptHooks() intercepts every hook, including those of pages and of later plugins", async () => {
    const seen: string[] = [];
    const { browser } = createTestAuth({
      use: [
        plugin("spans", (kernel) =>
          kernel.interceptHooks((hook) => ({ run: () => void seen.push(hook) })),
        ),
      ],
    });
    await browser.get("/auth/signin", { headers: { accept: "text/html" } });
    await browser.signInWith("credentials", { ...LOVELACE, callbackUrl: "/there" });
    await browser.session();
    expect(new Set(seen)).toEqual(
      new Set([
        "ready",
        "request",
        "authenticate",
        "response",
        "page:signin",
        "page:*",
        "signIn",
        "login",
        "redirect",
        "jwt",
        "session",
      ]),
    );
  });

  it("interceptHooks() leaves hooks unused for which it returns nothing", () => {
    const { kernel } = createTestAuth({
      use: [
        plugin("spans", (it) =>
          it.interceptHooks((hook) => (hook === "jwt" ? { run() {} } : undefined)),
        ),
      ],
    });
    const { hooks } = kernel();
    expect(hooks.jwt.isUsed()).toBe(true);
    expect(hooks.request.isUsed()).toBe(false);
    expect(hooks.page.for("new").isUsed()).toBe(false);
  });

  it("a function that fails for a hook made by a request is logged, and the page is shown", async () => {
    const { browser, log } = createTestAuth({
      use: [
        plugin("spans", (kernel) =>
          kernel.interceptHooks((hook) => {
            if (hook.startsWith("page:")) throw new Error("no pages");
            return undefined;
          }),
        ),
      ],
    });
    const response = await browser.get("/auth/signin", { headers: { accept: "text/html" } });
    expect(response.status).toBe(200);
    log.expectErrors("Error", "Error");
  });

  it("a function that fails in setup is a fault that names the plugin", () => {
    const fail = () => {
      throw new Error("not this one");
    };
    expect(listFaults({ use: [plugin("spans", (it) => it.interceptHooks(fail))] })).toEqual([
      'The plugin "spans" could not be set up: not this one',
    ]);
  });

  it("runs of concurrent requests are kept apart", async () => {
    const runs: string[][] = [];
    const { openBrowser } = createTestAuth({
      use: [
        plugin("spans", (kernel) =>
          kernel.interceptHooks((hook) =>
            hook === "request"
              ? {
                  run(context) {
                    const own = [(context as AuthContext).url.search];
                    runs.push(own);
                    return {
                      tap: ({ name }) => void own.push(name),
                      done: () => void own.push("."),
                    };
                  },
                }
              : undefined,
          ),
        ),
        plugin("slow", ({ hooks }) => {
          hooks.request.tap("a", async ({ url }) => later(url.search === "?x=1" ? 8 : 2));
          hooks.request.tap("b", async () => later(3));
        }),
      ],
    });
    const browser = openBrowser();
    await Promise.all([1, 2, 3].map((x) => browser.get(`/auth/session?x=${x}`)));
    expect(runs).toEqual([1, 2, 3].map((x) => [`?x=${x}`, "a", "b", "."]));
  });
});
