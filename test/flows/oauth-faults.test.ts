import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { customFetch } from "../../presets/index.ts";
import type { OIDCProvider } from "../../src/types.ts";
import { createBrowser } from "../../src/testing.ts";
import { type Op, startOp } from "../_op.ts";
import { createApp, expectRefused, expectSignedIn, isSignedIn, oauth, oidc } from "./_oauth.ts";

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => op.reset());
afterEach(() => void vi.useRealTimers());

const DISCOVERY = "/.well-known/openid-configuration";
const FAILED = "http://localhost:3000/auth/signin?error=OAuthSignInError";
const userinfoToo: Partial<OIDCProvider> = { idToken: false };
const json = { "content-type": "application/json" };

type Misbehave = (response: ServerResponse) => void;

/** How an endpoint may fail, by the fault of the model; none may take long here. */
const faults: Record<string, Misbehave> = {
  "F9 a failure": (response) => void response.writeHead(500).end(),
  "F9 an overload in JSON": (response) => void response.writeHead(503, json).end("{}"),
  "F9 a broken line": (response) => void response.destroy(),
  "F9 half an answer": (response) => {
    response.writeHead(200, { ...json, "content-length": "100" }).write('{"a":');
    setTimeout(() => response.destroy(), 5);
  },
  "F11 a page": (response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<html></html>"),
  "F11 nothing": (response) => void response.writeHead(200, json).end(),
  "F11 no content": (response) => void response.writeHead(204).end(),
  "F11 text": (response) => void response.writeHead(200, json).end('"text"'),
  "F11 a number": (response) => void response.writeHead(200, json).end("1e999"),
  "F11 null": (response) => void response.writeHead(200, json).end("null"),
  "F11 a list": (response) => void response.writeHead(200, json).end("[]"),
  "F11 half a JSON": (response) => void response.writeHead(200, json).end('{"issuer":'),
  "F11 a byte-order mark": (response) => void response.writeHead(200, json).end("\uFEFF{}"),
  "F11 bytes that are no UTF-8": (response) =>
    void response.writeHead(200, json).end(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
  "F11 another encoding": (response) =>
    void response.writeHead(200, json).end(Buffer.from("{}", "utf16le")),
  "F11 a lie about the encoding": (response) =>
    void response.writeHead(200, { ...json, "content-encoding": "gzip" }).end("{}"),
  "F11 something deep": (response) => void response.writeHead(200, json).end("[".repeat(100_000)),
  "F12 something huge": (response) =>
    void response.writeHead(200, json).end(`{"a":"${"x".repeat(3_000_000)}"}`),
  "F12 a bomb": (response) =>
    void response
      .writeHead(200, { ...json, "content-encoding": "gzip" })
      .end(gzipSync(Buffer.alloc(20_000_000, " "))),
  "F13 a redirect": (response) => void response.writeHead(302, { location: "/elsewhere" }).end(),
  "F13 a redirect that repeats the request": (response) =>
    void response.writeHead(307, { location: "/elsewhere" }).end(),
  "F13 a redirect to itself": (response) =>
    void response.writeHead(301, { location: response.req.url ?? "" }).end(),
};

for (const path of [DISCOVERY, "/token", "/jwks", "/userinfo"]) {
  describe(`${path} answers with`, () => {
    it.each(Object.entries(faults))("%s", async (_, misbehave) => {
      const app = createApp(op, [oidc(op, userinfoToo)]);
      op.script = { takeover: { [path]: (__, response) => misbehave(response) } };
      const location = await app.start();
      if (path === DISCOVERY) {
        expect(location).toBe(FAILED);
      } else {
        const response = await app.finish(await op.authorize(location));
        expect(response.headers.get("location")).toMatch(
          /^http:\/\/localhost:3000\/auth\/(signin\?error=OAuthSignInError|error\?error=Configuration)$/,
        );
      }
      expect(app.errors).toHaveLength(1);
      expect(await isSignedIn(app)).toBe(false);
      expect(op.count("/elsewhere")).toBe(0);

      // The visitor can try again at once when the fault is over; discovery and keys wait 5 seconds.
      op.script = {};
      app.errors.length = 0;
      vi.useFakeTimers({ toFake: ["Date"] });
      vi.setSystemTime(Date.now() + 5001);
      await expectSignedIn(app, await app.signIn());
    });
  });
}

describe("F9 a provider that is down", () => {
  const gone = () => oidc(op, { id: "gone", issuer: "http://127.0.0.1:9" });

  it("does not keep others from working", async () => {
    const app = createApp(op, [gone(), oidc(op)]);
    expect(await app.start("gone")).toBe(FAILED);
    app.errors.length = 0;
    await expectSignedIn(app, await app.signIn());
  });

  it("is asked once in 5 seconds for a thousand starts", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    op.script.takeover = { [DISCOVERY]: (_, response) => void response.writeHead(500).end() };
    const app = createApp(op, [oidc(op)]);
    const csrfToken = await app.browser.csrfToken();
    const starts = await Promise.all(
      Array.from({ length: 1000 }, () => app.browser.post("/auth/signin/op", { csrfToken })),
    );
    for (const response of starts) expect(response.headers.get("location")).toBe(FAILED);
    expect(op.count(DISCOVERY)).toBe(1);
    vi.setSystemTime(Date.now() + 4900);
    await app.start();
    expect(op.count(DISCOVERY)).toBe(1);
    vi.setSystemTime(Date.now() + 200);
    await app.start();
    expect(op.count(DISCOVERY)).toBe(2);
  });
});

describe("F10 a provider that is slow", () => {
  const impatient: typeof fetch = (input, init) => {
    const short = AbortSignal.timeout(60);
    return fetch(input, { ...init, signal: AbortSignal.any([short, init?.signal ?? short]) });
  };

  it.each([DISCOVERY, "/token", "/jwks", "/userinfo"])("at %s is given up", async (path) => {
    op.script = { takeover: { [path]: () => {} } };
    const app = createApp(op, [oidc(op, { ...userinfoToo, [customFetch]: impatient })]);
    const location = await app.start();
    if (path !== DISCOVERY) {
      await expectRefused(
        app,
        await app.finish(await op.authorize(location)),
        "signin?error=OAuthSignInError",
      );
    } else expect(location).toBe(FAILED);
  });

  it("is given up after 5 seconds, and the whole callback after 10", async () => {
    const drip = (response: ServerResponse) => {
      response.writeHead(200, json);
      const timer = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(timer));
    };
    op.script = { takeover: { "/token": (_, response) => drip(response) } };
    const app = createApp(op, [oidc(op)]);
    const callback = await op.authorize(await app.start());
    const started = Date.now();
    await expectRefused(app, await app.finish(callback), "signin?error=OAuthSignInError");
    expect(Date.now() - started).toBeGreaterThan(4500);
    expect(Date.now() - started).toBeLessThan(6500);
  }, 15_000);

  it("does not outlive the whole callback's time", async () => {
    const wait = (ms: number) => (_: unknown, response: ServerResponse) =>
      void setTimeout(() => response.destroy(), ms);
    const enrich = Array.from({ length: 4 }, (_, at) => ({
      into: `part${at}`,
      url: `${op.issuer}/emails`,
    }));
    op.script = { takeover: { "/emails": wait(20_000) } };
    const app = createApp(op, [oauth(op, { enrich })]);
    const started = Date.now();
    const response = await app.signIn();
    expect(Date.now() - started).toBeLessThan(11_500);
    expect(response.status).toBe(302);
  }, 20_000);
});

describe("F14 the clocks differ", () => {
  it.each([30, -30, 55, -55])("by %i seconds, which is tolerated", async (clock) => {
    op.script = { clock };
    const app = createApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
  });

  it("by 90 seconds ahead, which is not", async () => {
    op.script = { clock: 90 };
    const app = createApp(op, [oidc(op)]);
    await expectRefused(app, await app.signIn());
  });

  it("by 90 seconds behind, so that a short token is over", async () => {
    op.script = { clock: -90, claims: (claims) => ({ ...claims, exp: Number(claims.iat) + 20 }) };
    const app = createApp(op, [oidc(op)]);
    await expectRefused(app, await app.signIn());
  });

  it("and the metadata has moved: the second try goes through", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const app = createApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
    vi.setSystemTime(Date.now() + 60_000);
    op.script = {
      takeover: { "/token": (_, response) => void response.writeHead(404).end() },
    };
    await app.signIn();
    app.errors.length = 0;
    op.script = {};
    await expectSignedIn(app, await app.signIn());
    expect(op.count(DISCOVERY)).toBe(2);
  });
});

describe("F31 the visitor leaves", () => {
  it("and the provider's request ends", async () => {
    let closed: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => {
      closed = resolve;
    });
    op.script = { takeover: { "/token": (_, response) => void response.on("close", closed!) } };
    const app = createApp(op, [oidc(op)]);
    const { url } = await op.authorize(await app.start());
    const cookie = [...app.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const visitor = new AbortController();
    const answer = app.auth.fetch(
      new Request(url, { headers: { cookie }, signal: visitor.signal }),
    );
    setTimeout(() => visitor.abort(), 50);
    await ended;
    expect((await answer).headers.getSetCookie().join()).not.toMatch(/session-token=[^;]/);
  });
});

describe("F31 the visitor leaves, and the application's own mapping hangs", () => {
  it("does not hang with it", async () => {
    const app = createApp(op, [oidc(op, { profile: () => new Promise(() => {}) })]);
    const { url } = await op.authorize(await app.start());
    const cookie = [...app.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const signal = AbortSignal.timeout(200);
    const response = await app.auth.fetch(new Request(url, { headers: { cookie }, signal }));
    expect(response.headers.get("location")).toContain("error=");
  });
});

describe("F32 a callback that is delivered twice", () => {
  it("lets in once, and refuses cleanly", async () => {
    const app = createApp(op, [oidc(op)]);
    const { url } = await op.authorize(await app.start());
    const { pathname, search } = new URL(url);
    const jar = [...app.browser.cookies];
    const twin = createBrowser((request) => app.auth.fetch(request));
    for (const [name, value] of jar) twin.cookies.set(name, value);
    const answers = await Promise.all([
      app.browser.get(pathname + search),
      twin.get(pathname + search),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([302, 302]);
    const sessions = await Promise.all([app.browser.session(), twin.session()]);
    expect(sessions.filter(Boolean)).toHaveLength(1);
  });
});
