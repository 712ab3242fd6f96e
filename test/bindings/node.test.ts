import connect from "connect";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type NodeRequest, toRequest } from "../../plugins/bindings/node.ts";
import { createAuth } from "../../presets/node.ts";
import { BadRequest } from "../../src/errors.ts";
import { definePlugin } from "../../src/kernel.ts";
import { dial, listen, nodeApp } from "./_serve.ts";
import { buildConfig, testBinding } from "./_suite.ts";

testBinding("node:http", (config) => {
  const auth = createAuth(config);
  return listen((req, res) => auth.handler(req, res, () => nodeApp(req, res)));
});

testBinding("connect", (config) => {
  const app = connect();
  app.use(createAuth(config).handler);
  return listen(app.use(nodeApp));
});

testBinding("connect, mounted", (config) => {
  const app = connect();
  app.use("/auth", createAuth(config).handler);
  return listen(app.use(nodeApp));
});

it("the handler throws at once when called without a request, and says to pass the handler itself", () => {
  const { handler } = createAuth(buildConfig());
  expect(handler as () => void).toThrow(
    new TypeError("Pass `auth.handler` itself, not what it returns."),
  );
});

it("a response whose body fails gets status 500, and a malformed request 400", async () => {
  const body = () =>
    new ReadableStream({ pull: (controller) => controller.error(new Error("broken")) });
  const auth = createAuth(buildConfig()).use(
    definePlugin({
      name: "streams",
      setup({ addRoute }) {
        addRoute({ method: "GET", path: "/stream", handler: () => new Response(body()) });
      },
    }),
  );
  const site = await listen((req, res) => auth.handler(req, res));
  const wire = await dial(site.port);
  wire.write("GET /auth/stream HTTP/1.1\r\nHost: a.example\r\n\r\n");
  expect((await wire.answer())?.status).toBe(500);
  wire.write("GET /auth/session HTTP/1.1\r\nHost: a/b\r\n\r\n");
  expect((await wire.answer())?.status).toBe(400);
  wire.close();
  await site.close();
});

it.each(["/admin/%2e%2e/login", "/admin/x\\..\\..\\login", "/admin/../auth/signin"])(
  "`authorize` does not accept another spelling of the sign-in page or of the Auth's own routes: %s",
  async (path) => {
    const auth = createAuth({
      ...buildConfig(),
      pages: { signIn: "/login" },
      callbacks: { authorized: ({ auth: session }) => session !== null },
    });
    const site = await listen((req, res) => {
      const decide = async () => {
        const refused = await auth.authorize(auth.toRequestSource(req, res));
        res.end(refused ? `refused ${refused.status}` : "inside");
      };
      void decide();
    });
    const wire = await dial(site.port);
    wire.write(`GET ${path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`);
    expect((await wire.answer())?.body).toMatch(/^refused (?:302|401)$/);
    wire.close();
    await site.close();
  },
);

it("a host that the URL parser refuses is refused", () => {
  const part = fc.oneof(
    fc.stringMatching(/^[\w-]{0,6}$/),
    fc.constantFrom("xn--", "XN--a", "1", "0x7f", "a", "é", "[", "]", ":", "@", "a_b", "-", ""),
  );
  const port = fc.oneof(
    fc.constant(""),
    fc.nat(120_000).map((number) => `:${number}`),
  );
  const hosts = fc
    .tuple(fc.array(part, { maxLength: 4 }), port)
    .map(([parts, end]) => parts.join(".") + end);
  fc.assert(
    fc.property(hosts, (host) => {
      const req = { url: "/auth", method: "GET", headers: { host }, rawHeaders: [] };
      const read = () => toRequest(req as unknown as NodeRequest).url;
      const isHost = /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}/auth`);
      if (isHost) expect(read()).toBe(new URL(`http://${host}/auth`).href);
      else expect(read).toThrow(BadRequest);
    }),
    { numRuns: 2000 },
  );
});
