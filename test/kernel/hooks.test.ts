import { describe, expect, it, vi } from "vitest";
import { PluginError } from "../../src/errors/errors.ts";
import { callHook, createHooks } from "../../src/hooks/hooks.ts";
import type { AuthContext, Kernel, Session } from "../../src/kernel.ts";
import { createLog, createTestAuth } from "../_app.ts";

const ctx = {} as AuthContext;
const kernel = {} as Kernel;
const login = { user: { name: "Ada" }, account: null };

function app() {
  const log = createLog();
  const registrar = { plugin: "plugin-a", frozen: false };
  return { log, registrar, ...createHooks(registrar, log.logger) };
}

// The callback and promise styles are tapable's own; Keyhook's types do not declare them.
interface Tapable {
  tapPromise(name: string, fn: (...args: unknown[]) => Promise<unknown>): void;
  tapAsync(name: string, fn: (...args: never[]) => void): void;
  callAsync(...args: unknown[]): void;
}
const raw = (hook: unknown) => hook as Tapable;

describe("series hooks (ready)", () => {
  it("a series hook calls all taps in order with its arguments", async () => {
    const { hooks } = app();
    const seen: unknown[] = [];
    hooks.ready.tap("a", (given) => void seen.push(["a", given]));
    hooks.ready.tap("b", (given) => void seen.push(["b", given]));
    await callHook(hooks.ready, kernel);
    expect(seen).toEqual([
      ["a", kernel],
      ["b", kernel],
    ]);
  });

  it("a series hook calls every tap and throws all errors together", () => {
    const { hooks } = app();
    const last = vi.fn();
    hooks.ready.tap("a", () => {
      throw new Error("one");
    });
    hooks.ready.tap("b", () => {
      throw new Error("two");
    });
    hooks.ready.tap("c", last);
    const thrown = (() => {
      try {
        void callHook(hooks.ready, kernel);
      } catch (error) {
        return error as AggregateError;
      }
      return undefined;
    })();
    expect(thrown).toBeInstanceOf(AggregateError);
    expect(thrown?.errors.map(({ message }: Error) => message)).toEqual(["one", "two"]);
    expect(last).toHaveBeenCalledOnce();
  });

  it("a series hook ignores the values that taps return", () => {
    const { hooks } = app();
    hooks.ready.tap("a", (() => "answer") as never);
    expect(callHook(hooks.ready, kernel)).toBeUndefined();
  });
});

describe("bail hooks (request, redirect, authorized, error)", () => {
  it("a bail hook returns the first value that a tap returns and calls no further tap", async () => {
    const { hooks } = app();
    const third = vi.fn();
    const answer = new Response();
    hooks.request.tap("silent", () => undefined);
    hooks.request.tap("speaks", () => answer);
    hooks.request.tap("late", third);
    expect(await callHook(hooks.request, ctx)).toBe(answer);
    expect(third).not.toHaveBeenCalled();
  });

  it("a bail hook counts false and empty text as values", () => {
    const { hooks } = app();
    hooks.authorized.tap("speaks", () => false);
    hooks.authorized.tap("late", () => new Response());
    const request = new Request("http://localhost/");
    expect(callHook(hooks.authorized, { request, auth: null }, ctx)).toBe(false);
    hooks.locale.tap("speaks", () => "");
    hooks.locale.tap("late", () => "de");
    expect(callHook(hooks.locale, ctx)).toBe("");
  });

  it("a bail hook returns undefined when no tap returns a value, and without taps", () => {
    const { hooks } = app();
    const params = { url: "/x", baseUrl: "http://localhost" };
    expect(callHook(hooks.redirect, params, ctx)).toBeUndefined();
    hooks.redirect.tap("silent", () => {});
    expect(callHook(hooks.redirect, params, ctx)).toBeUndefined();
  });

  it("a bail hook stops at the first error", () => {
    const { hooks } = app();
    const late = vi.fn();
    hooks.error.tap("throws", () => {
      throw new TypeError("broken");
    });
    hooks.error.tap("late", late);
    expect(() => callHook(hooks.error, new Error("x"), ctx)).toThrow(TypeError);
    expect(late).not.toHaveBeenCalled();
  });
});

describe("waterfall hooks (jwt, session, response, page)", () => {
  it("a waterfall hook passes each tap the value of the one before", () => {
    const { hooks } = app();
    hooks.jwt.tap("one", (token) => ({ ...token, one: 1 }));
    hooks.jwt.tap("silent", () => undefined);
    hooks.jwt.tap("two", (token) => ({ ...token, two: token.one }));
    expect(callHook(hooks.jwt, { sub: "x" }, {}, ctx)).toEqual({ sub: "x", one: 1, two: 1 });
  });

  it("a waterfall hook stops at null", () => {
    const { hooks } = app();
    const late = vi.fn();
    hooks.jwt.tap("ends", () => null);
    hooks.jwt.tap("late", late);
    expect(callHook(hooks.jwt, { sub: "x" }, {}, ctx)).toBeNull();
    expect(late).not.toHaveBeenCalled();
  });

  it("a waterfall hook stops at null from an asynchronous tap", async () => {
    const { hooks } = app();
    const late = vi.fn();
    hooks.jwt.tap("ends", async () => null);
    hooks.jwt.tap("late", late);
    expect(await callHook(hooks.jwt, { sub: "x" }, {}, ctx)).toBeNull();
    expect(late).not.toHaveBeenCalled();
  });

  it("a waterfall hook returns its first argument when no tap returns a value", () => {
    const { hooks } = app();
    const session: Session = { expires: "never" };
    hooks.session.tap("silent", () => {});
    expect(callHook(hooks.session, session, {}, ctx)).toBe(session);
  });

  it("a waterfall hook passes its other arguments unchanged to every tap", () => {
    const { hooks } = app();
    const params = { trigger: "update" as const };
    const seen: unknown[] = [];
    hooks.jwt.tap("one", (token, given, at) => {
      seen.push(given, at);
      return { ...token };
    });
    hooks.jwt.tap("two", (_, given, at) => void seen.push(given, at));
    void callHook(hooks.jwt, {}, params, ctx);
    expect(seen).toEqual([params, ctx, params, ctx]);
  });
});

describe("verdict hooks (signIn)", () => {
  const verdict = (...answers: unknown[]) => {
    const { hooks } = app();
    for (const [at, answer] of answers.entries()) {
      hooks.signIn.tap(`tap ${at}`, (() => answer) as never);
    }
    return callHook(hooks.signIn, login, ctx);
  };

  it("a verdict hook treats undefined and true as consent", () => {
    expect(verdict()).toBeUndefined();
    expect(verdict(undefined, true)).toBeUndefined();
  });

  it("a verdict hook lets a later tap refuse or redirect after an earlier one returned true", () => {
    expect(verdict(true, false)).toBe(false);
    expect(verdict(true, "/later")).toBe("/later");
  });

  it("a verdict hook prefers a refusal to a redirect, in either order", () => {
    expect(verdict("/elsewhere", false)).toBe(false);
    expect(verdict(false, "/elsewhere")).toBe(false);
  });

  it("a verdict hook returns the first of several redirects", () => {
    expect(verdict("/first", "/second")).toBe("/first");
  });

  it("a verdict hook refuses when a tap returns empty text: it fails closed", () => {
    expect(verdict("")).toBe(false);
    expect(verdict("", "/elsewhere")).toBe(false);
  });

  it("a verdict hook calls no further tap after a refusal", () => {
    const { hooks } = app();
    const later = vi.fn(() => true);
    hooks.signIn.tap("refuses", () => false);
    hooks.signIn.tap("later", later);
    expect(callHook(hooks.signIn, login, ctx)).toBe(false);
    expect(later).not.toHaveBeenCalled();
  });

  it.each([
    [
      "throws",
      () => {
        // oxlint-disable-next-line typescript/only-throw-error -- others do
        throw undefined;
      },
    ],
    [
      "rejects with",
      async () => {
        // oxlint-disable-next-line typescript/only-throw-error -- others do
        throw undefined;
      },
    ],
  ])("a verdict hook fails when a tap %s nothing", async (_, tap) => {
    const { hooks } = app();
    hooks.signIn.tap("fails", tap);
    await expect((async () => callHook(hooks.signIn, login, ctx))()).rejects.toThrow(
      "The thrown value is not an Error.",
    );
  });

  it.each([[null], [0], [1], [{}]])(
    "a verdict hook throws when a tap returns %j: it fails closed",
    (answer) => {
      expect(() => verdict(true, answer, true)).toThrow(PluginError);
    },
  );

  it("a verdict hook calls further taps after an asynchronous redirect, so that they can refuse", async () => {
    const { hooks } = app();
    hooks.signIn.tap("redirects", async () => "/elsewhere");
    hooks.signIn.tap("refuses", async () => false);
    expect(await callHook(hooks.signIn, login, ctx)).toBe(false);
  });
});

describe("synchronous and asynchronous taps", () => {
  it("callHook() returns no promise when all taps are synchronous", () => {
    const { hooks } = app();
    hooks.jwt.tap("one", (token) => ({ ...token, one: 1 }));
    const answer = callHook(hooks.jwt, {}, {}, ctx);
    expect(answer).not.toBeInstanceOf(Promise);
    expect(answer).toEqual({ one: 1 });
  });

  it("callHook() returns a promise with the first asynchronous tap and keeps the order of taps", async () => {
    const { hooks } = app();
    const order: string[] = [];
    hooks.session.tap("slow", async (session) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push("slow");
      return session;
    });
    hooks.session.tap("quick", () => void order.push("quick"));
    const answer = callHook(hooks.session, { expires: "" }, {}, ctx);
    expect(answer).toBeInstanceOf(Promise);
    await answer;
    expect(order).toEqual(["slow", "quick"]);
  });

  it("callHook() supports taps of tapable's tapPromise()", async () => {
    const { hooks } = app();
    raw(hooks.jwt).tapPromise("promise", async (token) => ({ ...(token as object), p: 1 }));
    expect(await callHook(hooks.jwt, {}, {}, ctx)).toEqual({ p: 1 });
  });

  it("callHook() supports taps of tapable's tapAsync()", async () => {
    const { hooks } = app();
    raw(hooks.jwt).tapAsync("callback", ((
      token: object,
      _params: unknown,
      _ctx: unknown,
      done: (error: unknown, answer?: unknown) => void,
    ) => done(null, { ...token, c: 1 })) as never);
    expect(await callHook(hooks.jwt, {}, {}, ctx)).toEqual({ c: 1 });
  });

  it("callHook() rejects with the error that a tapAsync() tap passes to its callback", async () => {
    const { hooks } = app();
    raw(hooks.request).tapAsync("callback", ((
      _ctx: unknown,
      done: (error: unknown, answer?: unknown) => void,
    ) => done(new Error("called back"))) as never);
    await expect(callHook(hooks.request, ctx)).rejects.toThrow("called back");
  });

  it("callHook() rejects with the error of an asynchronous tap and calls no further tap", async () => {
    const { hooks } = app();
    const late = vi.fn();
    hooks.request.tap("throws", async () => {
      throw new RangeError("later");
    });
    hooks.request.tap("late", late);
    await expect(callHook(hooks.request, ctx)).rejects.toThrow(RangeError);
    expect(late).not.toHaveBeenCalled();
  });

  it("a hook can also be called with tapable's callAsync()", async () => {
    const { hooks } = app();
    hooks.redirect.tap("speaks", () => "/there");
    const answer = await new Promise((resolve, reject) => {
      raw(hooks.redirect).callAsync(
        { url: "/", baseUrl: "" },
        ctx,
        (error: Error, result: string) => (error ? reject(error) : resolve(result)),
      );
    });
    expect(answer).toBe("/there");
  });

  it("only a synchronous hook has tapable's call()", () => {
    const { hooks } = app();
    const callOf = (hook: unknown) => (hook as { call?: (...args: unknown[]) => unknown }).call;
    expect(callOf(hooks.redirect)).toBeUndefined();
    hooks.redirect.tap("speaks", () => "/there");
    expect(callOf(hooks.redirect)).toBeUndefined();
    const heard = vi.fn();
    hooks.ready.tap("hears", heard);
    (hooks.ready as unknown as { call(kernel: Kernel): void }).call(kernel);
    expect(heard).toHaveBeenCalledExactlyOnceWith(kernel);
  });

  it("a synchronous hook refuses tapPromise() and tapAsync()", () => {
    const { hooks } = app();
    expect(() => raw(hooks.ready).tapPromise("p", async () => {})).toThrow();
    expect(() => raw(hooks.ready).tapAsync("a", () => {})).toThrow();
  });
});

describe("errors of taps", () => {
  const catchTapError = (fn: () => never): Error & { tap?: unknown } => {
    const { hooks } = app();
    hooks.redirect.tap({ name: "faulty", stage: "late" }, fn);
    try {
      void callHook(hooks.redirect, { url: "", baseUrl: "" }, ctx);
    } catch (error) {
      return error as Error;
    }
    throw new Error("nothing was thrown");
  };

  it("a tap's error names hook, tap, plugin and stage in a property that JSON leaves out", () => {
    const error = catchTapError(() => {
      throw new Error("broken");
    });
    expect(error.tap).toEqual({ hook: "redirect", name: "faulty", plugin: "plugin-a", stage: 10 });
    expect(Object.keys(error)).not.toContain("tap");
  });

  it("callHook() throws the same error object that the tap threw", () => {
    const own = new RangeError("mine");
    expect(
      catchTapError(() => {
        throw own;
      }),
    ).toBe(own);
  });

  it("callHook() throws a frozen error unchanged", () => {
    const own: Error = Object.freeze(new Error("frozen"));
    expect(
      catchTapError(() => {
        throw own;
      }),
    ).toBe(own);
  });

  it.each([["text"], [undefined], [null], [42]])(
    "callHook() throws an Error when a tap throws %j",
    (value) => {
      const error = catchTapError(() => {
        // oxlint-disable-next-line typescript/only-throw-error -- others do
        throw value;
      });
      expect(error).toBeInstanceOf(Error);
      expect(error.cause).toBe(value);
    },
  );

  it("an error of nested hooks names the innermost tap", () => {
    const { hooks } = app();
    hooks.redirect.tap("inner", () => {
      throw new Error("deep");
    });
    hooks.request.tap("outer", () => {
      void callHook(hooks.redirect, { url: "", baseUrl: "" }, ctx);
    });
    try {
      void callHook(hooks.request, ctx);
      expect.unreachable();
    } catch (error) {
      expect((error as { tap?: unknown }).tap).toMatchObject({ hook: "redirect", name: "inner" });
    }
  });
});

describe("registration of taps", () => {
  it("list() names the plugin that registered each tap", () => {
    const { hooks, registrar, list } = app();
    hooks.jwt.tap("one", () => {});
    registrar.plugin = "plugin-b";
    hooks.jwt.tap("two", () => {});
    expect(list().get("jwt")?.taps).toEqual([
      { name: "one", stage: 0, plugin: "plugin-a" },
      { name: "two", stage: 0, plugin: "plugin-b" },
    ]);
  });

  it("tap() throws a PluginError when the hooks are closed", () => {
    const { hooks, freeze } = app();
    freeze(() => {});
    expect(() => hooks.jwt.tap("late", () => {})).toThrow(PluginError);
    expect(() => hooks.page.for("signin").tap("late", () => {})).toThrow(PluginError);
    expect(hooks.jwt.isUsed()).toBe(false);
  });

  it("tap() throws after the kernel has handled a request", async () => {
    const { browser, kernel: booted } = createTestAuth();
    await browser.session();
    expect(() => booted().hooks.jwt.tap("late", () => {})).toThrow(
      '"late" taps the hook jwt after setup',
    );
  });

  it("tap() throws in a tap of `ready`, because the order is final by then", () => {
    const { auth, log } = createTestAuth({
      use: [
        {
          name: "hasty",
          setup: ({ hooks }) =>
            hooks.ready.tap("hasty", () => hooks.jwt.tap("late", () => undefined)),
        },
      ],
    });
    expect(() => auth.inspect()).toThrow('"late" taps the hook jwt after setup');
    log.expectErrors("PluginError");
  });

  it("a hook without taps and interceptors is not used", () => {
    const { hooks, freeze } = app();
    freeze(() => {});
    const own = Object.values(hooks).filter((hook) => hook !== hooks.page);
    expect(own.map((hook) => hook.isUsed())).toEqual(own.map(() => false));
    expect(hooks.page.for("signin").isUsed()).toBe(false);
  });

  it("list() returns every hook with its kind", () => {
    const { hooks, list } = app();
    hooks.page.for("signin");
    expect(Object.fromEntries([...list()].map(([name, { kind }]) => [name, kind]))).toEqual({
      ready: "series",
      around: "around",
      request: "bail",
      authenticate: "bail",
      signIn: "verdict",
      login: "bail",
      redirect: "bail",
      jwt: "waterfall",
      session: "waterfall",
      authorized: "bail",
      response: "waterfall",
      error: "bail",
      locale: "bail",
      "page:signin": "waterfall",
    });
  });
});

describe("hooks.page", () => {
  const page = { name: "signin", title: "Sign in", blocks: [] };

  it("hooks.page.for() returns one hook per name", () => {
    const { hooks } = app();
    expect(hooks.page.for("signin")).toBe(hooks.page.for("signin"));
    expect(hooks.page.for("signin")).not.toBe(hooks.page.for("error"));
  });

  it("hooks.page.for() changes only the page of that name", () => {
    const { hooks } = app();
    hooks.page.for("signin").tap("titles", (given) => ({ ...given, title: "Welcome" }));
    expect(callHook(hooks.page.for("signin"), page, ctx)).toMatchObject({ title: "Welcome" });
    expect(callHook(hooks.page.for("error"), page, ctx)).toBe(page);
  });

  it.each(["__proto__", "constructor", "toString"])(
    "hooks.page.for() accepts %s as a name",
    (name) => {
      const { hooks } = app();
      hooks.page.for(name).tap("titles", (given) => ({ ...given, title: "Odd" }));
      expect(callHook(hooks.page.for(name), page, ctx)).toMatchObject({ title: "Odd" });
    },
  );
});
