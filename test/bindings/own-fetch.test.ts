import { H3Event } from "h3";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { H3Event as AnyEvent } from "../../plugins/bindings/_event.ts";
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

describe("a page that fetches from its own application, in Nitro 3", () => {
  it("is told of a private response, and of no other", async () => {
    expect(await render("private, no-store")).toEqual({ before: 0, after: 1 });
    expect(await render("public, max-age=60")).toEqual({ before: 0, after: 0 });
  });

  it("is told by the global AsyncLocalStorage of edge runtimes", async () => {
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
