import { describe, expect, it, vi } from "vitest";
import { createAuth } from "../../presets/minimal.ts";
import { MissingRequest } from "../../src/errors.ts";
import type { AuthConfig, AuthedRequest } from "../../src/index.ts";
import {
  createHouse,
  ENV,
  LOVELACE,
  ORIGIN,
  SECRET,
  setCookie,
  setCookieNames,
} from "../_setup.ts";

/** A page of the application, asked for by a browser that is signed in or not. */
async function pageRequest(
  { signedIn = false, path = "/page", init = {} as RequestInit } = {},
  config: AuthConfig = {},
) {
  const house = createHouse(config);
  if (signedIn) await house.browser.signInWith("credentials", LOVELACE);
  const cookie = [...house.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const request = new Request(ORIGIN + path, { ...init, headers: { cookie, ...init.headers } });
  return { ...house, request };
}

const ok = () => new Response("page");

describe("getSession and auth", () => {
  it("answer the session of a request, or null", async () => {
    const out = await pageRequest();
    expect(await out.auth.getSession(out.request)).toBeNull();
    const { auth, request } = await pageRequest({ signedIn: true });
    expect(await auth.getSession(request)).toMatchObject({ user: { name: "Ada" } });
    expect(await auth.auth(request)).toMatchObject({ user: { name: "Ada" } });
  });

  it("take an event, onto whose response renewed cookies go", async () => {
    const { auth, request } = await pageRequest({ signedIn: true }, { session: { updateAge: 0 } });
    const headers = new Headers();
    await auth.auth({ req: request, res: { headers } });
    expect(headers.getSetCookie()[0]).toMatch(/^authjs\.session-token=/);
    expect(headers.get("cache-control")).toBe("private, no-store");
  });

  it("do without an event's response", async () => {
    const { auth, request } = await pageRequest({ signedIn: true });
    expect(await auth.getSession({ req: request })).toMatchObject({ user: { name: "Ada" } });
  });

  it("reject without a request", async () => {
    const { auth } = createHouse();
    for (const call of [undefined, null, "x"]) {
      await expect(auth.getSession(call as never)).rejects.toThrow(MissingRequest);
      await expect(auth.auth(call as never)).rejects.toThrow(MissingRequest);
      await expect(auth.signIn(call as never)).rejects.toThrow(MissingRequest);
    }
  });
});

describe("a wrapped handler", () => {
  it("is given the request with its session, and what else the framework passes", async () => {
    const { auth, request } = await pageRequest({ signedIn: true });
    const handler = vi.fn((req: AuthedRequest, extra: object) =>
      Response.json({ auth: req.auth, extra }),
    );
    const response = await auth.auth(handler)(request, { params: { id: 1 } });
    expect(await response.json()).toMatchObject({
      auth: { user: { name: "Ada" } },
      extra: { params: { id: 1 } },
    });
  });

  it("runs for somebody unknown too where nothing guards it", async () => {
    const { auth, request } = await pageRequest();
    const response = await auth.auth((req) => Response.json(req.auth))(request);
    expect(await response.json()).toBeNull();
  });

  it("sends renewed cookies with the response, which is private then (R10)", async () => {
    const { auth, request } = await pageRequest({ signedIn: true }, { session: { updateAge: 0 } });
    const wrapped = auth.auth(
      () => new Response("page", { headers: { "cache-control": "public, max-age=60" } }),
    );
    const response = await wrapped(request);
    expect(setCookieNames(response)).toEqual(["authjs.session-token"]);
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(await response.text()).toBe("page");
  });

  it("may answer with a redirect of the platform while cookies are renewed", async () => {
    const { auth, request } = await pageRequest({ signedIn: true }, { session: { updateAge: 0 } });
    const response = await auth.auth(() => Response.redirect(`${ORIGIN}/there`))(request);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/there`);
    expect(setCookie(response, "authjs.session-token")).toBeDefined();
  });

  it("leaves the response alone where there is nothing to add", async () => {
    const { auth, request } = await pageRequest({ signedIn: true });
    const answer = ok();
    expect(await auth.auth(() => answer)(request)).toBe(answer);
  });

  it("rejects with what it throws", async () => {
    const { auth, request } = await pageRequest();
    const wrapped = auth.auth(() => {
      throw new RangeError("mine");
    });
    await expect(wrapped(request)).rejects.toThrow("mine");
  });
});

describe("a guard (the authorized callback)", () => {
  const guard = (authorized: NonNullable<AuthConfig["callbacks"]>["authorized"]): AuthConfig => ({
    callbacks: { authorized: authorized as never },
  });
  const signedInOnly = guard(({ auth }) => auth);

  it("lets in for a truthy answer, and the handler runs", async () => {
    const { auth, request } = await pageRequest({ signedIn: true }, signedInOnly);
    expect(await (await auth.auth(ok)(request)).text()).toBe("page");
  });

  it("leads to the sign-in page for a falsy one, and the handler does not run", async () => {
    const { auth, request } = await pageRequest({ path: "/page?x=1" }, signedInOnly);
    const handler = vi.fn(ok);
    const response = await auth.auth(handler)(request);
    expect(handler).not.toHaveBeenCalled();
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe(
      `${ORIGIN}/auth/signin?callbackUrl=${encodeURIComponent(`${ORIGIN}/page?x=1`)}`,
    );
  });

  it("leads to the application's own page", async () => {
    const { auth, request } = await pageRequest(
      {},
      { ...signedInOnly, pages: { signIn: "/login" } },
    );
    const response = await auth.auth(ok)(request);
    expect(response.headers.get("location")).toMatch(
      /^http:\/\/localhost:3000\/login\?callbackUrl=/,
    );
  });

  it("keeps the sign-in page itself reachable: no loop", async () => {
    const config = { ...signedInOnly, pages: { signIn: "/login" } };
    const { auth, request } = await pageRequest({ path: "/login?error=x" }, config);
    expect(await (await auth.auth(ok)(request)).text()).toBe("page");
  });

  it.each(["/", "/login"])(
    "does not take %s for the sign-in page of another site at that path",
    async (path) => {
      const config = { ...signedInOnly, pages: { signIn: `https://accounts.example${path}` } };
      const { auth, request } = await pageRequest({ path }, config);
      const handler = vi.fn(ok);
      const response = await auth.auth(handler)(request);
      expect(handler).not.toHaveBeenCalled();
      expect(response.headers.get("location")).toContain("https://accounts.example/");
    },
  );

  it.each(["POST", "PUT", "DELETE", "PATCH"])("answers a refused %s by 401", async (method) => {
    const { auth, request } = await pageRequest({ init: { method } }, signedInOnly);
    const response = await auth.auth(ok)(request);
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ message: "Sign in first." });
  });

  it("uses a Response as it is", async () => {
    const { auth, request } = await pageRequest(
      {},
      guard(() => new Response("pay first", { status: 402 })),
    );
    expect((await auth.auth(ok)(request)).status).toBe(402);
  });

  it.each([[undefined], [null], [false], [0], [""]])("refuses for %j", async (answer) => {
    const { auth, request } = await pageRequest(
      { signedIn: true },
      guard(() => answer),
    );
    expect((await auth.auth(ok)(request)).status).toBe(302);
  });

  it("that throws lets nobody in", async () => {
    const { auth, request } = await pageRequest(
      { signedIn: true },
      guard(() => {
        throw new Error("broken guard");
      }),
    );
    const handler = vi.fn(ok);
    await expect(auth.auth(handler)(request)).rejects.toThrow("broken guard");
    expect(handler).not.toHaveBeenCalled();
  });

  it("is asked by `authorize`, which answers what to send", async () => {
    const out = await pageRequest({}, signedInOnly);
    const refused = await out.auth.authorize(out.request);
    expect(refused?.headers.get("location")).toContain("/auth/signin?callbackUrl=");
    const inside = await pageRequest({ signedIn: true }, signedInOnly);
    expect(await inside.auth.authorize(inside.request)).toBeUndefined();
  });

  it("is told the request and its session", async () => {
    const authorized = vi.fn(() => true);
    const { auth, request } = await pageRequest({ signedIn: true }, guard(authorized));
    await auth.authorize(request);
    expect(authorized).toHaveBeenCalledExactlyOnceWith({
      request,
      auth: expect.objectContaining({ user: expect.objectContaining({ name: "Ada" }) }),
    });
  });
});

describe("nothing happens before the first request", () => {
  it("creation reads no environment, no clock and throws nothing", () => {
    expect(() => createAuth({ basePath: "/a b", secret: "" })).not.toThrow();
    expect(() => createAuth()).not.toThrow();
  });

  it("handlers are the same for GET and POST, and need no `this`", async () => {
    const { handlers, fetch } = createAuth({ secret: SECRET, env: ENV });
    const request = () => new Request(`${ORIGIN}/auth/session`);
    for (const answer of [handlers.GET, handlers.POST, fetch]) {
      expect(await (await answer(request())).json()).toBeNull();
    }
  });
});
