import { describe, expect, it } from "vitest";
import type { CookieSink, RequestEvent } from "../../src/kernel.ts";
import type { CookieAttributes } from "../../src/types/cookie.ts";
import { createTestAuth, LOVELACE, ORIGIN } from "../_app.ts";

const GRACE = { ...LOVELACE, username: "grace" };
const SESSION = "authjs.session-token";

/** A response that accepts cookies, and the cookies that it received. */
function createResponse() {
  const cookies: { name: string; value: string; attributes: CookieAttributes }[] = [];
  let isPrivate = false;
  const sink: CookieSink = {
    set: (name, value, attributes) => void cookies.push({ name, value, attributes }),
    forbidCaching: () => (isPrivate = true),
  };
  return { sink, cookies, isPrivate: () => isPrivate };
}

/** An application whose sessions are extended by each read, and the event of a signed-in browser. */
async function start() {
  const reads: string[] = [];
  const app = createTestAuth({
    session: { updateAge: 0 },
    events: { session: ({ session }) => void reads.push(session.user?.name ?? "") },
  });
  await app.browser.signInWith("credentials", LOVELACE);
  reads.length = 0;
  const cookie = [...app.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const req = new Request(`${ORIGIN}/page`, { headers: { cookie } });
  return { ...app, req, reads };
}

describe("the event of a request", () => {
  it("has one session, however often and with whatever function it is read", async () => {
    const { auth, req, reads } = await start();
    const headers = new Headers();
    const event: RequestEvent = { req, res: { headers } };
    const both = await Promise.all([auth.getSession(event), auth.getSession(event)]);
    expect(both[1]).toBe(both[0]);
    await auth.auth(event);
    await auth.requireSession({ req, res: { headers } });
    await auth.authorize(event);
    expect(reads).toEqual(["Ada"]);
    expect(headers.getSetCookie()).toHaveLength(1);
  });

  it("has the new session after a sign-in, an update or a sign-out", async () => {
    const { auth, req, log } = await start();
    const headers = new Headers();
    const event: RequestEvent = { req, res: { headers } };
    expect(await auth.getSession(event)).toMatchObject({ user: { name: "Ada" } });
    await auth.signOut(event, { redirect: false });
    expect(await auth.getSession(event)).toBeNull();
    await auth.signIn(event, "credentials", { ...LOVELACE, redirect: false });
    expect(await auth.getSession(event)).toMatchObject({ user: { name: "Ada" } });
    await expect(auth.signIn(event, "credentials", { ...GRACE })).rejects.toThrow();
    expect(log.errors.splice(0)).toMatchObject([{ type: "CredentialsSignin" }]);
    expect(await auth.getSession(event)).toMatchObject({ user: { name: "Ada" } });
    const tokens = headers.getSetCookie().filter((cookie) => cookie.startsWith(SESSION));
    expect(tokens).toHaveLength(1);
  });

  it("is read again when the first read failed", async () => {
    let fails = true;
    const { auth, browser } = createTestAuth({
      callbacks: {
        session({ session }) {
          if (fails) throw new Error("the database is down");
          return session;
        },
      },
    });
    fails = false;
    await browser.signInWith("credentials", LOVELACE);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const req = new Request(`${ORIGIN}/page`, { headers: { cookie } });
    const event: RequestEvent = { req, res: { headers: new Headers() } };
    fails = true;
    await expect(auth.getSession(event)).rejects.toThrow();
    fails = false;
    expect(await auth.getSession(event)).toMatchObject({ user: { name: "Ada" } });
  });

  it("may be cached while its session is held, and not after it is used", async () => {
    const { auth, req } = await start();
    const headers = new Headers({ "cache-control": "public, max-age=60" });
    const { session, use } = await auth.holdSession({ req, res: { headers } });
    expect(session).toMatchObject({ user: { name: "Ada" } });
    expect([...headers]).toEqual([["cache-control", "public, max-age=60"]]);
    use();
    use();
    expect(headers.get("cache-control")).toBe("private, no-store");
    expect(headers.getSetCookie()).toHaveLength(1);
  });

  it("does not get back the cookies of a held session that was signed out", async () => {
    const { auth, req } = await start();
    const headers = new Headers();
    const { use } = await auth.holdSession({ req, res: { headers } });
    await auth.signOut({ req, res: { headers } }, { redirect: false });
    use();
    const [token, ...others] = headers.getSetCookie().filter((one) => one.startsWith(SESSION));
    expect(others).toEqual([]);
    expect(token).toContain("Max-Age=0");
  });
});

describe("a Request without its response", () => {
  it("has a session that is read at each call, because the connection may last long", async () => {
    const { auth, req, reads } = await start();
    await auth.getSession(req);
    await auth.getSession(req);
    expect(reads).toEqual(["Ada", "Ada"]);
  });
});

describe("a response that accepts cookies", () => {
  it("receives the raw value and the attributes of each cookie", async () => {
    const { auth } = await start();
    const { sink, cookies, isPrivate } = createResponse();
    const req = new Request(`${ORIGIN}/page`);
    await auth.csrfToken({ req, res: { cookies: sink } });
    expect(cookies).toEqual([
      {
        name: "authjs.csrf-token",
        value: expect.stringMatching(/^[\da-f]{64}\|[\da-f]{64}$/),
        attributes: { httpOnly: true, path: "/", sameSite: "lax", secure: false },
      },
    ]);
    expect(isPrivate()).toBe(true);
  });

  it("carries the extended cookie of a session that is read", async () => {
    const { auth, req } = await start();
    const { sink, cookies, isPrivate } = createResponse();
    await auth.getSession({ req, res: { cookies: sink } });
    await auth.getSession({ req, res: { cookies: sink } });
    expect(cookies.map(({ name }) => name)).toEqual([SESSION]);
    expect(cookies[0]?.attributes).toMatchObject({ httpOnly: true, path: "/" });
    expect(isPrivate()).toBe(true);
  });

  it("is private even for a visitor without a session", async () => {
    const { auth } = createTestAuth();
    const { sink, cookies, isPrivate } = createResponse();
    const req = new Request(`${ORIGIN}/page`);
    expect(await auth.getSession({ req, res: { cookies: sink } })).toBeNull();
    expect(cookies).toEqual([]);
    expect(isPrivate()).toBe(true);
  });

  it("keeps the session when it no longer accepts cookies, and makes a sign-in fail", async () => {
    const { auth, req } = await start();
    const cookies: CookieSink = {
      set() {
        throw new Error("cookies cannot be set after the response was generated");
      },
    };
    const event: RequestEvent = { req, res: { cookies } };
    expect(await auth.getSession(event)).toMatchObject({ user: { name: "Ada" } });
    await expect(auth.signIn(event, "credentials", { ...LOVELACE })).rejects.toThrow(
      "cookies cannot be set",
    );
  });
});
