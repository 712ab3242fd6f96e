import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { AuthConfig, CallbacksOptions, JWT, Session } from "../../src/kernel.ts";
import {
  acme,
  ADA,
  createTestAuth,
  identityFlow,
  LOVELACE,
  ORIGIN,
  plainAdapter,
  queryOf,
  Rows,
  SECRET,
} from "../_app.ts";

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-06-01T12:00:00Z") }),
);
afterEach(() => void vi.useRealTimers());

const signIn = async (callbacks: CallbacksOptions, config: AuthConfig = {}) => {
  const app = createTestAuth({ callbacks, ...config });
  const response = await app.browser.signInWith("credentials", LOVELACE);
  return { ...app, response };
};

describe("callbacks that return nothing", () => {
  it.each(["jwt", "session"] as const)("%s: development warns of it once", async (name) => {
    const nothing = { [name]: async () => {} } as unknown as CallbacksOptions;
    const { browser, log } = await signIn(nothing);
    for (let read = 0; read < 3; read++) {
      expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    }
    expect(log.warnings).toEqual(["callback-returned-nothing"]);
    const env = { NODE_ENV: "production", AUTH_URL: ORIGIN, AUTH_SECRET: SECRET };
    const { log: other } = await signIn(nothing, { env });
    expect(other.warnings).not.toContain("callback-returned-nothing");
  });

  it("null or false, which end a session, count as a return value", async () => {
    for (const end of [null, false]) {
      const { browser, log } = await signIn({ session: () => end as never });
      expect(await browser.session()).toBeNull();
      expect(log.warnings).toEqual([]);
    }
  });
});

describe("SPEC Callbacks: jwt", () => {
  it("jwt callback: receives name, email, picture and sub in the token on sign-in", async () => {
    const jwt = vi.fn(({ token }: { token: JWT }) => token);
    await signIn({ jwt });
    expect(jwt.mock.calls[0]?.[0].token).toEqual({
      name: "Ada",
      email: "ada@example.com",
      picture: null,
      sub: "1",
    });
  });

  it("jwt callback: receives user and account when a token is created", async () => {
    const jwt = vi.fn(({ token }: { token: JWT }) => token);
    await signIn({ jwt });
    expect(jwt.mock.calls[0]?.[0]).toMatchObject({
      user: ADA,
      account: { provider: "credentials", providerAccountId: "1", type: "credentials" },
      trigger: "signIn",
    });
  });

  it("jwt callback: receives trigger `signUp`, profile and isNewUser for a new user", async () => {
    const jwt = vi.fn(({ token }: { token: JWT }) => token);
    const { browser } = createTestAuth({
      providers: [acme()],
      adapter: plainAdapter(new Rows()),
      session: { strategy: "jwt" },
      callbacks: { jwt },
      use: [identityFlow(() => ({}))],
    });
    await browser.get("/auth/callback/acme");
    expect(jwt.mock.calls[0]?.[0]).toMatchObject({
      trigger: "signUp",
      isNewUser: true,
      profile: { sub: "acme-1" },
    });
    await browser.get("/auth/callback/acme");
    expect(jwt.mock.calls[1]?.[0]).toMatchObject({ trigger: "signIn", isNewUser: false });
  });

  it.each([true, false, undefined])(
    "jwt callback: `emailVerified` at a sign-in when the provider states %s, with and without an adapter",
    async (emailVerified) => {
      const statement = emailVerified === undefined ? {} : { emailVerified };
      for (const adapter of [undefined, plainAdapter(new Rows())]) {
        const jwt = vi.fn(
          (given: { token: JWT; emailVerified?: boolean | undefined }) => given.token,
        );
        const { browser } = createTestAuth({
          providers: [acme()],
          ...(adapter && { adapter }),
          session: { strategy: "jwt" },
          callbacks: { jwt },
          use: [identityFlow(() => statement)],
        });
        await browser.get("/auth/callback/acme");
        await browser.session();
        // An adapter of Auth.js does not store that an address is unverified.
        const expected = adapter && !emailVerified ? undefined : emailVerified;
        expect(jwt.mock.calls.map(([given]) => given.emailVerified)).toEqual([expected, undefined]);
      }
    },
  );

  it("jwt callback: receives the client's data unchecked as `session` with trigger `update`", async () => {
    const jwt = vi.fn(({ token }: { token: JWT }) => token);
    const { browser } = await signIn({ jwt });
    await browser.send("/auth/session", { json: { data: ["anything", { x: 1 }] } });
    expect(jwt.mock.lastCall?.[0]).toMatchObject({
      trigger: "update",
      session: ["anything", { x: 1 }],
    });
  });

  it("jwt callback: its result is saved in the token and passed to the session callback", async () => {
    const session = vi.fn(({ session: it }: { session: Session }) => it);
    const { browser } = await signIn({
      jwt: ({ token, user }) => (user ? { ...token, role: "countess" } : token),
      session,
    });
    await browser.session();
    expect(session.mock.calls[0]?.[0]).toMatchObject({ token: { role: "countess", sub: "1" } });
  });

  it("jwt callback: null creates no session", async () => {
    const { browser } = await signIn({ jwt: () => null });
    expect(await browser.session()).toBeNull();
  });
});

describe("SPEC Callbacks: session", () => {
  it("session callback: is called on every session check, and its result is returned to the client", async () => {
    const session = vi.fn(({ session: it }: { session: Session }) => ({ ...it, seen: true }));
    const { browser } = await signIn({ session });
    expect(await browser.session()).toMatchObject({ seen: true });
    expect(await browser.session()).toMatchObject({ seen: true });
    expect(session).toHaveBeenCalledTimes(2);
  });

  it("session callback: receives session and token (jwt strategy only)", async () => {
    const session = vi.fn(({ session: it }: { session: Session }) => it);
    const { browser } = await signIn({ session });
    await browser.session();
    expect(Object.keys(session.mock.calls[0]?.[0] ?? {}).sort()).toEqual(["session", "token"]);
    expect(session.mock.calls[0]?.[0].session).toEqual({
      user: { name: "Ada", email: "ada@example.com", image: null },
      expires: "2026-07-01T12:00:00.000Z",
    });
  });

  it("session callback: receives newSession and trigger `update` on update", async () => {
    const session = vi.fn(({ session: it }: { session: Session }) => it);
    const { browser } = await signIn({ session });
    await browser.send("/auth/session", { json: { data: { a: 1 } } });
    expect(session.mock.calls[0]?.[0]).toMatchObject({ newSession: { a: 1 }, trigger: "update" });
  });
});

describe("SPEC Callbacks: signIn", () => {
  it("signIn callback: receives user, account and credentials", async () => {
    const asked = vi.fn(() => true);
    await signIn({ signIn: asked });
    expect(asked).toHaveBeenCalledExactlyOnceWith({
      user: ADA,
      account: { provider: "credentials", providerAccountId: "1", type: "credentials" },
      credentials: LOVELACE,
    });
  });

  it("signIn callback: true continues the sign-in", async () => {
    const { browser } = await signIn({ signIn: () => true });
    expect(await browser.session()).not.toBeNull();
  });

  it("signIn callback: false stops the sign-in and redirects to the error page", async () => {
    const { browser, response, log } = await signIn({ signIn: () => false });
    expect(response.headers.get("location")).toBe(`${ORIGIN}/auth/error?error=AccessDenied`);
    expect(await browser.session()).toBeNull();
    log.expectErrors("AccessDenied");
  });

  it("signIn callback: a thrown error stops the sign-in and redirects to the error page", async () => {
    const { browser, response, log } = await signIn({
      signIn() {
        throw new Error("suspended");
      },
    });
    expect(response.headers.get("location")).toBe(`${ORIGIN}/auth/error?error=AccessDenied`);
    expect(await browser.session()).toBeNull();
    log.expectErrors("AccessDenied");
  });

  it("signIn callback: a string redirects to that URL", async () => {
    const { browser, response } = await signIn({ signIn: () => "/terms?x=1" });
    expect(response.headers.get("location")).toBe(`${ORIGIN}/terms?x=1`);
    expect(await browser.session()).toBeNull();
  });

  it("signIn callback: a URL of another site is used only when the redirect callback allows it", async () => {
    const away = "https://partner.example/join";
    const own = await signIn({ signIn: () => away });
    expect(own.response.headers.get("location")).toBe(`${ORIGIN}/`);
    const allowed = await signIn({ signIn: () => away, redirect: ({ url }) => url });
    expect(allowed.response.headers.get("location")).toBe(away);
  });
});

describe("SPEC Callbacks: redirect", () => {
  const to = async (callbackUrl: string, callbacks: CallbacksOptions = {}) => {
    const { browser } = createTestAuth({ callbacks });
    const response = await browser.signInWith("credentials", { ...LOVELACE, callbackUrl });
    return response.headers.get("location");
  };

  it("redirect callback: only same-host URLs are allowed by default", async () => {
    expect(await to("/relative")).toBe(`${ORIGIN}/relative`);
    expect(await to(`${ORIGIN}/absolute`)).toBe(`${ORIGIN}/absolute`);
    expect(await to("https://other.example/")).toBe(`${ORIGIN}/`);
  });

  it("redirect callback: receives url (supplied by the client) and baseUrl, and returns the target", async () => {
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
    const { auth } = createTestAuth({ callbacks: { authorized: authorized as never }, pages });
    const wrapped = auth.auth(() => new Response("page"));
    const headers = { accept: "text/html" };
    return wrapped(new Request(`${ORIGIN}/page`, { headers, ...init }));
  };

  it("authorized callback: a truthy value allows the request", async () => {
    expect(await (await guarded(() => "yes")).text()).toBe("page");
  });

  it("authorized callback: a falsy value redirects to the sign-in page", async () => {
    expect(queryOf(await guarded(({ auth }) => auth))).toEqual({ callbackUrl: `${ORIGIN}/page` });
  });

  it("authorized callback: a Response overrides the default", async () => {
    const response = await guarded(() => Response.json("Invalid auth token", { status: 401 }), {
      method: "POST",
    });
    expect([response.status, await response.json()]).toEqual([401, "Invalid auth token"]);
  });
});

describe("SPEC Callbacks: authorize (credentials provider)", () => {
  it("authorize: returns the user, or the sign-in fails with CredentialsSignin", async () => {
    const { browser, log } = createTestAuth();
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    const response = await browser.signInWith("credentials", { username: "ada", password: "" });
    expect(queryOf(response)).toEqual({ error: "CredentialsSignin", code: "credentials" });
    log.expectErrors("CredentialsSignin");
  });
});
