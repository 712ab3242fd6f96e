import { describe, expect, it } from "vitest";
import { createAuth } from "../../presets/index.ts";
import type { Auth } from "../../src/kernel.ts";
import { testBinding } from "../../src/testing.ts";
import { listFailures } from "./_list-failures.ts";

type Fetch = (request: Request) => Promise<Response>;

const ORIGIN = "http://localhost:3000";

const respond: Fetch = async (request) =>
  new Response(`app ${request.method} ${await request.text()}`);

const mount = (auth: Auth): Fetch => {
  return async (request) => (await auth.handle(request)) ?? respond(request);
};

const check = (make: (auth: Auth) => Fetch) =>
  listFailures((runner) =>
    testBinding(
      createAuth,
      (config) => ({ origin: ORIGIN, fetch: make(createAuth(config)) }),
      runner,
    ),
  );

/** Changes the responses of the routes. */
const changing =
  (change: (headers: Headers, response: Response) => ResponseInit) =>
  (auth: Auth): Fetch =>
  async (request) => {
    const response = await auth.handle(request);
    if (!response) return respond(request);
    const headers = new Headers(response.headers);
    const { status } = response;
    const text = status === 302 || request.method === "HEAD" ? null : await response.text();
    return new Response(text, { status, headers, ...change(headers, response) });
  };

const ROUTES = "status, headers, cookies and body";

const DEFECTS: Record<string, [fails: string, make: (auth: Auth) => Fetch]> = {
  "keeps one cookie of several": [
    ROUTES,
    changing((headers, response) => {
      headers.delete("set-cookie");
      const last = response.headers.getSetCookie().at(-1);
      if (last) headers.append("set-cookie", last);
      return {};
    }),
  ],
  "joins cookies into one header": [
    ROUTES,
    changing((headers, response) => {
      headers.set("set-cookie", response.headers.getSetCookie().join(", "));
      return {};
    }),
  ],
  "has its own status for errors": [
    ROUTES,
    changing((_, { status }) => (status === 405 ? { status: 404 } : {})),
  ],
  "lets responses be cached": [
    ROUTES,
    changing((headers) => {
      headers.delete("cache-control");
      return {};
    }),
  ],
  "reads the body before the application": [
    "receives the requests for other paths",
    (auth) => async (request) => {
      const { method } = request;
      const text = method === "POST" ? await request.text() : undefined;
      const copy = new Request(request, text === undefined ? {} : { body: text });
      return (await auth.handle(copy)) ?? respond(new Request(request.url, { method }));
    },
  ],
  "handles paths that begin like its own": [
    "receives the requests for other paths",
    (auth) => async (request) =>
      new URL(request.url).pathname.startsWith("/auth") ? auth.fetch(request) : respond(request),
  ],
  "trusts a header": [
    "client's address",
    (auth) => async (request) => {
      const ip = request.headers.get("x-forwarded-for");
      return (await auth.handle(request, ip === null ? {} : { ip })) ?? respond(request);
    },
  ],
  "gives the cookies of one visitor to another": [
    "concurrent visitors",
    (auth) => {
      let cookie: string | null = null;
      return async (request) => {
        cookie = request.headers.get("cookie") ?? cookie;
        // Until the requests of the other visitors have arrived.
        await new Promise((resolve) => setTimeout(resolve, 50));
        const headers = new Headers(request.headers);
        if (cookie !== null) headers.set("cookie", cookie);
        return mount(auth)(new Request(request, { headers }));
      };
    },
  ],
};

describe("testBinding()", () => {
  it("passes for the binding of Requests and Responses", async () => {
    expect(await check(mount)).toEqual([]);
  });

  it.each(Object.entries(DEFECTS))("notices a binding that %s", async (_, [fails, make]) => {
    const failures = await check(make);
    expect(failures.filter((failure) => failure.includes(fails))).toHaveLength(1);
  });

  it("closes the site of each test, even if the test fails", async () => {
    let open = 0;
    const make = () => {
      open += 1;
      return { origin: ORIGIN, fetch: async () => new Response(), close: () => void (open -= 1) };
    };
    const failures = await listFailures((runner) => testBinding(createAuth, make, runner));
    expect([failures.length > 0, open]).toEqual([true, 0]);
  });
});
