import { describe, expect, it } from "vitest";
import { createAuthWith } from "../../src/index.ts";
import { decode, encode, getToken } from "../../src/jwt.ts";
import { createHouse, credentials, ENV, housePreset, LOVELACE, ORIGIN, SECRET } from "../_setup.ts";

const NAME = "authjs.session-token";

async function signedIn() {
  const house = createHouse();
  await house.browser.signInWith("credentials", LOVELACE);
  const cookie = [...house.browser.cookies].map((pair) => pair.join("=")).join("; ");
  return { ...house, cookie, call: new Request(`${ORIGIN}/page`, { headers: { cookie } }) };
}

describe("SPEC Programmatic operations: initialize", () => {
  it("config object: handlers (GET, POST), auth, signIn, signOut, unstable_update", () => {
    const { auth } = createHouse();
    expect(auth.handlers).toEqual({ GET: expect.any(Function), POST: expect.any(Function) });
    for (const verb of ["auth", "signIn", "signOut", "unstable_update"] as const) {
      expect(auth[verb]).toBeInstanceOf(Function);
    }
  });

  it("or function(request) returning config, or a promise of it (lazy initialization)", async () => {
    const config = { secret: SECRET, env: ENV, providers: [credentials()] };
    for (const source of [() => config, async () => config]) {
      const auth = createAuthWith(housePreset, source);
      const response = await auth.handlers.GET(new Request(`${ORIGIN}/auth/providers`));
      expect(await response.json()).toHaveProperty("credentials");
      expect(await auth.auth(new Request(ORIGIN))).toBeNull();
    }
  });

  it("providers as functions returning an object", async () => {
    const { browser } = createHouse({ providers: [() => credentials({ id: "lazy" })] });
    expect(await (await browser.get("/auth/providers")).json()).toHaveProperty("lazy");
  });
});

describe("SPEC Programmatic operations: auth(...)", () => {
  it("a request: promise of Session or null", async () => {
    const { auth, call } = await signedIn();
    expect(await auth.auth(call)).toMatchObject({ user: { name: "Ada" } });
    expect(await auth.auth(new Request(ORIGIN))).toBeNull();
  });

  it("a request/response pair", async () => {
    const { auth, call } = await signedIn();
    const pair = { req: call, res: { headers: new Headers() } };
    expect(await auth.auth(pair)).toMatchObject({ user: { name: "Ada" } });
  });

  it("a handler function: receives the request with an `auth` property", async () => {
    const { auth, call } = await signedIn();
    const response = await auth.auth((request) => Response.json(request.auth))(call);
    expect(await response.json()).toMatchObject({ user: { name: "Ada" } });
  });
});

describe("SPEC Programmatic operations: signIn, signOut", () => {
  it("signIn: provider absent: user is sent to the sign-in page", async () => {
    const { auth } = createHouse();
    const response = (await auth.signIn(new Request(ORIGIN))) as Response;
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toMatch(/^http:\/\/localhost:3000\/auth\/signin\?/);
  });

  it("signIn: redirectTo, a relative path; default the current page", async () => {
    const { auth } = createHouse();
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

  it("signIn: with `redirect` false returns a value", async () => {
    const { auth } = createHouse();
    const options = { ...LOVELACE, redirect: false, redirectTo: "/there" };
    expect(await auth.signIn(new Request(ORIGIN), "credentials", options)).toBe(`${ORIGIN}/there`);
  });

  it("signOut: `redirect` false returns the target URL instead of redirecting", async () => {
    const { auth, call } = await signedIn();
    expect(await auth.signOut(call, { redirect: false, redirectTo: "/bye" })).toBe(`${ORIGIN}/bye`);
  });

  it("signOut: redirects, to the current page by default", async () => {
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
  it("getToken: JWT or null; raw: the token string", async () => {
    const { call, browser } = await signedIn();
    expect(await getToken({ req: call, secret: SECRET })).toMatchObject({ sub: "1", name: "Ada" });
    expect(await getToken({ req: call, secret: SECRET, raw: true })).toBe(
      browser.cookies.get(NAME),
    );
    expect(await getToken({ req: new Request(ORIGIN), secret: SECRET })).toBeNull();
  });

  it("encode and decode make and read the very token of the session cookie", async () => {
    const { browser } = createHouse();
    const token = await encode({ token: { sub: "9", name: "Made" }, secret: SECRET, salt: NAME });
    browser.cookies.set(NAME, token);
    expect(await browser.session()).toMatchObject({ user: { name: "Made" } });
    expect(await decode({ token, secret: SECRET, salt: NAME })).toMatchObject({ sub: "9" });
  });
});
