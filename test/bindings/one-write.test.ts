import { Socket } from "node:net";
import { H3, serve } from "h3";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createAuth as createH3Auth } from "../../presets/h3.ts";
import { createAuth as createNodeAuth } from "../../presets/node.ts";
import { createAuth as createStandardAuth } from "../../presets/standard.ts";
import { getKnownParts } from "../../src/http/known-response.ts";
import { encode } from "../../src/jwt.ts";
import type { AuthConfig, AuthContext, Plugin } from "../../src/kernel.ts";
import { ORIGIN, SECRET } from "../_app.ts";
import { dial, listen } from "./_serve.ts";
import { buildConfig } from "./_suite.ts";

interface Server {
  port: number;
  close(): unknown;
}

async function serveApp(app: H3 | { fetch(request: Request): Promise<Response> }): Promise<Server> {
  const server = serve(app as H3, { port: 0, hostname: "127.0.0.1", silent: true });
  await server.ready();
  return { port: Number(new URL(server.url as string).port), close: () => server.close(true) };
}

/** The bindings by name: the ways in which an application on Node serves the routes. */
const FACES: Record<string, (config: AuthConfig, plugins: Plugin[]) => Promise<Server>> = {
  "the h3 plugin": (config, plugins) =>
    serveApp(
      new H3().register(plugins.reduce((auth, one) => auth.use(one), createH3Auth(config)).plugin),
    ),
  "the h3 handler": (config, plugins) => {
    const { handler } = plugins.reduce((auth, one) => auth.use(one), createH3Auth(config));
    return serveApp(new H3().all("/auth/**", handler));
  },
  "auth.fetch under srvx": (config, plugins) =>
    serveApp({
      fetch: plugins.reduce((auth, one) => auth.use(one), createStandardAuth(config)).fetch,
    }),
  "node:http": (config, plugins) =>
    listen(plugins.reduce((auth, one) => auth.use(one), createNodeAuth(config)).handler),
};

const tapping = (tap: (response: Response, ctx: AuthContext) => unknown): Plugin => ({
  name: "test",
  setup: (kernel) => kernel.hooks.response.tap("test", tap as () => Response),
});

/** What taps of `response` do. Each must have the same effect as on a Response of the runtime. */
const TAPS: Record<string, (response: Response, ctx: AuthContext) => unknown> = {
  "sets and removes headers": ({ headers }) => {
    headers.set("x-frame-options", "DENY");
    headers.delete("pragma");
  },
  "appends two cookies": ({ headers }) => {
    headers.append("set-cookie", "a=1");
    headers.append("set-cookie", "b=2; Path=/");
  },
  "reads the response, and changes nothing": (response) => [
    response.ok,
    response.type,
    [...response.headers],
  ],
  "reads a copy": async (response) => void (await response.clone().text()),
  "returns another response with its body": ({ body, headers }) =>
    new Response(body, { status: 202, headers }),
  "returns a copy": (response) => new Response(response.body, response),
  "returns another text": async (response) =>
    new Response((await response.text()).toUpperCase(), { headers: response.headers }),
  "sets a cookie in the context": (_, ctx) => {
    const { name, attributes } = ctx.cookies.spec("callbackUrl");
    ctx.cookies.set(name, "x", attributes);
  },
};

let server: Server | undefined;
afterEach(() => {
  vi.restoreAllMocks();
  return server?.close();
});

const cookie = encode({
  token: { sub: "1", name: "Åda ☃", email: "ada@example.com" },
  secret: SECRET,
  salt: "authjs.session-token",
}).then((token) => `authjs.session-token=${token}`);

async function ask(port: number, method = "GET") {
  const wire = await dial(port);
  try {
    const head = `${method} /auth/session HTTP/1.1\r\nhost: localhost:3000\r\ncookie: ${await cookie}\r\n`;
    wire.write(`${head}\r\n`);
    const answer = await wire.answer();
    const lines =
      answer?.head
        .split("\r\n")
        .slice(1)
        .map((line) => line.toLowerCase()) ?? [];
    return { ...answer, lines, body: Buffer.from(answer?.body ?? "", "latin1").toString() };
  } finally {
    wire.close();
  }
}

const CARRIER = /^(?:date|connection|keep-alive|content-length|transfer-encoding):/;

describe.each(Object.entries(FACES))("%s", (face, start) => {
  it("sends GET /session with its length, and not in chunks", async () => {
    server = await start(buildConfig(), []);
    const { status, lines, body } = await ask(server.port);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ user: { name: "Åda ☃" } });
    expect(lines).toContain(`content-length: ${Buffer.byteLength(body)}`);
    expect(lines.filter((line) => line.startsWith("content-length:"))).toHaveLength(1);
    expect(lines.join()).not.toContain("transfer-encoding");
    expect(lines).toContain("cache-control: private, no-cache, no-store");
  });

  it("sends GET /session in one write", async () => {
    const vectored = vi.spyOn(Socket.prototype, "_writev");
    server = await start(buildConfig(), []);
    await ask(server.port);
    expect(vectored).not.toHaveBeenCalled();
  });

  it.each(Object.entries(TAPS))("a tap of `response` that %s has that effect", async (_, tap) => {
    const standard = createStandardAuth(buildConfig()).use(tapping(tap));
    server = await start(buildConfig(), [tapping(tap)]);
    const request = new Request(`${ORIGIN}/auth/session`, { headers: { cookie: await cookie } });
    const expected = await standard.fetch(request);
    const headers = [...expected.headers].map(([name, value]) => `${name}: ${value}`.toLowerCase());
    const { status, lines, body } = await ask(server.port);
    expect(status).toBe(expected.status);
    expect(body).toBe(await expected.text());
    expect(lines.filter((line) => !CARRIER.test(line)).sort()).toEqual(headers.sort());
  });

  it("a tap of `response` that removes the body sends none", async () => {
    const tap = tapping(async (response) => void (await response.text()));
    server = await start(buildConfig(), [tap]);
    const { body } = await ask(server.port);
    expect(body).not.toContain("Åda");
  });

  it("sends only the headers for HEAD", async () => {
    server = await start(buildConfig(), []);
    const { status, lines, body } = await ask(server.port, "HEAD");
    expect([status, body]).toEqual([200, ""]);
    expect(lines).toContain("content-type: application/json");
  });
});

it("a read under node:http creates no Request, Response, Headers, AbortController or timer", async () => {
  server = await FACES["node:http"]!(buildConfig(), []);
  await ask(server.port);
  const made: string[] = [];
  for (const name of ["Request", "Response", "Headers", "AbortController", "setTimeout"] as const) {
    const original = globalThis[name] as new (...args: unknown[]) => object;
    vi.stubGlobal(
      name,
      new Proxy(original, {
        construct: (target, args) => (made.push(name), new target(...args)),
        apply: (target, self, args) => (
          made.push(name),
          Reflect.apply(target as never, self, args)
        ),
      }),
    );
  }
  try {
    const { body } = await ask(server.port);
    expect(body).toContain("Åda");
    expect(made).toEqual([]);
  } finally {
    vi.unstubAllGlobals();
  }
});

it("middleware under node:http sets headers when the response is sent", async () => {
  const { handler } = createNodeAuth(buildConfig());
  server = await listen((req, res) => {
    const { end } = res;
    res.end = (...args: unknown[]) => {
      res.setHeader("x-late", "1");
      return Reflect.apply(end, res, args);
    };
    handler(req, res);
  });
  const { lines, body } = await ask(server.port);
  expect(lines).toContain("x-late: 1");
  expect(lines).toContain("cache-control: private, no-cache, no-store");
  expect(body).toContain("Åda");
});

it("servers that are not recognized as Node's get a Response of the runtime", async () => {
  const { fetch } = createStandardAuth(buildConfig());
  const headers = { cookie: await cookie };
  const response = await fetch(new Request(`${ORIGIN}/auth/session`, { headers }));
  expect(getKnownParts(response)).toBeUndefined();
  const { handle } = createStandardAuth(buildConfig());
  for (const name of ["deno", "bun", "cloudflare", undefined]) {
    const request = new Request(`${ORIGIN}/auth/session`, { headers });
    const other = await handle(request, name === undefined ? {} : { runtime: { name } });
    expect(getKnownParts(other as Response)).toBeUndefined();
  }
});
