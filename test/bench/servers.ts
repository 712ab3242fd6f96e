import { type RequestListener, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AuthConfig } from "@auth/core";
import type { H3 } from "h3";
import type { Plugin } from "keyhook";
import type { Fetch } from "./browser.ts";

/** A server on the loopback interface, and the cookie of a session. */
export interface Listening {
  port: number;
  cookie: string;
}

const HOST = "127.0.0.1";
const SECRET = "bench-secret-of-more-than-32-characters";
const COOKIE = "authjs.session-token";
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;
const ada = { id: "42", name: "Ada Lovelace", email: "ada@example.com" };

async function serveFetch(app: H3 | { fetch: Fetch }): Promise<number> {
  const { serve } = await import("h3");
  const server = serve(app as H3, { port: 0, hostname: HOST, silent: true });
  await server.ready();
  return Number(new URL(server.url ?? "").port);
}

async function serveNode(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  return (server.address() as AddressInfo).port;
}

// --- Keyhook ---------------------------------------------------------------------------------------

const github = { clientId: "id", clientSecret: "secret" };

// As in most applications of Auth.js.
const callbacks = {
  jwt({ token, user }: { token: { id?: unknown }; user?: { id?: unknown } }) {
    if (user?.id) token.id = user.id;
    return token;
  },
  session: ({ session, token }: { session: { expires: string }; token?: { sub?: string } }) => ({
    ...session,
    sub: token?.sub,
  }),
};

const production = {
  secret: SECRET,
  trustHost: true,
  callbacks,
  env: { NODE_ENV: "production" },
} as never;

async function jwtCookie(): Promise<string> {
  const { encode } = await import("keyhook/jwt");
  const token = { sub: ada.id, name: ada.name, email: ada.email };
  return `${COOKIE}=${await encode({ token, secret: SECRET, salt: COOKIE })}`;
}

/** A session in memory: the plugins that store it, and its cookie after the Auth has booted. */
async function inMemory() {
  const { storeAdapter } = await import("keyhook/adapters/store");
  const { memoryStore } = await import("keyhook/stores/memory");
  let kernel: Parameters<NonNullable<Plugin["setup"]>>[0] | undefined;
  const bench: Plugin = { name: "bench", setup: (given) => void (kernel = given) };
  return {
    plugins: [memoryStore(), storeAdapter(), bench],
    async createCookie(): Promise<string> {
      const { adapter } = kernel ?? {};
      const user = await adapter?.createUser?.({ ...ada, emailVerified: null });
      const sessionToken = crypto.randomUUID();
      const expires = new Date(Date.now() + MONTH_MS);
      await adapter?.createSession?.({ sessionToken, userId: user?.id ?? "", expires });
      return `${COOKIE}=${sessionToken}`;
    },
  };
}

// Production rejects its guarantees.
const test = { secret: SECRET, trustHost: true, env: { NODE_ENV: "test" } } as never;

async function keyhookH3(): Promise<Listening> {
  const { H3 } = await import("h3");
  const { createAuth } = await import("keyhook/h3");
  const { githubPlugin } = await import("keyhook/providers/github");
  const auth = createAuth(production).use(githubPlugin(github));
  return {
    port: await serveFetch(new H3().all("/auth/**", auth.handler)),
    cookie: await jwtCookie(),
  };
}

async function keyhookNode(): Promise<Listening> {
  const { createAuth } = await import("keyhook/node");
  const { githubPlugin } = await import("keyhook/providers/github");
  const auth = createAuth(production).use(githubPlugin(github));
  return { port: await serveNode(auth.handler), cookie: await jwtCookie() };
}

async function keyhookFetch(): Promise<Listening> {
  const { createAuth } = await import("keyhook");
  const { githubPlugin } = await import("keyhook/providers/github");
  const auth = createAuth(production).use(githubPlugin(github));
  return { port: await serveFetch({ fetch: auth.fetch }), cookie: await jwtCookie() };
}

async function storedH3(): Promise<Listening> {
  const { H3 } = await import("h3");
  const { createAuth } = await import("keyhook/h3");
  const { plugins, createCookie } = await inMemory();
  const auth = createAuth(test);
  for (const plugin of plugins) auth.use(plugin);
  auth.inspect();
  return {
    port: await serveFetch(new H3().all("/auth/**", auth.handler)),
    cookie: await createCookie(),
  };
}

async function storedNode(): Promise<Listening> {
  const { createAuth } = await import("keyhook/node");
  const { plugins, createCookie } = await inMemory();
  const auth = createAuth(test);
  for (const plugin of plugins) auth.use(plugin);
  auth.inspect();
  return { port: await serveNode(auth.handler), cookie: await createCookie() };
}

// --- others ----------------------------------------------------------------------------------------

async function bareH3(): Promise<Listening> {
  const { H3 } = await import("h3");
  const app = new H3().get("/auth/session", () => ({ user: ada }));
  return { port: await serveFetch(app), cookie: await jwtCookie() };
}

async function core(): Promise<Listening> {
  const { Auth } = await import("@auth/core");
  const { encode } = await import("@auth/core/jwt");
  const { default: GitHub } = await import("@auth/core/providers/github");
  const config = {
    secret: SECRET,
    trustHost: true,
    basePath: "/auth",
    callbacks,
    providers: [GitHub(github)],
  } as AuthConfig;
  const token = { sub: ada.id, name: ada.name, email: ada.email };
  return {
    port: await serveFetch({ fetch: (request: Request) => Auth(request, config) }),
    cookie: `${COOKIE}=${await encode({ token, secret: SECRET, salt: COOKIE })}`,
  };
}

// Both set the cookie at a sign-in and not at each read, which is their fastest setting.
async function fastifyApp(isStored: boolean): Promise<Listening> {
  const { default: fastify } = await import("fastify");
  const app = fastify({ logger: false });
  const cookie = { path: "/", httpOnly: true, sameSite: "lax", secure: false } as const;
  if (isStored) {
    await app.register(await import("@fastify/cookie"));
    const options = { secret: SECRET, saveUninitialized: false, rolling: false, cookie };
    await app.register(await import("@fastify/session"), options);
  } else {
    const salt = "bench-16-letters";
    await app.register(await import("@fastify/secure-session"), { secret: SECRET, salt, cookie });
  }
  app.get("/in", (request, reply) => {
    request.session.set("user" as never, ada as never);
    void reply.send("in");
  });
  app.get("/auth/session", (request, reply) => {
    void reply.send({ user: request.session.get("user" as never) as unknown });
  });
  const signedIn = await app.inject("/in");
  await app.listen({ port: 0, host: HOST });
  return {
    port: (app.server.address() as AddressInfo).port,
    cookie: signedIn.cookies
      .map(({ name, value }) => `${name}=${encodeURIComponent(value)}`)
      .join("; "),
  };
}

/** The servers by name. Each responds to `GET /auth/session` with a session of Ada Lovelace. */
export const servers = {
  "keyhook h3": keyhookH3,
  "keyhook node": keyhookNode,
  "keyhook fetch": keyhookFetch,
  "keyhook h3, in memory": storedH3,
  "keyhook node, in memory": storedNode,
  "bare h3": bareH3,
  "@auth/core": core,
  "@fastify/secure-session": () => fastifyApp(false),
  "@fastify/session": () => fastifyApp(true),
} satisfies Record<string, () => Promise<Listening>>;

/** The name of a server. */
export type ServerName = keyof typeof servers;
