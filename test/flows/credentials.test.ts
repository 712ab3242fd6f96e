import { describe, expect, it, vi } from "vitest";
import type { CredentialsProvider } from "../../plugins/flows/credentials/provider.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { AuthError, CredentialsSignin } from "../../src/errors/errors.ts";
import {
  ADA,
  createTestAuth,
  credentials,
  LOVELACE,
  ORIGIN,
  queryOf,
  SECRET,
  setCookieNames,
  type TestAuth,
  type TestAuthOptions,
} from "../_app.ts";

type Authorize = CredentialsProvider["authorize"];

async function attempt(authorize: Authorize, fields: Record<string, string> = LOVELACE) {
  const events: object[] = [];
  const app = createTestAuth({
    providers: [credentials({ authorize })],
    events: { signIn: (message) => void events.push(message) },
  });
  const response = await app.browser.signInWith("credentials", fields);
  const session = await app.browser.session<{ user: { name?: string } }>();
  return { ...app, response, location: response.headers.get("location"), session, events };
}

describe("credentials authorize()", () => {
  it("authorize() receives only the declared fields, and a request with the same fields as its body", async () => {
    const authorize = vi.fn<Authorize>(async (fields, request) => {
      expect(request.method).toBe("POST");
      expect(request.url).toBe(`${ORIGIN}/auth/callback/credentials`);
      expect(await request.json()).toEqual(fields);
      return { ...ADA };
    });
    const { session } = await attempt(authorize, { ...LOVELACE, callbackUrl: "/x", role: "admin" });
    const [fields] = authorize.mock.calls[0] as [object, Request];
    expect(fields).toEqual(LOVELACE);
    expect(Object.getPrototypeOf(fields)).toBeNull();
    expect(session?.user.name).toBe("Ada");
  });

  it("when authorize() returns null, development names the posted fields that are not declared", async () => {
    const { log } = await attempt(() => null, { ...LOVELACE, callbackUrl: "/x", otp: "123456" });
    const [error] = log.expectErrors("CredentialsSignin");
    expect(error?.message).toBe(
      '`authorize` returned null. It did not receive `otp`: add it to `credentials` of the provider "credentials".',
    );
    const env = { NODE_ENV: "production", AUTH_URL: ORIGIN };
    const production = createTestAuth({ env, providers: [credentials({ authorize: () => null })] });
    await production.browser.signInWith("credentials", { ...LOVELACE, otp: "123456" });
    expect(production.log.expectErrors("CredentialsSignin")[0]?.message).toBe(
      "`authorize` returned null.",
    );
  });

  it("authorize() of a provider without fields receives every posted text", async () => {
    const authorize = vi.fn<Authorize>(() => ({ ...ADA }));
    const { browser, log } = createTestAuth({
      providers: [credentials({ credentials: {}, authorize })],
    });
    await browser.signInWith("credentials", { ...LOVELACE, callbackUrl: "/x" });
    const [fields] = authorize.mock.calls[0] as [object, Request];
    expect(fields).toEqual({
      ...LOVELACE,
      callbackUrl: "/x",
      csrfToken: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(Object.getPrototypeOf(fields)).toBeNull();
    await browser.send("/auth/callback/credentials", { json: { token: { $ne: null } } });
    expect(authorize).toHaveBeenCalledTimes(1);
    const [error] = log.expectErrors("CredentialsSignin");
    expect(error?.message).toContain(
      'The field "token" of the provider "credentials" is not a string',
    );
  });

  it("the log of production names no field that a visitor made up", async () => {
    const env = { NODE_ENV: "production", AUTH_URL: ORIGIN };
    const { browser, log } = createTestAuth({
      env,
      providers: [credentials({ credentials: {}, authorize: () => null })],
    });
    await browser.send("/auth/callback/credentials", {
      json: { "ada@example.com": { $ne: null } },
    });
    const [error] = log.expectErrors("CredentialsSignin");
    expect(error?.message).toBe(
      'A field of the provider "credentials" is not a string. Send a string.',
    );
  });

  it("when authorize() of a provider without fields returns null, the log names no field", async () => {
    const provider = credentials({ credentials: {}, authorize: () => null });
    const { browser, log } = createTestAuth({ providers: [provider] });
    await browser.signInWith("credentials", { ...LOVELACE, otp: "123456" });
    const [error] = log.expectErrors("CredentialsSignin");
    expect(error?.message).toBe("`authorize` returned null.");
  });

  it("a field that is not text is refused before authorize(), also in a call on the server", async () => {
    const authorize = vi.fn<Authorize>(() => ({ ...ADA }));
    const { auth, browser, log } = createTestAuth({ providers: [credentials({ authorize })] });
    for (const password of [{ $ne: null }, {}, [], ["lovelace"], 7, true, false]) {
      const json = { username: "ada", password };
      await browser.send("/auth/callback/credentials", { json });
      const [error] = log.expectErrors("CredentialsSignin");
      expect(error?.message).toContain('The field "password" of the provider "credentials"');
    }
    const request = new Request(`${ORIGIN}/login`);
    await expect(auth.signIn(request, "credentials", { password: 7 })).rejects.toThrow(
      "not a string",
    );
    log.expectErrors("CredentialsSignin");
    expect(authorize).not.toHaveBeenCalled();
    expect(await browser.session()).toBeNull();
  });

  it("a field that is null or was not posted is absent, and no inherited property takes its place", async () => {
    const authorize = vi.fn<Authorize>(() => null);
    const { browser, log } = createTestAuth({
      providers: [credentials({ credentials: { toString: {}, username: {} }, authorize })],
    });
    await browser.send("/auth/callback/credentials", { json: { username: null } });
    expect(Object.keys(authorize.mock.calls[0]?.[0] ?? { missing: 1 })).toEqual([]);
    log.expectErrors("CredentialsSignin");
  });

  it("the signIn callback receives the fields that authorize() received", async () => {
    const seen: unknown[] = [];
    const { browser } = createTestAuth({
      callbacks: { signIn: ({ credentials: fields }) => seen.push(fields) > 0 },
    });
    await browser.signInWith("credentials", { ...LOVELACE, role: "admin" });
    expect(seen).toEqual([LOVELACE]);
  });

  it("authorize() receives passwords unchanged: long, with spaces, in any script (ASVS 6.2)", async () => {
    for (const password of ["x".repeat(4096), "  two  spaces ", "пароль-密码-🔑", "a%41+b&c=d"]) {
      const authorize = vi.fn<Authorize>(() => null);
      const { log } = await attempt(authorize, { username: "ada", password });
      expect(authorize.mock.calls[0]?.[0].password).toBe(password);
      log.expectErrors("CredentialsSignin");
    }
  });

  it("authorize() sees the headers of the sign-in request", async () => {
    let seen: string | null = null;
    const { browser } = createTestAuth({
      providers: [
        credentials({
          authorize: (_, request) => {
            seen = request.headers.get("x-forwarded-for");
            return { ...ADA };
          },
        }),
      ],
    });
    const csrfToken = await browser.csrfToken();
    await browser.post(
      "/auth/callback/credentials",
      { csrfToken },
      { headers: { "x-forwarded-for": "203.0.113.7" } },
    );
    expect(seen).toBe("203.0.113.7");
  });

  it("signs in the user that authorize() returns, synchronously or as a promise", async () => {
    expect((await attempt(() => ({ ...ADA }))).session?.user.name).toBe("Ada");
    expect((await attempt(async () => ({ ...ADA }))).session?.user.name).toBe("Ada");
  });

  it("accepts a frozen user, also with a numeric id", async () => {
    for (const user of [
      { id: "7", name: "Frozen" },
      { id: 7 as never, name: "Frozen" },
    ]) {
      const { session } = await attempt(() => Object.freeze({ ...user }));
      expect(session?.user.name).toBe("Frozen");
    }
  });

  it.each(["7", 7])(
    "a model's user, whose fields are getters, keeps them with the id %o",
    async (id) => {
      // Like Sequelize, where the instance itself has no fields.
      class Row {
        readonly #columns = { name: "Ada", role: "admin" };
        readonly values = { id, ...this.#columns };
        get id() {
          return this.values.id;
        }
        get name() {
          return this.values.name;
        }
        get role() {
          return this.values.role;
        }
      }
      const seen: unknown[] = [];
      const { browser } = createTestAuth({
        providers: [credentials({ authorize: () => new Row() as never })],
        callbacks: {
          jwt({ token, user }) {
            if (user) seen.push(user.id, (user as Row).role, user instanceof Row);
            return token;
          },
        },
      });
      await browser.signInWith("credentials", LOVELACE);
      expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
      expect(seen).toEqual(["7", "admin", true]);
    },
  );

  it.each([
    ["7", "7"],
    [7, "7"],
    [0, "0"],
    [7n, "7"],
  ])("the user id %s is the text %j everywhere", async (id, text) => {
    const { events } = await attempt(() => ({ id: id as never }));
    const account = { provider: "credentials", providerAccountId: text, type: "credentials" };
    expect(events[0]).toMatchObject({ user: { id: text }, account });
  });

  it.each([
    [{}],
    [{ name: "Nobody" }],
    [{ id: undefined }],
    [{ id: null }],
    [{ id: "" }],
    [{ id: " \t" }],
    [{ id: {} }],
    [{ id: { toString: () => "1" } }],
    [{ id: ["1"] }],
    [{ id: true }],
    [{ id: Number.NaN }],
    [{ id: Number.POSITIVE_INFINITY }],
    [{ id: 2 ** 53 }],
    [{ id: Symbol("1") }],
    [{ id: () => "1" }],
  ])("refuses the user %o by name, because its id is not unique to a user", async (user) => {
    const { response, session, events, log } = await attempt(() => user as never);
    expect(queryOf(response)).toEqual({ error: "Configuration" });
    expect(session).toBeNull();
    expect(events).toEqual([]);
    const [error] = log.expectErrors("InvalidIdentity");
    expect(error?.message).toContain('`authorize` of the provider "credentials"');
    expect(error?.message).toContain("non-empty text, a number or a bigint");
  });

  it.each([[null], [undefined], [false], [0], [""]])(
    "refuses the sign-in with CredentialsSignin when authorize() returns %j",
    async (answer) => {
      const { location, session, events, log } = await attempt(() => answer as never);
      expect(location).toBe(`${ORIGIN}/auth/signin?error=CredentialsSignin&code=credentials`);
      expect(session).toBeNull();
      expect(events).toEqual([]);
      log.expectErrors("CredentialsSignin");
    },
  );

  it.each([[true], [1], ["ada"], [[]], [() => {}]])(
    "refuses the sign-in with Configuration when authorize() returns %s, which is not a user",
    async (answer) => {
      const { response, session, log } = await attempt(() => answer as never);
      expect(queryOf(response)).toEqual({ error: "Configuration" });
      expect(session).toBeNull();
      log.expectErrors("CallbackRouteError");
    },
  );

  it("redirects with the code of a CredentialsSignin subclass that authorize() throws", async () => {
    class TooMany extends CredentialsSignin {
      override code = "too many attempts";
    }
    const { response, log } = await attempt(() => {
      throw new TooMany();
    });
    expect(queryOf(response)).toEqual({ error: "CredentialsSignin", code: "too many attempts" });
    log.expectErrors("CredentialsSignin");
  });

  it("a CredentialsSignin subclass with its own type is reported as CredentialsSignin to the visitor", async () => {
    class Locked extends CredentialsSignin {
      static override readonly type = "AccountLocked";
      override code = "locked";
    }
    const { response, log } = await attempt(() => {
      throw new Locked();
    });
    expect(queryOf(response)).toEqual({ error: "CredentialsSignin", code: "locked" });
    log.expectErrors("AccountLocked");
  });

  it("refuses every attempt when authorize() throws the same error object each time", async () => {
    const wrong = new CredentialsSignin();
    const { browser, log } = createTestAuth({
      providers: [
        credentials({
          authorize() {
            throw wrong;
          },
        }),
      ],
    });
    for (let time = 0; time < 2; time++) {
      const response = await browser.signInWith("credentials", LOVELACE);
      expect(queryOf(response)).toEqual({ error: "CredentialsSignin", code: "credentials" });
      log.expectErrors("CredentialsSignin");
    }
  });

  it.each([
    [new AuthError("x"), "AuthError"],
    [new TypeError("x"), "CallbackRouteError"],
  ])(
    "redirects to the error page without details when authorize() throws %s",
    async (thrown, type) => {
      const { location, session, log } = await attempt(() => {
        throw thrown;
      });
      expect(location).toBe(`${ORIGIN}/auth/error?error=Configuration`);
      expect(session).toBeNull();
      log.expectErrors(type);
    },
  );

  it("inspect() throws MissingAuthorize for a credentials provider without authorize", () => {
    const { auth, log } = createTestAuth({
      providers: [{ ...credentials(), authorize: undefined } as never],
    });
    expect(() => auth.inspect()).toThrow("has no `authorize`");
    log.expectErrors("MissingAuthorize");
  });
});

describe("responses of POST /callback/credentials", () => {
  it("an unknown user and a wrong password get the same response (R15)", async () => {
    const { browser, log } = createTestAuth();
    const wrong = await browser.signInWith("credentials", { ...LOVELACE, password: "x" });
    const unknown = await browser.signInWith("credentials", { ...LOVELACE, username: "eve" });
    const getShape = (response: Response) => [
      response.status,
      response.headers.get("location"),
      setCookieNames(response),
    ];
    expect(getShape(unknown)).toEqual(getShape(wrong));
    log.expectErrors("CredentialsSignin", "CredentialsSignin");
  });

  it("a failed attempt keeps the callback URL for the next one", async () => {
    const { browser, log } = createTestAuth();
    await browser.signInWith("credentials", { ...LOVELACE, password: "x", callbackUrl: "/deep" });
    log.expectErrors("CredentialsSignin");
    const response = await browser.signInWith("credentials", LOVELACE);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/deep`);
  });
});

describe("/callback/credentials", () => {
  it("refuses credentials sent by GET", async () => {
    const { browser, log } = createTestAuth();
    const response = await browser.get("/auth/callback/credentials?username=ada&password=lovelace");
    expect(queryOf(response)).toEqual({ error: "Configuration" });
    expect(await browser.session()).toBeNull();
    log.expectErrors("InvalidProvider");
  });

  it("POST /signin/credentials redirects to the sign-in page and does not sign in", async () => {
    const { browser } = createTestAuth();
    const response = await browser.signIn("credentials", { callbackUrl: "/x" });
    expect(response.headers.get("location")).toMatch(/^http:\/\/localhost:3000\/auth\/signin\?/);
    expect(await browser.session()).toBeNull();
  });

  it("refuses credentials without a CSRF token with MissingCSRF", async () => {
    const { browser, log } = createTestAuth();
    const response = await browser.post("/auth/callback/credentials", LOVELACE);
    expect(queryOf(response)).toEqual({ error: "MissingCSRF" });
    expect(await browser.session()).toBeNull();
    log.expectErrors("MissingCSRF");
  });

  it("accepts credentials as JSON as well as a form", async () => {
    const { browser } = createTestAuth();
    await browser.send("/auth/callback/credentials", { json: LOVELACE });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("checks each of several credentials providers with its own authorize()", async () => {
    const { browser, log } = createTestAuth({
      providers: [
        credentials(),
        credentials({
          id: "pin",
          credentials: { pin: {} },
          authorize: ({ pin }) => (pin === "1" ? { id: "1", name: "Pin" } : null),
        }),
      ],
    });
    await browser.signInWith("pin", { pin: "1" });
    expect(await browser.session()).toMatchObject({ user: { name: "Pin" } });
    const response = await browser.signInWith("pin", LOVELACE);
    expect(queryOf(response)).toMatchObject({ error: "CredentialsSignin" });
    log.expectErrors("CredentialsSignin");
  });
});

describe("credentials form on the sign-in page", () => {
  it("renders a field with label and attributes for each entry of `credentials`", async () => {
    const { browser } = createTestAuth({
      providers: [
        credentials({
          credentials: {
            user: { label: "User name", placeholder: "ada", required: true },
            pass: { label: "Pass", type: "password", autocomplete: "current-password" },
          },
        }),
      ],
    });
    const html = await (await browser.get("/auth/signin")).text();
    expect(html).toContain(`action="${ORIGIN}/auth/callback/credentials"`);
    for (const part of ['name="user"', "User name", 'placeholder="ada"', 'type="password"']) {
      expect(html).toContain(part);
    }
    expect(html).toContain('name="csrfToken"');
  });

  it("renders no form for a credentials provider without fields", async () => {
    const { browser } = createTestAuth({ providers: [credentials({ credentials: {} })] });
    expect(await (await browser.get("/auth/signin")).text()).not.toContain("callback/credentials");
  });
});

describe("fields of a user that are not stored (hybrid)", () => {
  const open = (config: TestAuthOptions = {}) =>
    createTestAuth({
      preset: standardPreset,
      store: memoryBackend(),
      strategy: "hybrid",
      providers: [
        credentials({ authorize: () => ({ ...ADA, role: "admin" }) as never }),
        credentials({ id: "plain", authorize: () => ({ id: "2", name: "Eve" }) }),
      ],
      callbacks: { jwt: ({ token }) => token },
      ...config,
    });
  const signIn = async ({ browser, log }: TestAuth, provider = "credentials") => {
    for (let at = 0; at < 2; at++) await browser.signInWith(provider, LOVELACE);
    return log.warnings.filter((code) => code === "authorize-fields").length;
  };

  it("development warns of them once if a `jwt` callback may expect them", async () => {
    const app = open();
    expect(await signIn(app, "plain")).toBe(0);
    expect(await signIn(app)).toBe(1);
  });

  it("cause no warning without such a callback, in production, or if the token has them", async () => {
    expect(await signIn(open({ callbacks: {} }))).toBe(0);
    expect(await signIn(open({ strategy: "database" }))).toBe(0);
    expect(await signIn(open({ strategy: "jwt" }))).toBe(0);
    const env = { NODE_ENV: "production", AUTH_URL: ORIGIN, AUTH_SECRET: SECRET };
    expect(await signIn(open({ env }))).toBe(0);
  });
});
