import { describe, expect, it, vi } from "vitest";
import { AccessDenied, AuthError, CredentialsSignin, Verification } from "../../src/errors.ts";
import type { AuthConfig, Identity, Kernel } from "../../src/index.ts";
import {
  acme,
  ADA,
  createHouse,
  identityFlow,
  ORIGIN,
  plainAdapter,
  queryOf,
  Rows,
} from "../_setup.ts";

type Callbacks = NonNullable<AuthConfig["callbacks"]>;

/** One landing of an identity. */
async function land(
  config: AuthConfig = {},
  identity: Partial<Identity> = {},
  tap: (kernel: Kernel) => void = () => {},
) {
  const house = createHouse(
    { providers: [acme()], ...config },
    { use: [identityFlow(() => identity), { name: "tap", setup: tap }] },
  );
  const response = await house.browser.get("/auth/callback/acme");
  return { ...house, response, location: response.headers.get("location") };
}

const signIn = (answer: () => unknown): AuthConfig => ({
  callbacks: { signIn: answer as NonNullable<Callbacks["signIn"]> },
});

describe("being let in", () => {
  it("is asked of the signIn hook with who, by what, and what is known", async () => {
    const asked = vi.fn(() => true);
    await land(signIn(asked));
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

  it("is asked before anything is stored", async () => {
    const rows = new Rows();
    const { response, log } = await land({
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
    "is refused when the callback answers %j",
    async (answer) => {
      const { location, browser, log } = await land(signIn(() => answer));
      expect(location).toBe(`${ORIGIN}/auth/error?error=AccessDenied`);
      expect(await browser.session()).toBeNull();
      log.expectErrors("AccessDenied");
    },
  );

  it("is put off by a redirect: no session, no event", async () => {
    const event = vi.fn();
    const { location, browser } = await land({
      ...signIn(() => "/terms"),
      events: { signIn: event },
    });
    expect(location).toBe(`${ORIGIN}/terms`);
    expect(await browser.session()).toBeNull();
    expect(event).not.toHaveBeenCalled();
  });

  it("is refused by a plugin although the application says yes", async () => {
    const { response, log } = await land(
      signIn(() => true),
      {},
      (kernel) => kernel.hooks.signIn.tap({ name: "ban list", stage: "last" }, () => false),
    );
    expect(queryOf(response)).toEqual({ error: "AccessDenied" });
    log.expectErrors("AccessDenied");
  });

  it("goes through an AuthError as it is, and takes another error for a refusal", async () => {
    for (const [thrown, type, path] of [
      [new Verification("x"), "Verification", "/auth/error?error=Verification"],
      [
        new CredentialsSignin("x"),
        "CredentialsSignin",
        "/auth/signin?error=CredentialsSignin&code=credentials",
      ],
      [new RangeError("original words"), "AccessDenied", "/auth/error?error=AccessDenied"],
    ] as const) {
      const { location, log } = await land(
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

describe("landing", () => {
  it("makes the session, then announces it, then leads on", async () => {
    const order: string[] = [];
    const { location } = await land(
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

  it("goes where the flow remembers before where the browser does", async () => {
    const { location } = await land({}, { callbackUrl: `${ORIGIN}/flow` });
    expect(location).toBe(`${ORIGIN}/flow`);
  });

  it("leads newcomers to their page, with where they wanted to go", async () => {
    const config: AuthConfig = {
      adapter: plainAdapter(new Rows()),
      session: { strategy: "jwt" },
      pages: { newUser: "/welcome?x=1" },
    };
    const { location, browser } = await land(config, { callbackUrl: `${ORIGIN}/deep` });
    expect(location).toBe(
      `${ORIGIN}/welcome?x=1&callbackUrl=${encodeURIComponent(`${ORIGIN}/deep`)}`,
    );
    expect((await browser.get("/auth/callback/acme")).headers.get("location")).toBe(
      `${ORIGIN}/deep`,
    );
  });

  it("leads nobody to the newcomers' page without a store", async () => {
    const { location } = await land({ pages: { newUser: "/welcome" } });
    expect(location).toBe(`${ORIGIN}/`);
  });

  it("makes no session when the redirect callback throws", async () => {
    const { auth, browser, log } = createHouse(
      {
        providers: [acme()],
        callbacks: {
          redirect() {
            throw new Error("no");
          },
        },
      },
      { use: [identityFlow(() => ({}))] },
    );
    browser.cookies.set("authjs.callback-url", encodeURIComponent(`${ORIGIN}/x`));
    await browser.get("/auth/callback/acme");
    expect(await browser.session()).toBeNull();
    log.expectErrors("CallbackRouteError");
    expect(auth.inspect().strategy).toBe("jwt");
  });

  it("gives a new token at each sign-in (R13)", async () => {
    const { browser } = await land();
    const first = browser.cookies.get("authjs.session-token");
    await browser.get("/auth/callback/acme");
    expect(browser.cookies.get("authjs.session-token")).not.toBe(first);
  });
});
