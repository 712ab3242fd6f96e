import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventError } from "../../src/errors/errors.ts";
import { createEvents, LISTENER_TIMEOUT_MS } from "../../src/kernel/events.ts";
import { createTestAuth, createLog, LOVELACE } from "../_app.ts";

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
    expect(one).toHaveBeenCalledExactlyOnceWith(message);
    expect(two).toHaveBeenCalledExactlyOnceWith(message);
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
