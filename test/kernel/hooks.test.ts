import { describe, expect, it, vi } from "vitest";
import { PluginError } from "../../src/errors.ts";
import { ask, createHooks } from "../../src/hooks.ts";
import type { AuthContext, Kernel, Session } from "../../src/index.ts";
import { createHouse } from "../_setup.ts";

const ctx = {} as AuthContext;
const kernel = {} as Kernel;
const who = { user: { name: "Ada" }, account: null };

function house() {
  const registrar = { plugin: "plugin-a", frozen: false };
  return { registrar, ...createHooks(registrar) };
}

// The callback and promise styles are tapable's own; our types do not offer them.
interface Tapable {
  tapPromise(name: string, fn: (...args: unknown[]) => Promise<unknown>): void;
  tapAsync(name: string, fn: (...args: never[]) => void): void;
  callAsync(...args: unknown[]): void;
}
const raw = (hook: unknown) => hook as Tapable;

describe("a series (ready)", () => {
  it("asks all taps in order with the arguments", async () => {
    const { hooks } = house();
    const seen: unknown[] = [];
    hooks.ready.tap("a", (given) => void seen.push(["a", given]));
    hooks.ready.tap("b", (given) => void seen.push(["b", given]));
    await ask(hooks.ready, kernel);
    expect(seen).toEqual([
      ["a", kernel],
      ["b", kernel],
    ]);
  });

  it("hears everybody out and reports all errors together", () => {
    const { hooks } = house();
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
        void ask(hooks.ready, kernel);
      } catch (error) {
        return error as AggregateError;
      }
      return undefined;
    })();
    expect(thrown).toBeInstanceOf(AggregateError);
    expect(thrown?.errors.map(({ message }: Error) => message)).toEqual(["one", "two"]);
    expect(last).toHaveBeenCalledOnce();
  });

  it("takes no answer for a decision", () => {
    const { hooks } = house();
    hooks.ready.tap("a", (() => "answer") as never);
    expect(ask(hooks.ready, kernel)).toBeUndefined();
  });
});

describe("a bail (request, redirect, authorized, error)", () => {
  it("is decided by who speaks first", async () => {
    const { hooks } = house();
    const third = vi.fn();
    const answer = new Response();
    hooks.request.tap("silent", () => undefined);
    hooks.request.tap("speaks", () => answer);
    hooks.request.tap("late", third);
    expect(await ask(hooks.request, ctx)).toBe(answer);
    expect(third).not.toHaveBeenCalled();
  });

  it.each([false, "", 0, null])("takes %j for an answer", (answer) => {
    const { hooks } = house();
    hooks.authorized.tap("speaks", () => answer as false);
    hooks.authorized.tap("late", () => new Response());
    const request = new Request("http://localhost/");
    expect(ask(hooks.authorized, { request, auth: null }, ctx)).toBe(answer);
  });

  it("answers undefined when nobody speaks, and when nobody taps", () => {
    const { hooks } = house();
    const params = { url: "/x", baseUrl: "http://localhost" };
    expect(ask(hooks.redirect, params, ctx)).toBeUndefined();
    hooks.redirect.tap("silent", () => {});
    expect(ask(hooks.redirect, params, ctx)).toBeUndefined();
  });

  it("ends with the first error", () => {
    const { hooks } = house();
    const late = vi.fn();
    hooks.error.tap("throws", () => {
      throw new TypeError("broken");
    });
    hooks.error.tap("late", late);
    expect(() => ask(hooks.error, new Error("x"), ctx)).toThrow(TypeError);
    expect(late).not.toHaveBeenCalled();
  });
});

describe("a waterfall (jwt, session, response, page)", () => {
  it("hands each tap what the one before made", () => {
    const { hooks } = house();
    hooks.jwt.tap("one", (token) => ({ ...token, one: 1 }));
    hooks.jwt.tap("silent", () => undefined);
    hooks.jwt.tap("two", (token) => ({ ...token, two: token.one }));
    expect(ask(hooks.jwt, { sub: "x" }, {}, ctx)).toEqual({ sub: "x", one: 1, two: 1 });
  });

  it("ends with null", () => {
    const { hooks } = house();
    const late = vi.fn();
    hooks.jwt.tap("ends", () => null);
    hooks.jwt.tap("late", late);
    expect(ask(hooks.jwt, { sub: "x" }, {}, ctx)).toBeNull();
    expect(late).not.toHaveBeenCalled();
  });

  it("ends with null from an asynchronous tap too", async () => {
    const { hooks } = house();
    const late = vi.fn();
    hooks.jwt.tap("ends", async () => null);
    hooks.jwt.tap("late", late);
    expect(await ask(hooks.jwt, { sub: "x" }, {}, ctx)).toBeNull();
    expect(late).not.toHaveBeenCalled();
  });

  it("answers its first argument when nobody speaks", () => {
    const { hooks } = house();
    const session: Session = { expires: "never" };
    hooks.session.tap("silent", () => {});
    expect(ask(hooks.session, session, {}, ctx)).toBe(session);
  });

  it("keeps the other arguments as they were", () => {
    const { hooks } = house();
    const params = { trigger: "update" as const };
    const seen: unknown[] = [];
    hooks.jwt.tap("one", (token, given, at) => {
      seen.push(given, at);
      return { ...token };
    });
    hooks.jwt.tap("two", (_, given, at) => void seen.push(given, at));
    void ask(hooks.jwt, {}, params, ctx);
    expect(seen).toEqual([params, ctx, params, ctx]);
  });
});

describe("a verdict (signIn)", () => {
  const verdict = (...answers: unknown[]) => {
    const { hooks } = house();
    for (const [at, answer] of answers.entries()) {
      hooks.signIn.tap(`tap ${at}`, (() => answer) as never);
    }
    return ask(hooks.signIn, who, ctx);
  };

  it("takes silence and true for consent", () => {
    expect(verdict()).toBeUndefined();
    expect(verdict(undefined, true)).toBeUndefined();
  });

  it("lets true not stand in the way of a later veto", () => {
    expect(verdict(true, false)).toBe(false);
    expect(verdict(true, "/later")).toBe("/later");
  });

  it("lets a deny win over a redirect, before and after it", () => {
    expect(verdict("/elsewhere", false)).toBe(false);
    expect(verdict(false, "/elsewhere")).toBe(false);
  });

  it("takes the first of several redirects", () => {
    expect(verdict("/first", "/second")).toBe("/first");
  });

  it.each([[null], [""], [0], [1], [{}]])("refuses for %j: it fails closed", (answer) => {
    expect(verdict(answer)).toBe(false);
  });

  it("goes on past an asynchronous redirect to hear a veto", async () => {
    const { hooks } = house();
    hooks.signIn.tap("redirects", async () => "/elsewhere");
    hooks.signIn.tap("refuses", async () => false);
    expect(await ask(hooks.signIn, who, ctx)).toBe(false);
  });
});

describe("synchronous and asynchronous taps", () => {
  it("stay synchronous together: no promise is made", () => {
    const { hooks } = house();
    hooks.jwt.tap("one", (token) => ({ ...token, one: 1 }));
    const answer = ask(hooks.jwt, {}, {}, ctx);
    expect(answer).not.toBeInstanceOf(Promise);
    expect(answer).toEqual({ one: 1 });
  });

  it("become a promise with the first thenable, and keep their order", async () => {
    const { hooks } = house();
    const order: string[] = [];
    hooks.session.tap("slow", async (session) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      order.push("slow");
      return session;
    });
    hooks.session.tap("quick", () => void order.push("quick"));
    const answer = ask(hooks.session, { expires: "" }, {}, ctx);
    expect(answer).toBeInstanceOf(Promise);
    await answer;
    expect(order).toEqual(["slow", "quick"]);
  });

  it("may be of tapable's promise style", async () => {
    const { hooks } = house();
    raw(hooks.jwt).tapPromise("promise", async (token) => ({ ...(token as object), p: 1 }));
    expect(await ask(hooks.jwt, {}, {}, ctx)).toEqual({ p: 1 });
  });

  it("may be of tapable's callback style", async () => {
    const { hooks } = house();
    raw(hooks.jwt).tapAsync("callback", ((
      token: object,
      _params: unknown,
      _ctx: unknown,
      done: (error: unknown, answer?: unknown) => void,
    ) => done(null, { ...token, c: 1 })) as never);
    expect(await ask(hooks.jwt, {}, {}, ctx)).toEqual({ c: 1 });
  });

  it("reject with the error of a callback", async () => {
    const { hooks } = house();
    raw(hooks.request).tapAsync("callback", ((
      _ctx: unknown,
      done: (error: unknown, answer?: unknown) => void,
    ) => done(new Error("called back"))) as never);
    await expect(ask(hooks.request, ctx)).rejects.toThrow("called back");
  });

  it("reject with what an asynchronous tap throws", async () => {
    const { hooks } = house();
    const late = vi.fn();
    hooks.request.tap("throws", async () => {
      throw new RangeError("later");
    });
    hooks.request.tap("late", late);
    await expect(ask(hooks.request, ctx)).rejects.toThrow(RangeError);
    expect(late).not.toHaveBeenCalled();
  });

  it("can be asked by tapable's callback too", async () => {
    const { hooks } = house();
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

  it("refuse the asynchronous styles where the hook is synchronous", () => {
    const { hooks } = house();
    expect(() => raw(hooks.ready).tapPromise("p", async () => {})).toThrow();
    expect(() => raw(hooks.ready).tapAsync("a", () => {})).toThrow();
  });
});

describe("the order of taps", () => {
  const order = (tap: (add: (name: string, options?: object) => void) => void) => {
    const { hooks } = house();
    const seen: string[] = [];
    tap((name, options = {}) =>
      hooks.request.tap({ name, ...options }, () => void seen.push(name)),
    );
    void ask(hooks.request, ctx);
    return seen;
  };

  it("is by stage, said in words, then as registered", () => {
    const seen = order((add) => {
      add("last", { stage: "last" });
      add("late", { stage: "late" });
      add("normal", { stage: "normal" });
      add("plain");
      add("early", { stage: "early" });
      add("first", { stage: "first" });
    });
    expect(seen).toEqual(["first", "early", "normal", "plain", "late", "last"]);
  });

  it("takes numbers beside words: -100, -10, 0, 10, 100", () => {
    const seen = order((add) => {
      add("99", { stage: 99 });
      add("last", { stage: "last" });
      add("9", { stage: 9 });
      add("late", { stage: "late" });
      add("1", { stage: 1 });
      add("-9", { stage: -9 });
      add("early", { stage: "early" });
      add("-99", { stage: -99 });
      add("first", { stage: "first" });
    });
    expect(seen).toEqual(["first", "-99", "early", "-9", "1", "9", "late", "99", "last"]);
  });

  it("puts a tap before those it names", () => {
    const seen = order((add) => {
      add("a");
      add("b");
      add("c", { before: "b" });
      add("d", { before: ["a", "c"] });
    });
    expect(seen).toEqual(["d", "a", "c", "b"]);
  });

  it("refuses an unknown `before` at boot", () => {
    const { auth, log } = createHouse(
      {},
      {
        use: [
          {
            name: "hasty",
            setup: (it) => it.hooks.jwt.tap({ name: "mine", before: "nobody" }, () => {}),
          },
        ],
      },
    );
    expect(() => auth.inspect()).toThrow('"mine" (hasty) wants to come before "nobody" in jwt');
    log.expectErrors("PluginError");
  });

  it("knows a `before` that is registered later", () => {
    const { auth } = createHouse(
      {},
      {
        use: [
          {
            name: "one",
            setup: (it) => it.hooks.jwt.tap({ name: "mine", before: "theirs" }, () => {}),
          },
          { name: "two", setup: (it) => it.hooks.jwt.tap("theirs", () => {}) },
        ],
      },
    );
    expect(auth.inspect().hooks.jwt?.taps.map(({ name }) => name)).toEqual(["mine", "theirs"]);
  });
});

describe("interceptors", () => {
  it("see the call, each tap with its plugin, and do not count as a voice's answer", () => {
    const { hooks } = house();
    const seen: unknown[] = [];
    hooks.jwt.tap("one", (token) => ({ ...token, one: 1 }));
    hooks.jwt.intercept({
      call: (token) => void seen.push(["call", token]),
      tap: ({ name, plugin, stage }) => void seen.push(["tap", name, plugin, stage]),
    });
    expect(ask(hooks.jwt, {}, {}, ctx)).toEqual({ one: 1 });
    expect(seen).toEqual([
      ["call", {}],
      ["tap", "one", "plugin-a", 0],
    ]);
  });

  it("see an error, which goes on all the same", async () => {
    const { hooks } = house();
    const error = vi.fn();
    hooks.request.tap("throws", async () => {
      throw new Error("broken");
    });
    hooks.request.intercept({ error });
    await expect(ask(hooks.request, ctx)).rejects.toThrow("broken");
    expect(error).toHaveBeenCalledOnce();
    expect(error.mock.calls[0]?.[0]).toMatchObject({ message: "broken" });
  });

  it("make a hook used; our own does not", () => {
    const { hooks } = house();
    expect(hooks.jwt.isUsed()).toBe(false);
    hooks.jwt.intercept({ call() {} });
    expect(hooks.jwt.isUsed()).toBe(true);
    hooks.session.tap("one", () => {});
    expect(hooks.session.isUsed()).toBe(true);
  });
});

describe("errors of taps", () => {
  const thrownBy = (fn: () => never): Error & { tap?: unknown } => {
    const { hooks } = house();
    hooks.redirect.tap({ name: "faulty", stage: "late" }, fn);
    try {
      void ask(hooks.redirect, { url: "", baseUrl: "" }, ctx);
    } catch (error) {
      return error as Error;
    }
    throw new Error("nothing was thrown");
  };

  it("carry hook, tap, plugin and stage, out of sight of JSON", () => {
    const error = thrownBy(() => {
      throw new Error("broken");
    });
    expect(error.tap).toEqual({ hook: "redirect", name: "faulty", plugin: "plugin-a", stage: 10 });
    expect(Object.keys(error)).not.toContain("tap");
  });

  it("stay what they were", () => {
    const own = new RangeError("mine");
    expect(
      thrownBy(() => {
        throw own;
      }),
    ).toBe(own);
  });

  it("may be frozen", () => {
    const own: Error = Object.freeze(new Error("frozen"));
    expect(
      thrownBy(() => {
        throw own;
      }),
    ).toBe(own);
  });

  it.each([["text"], [undefined], [null], [42]])("become errors when %j is thrown", (value) => {
    const error = thrownBy(() => {
      // oxlint-disable-next-line typescript/only-throw-error -- others do
      throw value;
    });
    expect(error).toBeInstanceOf(Error);
    expect(error.cause).toBe(value);
  });

  it("are blamed on the innermost tap", () => {
    const { hooks } = house();
    hooks.redirect.tap("inner", () => {
      throw new Error("deep");
    });
    hooks.request.tap("outer", () => {
      void ask(hooks.redirect, { url: "", baseUrl: "" }, ctx);
    });
    try {
      void ask(hooks.request, ctx);
      expect.unreachable();
    } catch (error) {
      expect((error as { tap?: unknown }).tap).toMatchObject({ hook: "redirect", name: "inner" });
    }
  });
});

describe("registration", () => {
  it("notes the plugin whose setup runs", () => {
    const { hooks, registrar, list } = house();
    hooks.jwt.tap("one", () => {});
    registrar.plugin = "plugin-b";
    hooks.jwt.tap("two", () => {});
    expect(list().get("jwt")?.taps).toEqual([
      { name: "one", stage: 0, plugin: "plugin-a", before: [] },
      { name: "two", stage: 0, plugin: "plugin-b", before: [] },
    ]);
  });

  it("is over after boot", () => {
    const { hooks, registrar } = house();
    registrar.frozen = true;
    expect(() => hooks.jwt.tap("late", () => {})).toThrow(PluginError);
    expect(() => hooks.page.for("signin").tap("late", () => {})).toThrow(PluginError);
    expect(hooks.jwt.isUsed()).toBe(false);
  });

  it("is over for a kernel that has answered", async () => {
    const { browser, kernel: booted } = createHouse();
    await browser.session();
    expect(() => booted().hooks.jwt.tap("late", () => {})).toThrow(
      '"late" taps jwt after the first request',
    );
  });

  it("lists every hook with its kind", () => {
    const { hooks, list } = house();
    hooks.page.for("signin");
    expect(Object.fromEntries([...list()].map(([name, { kind }]) => [name, kind]))).toEqual({
      ready: "series",
      request: "bail",
      signIn: "verdict",
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

describe("the hooks of pages", () => {
  const page = { name: "signin", title: "Sign in", blocks: [] };

  it("are made once by name", () => {
    const { hooks } = house();
    expect(hooks.page.for("signin")).toBe(hooks.page.for("signin"));
    expect(hooks.page.for("signin")).not.toBe(hooks.page.for("error"));
  });

  it("shape the page of their name only", () => {
    const { hooks } = house();
    hooks.page.for("signin").tap("titles", (given) => ({ ...given, title: "Welcome" }));
    expect(ask(hooks.page.for("signin"), page, ctx)).toMatchObject({ title: "Welcome" });
    expect(ask(hooks.page.for("error"), page, ctx)).toBe(page);
  });

  it.each(["__proto__", "constructor", "toString"])("take the name %s for a name", (name) => {
    const { hooks } = house();
    hooks.page.for(name).tap("titles", (given) => ({ ...given, title: "Odd" }));
    expect(ask(hooks.page.for(name), page, ctx)).toMatchObject({ title: "Odd" });
  });
});
