import { afterEach, describe, expect, it, vi } from "vitest";
import { nodeBinding } from "../../plugins/bindings/node.ts";
import { createAuthWith, definePreset } from "../../src/kernel.ts";
import type { Connection } from "../../src/kernel.ts";
import { findEnvironment } from "../../src/kernel/environment.ts";
import { diagnose } from "../../src/testing.ts";
import { createTestAuth, credentials, LOVELACE, SECRET, type TestAuthOptions } from "../_app.ts";

const HERE = { ip: "127.0.0.1" };

describe("findEnvironment()", () => {
  it.each([
    ["development", { NODE_ENV: "development" }],
    ["development", { NODE_ENV: "test" }],
    ["production", { NODE_ENV: "production" }],
    ["production", { NODE_ENV: "staging" }],
    ["production", { NODE_ENV: "Development" }],
    ["production", { NODE_ENV: " development" }],
    ["production", { NODE_ENV: "dev" }],
    ["production", {}],
    ["production", { AUTH_URL: "https://app.example" }],
    ["production", { NEXTAUTH_URL: "http://app.example" }],
    [undefined, { PATH: "/bin" }],
    [undefined, { NODE_ENV: "" }],
    [undefined, { AUTH_URL: "http://localhost:3000" }],
  ])("findEnvironment() returns %s for %j", (name, env: Record<string, string>) => {
    expect(findEnvironment(env).name).toBe(name);
  });

  it("findEnvironment() uses a framework's development flag only if NODE_ENV is not set", () => {
    expect(findEnvironment({}, true).name).toBe("development");
    expect(findEnvironment({ AUTH_URL: "https://app.example" }, true).name).toBe("development");
    expect(findEnvironment({ NODE_ENV: "production" }, true).name).toBe("production");
  });
});

describe("an application without NODE_ENV", () => {
  // Every process has some variables. None of these concerns authentication.
  const create = (config: TestAuthOptions = {}) =>
    createTestAuth({ env: { PATH: "/bin" }, ...config });
  const request = (url = "http://localhost:3000", headers: Record<string, string> = {}) =>
    new Request(`${url}/auth/providers`, { headers });
  const ask = async (
    app: ReturnType<typeof create>,
    given: Request,
    connection: Connection = HERE,
  ): Promise<number | undefined> => (await app.auth.handle(given, connection))?.status;

  it.each([
    ["http://localhost:3000", "127.0.0.1"],
    ["http://localhost:3000", "::1"],
    ["http://127.0.0.1:3000", "127.8.8.8"],
    ["http://[::1]:3000", "::ffff:127.0.0.1"],
    ["http://app.localhost", "::FFFF:7f00:1"],
  ])("a request to %s from %s is development if nothing is set", async (url, ip) => {
    const app = create({ secret: "" });
    expect(await ask(app, request(url), { ip })).toBe(200);
    expect(app.log.warnings).toContain("secret-missing");
  });

  it.each([
    ["another host", request("http://app.example"), HERE],
    ["another client", request(), { ip: "192.0.2.1" }],
    ["another client in IPv6", request(), { ip: "2001:db8::1" }],
    ["a client that names loopback", request(), { ip: "127.0.0.1.evil.example" }],
    ["no known client", request(), {}],
    ...[
      "forwarded",
      "via",
      "x-forwarded-for",
      "x-forwarded-host",
      "x-forwarded-proto",
      "x-real-ip",
      "x-original-host",
      "cf-connecting-ip",
      "true-client-ip",
    ].map((name) => [`the header ${name}`, request(undefined, { [name]: "127.0.0.1" }), HERE]),
  ] as [string, Request, Connection][])(
    "a request with %s is production",
    async (_, given, from) => {
      const app = create({ secret: "" });
      expect(await ask(app, given, from)).toBe(500);
      app.log.expectErrors("BootError");
    },
  );

  it("requests from this machine and from others have separate kernels, which boot once each", async () => {
    const boots: string[] = [];
    const app = create({
      plugins: [
        {
          name: "test/boots",
          setup: ({ config }) => void boots.push(config.production ? "production" : "development"),
        },
      ],
      trustHost: ["app.example"],
    });
    for (let turn = 0; turn < 2; turn++) {
      expect(await ask(app, request())).toBe(400);
      expect(await ask(app, request("https://app.example"), { ip: "192.0.2.1" })).toBe(200);
    }
    expect(boots).toEqual(["development", "production"]);
    app.log.expectErrors("UntrustedHost", "UntrustedHost");
  });

  it("a foreign host is not trusted, from any header", async () => {
    const app = create();
    expect(await ask(app, request(undefined, { "x-forwarded-host": "evil.example" }))).toBe(500);
    app.log.expectErrors("UntrustedHost");
  });

  it("server-side calls use the environment of their request, and `inspect()` that of a local request", async () => {
    const app = create({ secret: "" });
    expect(app.auth.inspect().basePath).toBe("/auth");
    expect(await app.auth.getSession({ req: Object.assign(request(), HERE) })).toBeNull();
    await expect(app.auth.getSession(request())).rejects.toThrow("NODE_ENV is not set");
    app.log.expectErrors("BootError");
  });

  it("calls with a request that `handle` received know its connection", async () => {
    const works: unknown[] = [];
    const ips: (string | undefined)[] = [];
    const app = create({
      secret: "",
      callbacks: { authorized: () => true },
      use: [
        {
          name: "acme",
          setup: ({ hooks }) =>
            hooks.authorized.tap("acme", (_, ctx) => {
              ips.push(ctx.ip);
              ctx.waitUntil(Promise.resolve());
              return undefined;
            }),
        },
      ],
    });
    const page = () => new Request("http://localhost:3000/");
    const handled = async (): Promise<Request> => {
      const given = page();
      const connection = { ...HERE, waitUntil: (work: unknown) => void works.push(work) };
      expect(await app.auth.handle(given, connection)).toBeUndefined();
      return given;
    };
    const home = app.auth.auth((given) => Response.json(given.auth));
    expect(await (await home(await handled())).json()).toBeNull();
    expect(await app.auth.getSession(await handled())).toBeNull();
    expect(await app.auth.authorize({ req: await handled() })).toBeUndefined();
    expect(ips).toEqual([HERE.ip, HERE.ip]);
    expect(works).toHaveLength(2);
    const options = { redirect: false } as const;
    expect(await app.auth.signIn(await handled(), undefined, options)).toContain("/auth/signin");
    // Another Request is unknown, whatever it was created from.
    await expect(app.auth.getSession(new Request(await handled()))).rejects.toThrow("NODE_ENV");
    app.log.expectErrors("BootError");
  });

  it("a request with its own connection keeps it, whatever `handle` received", async () => {
    const ips: (string | undefined)[] = [];
    const app = create({
      secret: "",
      use: [
        {
          name: "acme",
          setup: ({ hooks }) =>
            hooks.authorized.tap("acme", (_, ctx) => {
              ips.push(ctx.ip);
              return undefined;
            }),
        },
      ],
    });
    const given = Object.assign(new Request("http://localhost:3000/"), { ip: "127.0.0.2" });
    expect(await app.auth.handle(given, HERE)).toBeUndefined();
    expect(await app.auth.authorize(given)).toBeUndefined();
    expect(ips).toEqual(["127.0.0.2"]);
  });

  it("a call keeps nothing about how responses of routes are sent", async () => {
    const app = create({ callbacks: { authorized: () => false } });
    const given = Object.assign(new Request("http://localhost:3000/auth/x", { method: "POST" }), {
      callsFunction: true,
    });
    const connection = { ...HERE, sharesPath: true, runtime: { name: "node" } };
    expect(await app.auth.handle(given, connection)).toBeUndefined();
    // What the Request itself contains still applies.
    const refused = await app.auth.authorize(given);
    expect(refused).toBeInstanceOf(Response);
    expect(refused?.status).toBe(401);
  });

  it("server functions that `authorize` and taps call with their request see a local request too", async () => {
    const sessions: unknown[] = [];
    const getSession = async (request: Request): Promise<undefined> => {
      sessions.push(await app.auth.getSession(request));
    };
    const app = create({
      providers: [
        credentials({
          authorize: async (_, request) => {
            await getSession(request);
            return { id: "1" };
          },
        }),
      ],
      use: [
        {
          name: "acme",
          setup: ({ hooks }) => hooks.request.tap("acme", (ctx) => getSession(ctx.request)),
        },
      ],
    });
    expect(await ask(app, request())).toBe(200);
    const call = Object.assign(request(), HERE);
    await app.auth.signIn(call, "credentials", { ...LOVELACE, redirect: false });
    expect(sessions).toEqual([null, null, null]);
  });

  it.each([0, 1])(
    "the request that `authorize` receives comes from the same client: trustProxy %i",
    async (trustProxy) => {
      const seen: (string | undefined)[] = [];
      const app = create({
        secret: SECRET,
        trustProxy,
        trustHost: true,
        providers: [
          credentials({
            authorize: async (_, given) => {
              await app.auth.signOut(given);
              return { id: "1" };
            },
          }),
        ],
        use: [
          {
            name: "acme",
            setup: ({ hooks }) =>
              hooks.request.tap("acme", (ctx) => void seen.push(`${ctx.ip} ${ctx.origin}`)),
          },
        ],
      });
      const headers = {
        "x-forwarded-for": "203.0.113.9",
        "x-forwarded-host": "app.example",
        "x-forwarded-proto": "https",
      };
      const call = Object.assign(request("http://10.0.0.1:3000", headers), { ip: "10.0.0.2" });
      await app.auth.signIn(call, "credentials", { ...LOVELACE, redirect: false });
      const client = trustProxy ? "203.0.113.9" : "10.0.0.2";
      expect(seen).toEqual(Array(2).fill(`${client} https://app.example`));
    },
  );

  it("variables that cannot be read are an error in the log, like every other boot fault", async () => {
    const env = new Proxy<Record<string, string>>(
      {},
      {
        ownKeys() {
          throw new Error("The variables cannot be listed.");
        },
      },
    );
    const app = create({ env });
    expect((await app.auth.fetch(request())).status).toBe(500);
    const [error] = app.log.expectErrors("Error");
    expect(error?.message).toContain("cannot be listed");
  });

  it("the development flag of a binding makes all requests development", async () => {
    const preset = definePreset({
      name: "test/framework",
      plugins: [],
      binding: { ...nodeBinding, development: true },
    });
    const own = createAuthWith(preset, { env: {}, logger: {} });
    const { faults } = diagnose(own);
    // The preset has no strategy, and neither host nor secret is a fault.
    expect(faults.map(({ type }) => type)).toEqual(["UnsupportedStrategy"]);
  });
});

describe("the global `process`", () => {
  afterEach(() => vi.resetModules());

  // Workers create `process` at the first access, which takes longer than the rest of a cold start.
  it("a first session read does not access `process` if the configuration sets `env`", async () => {
    vi.resetModules();
    const own = Object.getOwnPropertyDescriptor(globalThis, "process")!;
    const { process } = globalThis;
    const looks: string[] = [];
    Object.defineProperty(globalThis, "process", {
      configurable: true,
      get() {
        const { stack = "" } = new Error();
        looks.push(...stack.split("\n").filter((line) => /\/(?:src|plugins|presets)\//.test(line)));
        return process;
      },
    });
    try {
      const { createAuth } = await import("../../presets/minimal.ts");
      const auth = createAuth({
        secret: "0123456789abcdefghijklmnopqrstuvwxyz",
        trustHost: true,
        env: {},
      });
      const response = await auth.fetch(new Request("https://app.example/auth/session"));
      expect(await response.json()).toBe(null);
      expect(looks).toEqual([]);
    } finally {
      Object.defineProperty(globalThis, "process", own);
    }
  });
});
