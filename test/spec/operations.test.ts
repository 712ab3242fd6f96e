import { describe, expect, it } from "vitest";
import { decode, encode, getToken } from "../../src/jwt/jwt.ts";
import { createAuthWith } from "../../src/kernel.ts";
import { createTestAuth, credentials, ENV, testPreset, LOVELACE, ORIGIN, SECRET } from "../_app.ts";

const NAME = "authjs.session-token";

async function signedIn() {
  const app = createTestAuth();
  await app.browser.signInWith("credentials", LOVELACE);
  const cookie = [...app.browser.cookies].map((pair) => pair.join("=")).join("; ");
  return { ...app, cookie, call: new Request(`${ORIGIN}/page`, { headers: { cookie } }) };
}

describe("SPEC Programmatic operations: initialize", () => {
  it("initializing with a config object returns handlers (GET, POST), auth, signIn, signOut, unstable_update", () => {
    const { auth } = createTestAuth();
    expect(auth.handlers).toMatchObject({ GET: expect.any(Function), POST: expect.any(Function) });
    for (const verb of ["auth", "signIn", "signOut", "unstable_update"] as const) {
      expect(auth[verb]).toBeInstanceOf(Function);
    }
  });

  it("initializing with function(request) that returns the config or a promise of it", async () => {
    const config = { secret: SECRET, env: ENV, providers: [credentials()] };
    for (const source of [() => config, async () => config]) {
      const auth = createAuthWith(testPreset, source);
      const response = await auth.handlers.GET(new Request(`${ORIGIN}/auth/providers`));
      expect(await response.json()).toHaveProperty("credentials");
      expect(await auth.auth(new Request(ORIGIN))).toBeNull();
    }
  });

  it("providers may be functions that return an object", async () => {
    const { browser } = createTestAuth({ providers: [() => credentials({ id: "lazy" })] });
    expect(await (await browser.get("/auth/providers")).json()).toHaveProperty("lazy");
  });
});

describe("SPEC Programmatic operations: auth(...)", () => {
  it("auth(request) resolves to the Session or null", async () => {
    const { auth, call } = await signedIn();
    expect(await auth.auth(call)).toMatchObject({ user: { name: "Ada" } });
    expect(await auth.auth(new Request(ORIGIN))).toBeNull();
  });

  it("auth() accepts a request/response pair", async () => {
    const { auth, call } = await signedIn();
    const pair = { req: call, res: { headers: new Headers() } };
    expect(await auth.auth(pair)).toMatchObject({ user: { name: "Ada" } });
  });

  it("auth(handler) passes the request with an `auth` property", async () => {
    const { auth, call } = await signedIn();
    const response = await auth.auth((request) => Response.json(request.auth))(call);
    expect(await response.json()).toMatchObject({ user: { name: "Ada" } });
  });
});

describe("SPEC Programmatic operations: signIn, signOut", () => {
  it("signIn() without a provider redirects to the sign-in page", async () => {
    const { auth } = createTestAuth();
    const response = (await auth.signIn(new Request(ORIGIN))) as Response;
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toMatch(/^http:\/\/localhost:3000\/auth\/signin\?/);
  });

  it("signIn() redirects to redirectTo, a relative path, and to the current page by default", async () => {
    const { auth } = createTestAuth();
    const at = async (options: object) =>
      (
        (await auth.signIn(
          new Request(`${ORIGIN}/action`, { headers: { referer: `${ORIGIN}/current` } }),
          "credentials",
          { ...LOVELACE, ...options },
        )) as Response
      ).headers.get("location");
    expect(await at({ redirectTo: "/there" })).toBe(`${ORIGIN}/there`);
    expect(await at({})).toBe(`${ORIGIN}/current`);
  });

  it("signIn() with `redirect: false` returns the target URL", async () => {
    const { auth } = createTestAuth();
    const options = { ...LOVELACE, redirect: false, redirectTo: "/there" };
    expect(await auth.signIn(new Request(ORIGIN), "credentials", options)).toBe(`${ORIGIN}/there`);
  });

  it("signOut() with `redirect: false` returns the target URL instead of redirecting", async () => {
    const { auth, call } = await signedIn();
    expect(await auth.signOut(call, { redirect: false, redirectTo: "/bye" })).toBe(`${ORIGIN}/bye`);
  });

  it("signOut() redirects, to the current page by default", async () => {
    const { auth, cookie } = await signedIn();
    const call = new Request(`${ORIGIN}/action`, {
      headers: { cookie, referer: `${ORIGIN}/current` },
    });
    const response = (await auth.signOut(call)) as Response;
    expect(response.headers.get("location")).toBe(`${ORIGIN}/current`);
    expect(response.headers.getSetCookie().join()).toContain(`${NAME}=; Max-Age=0`);
  });
});

describe("SPEC Programmatic operations: getToken, encode, decode", () => {
  it("getToken() resolves to the JWT or null, and with `raw` to the token string", async () => {
    const { call, browser } = await signedIn();
    expect(await getToken({ req: call, secret: SECRET })).toMatchObject({ sub: "1", name: "Ada" });
    expect(await getToken({ req: call, secret: SECRET, raw: true })).toBe(
      browser.cookies.get(NAME),
    );
    expect(await getToken({ req: new Request(ORIGIN), secret: SECRET })).toBeNull();
  });

  it("encode() and decode() write and read the token of the session cookie", async () => {
    const { browser } = createTestAuth();
    const token = await encode({ token: { sub: "9", name: "Made" }, secret: SECRET, salt: NAME });
    browser.cookies.set(NAME, token);
    expect(await browser.session()).toMatchObject({ user: { name: "Made" } });
    expect(await decode({ token, secret: SECRET, salt: NAME })).toMatchObject({ sub: "9" });
  });
});
