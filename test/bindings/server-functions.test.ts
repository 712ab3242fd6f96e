import { IncomingMessage, type RequestListener } from "node:http";
import { createServer as createHttp2, connect as connectHttp2 } from "node:http2";
import { type AddressInfo, Socket } from "node:net";
import express from "express";
import fc from "fast-check";
import { H3, HTTPError, serve } from "h3";
import { afterEach, describe, expect, it } from "vitest";
import { getHeader, type NodeRequest, toRequest } from "../../plugins/bindings/node.ts";
import { createAuth as createH3Auth } from "../../presets/h3.ts";
import { createAuth as createNodeAuth } from "../../presets/node.ts";
import { createTokens } from "../../src/crypto/token.ts";
import { BadRequest } from "../../src/errors.ts";
import type { Auth, AuthConfig, Plugin } from "../../src/kernel.ts";
import { ADA, LOVELACE, ORIGIN, SECRET, setCookie, setCookieNames } from "../_app.ts";
import { dial, listen, nodeApp, type Served } from "./_serve.ts";
import { buildConfig } from "./_suite.ts";

const NAME = "authjs.session-token";
const DAY = 86_400;

/** Creates the cookie of a session that is due for renewal. */
async function dueCookie(): Promise<string> {
  // Extended two days ago, by its `exp`.
  const token = { sub: ADA.id, name: ADA.name, email: ADA.email };
  const value = await createTokens().encode({
    token,
    secret: SECRET,
    salt: NAME,
    maxAge: 28 * DAY,
  });
  return `${NAME}=${value}`;
}

const toCookie = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");

const NEW = { ...LOVELACE, redirectTo: "/welcome" };

describe("server functions on an h3 event", () => {
  const buildSite = (config: AuthConfig = {}) => {
    const app = new H3();
    const auth = createH3Auth(buildConfig(config));
    app.register(auth.plugin);
    app.get("/me", async ({ context }) => (await context.getSession?.()) ?? "nobody");
    app.get("/fails", async ({ context }) => {
      await context.getSession?.();
      throw new HTTPError({ status: 418 });
    });
    app.get("/in", (event) => auth.signIn(event, "credentials", NEW));
    app.get("/in-quietly", async (event) => ({
      url: await auth.signIn(event, "credentials", { ...NEW, redirect: false }),
    }));
    app.get("/out", (event) => auth.signOut(event, { redirectTo: "/bye" }));
    app.get("/rename", (event) => auth.update(event, { name: "Countess" }));
    app.get("/guarded", (event) => auth.auth(() => new Response("in"))(event.req));
    const get = async (path: string, cookie?: string) =>
      app.fetch(
        new Request(ORIGIN + path, { headers: { accept: "text/html", ...(cookie && { cookie }) } }),
      );
    return { auth, get };
  };

  it("context.getSession returns the session of an h3 event, or null", async () => {
    const { get } = buildSite();
    expect(await (await get("/me")).text()).toBe("nobody");
    const response = await get("/me", await dueCookie());
    expect(await response.json()).toMatchObject({ user: { name: "Ada" } });
  });

  it("context.getSession adds one renewed cookie and Cache-Control: no-store to the h3 response", async () => {
    const response = await buildSite().get("/me", await dueCookie());
    expect(setCookieNames(response)).toEqual([NAME]);
    expect(setCookie(response, NAME)).toMatch(/=eyJ.*HttpOnly/);
    expect(response.headers.get("cache-control")).toContain("no-store");
  });

  it("context.getSession sets no cookie for a fresh session and clears a broken one", async () => {
    const { get } = buildSite();
    const fresh = toCookie(await get("/in"));
    expect(setCookieNames(await get("/me", fresh))).toEqual([]);
    const broken = await get("/me", `${NAME}=broken`);
    expect(await broken.text()).toBe("nobody");
    expect(setCookie(broken, NAME)).toContain("Max-Age=0");
  });

  it("an error of the application keeps its status after context.getSession", async () => {
    expect((await buildSite().get("/fails", await dueCookie())).status).toBe(418);
  });

  it("signIn, update and signOut set their cookies on the h3 response", async () => {
    const { get } = buildSite();
    const signedIn = await get("/in");
    expect(signedIn.status).toBe(302);
    expect(signedIn.headers.get("location")).toBe(`${ORIGIN}/welcome`);
    expect(setCookieNames(signedIn)).toEqual(["authjs.callback-url", NAME]);

    const quiet = await get("/in-quietly");
    expect(await quiet.json()).toEqual({ url: `${ORIGIN}/welcome` });
    expect(setCookieNames(quiet)).toEqual(["authjs.callback-url", NAME]);

    const renamed = await get("/rename", toCookie(signedIn));
    expect(await renamed.json()).toMatchObject({ user: { name: "Countess" } });
    expect(setCookieNames(renamed)).toEqual([NAME]);
    const me = await get("/me", toCookie(renamed));
    expect(await me.json()).toMatchObject({ user: { name: "Countess" } });

    const signedOut = await get("/out", toCookie(renamed));
    expect(signedOut.headers.get("location")).toBe(`${ORIGIN}/bye`);
    expect(setCookie(signedOut, NAME)).toContain("Max-Age=0");
    for (const response of [signedIn, quiet, renamed, signedOut]) {
      expect(response.headers.get("cache-control")).toContain("no-store");
    }
  });

  it("auth.auth guards an h3 route", async () => {
    const { get } = buildSite({ callbacks: { authorized: ({ auth: session }) => session } });
    expect((await get("/guarded")).headers.get("location")).toContain("/auth/signin");
    expect(await (await get("/guarded", await dueCookie())).text()).toBe("in");
  });
});

describe("server functions on a Node request and response", () => {
  let site: Served | undefined;
  afterEach(() => site?.close());

  const buildSite = async (before?: RequestListener) => {
    const auth = createNodeAuth(buildConfig());
    const app = express();
    app.use((req, res, next) => {
      before?.(req, res);
      next();
    });
    app.get("/me", async (req, res) => {
      const session = await auth.getSession(req, res);
      res.end(JSON.stringify(session));
    });
    app.get("/me-alone", async (req, res) => {
      const session = await auth.getSession(req);
      res.end(JSON.stringify(session));
    });
    app.get("/late", async (req, res) => {
      res.end("sent");
      await auth.getSession(req, res);
    });
    app.get("/late-:verb", async (req, res) => {
      res.flushHeaders();
      const source = auth.toRequestSource(req, res);
      const change = {
        in: () => auth.signIn(source, "credentials", NEW),
        rename: () => auth.update(source, { user: { name: "Countess" } }),
        out: () => auth.signOut(source),
      }[String(req.params.verb)];
      await change?.().then(
        () => res.end("done"),
        ({ message }: Error) => res.end(message),
      );
    });
    app.get("/in", async (req, res) => {
      const url = await auth.signIn(auth.toRequestSource(req, res), "credentials", {
        ...NEW,
        redirect: false,
      });
      res.redirect(url as string);
    });
    app.get("/out", async (req, res) => {
      const answer = (await auth.signOut(auth.toRequestSource(req, res), {
        redirectTo: "/bye",
      })) as Response;
      res.redirect(answer.status, answer.headers.get("location") ?? "");
    });
    app.post("/rename", express.json(), async (req, res) => {
      res.json(await auth.update(auth.toRequestSource(req, res), req.body));
    });
    app.use(auth.handler, nodeApp);
    const opened = await listen(app);
    site = opened;
    return (path: string, cookie?: string, init: RequestInit = {}) =>
      fetch(opened.origin + path, {
        redirect: "manual",
        ...init,
        headers: { ...(cookie && { cookie }), ...(init.headers as Record<string, string>) },
      });
  };

  it("auth.getSession(req, res) adds the renewed cookie to the response's own cookies", async () => {
    const get = await buildSite((_, res) => {
      res.setHeader("set-cookie", "own=1");
      res.setHeader("cache-control", "public, max-age=60");
      res.setHeader("cdn-cache-control", "max-age=60");
    });
    const response = await get("/me", await dueCookie());
    expect(await response.json()).toMatchObject({ user: { name: "Ada" } });
    expect(setCookieNames(response)).toEqual(["own", NAME]);
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(response.headers.has("cdn-cache-control")).toBe(false);
  });

  it("auth.getSession(req) renews no cookie without the response", async () => {
    const get = await buildSite();
    const response = await get("/me-alone", await dueCookie());
    expect(await response.json()).toMatchObject({ user: { name: "Ada" } });
    expect(setCookieNames(response)).toEqual([]);
  });

  it("auth.getSession(req, res) does not fail when the response has been sent", async () => {
    const get = await buildSite();
    expect(await (await get("/late", await dueCookie())).text()).toBe("sent");
    expect((await get("/me")).status).toBe(200);
  });

  it("signIn, update and signOut fail when the response has been sent, because cookies can no longer be set", async () => {
    const get = await buildSite();
    const cookie = await dueCookie();
    for (const verb of ["in", "rename", "out"]) {
      const text = await (await get(`/late-${verb}`, cookie)).text();
      expect(text, verb).toContain("after the headers of the response were sent");
    }
  });

  it("signIn, update and signOut set their cookies on the Node response", async () => {
    const get = await buildSite();
    const signedIn = await get("/in");
    expect(signedIn.headers.get("location")).toBe(`${site?.origin}/welcome`);
    expect(setCookieNames(signedIn)).toEqual(["authjs.callback-url", NAME]);
    const renamed = await get("/rename", toCookie(signedIn), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Countess" }),
    });
    expect(await renamed.json()).toMatchObject({ user: { name: "Countess" } });
    expect(setCookieNames(renamed)).toEqual([NAME]);
    const signedOut = await get("/out", toCookie(renamed));
    expect(signedOut.headers.get("location")).toBe(`${site?.origin}/bye`);
    expect(setCookie(signedOut, NAME)).toContain("Max-Age=0");
  });

  it("auth.getSession rejects with BadRequest, and never throws, for a malformed Host", async () => {
    const auth = createNodeAuth(buildConfig());
    const req = new IncomingMessage(new Socket());
    req.headers.host = "a b";
    const session = auth.getSession(req);
    expect(session).toBeInstanceOf(Promise);
    await expect(session).rejects.toMatchObject({ type: "BadRequest", status: 400 });
  });

  it("a hook's signal aborts when the client of a Node request disconnects", async () => {
    let waiting: (() => void) | undefined;
    const begun = new Promise<void>((resolve) => (waiting = resolve));
    let left: ((reason: unknown) => void) | undefined;
    const gone = new Promise<unknown>((resolve) => (left = resolve));
    const auth = createNodeAuth(buildConfig());
    auth.use({
      name: "test/wait",
      setup: (kernel) =>
        kernel.hooks.request.tap("wait", async ({ signal }) => {
          waiting?.();
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          left?.(signal.reason);
          return new Response("too late");
        }),
    });
    site = await listen((req, res) => auth.handler(req, res));
    const wire = await dial(site.port);
    wire.write("GET /auth/session HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await begun;
    wire.close();
    expect(await gone).toMatchObject({ name: "AbortError" });
  });
});

describe("the address of the client", () => {
  let site: Served;
  afterEach(() => site?.close());

  const look = (seen: (string | undefined)[]): Plugin => ({
    name: "look",
    setup: ({ hooks }) =>
      hooks.request.tap("look", (ctx) => {
        seen.push(ctx.ip);
        return undefined;
      }),
  });
  const forged = { headers: { "x-forwarded-for": "203.0.113.1", "x-real-ip": "203.0.113.1" } };

  it("ctx.ip is the address of the Node connection, for requests and for server-side methods", async () => {
    const seen: (string | undefined)[] = [];
    const auth = createNodeAuth(buildConfig()).use(look(seen));
    site = await listen((req, res) =>
      auth.handler(req, res, () => {
        void auth.signOut(auth.toRequestSource(req, res)).then(() => res.end());
      }),
    );
    await fetch(`${site.origin}/auth/session`, forged);
    await fetch(`${site.origin}/elsewhere`, forged);
    expect(seen).toEqual(["127.0.0.1", "127.0.0.1"]);
  });

  it("ctx.ip behind a proxy is the address that `trustProxy` accepts, also under Node", async () => {
    const seen: (string | undefined)[] = [];
    const auth = createNodeAuth(buildConfig({ trustProxy: 1 })).use(look(seen));
    site = await listen((req, res) => auth.handler(req, res));
    await fetch(`${site.origin}/auth/session`, {
      headers: { "x-forwarded-for": "203.0.113.1, 192.0.2.7" },
    });
    await fetch(`${site.origin}/auth/session`);
    expect(seen).toEqual(["192.0.2.7", undefined]);
  });

  it("ctx.ip is the address of the h3 connection, for requests and for server-side methods", async () => {
    const seen: (string | undefined)[] = [];
    const auth = createH3Auth(buildConfig()).use(look(seen));
    const app = new H3()
      .register(auth.plugin)
      .all("/more/**", auth.handler)
      .get("/out", (event) => auth.signOut(event));
    const server = serve(app, { port: 0, hostname: "127.0.0.1", silent: true });
    await server.ready();
    const origin = (server.url as string).replace(/\/$/, "");
    await fetch(`${origin}/auth/session`, forged);
    await fetch(`${origin}/out`, { ...forged, redirect: "manual" });
    await server.close(true);
    expect(seen).toEqual(["127.0.0.1", "127.0.0.1"]);
  });

  it("the h3 handler passes the connection on, and responds with 404 to other paths", async () => {
    const seen: (string | undefined)[] = [];
    const auth = createH3Auth(buildConfig()).use(look(seen));
    const app = new H3().all("/**", auth.handler);
    const request = (path: string) =>
      Object.assign(new Request(ORIGIN + path), { ip: "192.0.2.7" });
    expect((await app.fetch(request("/auth/session"))).status).toBe(200);
    expect((await app.fetch(request("/elsewhere"))).status).toBe(404);
    expect(seen).toEqual(["192.0.2.7"]);
  });
});

describe("the handle of Node servers", () => {
  let site: Served;
  afterEach(() => site?.close());

  it("handle() resolves to whether it has sent a response", async () => {
    const auth = createNodeAuth(buildConfig());
    const results: boolean[] = [];
    site = await listen((req, res) => {
      void auth.handle(req, res).then((isAnswered) => {
        results.push(isAnswered);
        if (!isAnswered) res.end("app");
      });
    });
    const session = await fetch(`${site.origin}/auth/session`);
    expect(await session.json()).toBeNull();
    expect(await (await fetch(`${site.origin}/elsewhere`)).text()).toBe("app");
    expect((await fetch(`${site.origin}/auth/nothing`)).status).toBe(404);
    expect(results).toEqual([true, false, true]);
  });

  it("handle() leaves the body of other paths to the application", async () => {
    const auth = createNodeAuth(buildConfig());
    site = await listen((req, res) => {
      void auth.handle(req, res).then((isAnswered) => {
        if (!isAnswered) nodeApp(req, res);
      });
    });
    const response = await fetch(`${site.origin}/elsewhere`, { method: "POST", body: "kept" });
    expect(await response.text()).toContain("kept");
  });

  it("handle() resolves when the client disconnects", async () => {
    let waiting: (() => void) | undefined;
    const begun = new Promise<void>((resolve) => (waiting = resolve));
    const auth = createNodeAuth(buildConfig());
    auth.use({
      name: "test/wait",
      setup: (kernel) =>
        kernel.hooks.request.tap("wait", async ({ signal }) => {
          waiting?.();
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          return new Response("too late");
        }),
    });
    let answered: Promise<boolean> | undefined;
    site = await listen((req, res) => void (answered = auth.handle(req, res)));
    const wire = await dial(site.port);
    wire.write("GET /auth/session HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await begun;
    wire.close();
    expect(await answered).toBe(true);
  });

  it("handle() rejects with BadRequest for a malformed Host", async () => {
    const auth = createNodeAuth(buildConfig());
    const rejected: unknown[] = [];
    site = await listen((req, res) => {
      auth.handle(req, res).catch((error: unknown) => {
        rejected.push(error);
        res.statusCode = 400;
        res.end();
      });
    });
    const wire = await dial(site.port);
    wire.write("GET /auth/session HTTP/1.1\r\nHost: a b\r\n\r\n");
    expect((await wire.answer())?.status).toBe(400);
    wire.close();
    expect(rejected).toMatchObject([{ type: "BadRequest" }]);
  });

  it("handle() also accepts a web Request with its connection", async () => {
    const auth = createNodeAuth(buildConfig());
    const web: Auth["handle"] = auth.handle;
    const response = await web(new Request(`${ORIGIN}/auth/session`), { ip: "192.0.2.7" });
    expect(await response?.json()).toBeNull();
    expect(await web(new Request(`${ORIGIN}/elsewhere`))).toBeUndefined();
  });
});

describe("toRequest", () => {
  const buildRequest = (over: Partial<NodeRequest>, rawHeaders: string[] = []) => {
    const req = new IncomingMessage(new Socket()) as NodeRequest;
    req.rawHeaders = rawHeaders;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      req.headers[(rawHeaders[at] as string).toLowerCase()] = rawHeaders[at + 1];
    }
    return toRequest(Object.assign(req, { method: "GET", url: "/auth/session" }, over));
  };

  it("toRequest reads the scheme from the socket, or from the framework behind a proxy", () => {
    const host = ["Host", "app.example"];
    const encrypted = { socket: Object.assign(new Socket(), { encrypted: true }) };
    expect(buildRequest({}, host).url).toBe("http://app.example/auth/session");
    expect(buildRequest(encrypted, host).url).toBe("https://app.example/auth/session");
    expect(buildRequest({ protocol: "https" }, host).url).toBe("https://app.example/auth/session");
  });

  it("toRequest keeps the whole path below a mount", () => {
    const over = { url: "/session", originalUrl: "/auth/session?x=1" };
    expect(buildRequest(over, ["Host", "[::1]:3000"]).url).toBe(
      "http://[::1]:3000/auth/session?x=1",
    );
  });

  it("a target that does not begin with a slash is a path or malformed, and never part of the host", () => {
    const read = (url: string, method = "GET") =>
      buildRequest({ url, method }, ["Host", "app.example"]).url;
    for (const url of [".evil.example/auth", "@evil.example/auth", "foo://app.example/auth", "*"]) {
      expect(() => read(url)).toThrow(BadRequest);
    }
    expect(read("?x=1")).toBe("http://app.example/?x=1");
    expect(read("*", "OPTIONS")).toBe("http://app.example/*");
  });

  it("toRequest joins repeated headers", () => {
    const { headers } = buildRequest({}, [
      "Host",
      "a",
      "X-Forwarded-Host",
      "b",
      "x-forwarded-host",
      "c",
    ]);
    expect(headers.get("x-forwarded-host")).toBe("b, c");
  });

  it("toRequest passes the fields of a multipart parser on as JSON", async () => {
    const fields = Object.assign(Object.create(null), { a: "1", b: { c: "2" } }) as object;
    const headers = ["Host", "a", "Content-Type", "multipart/form-data; boundary=x"];
    const over: Partial<NodeRequest> = { method: "POST", body: fields };
    Object.defineProperty(over, "readable", { value: false, enumerable: true });
    const request = buildParsedRequest(over, headers);
    expect(request.headers.get("content-type")).toBe("application/json");
    expect(await request.json()).toEqual({ a: "1", b: { c: "2" } });
  });

  function buildParsedRequest(over: Partial<NodeRequest>, rawHeaders: string[]): Request {
    const req = new IncomingMessage(new Socket()) as NodeRequest;
    req.rawHeaders = rawHeaders;
    Object.defineProperty(req, "readable", { value: false });
    const { readable: _, ...rest } = over;
    return toRequest(Object.assign(req, { url: "/auth/session" }, rest));
  }

  it("toRequest serializes a parsed form unchanged", async () => {
    const body = { a: "1", b: ["2", "3"], c: { d: "4", e: ["5"] }, f: { toString: "6" } };
    const headers = ["Host", "a", "Content-Type", "application/x-www-form-urlencoded"];
    const request = buildParsedRequest({ method: "POST", body }, headers);
    expect(decodeURIComponent(await request.text())).toBe(
      "a=1&b=2&b=3&c[d]=4&c[e]=5&f[toString]=6",
    );
  });
});

it("getHeader returns the same as the Headers of the Request", () => {
  const names = ["cookie", "host", "x-forwarded-host", "accept", "content-type", "authorization"];
  const name = fc.constantFrom(...names, ...names.map((one) => one.toUpperCase()), "X-Other");
  const value = fc.stringMatching(/^(?:[\x21-\x7e\x80-\xff](?:[\x20-\x7e]{0,8}[\x21-\x7e])?)?$/);
  const lines = fc.array(fc.tuple(name, value), { maxLength: 12 });
  fc.assert(
    fc.property(lines, (sent) => {
      const headers = new Headers(sent);
      for (const one of names) {
        expect(getHeader({ rawHeaders: sent.flat() }, one)).toBe(headers.get(one));
      }
    }),
  );
});

it("auth.handler handles node:http2 requests", async () => {
  const auth = createNodeAuth(buildConfig());
  const server = createHttp2((req, res) => auth.handler(req as never, res as never));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = connectHttp2(`http://127.0.0.1:${port}`);
  const ask = (headers: Record<string, string>, body?: string) =>
    new Promise<{ headers: Record<string, unknown>; text: string }>((resolve, reject) => {
      const stream = client.request(headers, { endStream: body === undefined });
      let received: Record<string, unknown> = {};
      let text = "";
      stream.setEncoding("utf8");
      stream.on("response", (given) => (received = given));
      stream.on("data", (chunk: string) => (text += chunk));
      stream.on("end", () => resolve({ headers: received, text }));
      stream.on("error", reject);
      stream.end(body);
    });

  const providers = await ask({ ":path": "/auth/providers" });
  expect(providers.text).toContain(`http://127.0.0.1:${port}/auth/callback/credentials`);
  const csrf = await ask({ ":path": "/auth/csrf" });
  const { csrfToken } = JSON.parse(csrf.text) as { csrfToken: string };
  const cookie = (csrf.headers["set-cookie"] as string[])[0]?.split(";")[0] as string;
  const signedIn = await ask(
    {
      ":path": "/auth/callback/credentials",
      ":method": "POST",
      "content-type": "application/x-www-form-urlencoded",
      cookie,
    },
    new URLSearchParams({ csrfToken, ...NEW, callbackUrl: "/x" }).toString(),
  );
  expect(signedIn.headers[":status"]).toBe(302);
  expect(signedIn.headers["set-cookie"]).toHaveLength(3);
  expect((await ask({ ":path": "/auth/nothing" })).headers[":status"]).toBe(404);
  client.close();
  await new Promise((resolve) => server.close(resolve));
});

describe("a body parser that parses every content type as JSON", () => {
  it("POST /callback/credentials ignores parsed fields of a text/plain body", async () => {
    const auth = createNodeAuth(buildConfig());
    const app = express()
      .use(express.json({ type: () => true }))
      .use(auth.handler);
    const site = await listen(app);
    const csrf = await fetch(`${site.origin}/auth/csrf`);
    const { csrfToken } = (await csrf.json()) as { csrfToken: string };
    const posted = (type: string) =>
      fetch(`${site.origin}/auth/callback/credentials`, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": type, cookie: toCookie(csrf) },
        body: JSON.stringify({ csrfToken, ...LOVELACE }),
      });
    for (const type of [
      "text/plain",
      "text/plain; multipart/form-data",
      "text/plain;x=multipart/form-data",
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { headers } = await posted(type);
      expect(headers.get("location"), type).toContain("error=MissingCSRF");
    }
    expect(setCookieNames(await posted("application/json"))).toContain(NAME);
    await site.close();
  });
});

it("a form that a body parser has parsed is read, in any letter case of its content type", async () => {
  const auth = createNodeAuth(buildConfig());
  const site = await listen(
    express()
      .use(express.urlencoded({ extended: false }))
      .use(auth.handler),
  );
  const csrf = await fetch(`${site.origin}/auth/csrf`);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const response = await fetch(`${site.origin}/auth/callback/credentials`, {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "Application/X-WWW-Form-URLencoded ; charset=UTF-8",
      cookie: toCookie(csrf),
    },
    body: String(new URLSearchParams({ csrfToken, ...LOVELACE })),
  });
  expect(setCookieNames(response)).toContain(NAME);
  await site.close();
});

it("the host of a node:http2 request is its :authority, even if a Host header differs", async () => {
  const auth = createNodeAuth(buildConfig());
  const server = createHttp2((req, res) => auth.handler(req as never, res as never));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const client = connectHttp2(`http://127.0.0.1:${port}`);
  const stream = client.request({
    ":path": "/auth/providers",
    ":authority": "app.example",
    host: "evil.example",
  });
  stream.setEncoding("utf8");
  let text = "";
  for await (const chunk of stream) text += chunk;
  expect(text).toContain("http://app.example/auth/callback/credentials");
  expect(text).not.toContain("evil.example");
  client.close();
  await new Promise((resolve) => server.close(resolve));
});
