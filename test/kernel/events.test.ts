import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/standard.ts";
import { EventError } from "../../src/errors/errors.ts";
import { createEvents, LISTENER_TIMEOUT_MS } from "../../src/hooks/events.ts";
import type { AuthContext, EventInfo } from "../../src/kernel.ts";
import { createTestAuth, createLog, LOVELACE, ORIGIN } from "../_app.ts";

const message = { user: { id: "1", name: "Ada" } };

function app(timeout?: number) {
  const log = createLog();
  const registrar = { plugin: "plugin-a", frozen: false };
  return { log, registrar, ...createEvents(registrar, log.logger, timeout) };
}

describe("emit()", () => {
  it("emit() passes the message to every listener of the event", async () => {
    const { events, emit } = app();
    const one = vi.fn();
    const two = vi.fn();
    events.hook("createUser", one);
    events.hook("createUser", two);
    await emit("createUser", message);
    const info = { name: "createUser", ctx: undefined };
    expect(one).toHaveBeenCalledExactlyOnceWith(message, info);
    expect(two).toHaveBeenCalledExactlyOnceWith(message, info);
  });

  it("emit() does not call listeners of other events", async () => {
    const { events, emit } = app();
    const other = vi.fn();
    events.hook("updateUser", other);
    await emit("createUser", message);
    expect(other).not.toHaveBeenCalled();
  });

  it("emit() returns no promise when the event has no listeners", () => {
    const { emit } = app();
    expect(emit("createUser", message)).toBeUndefined();
  });

  it("emit() runs listeners concurrently, so that a slow one does not delay the others", async () => {
    const { events, emit } = app();
    const order: string[] = [];
    events.hook("createUser", async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      order.push("slow");
    });
    events.hook("createUser", () => void order.push("quick"));
    await emit("createUser", message);
    expect(order).toEqual(["quick", "slow"]);
  });

  it("emit() calls every listener even when an earlier one throws", async () => {
    const { events, emit, log } = app();
    const after = vi.fn();
    events.hook("createUser", () => {
      throw new Error("sync");
    });
    events.hook("createUser", async () => {
      throw new Error("async");
    });
    events.hook("createUser", after);
    await emit("createUser", message);
    expect(after).toHaveBeenCalledOnce();
    log.expectErrors("EventError", "EventError");
  });

  it("emit() logs a listener's error with its plugin and event", async () => {
    const { events, emit, log } = app();
    const reason = new Error("audit log is full");
    events.hook("createUser", () => {
      throw reason;
    });
    await emit("createUser", message);
    const [error] = log.expectErrors("EventError");
    expect(error).toBeInstanceOf(EventError);
    expect(error?.cause).toEqual({ err: reason, plugin: "plugin-a", event: "createUser" });
    expect(error?.message).toBe(
      'A listener of the event "createUser" (plugin plugin-a) failed. The operation itself is not affected.',
    );
  });

  it("emit() waits for every asynchronous listener, whichever takes longest", async () => {
    const { events, emit } = app();
    const ended: string[] = [];
    const listen = (name: string, ms: number) =>
      events.hook("createUser", async () => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        ended.push(name);
      });
    listen("slowest", 20);
    listen("quick", 1);
    listen("slow", 10);
    await emit("createUser", message);
    expect(ended).toEqual(["quick", "slow", "slowest"]);
  });
});

describe("synchronous listeners", () => {
  it("emit() returns no promise when no listener returned one", () => {
    const { events, emit } = app();
    const seen: string[] = [];
    events.hook("createUser", () => void seen.push("one"));
    events.hook("*", () => void seen.push("any"));
    expect(emit("createUser", message)).toBeUndefined();
    expect(seen).toEqual(["one", "any"]);
  });

  it("emit() returns no promise when a synchronous listener throws, and logs it at once", () => {
    const { events, emit, log } = app();
    events.hook("createUser", () => {
      throw new Error("no");
    });
    expect(emit("createUser", message)).toBeUndefined();
    log.expectErrors("EventError");
  });

  it("emit() waits for a thenable that is not a Promise", async () => {
    const { events, emit } = app();
    let settled = false;
    const then = (done: () => void) => {
      settled = true;
      setTimeout(done, 2);
    };
    // oxlint-disable-next-line unicorn/no-thenable -- others do
    events.hook("createUser", () => ({ then }) as never);
    await emit("createUser", message);
    expect(settled).toBe(true);
  });
});

describe('events.hook("*")', () => {
  it('events.hook("*") receives every event with its name', async () => {
    const { events, emit, list } = app();
    const any = vi.fn<(given: unknown, info: EventInfo) => void>();
    const undo = events.hook("*", any);
    await emit("createUser", message);
    await emit("signOut", { token: null });
    expect(any.mock.calls.map(([given, { name }]) => [given, name])).toEqual([
      [message, "createUser"],
      [{ token: null }, "signOut"],
    ]);
    expect(list()).toEqual({ "*": ["plugin-a"] });
    undo();
    await emit("createUser", message);
    expect(any).toHaveBeenCalledTimes(2);
  });

  it("a failure of such a listener is logged with the event's name", async () => {
    const { events, emit, log } = app();
    events.hook("*", async () => {
      throw new Error("no");
    });
    await emit("createUser", message);
    const [error] = log.expectErrors("EventError");
    expect(error?.cause).toMatchObject({ plugin: "plugin-a", event: "createUser" });
  });

  it("emit() waits for listeners of the event and of every event", async () => {
    const { events, emit } = app();
    const seen: string[] = [];
    const later = (name: string, ms: number) => async () => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      seen.push(name);
    };
    events.hook("*", later("any", 1));
    events.hook("createUser", later("named", 5));
    await emit("createUser", message);
    expect(seen).toEqual(["any", "named"]);
  });
});

describe("background listeners", () => {
  const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 5));

  it("emit() does not wait for a background listener, and passes its promise to the platform", async () => {
    const { events, emit } = app();
    let done = false;
    events.hook("createUser", async () => slow().then(() => void (done = true)), {
      background: true,
    });
    const promises: Promise<unknown>[] = [];
    const ctx = { waitUntil: (promise: Promise<unknown>) => void promises.push(promise) };
    expect(emit("createUser", message, ctx as AuthContext)).toBeUndefined();
    expect(done).toBe(false);
    await Promise.all(promises);
    expect(done).toBe(true);
    expect(promises).toHaveLength(1);
  });

  it("emit() does not wait for a background listener without a request either", async () => {
    const { events, emit, log } = app();
    events.hook("createUser", async () => slow().then(() => Promise.reject(new Error("late"))), {
      background: true,
    });
    expect(emit("createUser", message)).toBeUndefined();
    await vi.waitFor(() => expect(log.errors).toHaveLength(1));
    log.expectErrors("EventError");
  });

  it("emit() does not wait for background listeners next to awaited ones, and logs their failures", async () => {
    const { events, emit, log } = app();
    const seen: string[] = [];
    events.hook("*", () => new Promise(() => {}), { background: true });
    events.hook("createUser", async () => void seen.push("awaited"));
    events.hook(
      "createUser",
      () => {
        throw new Error("at once");
      },
      { background: true },
    );
    await emit("createUser", message);
    expect(seen).toEqual(["awaited"]);
    log.expectErrors("EventError");
  });

  it("the promise of a background listener is passed to `waitUntil` of the server's request", async () => {
    const waited: Promise<unknown>[] = [];
    let audited = 0;
    const { auth, browser, log } = createTestAuth({
      use: [
        {
          name: "audit",
          setup: ({ events }) =>
            void events.hook(
              "signIn",
              async () => {
                await slow();
                if (++audited === 2) throw new Error("no");
              },
              { background: true },
            ),
        },
      ],
    });
    const csrfToken = await browser.csrfToken();
    const post = (init: RequestInit) =>
      Object.assign(
        new Request(`${ORIGIN}/auth/callback/credentials`, { method: "POST", ...init }),
        {
          waited,
          waitUntil(this: { waited: unknown[] }, promise: Promise<unknown>) {
            this.waited.push(promise);
          },
        },
      );
    const cookie = browser.cookies.get("authjs.csrf-token") ?? "";
    const body = new URLSearchParams({ ...LOVELACE, csrfToken: csrfToken });
    const response = await auth.fetch(
      post({ body, headers: { cookie: `authjs.csrf-token=${cookie}` } }),
    );
    expect(response.headers.getSetCookie().join()).toContain("session-token");
    expect(waited).toHaveLength(1);
    expect(audited).toBe(0);
    await waited[0];
    expect(audited).toBe(1);
    // A server-side call works on the same request.
    await auth.signIn(post({}), "credentials", LOVELACE);
    expect(waited).toHaveLength(2);
    await waited[1];
    log.expectErrors("EventError");
  });

  it("ctx.waitUntil() logs a rejection, with and without a platform that waits", async () => {
    const { auth, log } = createTestAuth({
      use: [
        {
          name: "waits",
          setup: ({ hooks }) =>
            hooks.request.tap("waits", (ctx) =>
              ctx.waitUntil(Promise.reject(new RangeError("no"))),
            ),
        },
      ],
    });
    const request = () => new Request(`${ORIGIN}/auth/session`);
    await auth.fetch(request());
    const waited: Promise<unknown>[] = [];
    await auth.fetch(
      Object.assign(request(), {
        waitUntil: (promise: Promise<unknown>) => void waited.push(promise),
      }),
    );
    await Promise.all(waited);
    expect(waited).toHaveLength(1);
    log.expectErrors("RangeError", "RangeError");
  });
});

describe("event listener timeout", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("emit() waits five seconds for a listener, then logs an EventError and continues", async () => {
    const { events, emit, log } = app();
    events.hook("createUser", () => new Promise(() => {}));
    let done = false;
    const emitted = Promise.resolve(emit("createUser", message)).then(() => (done = true));
    await vi.advanceTimersByTimeAsync(LISTENER_TIMEOUT_MS - 1);
    expect(done).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await emitted;
    expect(LISTENER_TIMEOUT_MS).toBe(5000);
    const [error] = log.expectErrors("EventError");
    expect(error?.cause?.err?.message).toBe("no result within 5000 ms");
  });

  it("emit() leaves no timer behind when listeners finish in time", async () => {
    const { events, emit } = app(50);
    const quick = vi.fn();
    events.hook("createUser", quick);
    await emit("createUser", message);
    expect(quick).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("emit() ignores the error of a listener that fails after its timeout", async () => {
    const { events, emit, log } = app(50);
    events.hook("createUser", async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      throw new Error("too late");
    });
    const emitted = emit("createUser", message);
    await vi.advanceTimersByTimeAsync(200);
    await emitted;
    log.expectErrors("EventError");
  });
});

describe("wrong use of events.hook()", () => {
  it("a listener that is not a function is a PluginError that names plugin and event", () => {
    const { events } = app();
    expect(() => events.hook("createUser", undefined as never)).toThrow(
      'The listener of the event "createUser" (plugin plugin-a) is not a function.',
    );
  });
});

describe("the function that events.hook() returns", () => {
  it("events.hook() returns a function that removes the listener, and that may be called repeatedly", async () => {
    const { events, emit, list } = app();
    const one = vi.fn();
    const two = vi.fn();
    const undo = events.hook("createUser", one);
    events.hook("createUser", two);
    undo();
    undo();
    await emit("createUser", message);
    expect(one).not.toHaveBeenCalled();
    expect(two).toHaveBeenCalledOnce();
    expect(list()).toEqual({ createUser: ["plugin-a"] });
  });

  it("an event whose last listener is removed is not listed, and may get another one", async () => {
    const { events, emit, list } = app();
    events.hook("createUser", vi.fn())();
    expect(list()).toEqual({});
    const later = vi.fn();
    events.hook("createUser", later);
    await emit("createUser", message);
    expect(later).toHaveBeenCalledOnce();
  });

  it("a listener that removes itself does not skip another one", async () => {
    const { events, emit } = app();
    const seen: string[] = [];
    const undo = events.hook("createUser", () => {
      seen.push("once");
      undo();
    });
    events.hook("createUser", () => void seen.push("always"));
    await emit("createUser", message);
    await emit("createUser", message);
    expect(seen).toEqual(["once", "always", "always"]);
  });

  it("removing a listener leaves other registrations of the same function in place", async () => {
    const { events, emit } = app();
    const listener = vi.fn();
    const undo = events.hook("createUser", listener);
    events.hook("createUser", listener);
    undo();
    await emit("createUser", message);
    expect(listener).toHaveBeenCalledOnce();
  });
});

describe("events of the configuration and of plugins", () => {
  it("inspect() names the plugins that listen to each event", () => {
    const { auth } = createTestAuth({
      events: { signIn() {}, signOut() {} },
      use: [{ name: "audit", setup: (kernel) => void kernel.events.hook("signIn", () => {}) }],
    });
    expect(auth.inspect().events).toEqual({
      signIn: ["audit", "application"],
      signOut: ["application"],
    });
  });

  it("listeners receive the request that the event belongs to, and `events` only the message", async () => {
    const seen: [name: string, operation: string | undefined, path: string | undefined][] = [];
    const configured = vi.fn();
    const { browser, auth } = createTestAuth({
      preset: standardPreset,
      store: memoryBackend(),
      events: { signIn: configured },
      use: [
        {
          name: "audit",
          setup: ({ events }) =>
            void events.hook("*", (_, { name, ctx }) => {
              seen.push([name, ctx?.operation, ctx?.url.pathname]);
            }),
        },
      ],
    });
    await browser.signInWith("credentials", LOVELACE);
    await browser.session();
    await browser.signOut();
    const event = { req: new Request(`${ORIGIN}/page`), res: { headers: new Headers() } };
    await auth.signIn(event, "credentials", LOVELACE);
    const callback = "/auth/callback/credentials";
    expect(seen).toEqual([
      ["createUser", "request", callback],
      ["linkAccount", "request", callback],
      ["signIn", "request", callback],
      ["session", "request", "/auth/session"],
      ["signOut", "request", "/auth/signout"],
      ["signIn", "signIn", callback],
    ]);
    expect(configured.mock.calls.map((args) => args.length)).toEqual([1, 1]);
  });

  it("an event listener that throws does not stop a sign-in", async () => {
    const { browser, log } = createTestAuth({
      events: {
        signIn() {
          throw new Error("no");
        },
      },
    });
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    log.expectErrors("EventError");
  });
});
