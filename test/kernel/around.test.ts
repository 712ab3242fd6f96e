import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/standard.ts";
import { AROUND_TIMEOUT_MS } from "../../src/hooks/around.ts";
import type { AuthContext, Kernel, Operation } from "../../src/kernel.ts";
import { createTestAuth, LOVELACE, ORIGIN, type TestAuthOptions } from "../_app.ts";
import { plugin } from "./_faults.ts";

type Around = (ctx: AuthContext, next: () => Promise<unknown>) => Promise<void> | void;

/** Creates an application with taps of `around` by name, and other registrations of a plugin. */
function createApp(
  taps: Record<string, Around>,
  options: TestAuthOptions = {},
  setup: (kernel: Kernel) => void = () => {},
) {
  const app = createTestAuth({
    ...options,
    use: [
      ...Object.entries(taps).map(([name, tap]) =>
        plugin(`plugin-${name}`, ({ hooks }) => hooks.around.tap(name, tap)),
      ),
      plugin("test/plugin", setup),
    ],
  });
  const fetch = (path: string, init?: RequestInit) =>
    app.auth.fetch(new Request(ORIGIN + path, init));
  return { ...app, fetch };
}

const page = () => new Request(`${ORIGIN}/page`);
const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

describe("around covers", () => {
  const record = (options: TestAuthOptions = {}, setup?: (kernel: Kernel) => void) => {
    const seen: [operation: Operation, path: string, outcome: unknown][] = [];
    const app = createApp(
      {
        spans: async (ctx, next) => {
          const entry: (typeof seen)[number] = [ctx.operation, ctx.url.pathname, "unsettled"];
          seen.push(entry);
          try {
            const outcome = await next();
            entry[2] = outcome instanceof Response ? outcome.status : outcome;
          } catch (error) {
            entry[2] = (error as Error).name;
            throw error;
          }
        },
      },
      options,
      setup,
    );
    return { ...app, seen };
  };

  it("a request of a route, an unknown path, a method that is not allowed and a failed CSRF check", async () => {
    const { fetch, seen, log } = record();
    await fetch("/auth/session");
    await fetch("/auth/nowhere");
    await fetch("/auth/csrf", { method: "POST" });
    await fetch("/auth/signout", { method: "POST" });
    expect(seen).toEqual([
      ["request", "/auth/session", 200],
      ["request", "/auth/nowhere", 404],
      ["request", "/auth/csrf", 405],
      ["request", "/auth/signout", 302],
    ]);
    log.ignoreErrors();
    log.errors.splice(0);
  });

  it("a request with a malformed cookie, a HEAD request, and one whose route fails", async () => {
    const { fetch, seen, log } = record({}, (kernel) =>
      kernel.addRoute({
        method: "GET",
        path: "/fails",
        json: true,
        handler() {
          throw new Error("no");
        },
      }),
    );
    await fetch("/auth/session", { headers: { cookie: "authjs.session-token=x" } });
    await fetch("/auth/session", { method: "HEAD" });
    await fetch("/auth/fails");
    expect(seen.map(([, , status]) => status)).toEqual([200, 200, 500]);
    log.expectErrors("Error");
  });

  it("no path outside of the base path", async () => {
    const { fetch, seen } = record();
    await fetch("/elsewhere");
    expect(seen).toEqual([]);
  });

  it("every server-side call, with its value", async () => {
    const { auth, seen } = record();
    const csrfToken = await auth.csrfToken(page());
    await auth.getSession(page());
    await auth.auth(page());
    await auth.authorize(page());
    await auth.signIn(page(), "credentials", {
      ...LOVELACE,
      redirect: false,
      redirectTo: "/there",
    });
    await auth.signIn(page());
    await auth.signOut(page(), { redirect: false, redirectTo: "/gone" });
    await auth.update(page(), {});
    expect(seen).toEqual([
      ["csrfToken", "/auth/csrf", csrfToken],
      ["getSession", "/auth/session", null],
      ["getSession", "/auth/session", null],
      ["authorize", "/auth/session", undefined],
      ["signIn", "/auth/callback/credentials", `${ORIGIN}/there`],
      ["signIn", "/auth/signin", 302],
      ["signOut", "/auth/signout", `${ORIGIN}/gone`],
      ["update", "/auth/session", null],
    ]);
  });

  it("the check of auth.auth(handler), and not the handler", async () => {
    const { auth, seen } = record();
    const guarded = auth.auth(() => {
      seen.push(["request", "the application", "runs"]);
      return new Response();
    });
    await guarded(page());
    expect(seen.map(([operation]) => operation)).toEqual(["authorize", "request"]);
    expect(seen[0]?.[2]).toBeUndefined();
  });

  it("a call that rejects, with its error", async () => {
    const { auth, seen, log } = record();
    await expect(
      auth.signIn(page(), "credentials", { username: "ada", password: "wrong" }),
    ).rejects.toThrow();
    expect(seen).toEqual([["signIn", "/auth/callback/credentials", "CredentialsSignin"]]);
    log.expectErrors("CredentialsSignin");
  });
});

describe("taps of around", () => {
  it("nest, the first one outermost", async () => {
    const seen: string[] = [];
    const tap =
      (name: string): Around =>
      async (_, next) => {
        seen.push(`> ${name}`);
        await next();
        await later(1);
        seen.push(`< ${name}`);
      };
    const { fetch } = createApp({ a: tap("a"), b: tap("b"), c: tap("c") }, {}, ({ hooks }) =>
      hooks.request.tap("work", () => void seen.push("work")),
    );
    await fetch("/auth/session");
    expect(seen).toEqual(["> a", "> b", "> c", "work", "< c", "< b", "< a"]);
  });

  it("see the response with the changes of the `response` hook and with the cookies", async () => {
    let status: string | null = null;
    let cookies: string[] = [];
    const { fetch } = createApp(
      {
        a: async (_, next) => {
          const { headers } = (await next()) as Response;
          status = headers.get("x-tap");
          cookies = headers.getSetCookie();
        },
      },
      {},
      ({ hooks }) =>
        hooks.response.tap("mark", (response) => {
          response.headers.set("x-tap", "seen");
        }),
    );
    const response = await fetch("/auth/csrf");
    expect(status).toBe("seen");
    expect(cookies).toEqual(response.headers.getSetCookie());
    expect(cookies).toHaveLength(1);
  });

  it("cannot change the outcome with a return value", async () => {
    const mine = async (_: unknown, next: () => Promise<unknown>) => {
      await next();
      return new Response("mine", { status: 418 });
    };
    const { fetch, auth } = createApp({ a: mine as never });
    expect((await fetch("/auth/session")).status).toBe(200);
    expect(await auth.getSession(page())).toBeNull();
  });

  it("cannot turn an error of a call into a success", async () => {
    const { auth, log } = createApp({
      a: async (_, next) => {
        await next().catch(() => {});
      },
    });
    await expect(auth.signIn(page(), "credentials", {})).rejects.toThrow();
    log.expectErrors("CredentialsSignin");
  });

  it("do not have to await `next`", async () => {
    const { fetch, auth, log } = createApp({
      a: (_, next) => void next(),
      b: (_, next) => void next(),
    });
    expect((await fetch("/auth/session")).status).toBe(200);
    await expect(auth.signIn(page(), "credentials", {})).rejects.toThrow();
    log.expectErrors("CredentialsSignin");
  });

  it("of concurrent requests are independent", async () => {
    const seen: string[] = [];
    const { fetch } = createApp(
      {
        a: async ({ url }, next) => {
          const response = (await next()) as Response;
          seen.push(`${url.search} ${response.headers.get("x-query")}`);
        },
      },
      {},
      ({ hooks }) =>
        hooks.response.tap("slow", async (response, { url }) => {
          await later(url.search === "?1" ? 8 : 2);
          response.headers.set("x-query", url.search);
        }),
    );
    const responses = await Promise.all(["?1", "?2", "?3"].map((q) => fetch(`/auth/session${q}`)));
    expect(responses.map(({ headers }) => headers.get("x-query"))).toEqual(["?1", "?2", "?3"]);
    expect(seen.sort()).toEqual(["?1 ?1", "?2 ?2", "?3 ?3"]);
  });
});

describe("a tap of around that prevents the operation fails it", () => {
  const ran: string[] = [];
  beforeEach(() => void ran.splice(0));
  const create = (tap: Around, outer: Around = (_, next) => void next()) =>
    createApp({ outer, tap }, {}, ({ hooks }) =>
      hooks.request.tap("work", () => void ran.push("work")),
    );

  it("when it throws before `next`: the request goes through the failure path", async () => {
    let seen: unknown;
    const { fetch, auth, log } = create(
      () => {
        throw new RangeError("not ready");
      },
      async (_, next) => {
        seen = await next();
      },
    );
    const response = await fetch("/auth/session");
    expect(response.status).toBe(500);
    expect(seen).toBe(response);
    expect(ran).toEqual([]);
    const [error] = log.expectErrors("RangeError");
    expect(error).toMatchObject({
      tap: { hook: "around", name: "tap", plugin: "plugin-tap" },
      id: expect.any(String) as string,
    });
    await expect(auth.getSession(page())).rejects.toThrow("not ready");
  });

  it("when it throws before `next`: the taps of `error` and `response` still run", async () => {
    const { fetch, log } = createApp(
      {
        tap: async () => {
          throw new Error("no");
        },
      },
      {},
      ({ hooks }) => {
        hooks.error.tap("teapot", () => new Response(null, { status: 418 }));
        hooks.response.tap("mark", (response) => response.headers.set("x-tap", "seen"));
      },
    );
    const response = await fetch("/auth/session");
    expect([response.status, response.headers.get("x-tap")]).toEqual([418, "seen"]);
    log.expectErrors("Error");
  });

  it("when it never calls `next`", async () => {
    const { fetch, auth, log } = create(() => {});
    expect((await fetch("/auth/session")).status).toBe(500);
    expect(ran).toEqual([]);
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toBe(
      'The tap "tap" (plugin plugin-tap) of the hook around did not call `next`. Call `next` exactly once and await it.',
    );
    await expect(auth.signOut(page())).rejects.toThrow("did not call `next`");
    await expect(auth.csrfToken(page())).rejects.toThrow("did not call `next`");
  });

  it("when it calls `next` twice in sequence", async () => {
    const { fetch, auth, log } = create(async (_, next) => {
      await next();
      await next();
    });
    expect((await fetch("/auth/session")).status).toBe(500);
    expect(ran).toEqual(["work"]);
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toContain(
      'The tap "tap" (plugin plugin-tap) of the hook around called `next` twice',
    );
    await expect(auth.getSession(page())).rejects.toThrow("called `next` twice");
  });

  it("when it calls `next` twice at once and awaits neither", async () => {
    const { fetch, log } = create((_, next) => {
      void next();
      void next();
    });
    expect((await fetch("/auth/session")).status).toBe(500);
    expect(ran).toEqual(["work"]);
    log.expectErrors("PluginError");
  });

  it("when it calls `next` only after it has settled: the operation does not run", async () => {
    let late: unknown;
    const { fetch, log } = create((_, next) => {
      setTimeout(() => {
        next().catch((error: unknown) => (late = error));
      }, 5);
    });
    expect((await fetch("/auth/session")).status).toBe(500);
    await later(20);
    expect(ran).toEqual([]);
    expect((late as Error).message).toContain("called `next` too late");
    log.expectErrors("PluginError", "PluginError");
  });

  it("except when it calls `next` again after the outcome: that is logged, and the operation runs once", async () => {
    let again: (() => Promise<unknown>) | undefined;
    const { fetch, log } = create(async (_, next) => {
      again = next;
      await next();
    });
    expect((await fetch("/auth/session")).status).toBe(200);
    await expect(again?.()).rejects.toThrow("called `next` twice");
    expect(ran).toEqual(["work"]);
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toContain('The tap "tap" (plugin plugin-tap) of the hook around called');
  });

  it("when a tap of `error` throws too, with the plain response", async () => {
    const { fetch, log } = createApp(
      {
        tap: () => {
          throw new Error("one");
        },
      },
      {},
      ({ hooks }) =>
        hooks.error.tap("breaks", () => {
          throw new Error("two");
        }),
    );
    expect((await fetch("/auth/session")).status).toBe(500);
    log.expectErrors("Error", "Error");
  });
});

describe("a tap of around that fails after `next`", () => {
  it("is logged and ignored", async () => {
    const { fetch, auth, log } = createApp({
      tap: async (_, next) => {
        await next();
        throw new RangeError("exporter is down");
      },
    });
    expect((await fetch("/auth/session")).status).toBe(200);
    expect(await auth.getSession(page())).toBeNull();
    const [error] = log.expectErrors("PluginError", "PluginError");
    expect(error?.message).toContain(
      'The tap "tap" (plugin plugin-tap) of the hook around failed after it had called `next`',
    );
    expect(error?.cause?.err).toBeInstanceOf(RangeError);
  });

  it("is logged and ignored while the operation still runs", async () => {
    const { fetch, log } = createApp(
      {
        tap: (_, next) => {
          void next();
          throw new Error("at once");
        },
      },
      {},
      // Long enough for Node to report an unhandled rejection of the tap.
      ({ hooks }) => hooks.request.tap("slow", () => later(5)),
    );
    expect((await fetch("/auth/session")).status).toBe(200);
    log.expectErrors("PluginError");
  });

  it("is not logged for passing on the error of the call", async () => {
    const { auth, log } = createApp({
      a: async (_, next) => void (await next()),
      b: async (_, next) => void (await next()),
    });
    await expect(auth.signIn(page(), "credentials", {})).rejects.toThrow();
    log.expectErrors("CredentialsSignin");
  });
});

describe("time limits of taps of around", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("a tap that does not call `next` within five seconds fails the request", async () => {
    const { fetch, log } = createApp({ tap: () => new Promise(() => {}) });
    const response = fetch("/auth/session");
    await vi.advanceTimersByTimeAsync(AROUND_TIMEOUT_MS);
    expect((await response).status).toBe(500);
    expect(AROUND_TIMEOUT_MS).toBe(5000);
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toBe(
      'The tap "tap" (plugin plugin-tap) of the hook around has not called `next` within 5 seconds. Call `next` ' +
        "exactly once and await it.",
    );
    expect(error).toMatchObject({ tap: { name: "tap", plugin: "plugin-tap" } });
  });

  it("a tap that does not end within five seconds after the operation is no longer awaited", async () => {
    const { fetch, log } = createApp({
      tap: async (_, next) => {
        await next();
        await new Promise(() => {});
      },
    });
    const response = fetch("/auth/session");
    await vi.advanceTimersByTimeAsync(AROUND_TIMEOUT_MS);
    expect((await response).status).toBe(200);
    log.expectErrors("PluginError");
  });

  it("a tap that calls `next` late has five seconds from the operation's end, not from its own beginning", async () => {
    const { fetch, log } = createApp({
      tap: async (_, next) => {
        await later(1000);
        await next();
        await new Promise(() => {});
      },
    });
    let status = 0;
    void fetch("/auth/session").then((response) => (status = response.status));
    await vi.advanceTimersByTimeAsync(1000 + AROUND_TIMEOUT_MS - 1);
    expect(status).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(status).toBe(200);
    log.expectErrors("PluginError");
  });

  it("no timer is left when taps end in time", async () => {
    const { fetch } = createApp({ tap: async (_, next) => void (await next()) });
    await fetch("/auth/csrf");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("AsyncLocalStorage through around", () => {
  it("the store is visible in taps, the route, listeners and the adapter, and not in other requests", async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: [where: string, path: string, store: string | undefined][] = [];
    const note = (where: string, path: string) => void seen.push([where, path, storage.getStore()]);
    const { auth, openBrowser } = createApp(
      { trace: (ctx, next) => void storage.run(ctx.url.href, next) },
      {
        preset: standardPreset,
        store: memoryBackend(),
        gate: () => note("adapter", storage.getStore() ?? ""),
        record: true,
      },
      (kernel) => {
        const { hooks, events } = kernel;
        hooks.request.tap("sync", ({ url }) => note("request", url.href));
        hooks.request.tap("async", async ({ url }) => {
          await later(1);
          note("request later", url.href);
        });
        hooks.session.tap("async", async (_, __, { url }) => {
          await later(1);
          note("session", url.href);
        });
        hooks.response.tap("async", async (_, { url }) => {
          await later(1);
          note("response", url.href);
        });
        events.hook("*", (_, { ctx, name }) => note(name, ctx?.url.href ?? ""));
        kernel.addRoute({
          method: "GET",
          path: "/look",
          async handler(ctx) {
            await ctx.kernel.strategy.read(ctx);
            note("route", ctx.url.href);
            return ctx.json({});
          },
        });
      },
    );
    const browsers = [openBrowser(), openBrowser()];
    await Promise.all(browsers.map((browser) => browser.signInWith("credentials", LOVELACE)));
    await Promise.all(browsers.map((browser, at) => browser.get(`/auth/look?${at}`)));
    await auth.getSession(page());
    expect(seen.filter(([, path, store]) => path !== store)).toEqual([]);
    expect(new Set(seen.map(([where]) => where))).toEqual(
      new Set([
        "request",
        "request later",
        "route",
        "session",
        "response",
        "adapter",
        "createUser",
        "linkAccount",
        "signIn",
      ]),
    );
    expect(storage.getStore()).toBeUndefined();
  });
});

describe("around without taps", () => {
  it("is not used, and requests take the same path", async () => {
    const { kernel, browser } = createTestAuth();
    expect(kernel().hooks.around.isUsed()).toBe(false);
    expect((await browser.get("/auth/session")).status).toBe(200);
  });

  it("inspect() shows its kind and its taps in order", () => {
    const { auth } = createApp({ a: (_, next) => void next(), b: (_, next) => void next() });
    expect(auth.inspect().hooks.around).toEqual({
      kind: "around",
      interceptors: [],
      taps: [
        { name: "a", plugin: "plugin-a", stage: 0 },
        { name: "b", plugin: "plugin-b", stage: 0 },
      ],
    });
  });
});
