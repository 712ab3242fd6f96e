import type { RequestListener } from "node:http";
import express from "express";
import express4 from "express-4";
import { fastify } from "fastify";
import Koa from "koa";
import { describe, expect, it } from "vitest";
import { createAuth as createExpressAuth } from "../../presets/express.ts";
import { createAuth } from "../../presets/node.ts";
import { createTestAuth, ENV, LOVELACE, ORIGIN, SECRET } from "../_app.ts";
import { dial, listen } from "../bindings/_serve.ts";
import { watchRejections } from "./_attack.ts";

watchRejections();

const LOCKED = "the locked page";

/** The callback as the documentation shows it. */
const authorized = ({ request, auth: session }: { request: Request; auth: unknown }): boolean =>
  session !== null || !new URL(request.url).pathname.startsWith("/admin");

/** A server whose router decodes paths (find-my-way), and asks `authorize` before each route. */
function createServer() {
  const app = createTestAuth({ callbacks: { authorized } });
  const server = fastify();
  server.addHook("onRequest", async ({ raw, method, headers: { cookie = "" } }, reply) => {
    const request = new Request(ORIGIN + raw.url, {
      method,
      headers: { accept: "text/html", cookie },
    });
    const refused = await app.auth.authorize(request);
    if (!refused) return undefined;
    const location = refused.headers.get("location");
    if (location !== null) reply.header("location", location);
    return reply.code(refused.status).send("");
  });
  server.all("/admin/my-page_1", async () => "the locked page");
  server.all("/files/*", async ({ params }) => params);
  const send = async (url: string, cookie = "", method: "GET" | "POST" = "GET") =>
    server.inject({ url, method, headers: { cookie } });
  return { ...app, send };
}

const SPELLINGS = [
  "/%61dmin/my-page_1",
  "/a%64m%69n/my-page_1",
  "/%61%64%6D%69%6e/my-page_1?x=1",
  "/admi%6e/my%2Dpage%5F%31",
];

describe("a page that the `authorized` callback guards by its path, behind a router that decodes paths", () => {
  it.each(SPELLINGS)("cannot be reached without a session as %s", async (url) => {
    const { send } = createServer();
    for (const method of ["GET", "POST"] as const) {
      const { statusCode, headers, payload } = await send(url, "", method);
      expect([statusCode, payload]).toEqual([302, ""]);
      const canonical = `/admin/my-page_1${new URL(url, ORIGIN).search}`;
      expect(headers.location).toBe(ORIGIN + canonical);
      const next = await send(canonical);
      expect([next.statusCode, next.payload]).toEqual([302, ""]);
      expect(next.headers.location).toContain("/auth/signin?");
    }
  });

  it("is reached with a session, after one more redirect for another spelling", async () => {
    const { send, browser } = createServer();
    await browser.signInWith("credentials", LOVELACE);
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    expect((await send("/admin/my-page_1", cookie)).payload).toBe("the locked page");
    const { headers } = await send("/%61dmin/my-page_1", cookie);
    expect(headers.location).toBe(`${ORIGIN}/admin/my-page_1`);
  });

  it("a path keeps the escapes that it needs", async () => {
    const { send } = createServer();
    for (const name of [
      "a%2Fb",
      "caf%C3%A9",
      "a%20b",
      "100%25",
      "%7Eada",
      "a%2561",
      "%3A",
      "%3a",
    ]) {
      const { statusCode, payload } = await send(`/files/${name}`);
      expect([name, statusCode, payload]).toEqual([
        name,
        200,
        JSON.stringify({ "*": decodeURIComponent(name) }),
      ]);
    }
  });

  it.each(["/bl%c3%b6g/%e4%BD%a0", "/bl%C3%b6g/%e4%bd%A0?x=%c3"])(
    "is not reached by the escapes of letters in lower case, which a router also decodes: %s",
    async (url) => {
      const { auth } = createTestAuth({
        callbacks: {
          authorized: ({ request }) => !new URL(request.url).pathname.startsWith("/bl%C3%B6g/"),
        },
      });
      const server = fastify();
      server.get("/bl\u00f6g/\u4f60", async () => "the locked page");
      expect((await server.inject({ url })).payload).toBe("the locked page");
      const refused = await auth.authorize(new Request(ORIGIN + url));
      const { search } = new URL(url, ORIGIN);
      const plain = `${ORIGIN}/bl%C3%B6g/%E4%BD%A0${search}`;
      expect(refused?.headers.get("location")).toBe(plain);
      const next = await auth.authorize(new Request(plain, { headers: { accept: "text/html" } }));
      expect(next?.headers.get("location")).toContain("/auth/signin?");
    },
  );

  it("a path with many escapes is fast to decode, and leads to no other host", async () => {
    const { auth } = createServer();
    for (const path of ["//%65vil.example/", "/%2e%2e//%65vil.example", `/${"%61".repeat(5000)}`]) {
      const response = await auth.authorize(new Request(ORIGIN + path));
      expect(response?.headers.get("location")?.startsWith(`${ORIGIN}/`)).toBe(true);
    }
  });
});

it("a path that a router uses as it was sent leads to the path that the callback checks", async () => {
  const { auth } = createTestAuth({ callbacks: { authorized } });
  for (const target of ["/admin/../public", "/admin/%2E%2e/public?", "/admin/.\\../public"]) {
    const request = Object.assign(new Request(ORIGIN + target), { target });
    const response = await auth.authorize(request);
    expect([target, response?.headers.get("location")]).toEqual([target, `${ORIGIN}/public`]);
  }
});

it("the callback also checks the plain path for a wrapped handler that decides by the path itself", async () => {
  const { auth } = createTestAuth();
  const page = auth.auth((request) => new Response(new URL(request.url).pathname));
  const response = await page(new Request(`${ORIGIN}/%61dmin?x=%61`));
  expect(response.headers.get("location")).toBe(`${ORIGIN}/admin?x=%61`);
  expect(await (await page(new Request(`${ORIGIN}/admin?x=%61`))).text()).toBe("/admin");
});

describe("a sign-in page that its query identifies (`/?view=signin`)", () => {
  const OTHERS = [
    "/?view=admin",
    "/",
    "/?view=admin&view=signin",
    "/?view=signin&view=admin",
    "/?VIEW=signin",
  ];

  it.each(OTHERS)("exempts no other page at its path from `authorized`: %s", async (url) => {
    const { auth } = createTestAuth({
      pages: { signIn: "/?view=signin" },
      callbacks: { authorized: ({ auth: session }) => session !== null },
    });
    const headers = { accept: "text/html" };
    const refused = await auth.authorize(new Request(ORIGIN + url, { headers }));
    const location = refused?.headers.get("location") ?? "";
    expect(location).toContain(`${ORIGIN}/?view=signin&callbackUrl=`);
    expect(await auth.authorize(new Request(location))).toBeUndefined();
  });

  it.each(OTHERS)(
    "exempts no other page at its path from the guard of Express: %s",
    async (url) => {
      const auth = createExpressAuth({
        env: ENV,
        secret: SECRET,
        pages: { signIn: "/?view=signin" },
      });
      const app = express().use(auth.guard);
      app.get("/", (_, res) => void res.end(LOCKED));
      const site = await listen(app);
      const open = async (path: string) =>
        fetch(`${site.origin}${path}`, { headers: { accept: "text/html" }, redirect: "manual" });
      const refused = await open(url);
      expect(refused.status).toBe(302);
      const { search } = new URL(refused.headers.get("location") ?? "");
      expect(search).toMatch(/^\?view=signin&callbackUrl=/);
      expect((await open(`/${search}`)).status).toBe(200);
      await site.close();
    },
  );
});

it.each(["https://login.example", "https://login.example/admin/"])(
  "a sign-in page of another origin exempts no page with its path from the guard: %s",
  async (signIn) => {
    const auth = createExpressAuth({ env: ENV, secret: SECRET, pages: { signIn } });
    const site = await listen(
      express()
        .use(auth.guard)
        .use((_, res) => void res.end(LOCKED)),
    );
    for (const path of ["/", "/admin", "/admin/"]) {
      const request = { headers: { accept: "text/html" }, redirect: "manual" } as const;
      const { status, headers } = await fetch(`${site.origin}${path}`, request);
      expect([path, status]).toEqual([path, 302]);
      expect(headers.get("location")).toContain("https://login.example/");
    }
    await site.close();
  },
);

type Decide = (req: Parameters<RequestListener>[0]) => Promise<number | undefined>;

// A route of the application reads the path like most Node examples.
const plain =
  (decide: Decide): RequestListener =>
  (req, res) => {
    const respond = async () => {
      res.statusCode = (await decide(req)) ?? 200;
      const { pathname } = new URL(req.url ?? "", ORIGIN);
      res.end(res.statusCode === 200 && pathname === "/admin" ? LOCKED : "");
    };
    void respond();
  };

/** Servers that read the path of a target with a scheme and a host. */
const ROUTERS: Readonly<
  Record<string, (decide: Decide) => RequestListener | Promise<RequestListener>>
> = {
  "Express 5": (decide) => {
    const app = express();
    app.use(async (req, res, next) => {
      const status = await decide(req);
      if (status) res.status(status).end();
      else next();
    });
    return app.get("/admin", (_, res) => void res.end(LOCKED));
  },
  "Express 4": (decide) => {
    const app = express4();
    app.use((req, res, next) => {
      void decide(req).then((status) => (status ? res.status(status).end() : next()));
    });
    return app.get("/admin", (_, res) => void res.end(LOCKED));
  },
  Koa: (decide) => {
    const app = new Koa();
    app.use(async (ctx) => {
      ctx.status = (await decide(ctx.req)) ?? 200;
      ctx.body = ctx.status === 200 && ctx.path === "/admin" ? LOCKED : "";
    });
    return app.callback() as RequestListener;
  },
  "node:http": plain,
  Fastify: async (decide) => {
    const app = fastify();
    app.addHook("onRequest", async ({ raw }, reply) => {
      const status = await decide(raw);
      return status && reply.code(status).send("");
    });
    app.get("/", async () => LOCKED);
    app.get("/admin", async () => LOCKED);
    await app.ready();
    return (req, res) => app.routing(req, res);
  },
};

/** Forms of a request target that no client sends to an origin server (RFC 9112 section 3.2). */
const TARGETS = [
  "foo://app.example/admin",
  "ws://app.example/admin",
  "FILE:///admin",
  "h2+x.y://app.example/admin?x",
  "http://app.example/admin",
  "*",
];

describe.each(Object.entries(ROUTERS))("a locked page behind the router of %s", (_, create) => {
  it.each(TARGETS)("cannot be reached without a session by the target %s", async (target) => {
    const auth = createAuth({
      env: ENV,
      secret: SECRET,
      callbacks: {
        authorized: ({ request, auth: session }) =>
          session !== null || !/^\/(?:admin)?$/.test(new URL(request.url).pathname),
      },
    });
    const decide: Decide = async (req) => {
      try {
        return (await auth.authorize(auth.toRequestSource(req)))?.status;
      } catch (error) {
        return (error as { status: number }).status;
      }
    };
    const site = await listen(await create(decide));
    const wire = await dial(site.port);
    wire.write(`GET ${target} HTTP/1.1\r\nHost: app.example\r\nConnection: close\r\n\r\n`);
    const { status, body } = (await wire.answer()) ?? {};
    expect([target.startsWith("http:") ? 401 : 400, ""]).toEqual([status, body]);
    wire.close();
    await site.close();
  });
});
