import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AuthConfig, CallbacksOptions, JWT, Session } from "../../src/index.ts";
import {
  acme,
  ADA,
  createHouse,
  identityFlow,
  LOVELACE,
  ORIGIN,
  plainAdapter,
  queryOf,
  Rows,
} from "../_setup.ts";

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-06-01T12:00:00Z") }),
);
afterEach(() => void vi.useRealTimers());

const signIn = async (callbacks: CallbacksOptions, config: AuthConfig = {}) => {
  const house = createHouse({ callbacks, ...config });
  const response = await house.browser.signInWith("credentials", LOVELACE);
  return { ...house, response };
};

describe("SPEC Callbacks: jwt", () => {
  it("token: on sign-in a subset with name, email, image", async () => {
    const jwt = vi.fn(({ token }: { token: JWT }) => token);
    await signIn({ jwt });
    expect(jwt.mock.calls[0]?.[0].token).toEqual({
      name: "Ada",
      email: "ada@example.com",
      picture: null,
      sub: "1",
    });
  });

  it("user, account: given when a token is created", async () => {
    const jwt = vi.fn(({ token }: { token: JWT }) => token);
    await signIn({ jwt });
    expect(jwt.mock.calls[0]?.[0]).toMatchObject({
      user: ADA,
      account: { provider: "credentials", providerAccountId: "1", type: "credentials" },
      trigger: "signIn",
    });
  });

  it("trigger `signUp`, profile and isNewUser: for somebody new", async () => {
    const jwt = vi.fn(({ token }: { token: JWT }) => token);
    const { browser } = createHouse(
      {
        providers: [acme()],
        adapter: plainAdapter(new Rows()),
        session: { strategy: "jwt" },
        callbacks: { jwt },
      },
      { use: [identityFlow(() => ({}))] },
    );
    await browser.get("/auth/callback/acme");
    expect(jwt.mock.calls[0]?.[0]).toMatchObject({
      trigger: "signUp",
      isNewUser: true,
      profile: { sub: "acme-1" },
    });
    await browser.get("/auth/callback/acme");
    expect(jwt.mock.calls[1]?.[0]).toMatchObject({ trigger: "signIn", isNewUser: false });
  });

  it("session, trigger `update`: client data on update, unchecked", async () => {
    const jwt = vi.fn(({ token }: { token: JWT }) => token);
    const { browser } = await signIn({ jwt });
    await browser.post("/auth/session", undefined, {
      body: JSON.stringify({ csrfToken: await browser.csrfToken(), data: ["anything", { x: 1 }] }),
      headers: { "content-type": "application/json" },
    });
    expect(jwt.mock.lastCall?.[0]).toMatchObject({
      trigger: "update",
      session: ["anything", { x: 1 }],
    });
  });

  it("returned content is saved in the token and passed to the session callback", async () => {
    const session = vi.fn(({ session: it }: { session: Session }) => it);
    const { browser } = await signIn({
      jwt: ({ token, user }) => (user ? { ...token, role: "countess" } : token),
      session,
    });
    await browser.session();
    expect(session.mock.calls[0]?.[0]).toMatchObject({ token: { role: "countess", sub: "1" } });
  });

  it("null: no session", async () => {
    const { browser } = await signIn({ jwt: () => null });
    expect(await browser.session()).toBeNull();
  });
});

describe("SPEC Callbacks: session", () => {
  it("called on every session check; the return value is exposed to the client", async () => {
    const session = vi.fn(({ session: it }: { session: Session }) => ({ ...it, seen: true }));
    const { browser } = await signIn({ session });
    expect(await browser.session()).toMatchObject({ seen: true });
    expect(await browser.session()).toMatchObject({ seen: true });
    expect(session).toHaveBeenCalledTimes(2);
  });

  it("session, token (jwt strategy only)", async () => {
    const session = vi.fn(({ session: it }: { session: Session }) => it);
    const { browser } = await signIn({ session });
    await browser.session();
    expect(Object.keys(session.mock.calls[0]?.[0] ?? {}).sort()).toEqual(["session", "token"]);
    expect(session.mock.calls[0]?.[0].session).toEqual({
      user: { name: "Ada", email: "ada@example.com", image: null },
      expires: "2026-07-01T12:00:00.000Z",
    });
  });

  it("newSession and trigger `update` on update", async () => {
    const session = vi.fn(({ session: it }: { session: Session }) => it);
    const { browser } = await signIn({ session });
    await browser.post("/auth/session", undefined, {
      body: JSON.stringify({ csrfToken: await browser.csrfToken(), data: { a: 1 } }),
      headers: { "content-type": "application/json" },
    });
    expect(session.mock.calls[0]?.[0]).toMatchObject({ newSession: { a: 1 }, trigger: "update" });
  });
});

describe("SPEC Callbacks: signIn", () => {
  it("user, account, credentials", async () => {
    const asked = vi.fn(() => true);
    const { browser } = await signIn({ signIn: asked });
    expect(asked).toHaveBeenCalledExactlyOnceWith({
      user: ADA,
      account: { provider: "credentials", providerAccountId: "1", type: "credentials" },
      credentials: { ...LOVELACE, csrfToken: await browser.csrfToken() },
    });
  });

  it("true continues", async () => {
    const { browser } = await signIn({ signIn: () => true });
    expect(await browser.session()).not.toBeNull();
  });

  it("false stops and redirects to the error page", async () => {
    const { browser, response, log } = await signIn({ signIn: () => false });
    expect(response.headers.get("location")).toBe(`${ORIGIN}/auth/error?error=AccessDenied`);
    expect(await browser.session()).toBeNull();
    log.expectErrors("AccessDenied");
  });

  it("a thrown error stops and redirects to the error page", async () => {
    const { browser, response, log } = await signIn({
      signIn() {
        throw new Error("suspended");
      },
    });
    expect(response.headers.get("location")).toBe(`${ORIGIN}/auth/error?error=AccessDenied`);
    expect(await browser.session()).toBeNull();
    log.expectErrors("AccessDenied");
  });

  it("a string redirects to that URL", async () => {
    const { browser, response } = await signIn({ signIn: () => "/terms?x=1" });
    expect(response.headers.get("location")).toBe(`${ORIGIN}/terms?x=1`);
    expect(await browser.session()).toBeNull();
  });

  it("a string of another site only when the redirect callback lets it", async () => {
    const away = "https://partner.example/join";
    const own = await signIn({ signIn: () => away });
    expect(own.response.headers.get("location")).toBe(`${ORIGIN}/`);
    const allowed = await signIn({ signIn: () => away, redirect: ({ url }) => url });
    expect(allowed.response.headers.get("location")).toBe(away);
  });
});

describe("SPEC Callbacks: redirect", () => {
  const to = async (callbackUrl: string, callbacks: CallbacksOptions = {}) => {
    const { browser } = createHouse({ callbacks });
    const response = await browser.signInWith("credentials", { ...LOVELACE, callbackUrl });
    return response.headers.get("location");
  };

  it("by default only same-host URLs are allowed", async () => {
    expect(await to("/relative")).toBe(`${ORIGIN}/relative`);
    expect(await to(`${ORIGIN}/absolute`)).toBe(`${ORIGIN}/absolute`);
    expect(await to("https://other.example/")).toBe(`${ORIGIN}/`);
  });

  it("url (client-supplied callback URL), baseUrl: string", async () => {
    const redirect = vi.fn(({ baseUrl }: { url: string; baseUrl: string }) => `${baseUrl}/fixed`);
    expect(await to("https://other.example/", { redirect: async (it) => redirect(it) })).toBe(
      `${ORIGIN}/fixed`,
    );
    expect(redirect).toHaveBeenCalledWith({ url: "https://other.example/", baseUrl: ORIGIN });
  });
});

describe("SPEC Callbacks: authorized", () => {
  const guarded = async (
    authorized: CallbacksOptions["authorized"],
    init: RequestInit = {},
    pages: AuthConfig["pages"] = {},
  ) => {
    const { auth } = createHouse({ callbacks: { authorized: authorized as never }, pages });
    const wrapped = auth.auth(() => new Response("page"));
    return wrapped(new Request(`${ORIGIN}/page`, init));
  };

  it("a truthy value allows", async () => {
    expect(await (await guarded(() => "yes")).text()).toBe("page");
  });

  it("a falsy one leads to the sign-in page", async () => {
    expect(queryOf(await guarded(({ auth }) => auth))).toEqual({ callbackUrl: `${ORIGIN}/page` });
  });

  it("a response object overrides the default", async () => {
    const response = await guarded(() => Response.json("Invalid auth token", { status: 401 }), {
      method: "POST",
    });
    expect([response.status, await response.json()]).toEqual([401, "Invalid auth token"]);
  });
});

describe("SPEC Callbacks: authorize (credentials provider)", () => {
  it("user record, or throws CredentialsSignin", async () => {
    const { browser, log } = createHouse();
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    const response = await browser.signInWith("credentials", { username: "ada", password: "" });
    expect(queryOf(response)).toEqual({ error: "CredentialsSignin", code: "credentials" });
    log.expectErrors("CredentialsSignin");
  });
});
