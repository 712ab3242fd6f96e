import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { OIDCProvider } from "../../plugins/flows/oauth/provider.ts";
import { customFetch } from "../../presets/index.ts";
import { createBrowser, createClock } from "../../src/testing/testing.ts";
import { isSignedIn } from "../_app.ts";
import { type Op, startOp } from "../_op.ts";
import { IS_QUICK, pickCases } from "../_scale.ts";
import { createOAuthApp, expectRefused, expectSignedIn, oauth, oidc } from "./_oauth.ts";

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => op.reset());

const DISCOVERY = "/.well-known/openid-configuration";
const FAILED = "http://localhost:3000/auth/signin?error=OAuthSignInError";
const userinfoToo: Partial<OIDCProvider> = { idToken: false };
const json = { "content-type": "application/json" };

type Misbehave = (response: ServerResponse) => void;

/** Failures of an endpoint by their number in the fault model. Each is quick to detect. */
const faults: Record<string, Misbehave> = {
  "F9: status 500": (response) => void response.writeHead(500).end(),
  "F9: status 503 with JSON": (response) => void response.writeHead(503, json).end("{}"),
  "F9: a broken connection": (response) => void response.destroy(),
  "F9: a response that breaks off": (response) => {
    response.writeHead(200, { ...json, "content-length": "100" }).write('{"a":');
    setTimeout(() => response.destroy(), 5);
  },
  "F11: an HTML page": (response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<html></html>"),
  "F11: an empty body": (response) => void response.writeHead(200, json).end(),
  "F11: status 204": (response) => void response.writeHead(204).end(),
  "F11: a JSON string": (response) => void response.writeHead(200, json).end('"text"'),
  "F11: a JSON number": (response) => void response.writeHead(200, json).end("1e999"),
  "F11: JSON null": (response) => void response.writeHead(200, json).end("null"),
  "F11: a JSON array": (response) => void response.writeHead(200, json).end("[]"),
  "F11: truncated JSON": (response) => void response.writeHead(200, json).end('{"issuer":'),
  "F11: a byte order mark": (response) => void response.writeHead(200, json).end("\uFEFF{}"),
  "F11: bytes that are not UTF-8": (response) =>
    void response.writeHead(200, json).end(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
  "F11: UTF-16": (response) => void response.writeHead(200, json).end(Buffer.from("{}", "utf16le")),
  "F11: a wrong Content-Encoding": (response) =>
    void response.writeHead(200, { ...json, "content-encoding": "gzip" }).end("{}"),
  "F11: deeply nested JSON": (response) =>
    void response.writeHead(200, json).end("[".repeat(100_000)),
  "F12: a body of 3 MB": (response) =>
    void response.writeHead(200, json).end(`{"a":"${"x".repeat(3_000_000)}"}`),
  "F12: a gzip bomb": (response) =>
    void response
      .writeHead(200, { ...json, "content-encoding": "gzip" })
      .end(gzipSync(Buffer.alloc(20_000_000, " "))),
  "F13: a 302 redirect": (response) =>
    void response.writeHead(302, { location: "/elsewhere" }).end(),
  "F13: a 307 redirect": (response) =>
    void response.writeHead(307, { location: "/elsewhere" }).end(),
  "F13: a redirect loop": (response) =>
    void response.writeHead(301, { location: response.req.url ?? "" }).end(),
};

for (const [row, path] of [DISCOVERY, "/token", "/jwks", "/userinfo"].entries()) {
  describe(`failures of ${path}`, () => {
    it.each(pickCases(Object.entries(faults), row))(
      `%s from ${path} refuses the sign-in, and the next one succeeds`,
      async (_, misbehave) => {
        const app = createOAuthApp(op, [oidc(op, userinfoToo)]);
        op.script = { takeover: { [path]: (__, response) => misbehave(response) } };
        const location = await app.startSignIn();
        if (path === DISCOVERY) {
          expect(location).toBe(FAILED);
        } else {
          const response = await app.finishSignIn(await op.authorize(location));
          expect(response.headers.get("location")).toMatch(
            /^http:\/\/localhost:3000\/auth\/(signin\?error=OAuthSignInError|error\?error=Configuration)$/,
          );
        }
        expect(app.log.errors).toHaveLength(1);
        expect(await isSignedIn(app.browser)).toBe(false);
        expect(op.count("/elsewhere")).toBe(0);

        // The user can retry at once after the failure. Discovery and keys wait 5 seconds.
        op.script = {};
        app.log.errors.length = 0;
        using clock = createClock();
        clock.advance(5001);
        await expectSignedIn(app, await app.signIn());
      },
    );
  });
}

describe("F9: a provider that is down", () => {
  const gone = () => oidc(op, { id: "gone", issuer: "http://127.0.0.1:9" });

  it("F9: a provider that is down does not affect other providers", async () => {
    const app = createOAuthApp(op, [gone(), oidc(op)]);
    expect(await app.startSignIn("gone")).toBe(FAILED);
    app.log.errors.length = 0;
    await expectSignedIn(app, await app.signIn());
  });

  it("F9: a failing provider receives one discovery request in 5 seconds for 1000 sign-ins", async () => {
    using clock = createClock();
    op.script.takeover = { [DISCOVERY]: (_, response) => void response.writeHead(500).end() };
    const app = createOAuthApp(op, [oidc(op)], { errors: "allowed" });
    const csrfToken = await app.browser.csrfToken();
    const starts = await Promise.all(
      Array.from({ length: 1000 }, () => app.browser.post("/auth/signin/op", { csrfToken })),
    );
    for (const response of starts) expect(response.headers.get("location")).toBe(FAILED);
    expect(op.count(DISCOVERY)).toBe(1);
    clock.advance(4900);
    await app.startSignIn();
    expect(op.count(DISCOVERY)).toBe(1);
    clock.advance(200);
    await app.startSignIn();
    expect(op.count(DISCOVERY)).toBe(2);
  });
});

describe("F10: a provider that is slow", () => {
  // Other requests keep their normal time limit, however busy the machine is.
  const impatientAt =
    (path: string): typeof fetch =>
    (input, init) => {
      if (new URL(input instanceof Request ? input.url : input).pathname !== path) {
        return fetch(input, init);
      }
      const short = AbortSignal.timeout(60);
      return fetch(input, { ...init, signal: AbortSignal.any([short, init?.signal ?? short]) });
    };

  it.each([DISCOVERY, "/token", "/jwks", "/userinfo"])(
    "F10: refuses the sign-in when %s does not respond in time",
    async (path) => {
      op.script = { takeover: { [path]: () => {} } };
      const provider = oidc(op, { ...userinfoToo, [customFetch]: impatientAt(path) });
      const app = createOAuthApp(op, [provider], { errors: "allowed" });
      const location = await app.startSignIn();
      if (path !== DISCOVERY) {
        await expectRefused(
          app,
          await app.finishSignIn(await op.authorize(location)),
          "signin?error=OAuthSignInError",
        );
      } else expect(location).toBe(FAILED);
    },
  );
});

// Each test waits for a time limit, so they run concurrently, each with its own provider.
describe.skipIf(IS_QUICK).concurrent("F10: a provider that is slow beyond the time limits", () => {
  it("F10: a slow token response is aborted after 5 seconds", async ({ onTestFinished }) => {
    const slow = await startOp();
    onTestFinished(() => slow.close());
    const drip = (response: ServerResponse) => {
      response.writeHead(200, json);
      const timer = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(timer));
    };
    slow.script = { takeover: { "/token": (_, response) => drip(response) } };
    const app = createOAuthApp(slow, [oidc(slow)]);
    const callback = await slow.authorize(await app.startSignIn());
    const started = Date.now();
    await expectRefused(app, await app.finishSignIn(callback), "signin?error=OAuthSignInError");
    expect(Date.now() - started).toBeGreaterThan(4500);
    expect(Date.now() - started).toBeLessThan(9000);
  }, 15_000);

  it("F10: the whole callback ends within its time limit despite several slow requests", async ({
    onTestFinished,
  }) => {
    const slow = await startOp();
    onTestFinished(() => slow.close());
    const wait = (ms: number) => (_: unknown, response: ServerResponse) =>
      void setTimeout(() => response.destroy(), ms);
    const enrich = Array.from({ length: 4 }, (_, at) => ({
      into: `part${at}`,
      url: `${slow.issuer}/emails`,
    }));
    slow.script = { takeover: { "/emails": wait(20_000) } };
    const app = createOAuthApp(slow, [oauth(slow, { enrich })], { errors: "allowed" });
    const started = Date.now();
    const response = await app.signIn();
    expect(Date.now() - started).toBeLessThan(16_000);
    expect(response.status).toBe(302);
  }, 30_000);
});

describe("F14: clock skew and moved metadata", () => {
  it.each([30, -30, 55, -55])(
    "F14: accepts an ID token when the provider's clock differs by %i seconds",
    async (clock) => {
      op.script = { clock };
      const app = createOAuthApp(op, [oidc(op)]);
      await expectSignedIn(app, await app.signIn());
    },
  );

  it("F14: refuses an ID token when the provider's clock is 90 seconds ahead", async () => {
    op.script = { clock: 90 };
    const app = createOAuthApp(op, [oidc(op)]);
    await expectRefused(app, await app.signIn());
  });

  it("F14: refuses a short-lived ID token when the provider's clock is 90 seconds behind", async () => {
    op.script = { clock: -90, claims: (claims) => ({ ...claims, exp: Number(claims.iat) + 20 }) };
    const app = createOAuthApp(op, [oidc(op)]);
    await expectRefused(app, await app.signIn());
  });

  it("F14: the second attempt succeeds after the token endpoint has moved", async () => {
    using clock = createClock();
    const app = createOAuthApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
    clock.advance("1 minute");
    op.script = {
      takeover: { "/token": (_, response) => void response.writeHead(404).end() },
    };
    await app.signIn();
    app.log.errors.length = 0;
    op.script = {};
    await expectSignedIn(app, await app.signIn());
    expect(op.count(DISCOVERY)).toBe(2);
  });
});

describe("F31: the visitor's browser aborts the callback", () => {
  it("F31: aborting the callback aborts the request to the provider", async () => {
    let closed: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => {
      closed = resolve;
    });
    op.script = { takeover: { "/token": (_, response) => void response.on("close", closed!) } };
    const app = createOAuthApp(op, [oidc(op)], { errors: "allowed" });
    const { url } = await op.authorize(await app.startSignIn());
    const cookie = [...app.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const visitor = new AbortController();
    const answer = app.auth.fetch(
      new Request(url, { headers: { cookie }, signal: visitor.signal }),
    );
    setTimeout(() => visitor.abort(), 50);
    await ended;
    expect((await answer).headers.getSetCookie().join()).not.toMatch(/session-token=[^;]/);
    // Nothing is wrong on the server.
    expect(app.log.errors).toEqual([]);
    expect(app.log.debugs.map(([text]) => text)).toContain(
      "The client has disconnected: the request ends without its response.",
    );
  });
});

describe("F31: the visitor's browser aborts the callback while profile() hangs", () => {
  it("F31: aborting the callback ends it although profile() hangs", async () => {
    const app = createOAuthApp(op, [oidc(op, { profile: () => new Promise(() => {}) })], {
      errors: "allowed",
    });
    const { url } = await op.authorize(await app.startSignIn());
    const cookie = [...app.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const signal = AbortSignal.timeout(200);
    const response = await app.auth.fetch(new Request(url, { headers: { cookie }, signal }));
    expect(response.headers.get("location")).toContain("error=");
  });
});

describe("F32: a callback that is delivered twice", () => {
  it("F32: one of two concurrent deliveries of a callback signs in, the other is refused", async () => {
    const app = createOAuthApp(op, [oidc(op)], { errors: "allowed" });
    const { url } = await op.authorize(await app.startSignIn());
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
