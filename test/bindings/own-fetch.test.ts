import { H3Event } from "h3";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type H3Event as AnyEvent,
  createEventReader,
  type NodeEvent,
  type WebEvent,
} from "../../plugins/bindings/_event.ts";
import { createOwnFetch } from "../../plugins/bindings/_own-fetch.ts";
import { ORIGIN } from "../_app.ts";

afterEach(() => void vi.unstubAllGlobals());

const createEvent = (path: string) =>
  new H3Event(new Request(`${ORIGIN}${path}`)) as unknown as AnyEvent;

/** Renders a page that fetches from an API of the application, and returns the calls of its listener. */
async function render(cacheControl: string): Promise<{ before: number; after: number }> {
  const ownFetch = createOwnFetch();
  const listener = vi.fn<() => void>();
  let before = 0;
  const headers = { "cache-control": cacheControl };
  const page = createEvent("/page");
  await ownFetch.run(page, async () => {
    ownFetch.follow(page, listener);
    before = listener.mock.calls.length;
    return ownFetch.run(createEvent("/api"), async () => new Response(null, { headers }));
  });
  return { before, after: listener.mock.calls.length };
}

const leaveOut = () => {
  vi.stubGlobal("process", { ...process, env: process.env, getBuiltinModule: undefined });
  vi.stubGlobal("AsyncLocalStorage", undefined);
};

describe("the client of a request that is sent in the process", () => {
  it("is that of the page that caused the request, in Nitro 3", async () => {
    const ownFetch = createOwnFetch();
    const page = createEvent("/page");
    Object.assign((page as WebEvent).req, { ip: "127.0.0.1" });
    const read = createEventReader();
    const fetched = createEvent("/api");
    const ownAddress = createEvent("/api");
    Object.assign((ownAddress as WebEvent).req, { ip: "10.0.0.1" });
    const ips = await ownFetch.run(page, async () =>
      Promise.all(
        [fetched, ownAddress].map((event) =>
          ownFetch.run(event, async () => read(event).connection.ip),
        ),
      ),
    );
    expect(ips).toEqual(["127.0.0.1", "10.0.0.1"]);
    const stranger = createEvent("/api");
    await ownFetch.run(stranger, async () => undefined);
    expect(read(stranger).connection.ip).toBeUndefined();
  });

  it("is that of the page that caused the request, in Nitro 2", () => {
    const read = createEventReader();
    const createNodeEvent = (remoteAddress: string, more = {}) => {
      const req = { url: "/", method: "GET", headers: { host: "localhost" }, rawHeaders: [] };
      const node = { req: { ...req, socket: { remoteAddress }, ...more }, res: {} };
      return { node, context: {} } as unknown as NodeEvent;
    };
    const page = createNodeEvent("127.0.0.1");
    const readIp = (event: NodeEvent) => read(event).connection.ip;
    expect(readIp(page)).toBe("127.0.0.1");
    const fetched = createNodeEvent("", { __unenv__: page.context });
    expect(readIp(fetched)).toBe("127.0.0.1");
    // A request that the fetched page sends in turn.
    expect(readIp(createNodeEvent("", { __unenv__: fetched.context }))).toBe("127.0.0.1");
    expect(readIp(createNodeEvent("10.0.0.1", { __unenv__: page.context }))).toBe("10.0.0.1");
    expect(readIp(createNodeEvent("", { __unenv__: {} }))).toBeFalsy();
    expect(readIp(createNodeEvent(""))).toBeFalsy();
  });
});

describe("a page that fetches from its own application, in Nitro 3", () => {
  it("is notified of a private response, and of no other", async () => {
    expect(await render("private, no-store")).toEqual({ before: 0, after: 1 });
    expect(await render("public, max-age=60")).toEqual({ before: 0, after: 0 });
  });

  it.each<[string, "headers" | "errHeaders", () => unknown]>([
    ["returns a Response", "headers", () => new Response("secret")],
    ["returns data", "headers", () => ({ name: "Ada" })],
    ["throws", "errHeaders", () => Promise.reject(new Error("missing"))],
  ])("is notified of a handler that makes its event private and %s", async (_, name, respond) => {
    const ownFetch = createOwnFetch();
    const listener = vi.fn<() => void>();
    const page = createEvent("/page");
    const fetched = createEvent("/api");
    await ownFetch.run(page, async () => {
      ownFetch.follow(page, listener);
      const response = ownFetch.run(fetched, async () => {
        (fetched as WebEvent).res[name]?.set("cache-control", "private, no-store");
        return respond();
      });
      return response.catch(() => undefined);
    });
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it("is notified through the global AsyncLocalStorage of edge runtimes", async () => {
    const { AsyncLocalStorage } = await import("node:async_hooks");
    leaveOut();
    vi.stubGlobal("AsyncLocalStorage", AsyncLocalStorage);
    expect(await render("private, no-store")).toEqual({ before: 0, after: 1 });
  });

  it("is private in a runtime without AsyncLocalStorage, whatever it fetches", async () => {
    leaveOut();
    expect(await render("public, max-age=60")).toEqual({ before: 1, after: 1 });
  });
});
