import { createServer } from "node:http";
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

/** What middleware of the application sets for all paths. */
const SET = {
  "cache-control": "public, max-age=60",
  "cdn-cache-control": "max-age=60",
  "content-type": "text/html",
  "referrer-policy": "unsafe-url",
  "x-own": "1",
};

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
  "the plugin of h3 2, with those set afterwards,": () =>
    serveH3(openLateH3().register(use(createH3Auth(buildConfig())).plugin)),
  "the handler of h3 2, with those set afterwards,": () =>
    serveH3(openLateH3().all("/auth/**", use(createH3Auth(buildConfig())).handler)),
  "Nitro, with those set afterwards,": () =>
    serveH3(openLateH3().use(createNitroHandler(use(createNitroAuth(buildConfig()))))),
};

let site: Site | undefined;
afterEach(() => site?.close());

describe.each(Object.entries(FACES))(
  "%s behind middleware that sets headers of all responses",
  (_, start) => {
    it.each(["/session", "/csrf", "/providers", "/signin", "/error"])(
      "no cache stores the response to GET %s, which others would get",
      async (path) => {
        site = await start();
        const { headers } = await fetch(`${site.origin}/auth${path}`);
        expect(headers.get("cache-control")).toMatch(/^private, .*no-store$/);
        expect(headers.has("cdn-cache-control")).toBe(false);
        expect(headers.get("x-own")).toBe("1");
      },
    );

    it("a session is no page, and a page keeps its own policy", async () => {
      site = await start();
      const session = await fetch(`${site.origin}/auth/session`);
      expect(session.headers.get("content-type")).toBe("application/json");
      const page = await fetch(`${site.origin}/auth/signin`);
      expect(page.headers.get("referrer-policy")).not.toBe("unsafe-url");
    });

    it("a route that is for all visitors is stored as the application has set", async () => {
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
  "%s of h3 2 that refuses carries the renewed session, and no cache stores it",
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

it("a route for all visitors is private under h3 2 where middleware in front has read the session", async () => {
  const auth = use(createH3Auth(buildConfig()));
  const app = new H3().use(async (event) => void (await auth.getSession(event as never)));
  site = await serveH3(app.register(auth.plugin));
  const { headers } = await fetch(`${site.origin}/auth/open`);
  expect(headers.get("cache-control")).toBe("private, no-store");
});

it.each(["plugin", "handler"] as const)(
  "a sign-out by the %s of h3 2 is not undone where middleware in front has renewed the session",
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
