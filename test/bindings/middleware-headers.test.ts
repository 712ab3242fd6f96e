import { createServer, type ServerResponse } from "node:http";
import express from "express";
import Fastify from "fastify";
import { H3, type H3Event, HTTPError, serve } from "h3";
import { createApp, defineEventHandler, setResponseHeaders, toNodeListener } from "h3-v1";
import { afterEach, describe, expect, it } from "vitest";
import { createAuth as createExpressAuth } from "../../presets/express.ts";
import { createAuth as createFastifyAuth } from "../../presets/fastify.ts";
import { createAuth as createH3Auth } from "../../presets/h3.ts";
import { createNitroHandler, createAuth as createNitroAuth } from "../../presets/nitro.ts";
import { createAuth as createNodeAuth } from "../../presets/node.ts";
import type { Auth, Plugin } from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import { LOVELACE, ORIGIN } from "../_app.ts";
import { listen, served } from "./_serve.ts";
import { buildConfig } from "./_suite.ts";

interface Site {
  origin: string;
  close(): unknown;
}

/** Headers that middleware of the application sets for all paths. */
const SET = {
  "cache-control": "public, max-age=60",
  "cdn-cache-control": "max-age=60",
  "content-type": "text/html",
  "referrer-policy": "unsafe-url",
  "x-own": "1",
};

// As packages do that set headers late.
function setWhileSent(res: ServerResponse): void {
  const { writeHead } = res;
  const { "content-type": _, "referrer-policy": __, ...caching } = SET;
  res.writeHead = function send(this: ServerResponse, ...args: [number]) {
    for (const [name, value] of Object.entries(caching)) this.setHeader(name, value);
    return writeHead.apply(this, args);
  } as typeof writeHead;
}

/** A route whose response is for all visitors. */
const open: Plugin = {
  name: "open",
  setup(kernel) {
    const headers = { "cache-control": "public, max-age=5" };
    kernel.addRoute({ method: "GET", path: "/open", handler: () => new Response("", { headers }) });
  },
};

const use = <A extends Auth>(auth: A): A => auth.use(open) as unknown as A;

async function serveH3(app: H3): Promise<Site> {
  const server = serve(app, { port: 0, hostname: "127.0.0.1", silent: true });
  await server.ready();
  return { origin: (server.url as string).replace(/\/$/, ""), close: () => server.close(true) };
}

function setAll({ res }: H3Event): void {
  for (const [name, value] of Object.entries(SET)) {
    res.headers.set(name, value);
    res.errHeaders.set(name, value);
  }
}

const openH3 = () => new H3().use(setAll);

// As the `headers` of route rules do since Nitro 3.
const openLateH3 = () =>
  new H3().use(async (event, next) => {
    const result = await next();
    setAll(event);
    return result;
  });

const FACES: Record<string, () => Promise<Site>> = {
  "node:http": () => {
    const { handler } = use(createNodeAuth(buildConfig()));
    return listen((req, res) => {
      for (const [name, value] of Object.entries(SET)) res.setHeader(name, value);
      handler(req, res);
    });
  },
  Express: () => {
    const app = express();
    app.use((_req, res, next) => {
      res.set(SET);
      next();
    });
    app.use(use(createExpressAuth(buildConfig())).handler);
    return listen(app);
  },
  async Fastify() {
    const app = Fastify({ forceCloseConnections: true });
    app.addHook("onRequest", async (_request, reply) => void reply.headers(SET));
    await app.register(use(createFastifyAuth(buildConfig())).plugin);
    return { origin: await app.listen({ port: 0, host: "127.0.0.1" }), close: () => app.close() };
  },
  "node:http, when they are set while sending,": () => {
    const { handler } = use(createNodeAuth(buildConfig()));
    return listen((req, res) => {
      setWhileSent(res);
      handler(req, res);
    });
  },
  "Express, when they are set while sending,": () => {
    const app = express().use((_req, res, next) => {
      setWhileSent(res);
      next();
    });
    app.use(use(createExpressAuth(buildConfig())).handler);
    return listen(app);
  },
  async "Fastify, with those set by onSend,"() {
    const app = Fastify({ forceCloseConnections: true });
    app.addHook("onSend", async (_request, reply) => {
      const { "content-type": _, "referrer-policy": __, ...caching } = SET;
      reply.headers(caching);
    });
    await app.register(use(createFastifyAuth(buildConfig())).plugin);
    return { origin: await app.listen({ port: 0, host: "127.0.0.1" }), close: () => app.close() };
  },
  "the plugin of h3 2": () => serveH3(openH3().register(use(createH3Auth(buildConfig())).plugin)),
  "the handler of h3 2": () =>
    serveH3(openH3().all("/auth/**", use(createH3Auth(buildConfig())).handler)),
  "the middleware of h3 1": () => {
    const set = defineEventHandler((event) => setResponseHeaders(event, SET));
    const app = createApp()
      .use(set)
      .use(use(createH3Auth(buildConfig())).middleware);
    return served(createServer(toNodeListener(app)));
  },
  Nitro: () => serveH3(openH3().use(createNitroHandler(use(createNitroAuth(buildConfig()))))),
  "the plugin of h3 2, when they are set afterwards,": () =>
    serveH3(openLateH3().register(use(createH3Auth(buildConfig())).plugin)),
  "the handler of h3 2, when they are set afterwards,": () =>
    serveH3(openLateH3().all("/auth/**", use(createH3Auth(buildConfig())).handler)),
  "Nitro, when they are set afterwards,": () =>
    serveH3(openLateH3().use(createNitroHandler(use(createNitroAuth(buildConfig()))))),
};

let site: Site | undefined;
afterEach(() => site?.close());

describe.each(Object.entries(FACES))(
  "%s behind middleware that sets headers of all responses",
  (_, start) => {
    it.each(["/session", "/csrf", "/providers", "/signin", "/error"])(
      "no cache stores the response to GET %s for others",
      async (path) => {
        site = await start();
        const { headers } = await fetch(`${site.origin}/auth${path}`);
        expect(headers.get("cache-control")).toMatch(/^private, .*no-store$/);
        expect(headers.has("cdn-cache-control")).toBe(false);
        expect(headers.get("x-own")).toBe("1");
      },
    );

    it("a session response gets no page policy, and a page keeps its own policy", async () => {
      site = await start();
      const session = await fetch(`${site.origin}/auth/session`);
      expect(session.headers.get("content-type")).toBe("application/json");
      const page = await fetch(`${site.origin}/auth/signin`);
      expect(page.headers.get("referrer-policy")).not.toBe("unsafe-url");
    });

    it("a route for all visitors is cached as the application's headers say", async () => {
      site = await start();
      const { headers } = await fetch(`${site.origin}/auth/open`);
      expect(headers.get("cache-control")).toContain("public");
      expect(headers.get("cdn-cache-control")).toBe("max-age=60");
    });
  },
);

it.each([
  ["a Response", () => new Response("", { status: 404 })],
  [
    "an error",
    () => {
      throw new HTTPError({ status: 404 });
    },
  ],
])(
  "%s by which h3 2 refuses carries the renewed session, and no cache stores it",
  async (_, refuse) => {
    const auth = createH3Auth(buildConfig({ session: { updateAge: 0 } }));
    const app = openLateH3().register(auth.plugin);
    app.get("/refuses", async (event) => {
      await auth.getSession(event as never);
      return refuse();
    });
    const browser = createBrowser(async (request) => app.fetch(request), { origin: ORIGIN });
    await browser.signInWith("credentials", LOVELACE);
    const { status, headers } = await browser.get("/refuses");
    expect(status).toBe(404);
    expect(headers.getSetCookie().join()).toContain("authjs.session-token=");
    expect(headers.get("cache-control")).toBe("private, no-store");
    expect(headers.has("cdn-cache-control")).toBe(false);
  },
);

it("a route for all visitors is private under h3 2 if middleware in front has read the session", async () => {
  const auth = use(createH3Auth(buildConfig()));
  const app = new H3().use(async (event) => void (await auth.getSession(event as never)));
  site = await serveH3(app.register(auth.plugin));
  const { headers } = await fetch(`${site.origin}/auth/open`);
  expect(headers.get("cache-control")).toBe("private, no-store");
});

it("a response of Express whose handler read the session stays private, whatever is set later", async () => {
  const auth = createExpressAuth(buildConfig());
  const app = express().use((_req, res, next) => {
    setWhileSent(res);
    next();
  });
  app.use(auth.handler);
  app.get("/late", async (req, res) => {
    await auth.getSession(req);
    res.set("cache-control", "public, max-age=60").send("of one visitor");
  });
  app.get("/own", async (req, res) => {
    await auth.getSession(req);
    res.removeHeader("x-own");
    res.set("cache-control", "private, max-age=60").send("of one visitor");
  });
  app.get("/open", (_req, res) => void res.send("of all"));
  site = await listen(app);
  const ask = async (path: string) => {
    const { headers } = await fetch(`${site?.origin}${path}`);
    return [headers.get("cache-control"), headers.get("cdn-cache-control")];
  };
  expect(await ask("/late")).toEqual(["private, no-store", null]);
  expect(await ask("/own")).toEqual(["private, no-store", null]);
  expect(await ask("/open")).toEqual([SET["cache-control"], SET["cdn-cache-control"]]);
});

it.each<[string, (res: ServerResponse) => void]>([
  ["by setHeaders()", (res) => void res.setHeaders(new Headers(SET))],
  [
    "by appendHeader()",
    (res) => Object.entries(SET).map(([name, one]) => res.appendHeader(name, one)),
  ],
  ["with the status, as a list", (res) => void res.writeHead(200, Object.entries(SET).flat())],
  ["with the status, as an object", (res) => void res.writeHead(200, SET)],
])(
  "a response of Node whose handler read the session stays private if headers are set %s",
  async (_, set) => {
    const auth = createNodeAuth(buildConfig());
    site = await listen((req, res) => {
      const respond = async () => {
        await auth.getSession(req, res);
        set(res);
        res.end("of one visitor");
      };
      void respond();
    });
    const { headers } = await fetch(site.origin);
    expect(headers.get("cache-control")).toMatch(/^private, no-store/);
    expect(headers.get("cdn-cache-control")).toBeNull();
  },
);

it("a reply of Fastify whose handler read the session stays private, whatever a hook sets", async () => {
  const auth = createFastifyAuth(buildConfig());
  const app = Fastify();
  app.addHook("onSend", async ({ url }, reply) => {
    if (url !== "/own") reply.header("cache-control", "public, max-age=60");
  });
  await app.register(auth.plugin);
  app.get("/late", async (request) => request.getSession());
  app.get("/own", async (request, reply) => {
    reply.header("cache-control", "private, max-age=60");
    await request.getSession();
    reply.header("cache-control", "private, max-age=60");
    return "";
  });
  app.get("/open", async () => "of all");
  const ask = async (url: string) => (await app.inject(url)).headers["cache-control"];
  expect(await ask("/late")).toBe("private, no-store");
  expect(await ask("/own")).toBe("private, max-age=60");
  expect(await ask("/open")).toBe("public, max-age=60");
  await app.close();
});

it.each(["plugin", "handler"] as const)(
  "a sign-out by the %s of h3 2 is not undone when middleware in front has renewed the session",
  async (face) => {
    const auth = createH3Auth(buildConfig({ session: { updateAge: 0 } }));
    const app = new H3().use(async (event) => void (await auth.getSession(event as never)));
    if (face === "plugin") app.register(auth.plugin);
    else app.all("/auth/**", auth.handler);
    const browser = createBrowser(async (request) => app.fetch(request), { origin: ORIGIN });
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).not.toBeNull();
    await browser.signInWith("credentials", LOVELACE);
    await browser.signOut();
    expect(await browser.session()).toBeNull();
  },
);
