import { describe, expect, it, vi } from "vitest";
import {
  AccessDenied,
  AuthError,
  CredentialsSignin,
  Verification,
} from "../../src/errors/errors.ts";
import type { AuthConfig, Identity, Kernel } from "../../src/kernel.ts";
import {
  acme,
  ADA,
  createTestAuth,
  identityFlow,
  ORIGIN,
  plainAdapter,
  queryOf,
  Rows,
} from "../_app.ts";

type Callbacks = NonNullable<AuthConfig["callbacks"]>;

/** Completes a sign-in with an identity. */
async function completeSignIn(
  config: AuthConfig = {},
  identity: Partial<Identity> = {},
  tap: (kernel: Kernel) => void = () => {},
) {
  const app = createTestAuth({
    providers: [acme()],
    ...config,
    use: [identityFlow(() => identity), { name: "tap", setup: tap }],
  });
  const response = await app.browser.get("/auth/callback/acme");
  return { ...app, response, location: response.headers.get("location") };
}

const signIn = (answer: () => unknown): AuthConfig => ({
  callbacks: { signIn: answer as NonNullable<Callbacks["signIn"]> },
});

describe("callbacks.signIn", () => {
  it("the signIn callback receives the user, the account and the profile", async () => {
    const asked = vi.fn(() => true);
    await completeSignIn(signIn(asked));
    expect(asked).toHaveBeenCalledExactlyOnceWith({
      user: ADA,
      account: {
        provider: "acme",
        providerAccountId: "acme-1",
        type: "oauth",
        access_token: "at",
      },
      profile: { sub: "acme-1" },
    });
  });

  it("the signIn callback runs before anything is stored", async () => {
    const rows = new Rows();
    const { response, log } = await completeSignIn({
      ...signIn(() => false),
      adapter: plainAdapter(rows),
      session: { strategy: "jwt" },
    });
    expect(queryOf(response)).toEqual({ error: "AccessDenied" });
    expect(rows.users).toEqual([]);
    expect(rows.calls.filter((call) => !call.startsWith("get"))).toEqual([]);
    log.expectErrors("AccessDenied");
  });

  it.each([[false], [undefined], [null], [0], [1], [""], [{}]])(
    "a sign-in is refused when the signIn callback returns %j",
    async (answer) => {
      const { location, browser, log } = await completeSignIn(signIn(() => answer));
      expect(location).toBe(`${ORIGIN}/auth/error?error=AccessDenied`);
      expect(await browser.session()).toBeNull();
      log.expectErrors("AccessDenied");
    },
  );

  it("a redirect from the signIn callback creates no session and emits no event", async () => {
    const event = vi.fn();
    const { location, browser } = await completeSignIn({
      ...signIn(() => "/terms"),
      events: { signIn: event },
    });
    expect(location).toBe(`${ORIGIN}/terms`);
    expect(await browser.session()).toBeNull();
    expect(event).not.toHaveBeenCalled();
  });

  it("a plugin can refuse a sign-in that the signIn callback allows", async () => {
    const { response, log } = await completeSignIn(
      signIn(() => true),
      {},
      (kernel) => kernel.hooks.signIn.tap({ name: "ban list", stage: "last" }, () => false),
    );
    expect(queryOf(response)).toEqual({ error: "AccessDenied" });
    log.expectErrors("AccessDenied");
  });

  it("an AuthError of the signIn callback is kept, any other error becomes AccessDenied", async () => {
    for (const [thrown, type, path] of [
      [new Verification("x"), "Verification", "/auth/error?error=Verification"],
      [
        new CredentialsSignin("x"),
        "CredentialsSignin",
        "/auth/signin?error=CredentialsSignin&code=credentials",
      ],
      [new RangeError("original words"), "AccessDenied", "/auth/error?error=AccessDenied"],
    ] as const) {
      const { location, log } = await completeSignIn(
        signIn(() => {
          throw thrown;
        }),
      );
      expect(location).toBe(ORIGIN + path);
      const [error] = log.expectErrors(type);
      expect(error).toBeInstanceOf(AuthError);
      if (error instanceof AccessDenied) {
        expect(error.message).toBe("original words");
        expect(error.cause?.err).toBe(thrown);
      }
    }
  });
});

describe("completing the sign-in", () => {
  it("a sign-in creates the session, then emits the event, then redirects", async () => {
    const order: string[] = [];
    const { location } = await completeSignIn(
      {
        callbacks: {
          signIn: () => Boolean(order.push("signIn callback")),
          jwt: ({ token, trigger }) => {
            order.push(`jwt ${trigger}`);
            return token;
          },
          redirect: ({ baseUrl }) => {
            order.push("redirect");
            return `${baseUrl}/there`;
          },
        },
        events: { signIn: () => void order.push("signIn event") },
      },
      { callbackUrl: undefined as never },
    );
    expect(order).toEqual(["signIn callback", "jwt signIn", "signIn event"]);
    expect(location).toBe(`${ORIGIN}/`);
  });

  it("the callbackUrl of the flow takes precedence over the browser's", async () => {
    const { location } = await completeSignIn({}, { callbackUrl: `${ORIGIN}/flow` });
    expect(location).toBe(`${ORIGIN}/flow`);
  });

  it("a new user is redirected to pages.newUser with the callbackUrl", async () => {
    const config: AuthConfig = {
      adapter: plainAdapter(new Rows()),
      session: { strategy: "jwt" },
      pages: { newUser: "/welcome?x=1" },
    };
    const { location, browser } = await completeSignIn(config, { callbackUrl: `${ORIGIN}/deep` });
    expect(location).toBe(
      `${ORIGIN}/welcome?x=1&callbackUrl=${encodeURIComponent(`${ORIGIN}/deep`)}`,
    );
    expect((await browser.get("/auth/callback/acme")).headers.get("location")).toBe(
      `${ORIGIN}/deep`,
    );
  });

  it("pages.newUser is not used without an adapter", async () => {
    const { location } = await completeSignIn({ pages: { newUser: "/welcome" } });
    expect(location).toBe(`${ORIGIN}/`);
  });

  it("no session is created when the redirect callback throws", async () => {
    const { auth, browser, log } = createTestAuth({
      providers: [acme()],
      callbacks: {
        redirect() {
          throw new Error("no");
        },
      },
      use: [identityFlow(() => ({}))],
    });
    browser.cookies.set("authjs.callback-url", encodeURIComponent(`${ORIGIN}/x`));
    await browser.get("/auth/callback/acme");
    expect(await browser.session()).toBeNull();
    log.expectErrors("CallbackRouteError");
    expect(auth.inspect().strategy).toBe("jwt");
  });

  it("each sign-in creates a new session token (R13)", async () => {
    const { browser } = await completeSignIn();
    const first = browser.cookies.get("authjs.session-token");
    await browser.get("/auth/callback/acme");
    expect(browser.cookies.get("authjs.session-token")).not.toBe(first);
  });
});
