import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventError } from "../../src/errors.ts";
import { createEvents, LISTENER_TIMEOUT } from "../../src/events.ts";
import { createHouse, createLog, LOVELACE } from "../_setup.ts";

const message = { user: { id: "1", name: "Ada" } };

function house(timeout?: number) {
  const log = createLog();
  const registrar = { plugin: "plugin-a", frozen: false };
  return { log, registrar, ...createEvents(registrar, log.logger, timeout) };
}

describe("announcing", () => {
  it("tells every listener the message", async () => {
    const { events, emit } = house();
    const one = vi.fn();
    const two = vi.fn();
    events.hook("createUser", one);
    events.hook("createUser", two);
    await emit("createUser", message);
    expect(one).toHaveBeenCalledExactlyOnceWith(message);
    expect(two).toHaveBeenCalledExactlyOnceWith(message);
  });

  it("tells only the listeners of that event", async () => {
    const { events, emit } = house();
    const other = vi.fn();
    events.hook("updateUser", other);
    await emit("createUser", message);
    expect(other).not.toHaveBeenCalled();
  });

  it("costs no promise when nobody listens", () => {
    const { emit } = house();
    expect(emit("createUser", message)).toBeUndefined();
  });

  it("tells them side by side: a slow one holds up nobody", async () => {
    const { events, emit } = house();
    const order: string[] = [];
    events.hook("createUser", async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      order.push("slow");
    });
    events.hook("createUser", () => void order.push("quick"));
    await emit("createUser", message);
    expect(order).toEqual(["quick", "slow"]);
  });

  it("gives each listener a turn although an earlier one throws", async () => {
    const { events, emit, log } = house();
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

  it("logs which plugin's listener failed, of what, and why", async () => {
    const { events, emit, log } = house();
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

describe("a listener that hangs", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is waited for five seconds, then logged and left", async () => {
    const { events, emit, log } = house();
    events.hook("createUser", () => new Promise(() => {}));
    let done = false;
    const emitted = Promise.resolve(emit("createUser", message)).then(() => (done = true));
    await vi.advanceTimersByTimeAsync(LISTENER_TIMEOUT - 1);
    expect(done).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await emitted;
    expect(LISTENER_TIMEOUT).toBe(5000);
    const [error] = log.expectErrors("EventError");
    expect(error?.cause?.err?.message).toBe("no answer in 5000 ms");
  });

  it("does not hold up the others' end, nor leave a timer behind", async () => {
    const { events, emit } = house(50);
    const quick = vi.fn();
    events.hook("createUser", quick);
    await emit("createUser", message);
    expect(quick).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("may fail after its time: nobody hears of it any more", async () => {
    const { events, emit, log } = house(50);
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

describe("ceasing to listen", () => {
  it("is done by what `hook` answers, any number of times", async () => {
    const { events, emit, list } = house();
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

  it("leaves other registrations of the same function alone", async () => {
    const { events, emit } = house();
    const listener = vi.fn();
    const undo = events.hook("createUser", listener);
    events.hook("createUser", listener);
    undo();
    await emit("createUser", message);
    expect(listener).toHaveBeenCalledOnce();
  });
});

describe("events of the configuration and of plugins", () => {
  it("are named by `inspect`", () => {
    const { auth } = createHouse(
      { events: { signIn() {}, signOut() {} } },
      { use: [{ name: "audit", setup: (kernel) => void kernel.events.hook("signIn", () => {}) }] },
    );
    expect(auth.inspect().events).toEqual({
      signIn: ["audit", "application"],
      signOut: ["application"],
    });
  });

  it("cannot stop a sign-in", async () => {
    const { browser, log } = createHouse({
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
