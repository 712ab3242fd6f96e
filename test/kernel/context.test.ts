import { describe, expect, it } from "vitest";
import type { AuthConfig, AuthContext } from "../../src/kernel.ts";
import { isTrusted } from "../../src/request/context.ts";
import { createTestAuth, credentials, ENV, LOVELACE, ORIGIN } from "../_app.ts";

/** Returns the context of one request. */
async function getContext(
  path = "/auth/look",
  init: RequestInit = {},
  config: AuthConfig = {},
  origin = ORIGIN,
): Promise<AuthContext> {
  let seen: AuthContext | undefined;
  const handler = (ctx: AuthContext) => {
    seen = ctx;
    return new Response();
  };
  const { auth } = createTestAuth({
    ...config,
    use: [
      {
        name: "look",
        setup(kernel) {
          kernel.addRoute({ method: "GET", path: "/look", handler });
          kernel.addRoute({ method: "POST", path: "/look", csrf: false, handler });
          kernel.addRoute({ method: "GET", path: "/look/:provider", handler });
        },
      },
    ],
  });
  await auth.fetch(new Request(origin + path, init));
  return seen as AuthContext;
}

describe("AuthContext", () => {
  it("ctx has the request's action, provider, origin, base and URL", async () => {
    const ctx = await getContext("/auth/look/credentials?x=1");
    expect(ctx.action).toBe("look");
    expect(ctx.provider).toMatchObject({
      id: "credentials",
      signinUrl: `${ORIGIN}/auth/signin/credentials`,
      callbackUrl: `${ORIGIN}/auth/callback/credentials`,
    });
    expect(ctx.origin).toBe(ORIGIN);
    expect(ctx.base).toBe(`${ORIGIN}/auth`);
    expect(ctx.url.href).toBe(`${ORIGIN}/auth/look/credentials?x=1`);
    expect(isTrusted(ctx)).toBe(false);
  });

  it("ctx.url is on the public origin of AUTH_URL", async () => {
    const ctx = await getContext(
      "/look?x=1",
      {},
      { env: { ...ENV, AUTH_URL: "https://app.example" }, basePath: "/" },
      "http://10.0.0.1:8080",
    );
    expect(ctx.url.href).toBe("https://app.example/look?x=1");
    expect(ctx.base).toBe("https://app.example");
    expect(ctx.cookies.spec("sessionToken").name).toBe("__Secure-authjs.session-token");
  });

  it("ctx.body() reads the body once, and is empty for a GET", async () => {
    const form = new URLSearchParams({ a: "1" });
    const ctx = await getContext("/auth/look", { method: "POST", body: form });
    expect(await ctx.body()).toEqual({ a: "1" });
    expect(ctx.body()).toBe(ctx.body());
    expect(await (await getContext()).body()).toEqual({});
  });

  it("ctx.signal is aborted together with its request", async () => {
    const client = new AbortController();
    const { signal } = await getContext("/auth/look", { signal: client.signal });
    expect(signal.aborted).toBe(false);
    client.abort();
    expect(signal.aborted).toBe(true);
  });

  it("ctx.nonce is unguessable, stable within a request and different for each request", async () => {
    const [one, two] = [await getContext(), await getContext()];
    expect(one.nonce).toMatch(/^[\w-]{22}$/);
    expect(one.nonce).toBe(one.nonce);
    expect(one.nonce).not.toBe(two.nonce);
  });

  it("ctx.csrfToken() creates one token and sets its cookie once", async () => {
    const ctx = await getContext();
    const [one, two] = await Promise.all([ctx.csrfToken(), ctx.csrfToken()]);
    expect(one).toBe(two);
    expect(ctx.cookies.pending).toHaveLength(1);
  });

  it("ctx.callbackUrl() calls the redirect callback once", async () => {
    let asked = 0;
    const ctx = await getContext(
      "/auth/look?callbackUrl=/x",
      {},
      {
        callbacks: {
          redirect({ url, baseUrl }) {
            asked++;
            return baseUrl + url;
          },
        },
      },
    );
    expect(await ctx.callbackUrl()).toBe(`${ORIGIN}/x`);
    expect(await ctx.callbackUrl()).toBe(`${ORIGIN}/x`);
    expect(asked).toBe(1);
  });

  it.each([
    ["a field before the query", "/auth/look?callbackUrl=/query", "/field", "/field"],
    ["the query without a field", "/auth/look?callbackUrl=/query", undefined, "/query"],
  ])("ctx.callbackUrl() accepts %s", async (_, path, callbackUrl, expected) => {
    const body = new URLSearchParams(callbackUrl === undefined ? {} : { callbackUrl });
    const ctx = await getContext(path, { method: "POST", body });
    expect(await ctx.callbackUrl()).toBe(ORIGIN + expected);
  });

  it.each([[1], [true], [null], [["/x"]], [{ href: "/x" }]])(
    "ctx.callbackUrl() ignores %j, because a callbackUrl is a string",
    async (callbackUrl) => {
      const ctx = await getContext("/auth/look", {
        method: "POST",
        body: JSON.stringify({ callbackUrl }),
        headers: { "content-type": "application/json" },
      });
      expect(await ctx.callbackUrl()).toBe(ORIGIN);
    },
  );

  it("ctx.json() writes undefined as null and accepts a status and headers", async () => {
    const ctx = await getContext();
    expect(await ctx.json(undefined).text()).toBe("null");
    const answer = ctx.json({ a: 1 }, { status: 201, headers: { "x-a": "b" } });
    expect([answer.status, answer.headers.get("x-a")]).toEqual([201, "b"]);
  });
});

describe("secure cookies", () => {
  const name = async (origin: string, config: AuthConfig = {}) =>
    (await getContext("/auth/look", {}, config, origin)).cookies.spec("csrfToken").name;

  it("cookies are secure when the public origin is https", async () => {
    expect(await name("http://localhost:3000")).toBe("authjs.csrf-token");
    expect(await name("https://app.example")).toBe("__Host-authjs.csrf-token");
  });

  it("useSecureCookies takes precedence over the scheme of the origin", async () => {
    expect(await name("https://app.example", { useSecureCookies: false })).toBe(
      "authjs.csrf-token",
    );
    expect(await name("http://app.example", { useSecureCookies: true })).toBe(
      "__Host-authjs.csrf-token",
    );
  });
});

describe("useSecureCookies: true without a configured URL", () => {
  it("development warns once of an http origin, where browsers drop the cookies, and production never does", async () => {
    const warn = async (origin: string, env: Record<string, string>) => {
      const { auth, log } = createTestAuth({
        env: { ...ENV, AUTH_URL: "", ...env },
        trustHost: true,
        useSecureCookies: true,
      });
      for (let i = 0; i < 3; i++) await auth.fetch(new Request(`${origin}/auth/csrf`));
      return log.warnings.filter((code) => code === "cookies-not-accepted");
    };
    expect(await warn("http://localhost:3000", {})).toEqual(["cookies-not-accepted"]);
    expect(await warn("https://localhost:3000", {})).toEqual([]);
    // A proxy may have ended TLS without a header that says so.
    expect(await warn("http://app.example", { NODE_ENV: "production" })).toEqual([]);
  });
});

describe("concurrent requests", () => {
  it("contexts of concurrent requests share no state", async () => {
    const { openBrowser } = createTestAuth({
      providers: [
        credentials({
          authorize: async ({ username }) => {
            await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
            return { id: String(username), name: String(username) };
          },
        }),
      ],
    });
    const names = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const browser = openBrowser();
        await browser.signInWith("credentials", { ...LOVELACE, username: `user-${at}` });
        return (await browser.session<{ user: { name: string } }>())?.user.name;
      }),
    );
    expect(names).toEqual(Array.from({ length: 30 }, (_, at) => `user-${at}`));
  });
});
