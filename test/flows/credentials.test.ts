import { describe, expect, it, vi } from "vitest";
import { AuthError, CredentialsSignin } from "../../src/errors.ts";
import type { CredentialsProvider } from "../../src/index.ts";
import {
  ADA,
  createHouse,
  credentials,
  LOVELACE,
  ORIGIN,
  queryOf,
  setCookieNames,
} from "../_setup.ts";

type Authorize = CredentialsProvider["authorize"];

async function attempt(authorize: Authorize, fields: Record<string, string> = LOVELACE) {
  const events: object[] = [];
  const house = createHouse({
    providers: [credentials({ authorize })],
    events: { signIn: (message) => void events.push(message) },
  });
  const response = await house.browser.signInWith("credentials", fields);
  const session = await house.browser.session<{ user: { name?: string } }>();
  return { ...house, response, location: response.headers.get("location"), session, events };
}

describe("authorize", () => {
  it("is given all fields of the form, and a request whose body can be read once more", async () => {
    const authorize = vi.fn<Authorize>(async (fields, request) => {
      expect(request.method).toBe("POST");
      expect(request.url).toBe(`${ORIGIN}/auth/callback/credentials`);
      expect(await request.json()).toEqual(fields);
      return { ...ADA };
    });
    await attempt(authorize, { ...LOVELACE, callbackUrl: "/x" });
    expect(authorize.mock.calls[0]?.[0]).toEqual({
      ...LOVELACE,
      callbackUrl: "/x",
      csrfToken: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it("is given passwords unchanged: long, spaced, of any script (ASVS 6.2)", async () => {
    for (const password of ["x".repeat(4096), "  two  spaces ", "пароль-密码-🔑", "a%41+b&c=d"]) {
      const authorize = vi.fn<Authorize>(() => null);
      const { log } = await attempt(authorize, { username: "ada", password });
      expect(authorize.mock.calls[0]?.[0].password).toBe(password);
      log.expectErrors("CredentialsSignin");
    }
  });

  it("sees the visitor's headers", async () => {
    let seen: string | null = null;
    const { browser } = createHouse({
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

  it("lets in whom it answers, at once or later", async () => {
    expect((await attempt(() => ({ ...ADA }))).session?.user.name).toBe("Ada");
    expect((await attempt(async () => ({ ...ADA }))).session?.user.name).toBe("Ada");
  });

  it("may answer a user that cannot be changed, without an id or with a number as one", async () => {
    for (const user of [{ name: "Frozen" }, { id: 7 as never, name: "Frozen" }]) {
      const { session } = await attempt(() => Object.freeze({ ...user }));
      expect(session?.user.name).toBe("Frozen");
    }
  });

  it("makes up an id where there is none, as text in all places", async () => {
    const { events } = await attempt(() => ({ name: "Nobody" }));
    const [{ user, account }] = events as [{ user: { id: string }; account: object }];
    expect(user.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(account).toEqual({
      provider: "credentials",
      providerAccountId: user.id,
      type: "credentials",
    });
    const { events: numbered } = await attempt(() => ({ id: 7 as never }));
    expect(numbered[0]).toMatchObject({ user: { id: "7" }, account: { providerAccountId: "7" } });
  });

  it.each([[null], [undefined], [false], [0], [""]])("refuses by answering %j", async (answer) => {
    const { location, session, events, log } = await attempt(() => answer as never);
    expect(location).toBe(`${ORIGIN}/auth/signin?error=CredentialsSignin&code=credentials`);
    expect(session).toBeNull();
    expect(events).toEqual([]);
    log.expectErrors("CredentialsSignin");
  });

  it.each([[true], [1], ["ada"], [[]], [() => {}]])(
    "lets nobody in by answering %s, which is no user",
    async (answer) => {
      const { response, session, log } = await attempt(() => answer as never);
      expect(queryOf(response)).toEqual({ error: "Configuration" });
      expect(session).toBeNull();
      log.expectErrors("CallbackRouteError");
    },
  );

  it("may say why, by a code of its own", async () => {
    class TooMany extends CredentialsSignin {
      override code = "too many attempts";
    }
    const { response, log } = await attempt(() => {
      throw new TooMany();
    });
    expect(queryOf(response)).toEqual({ error: "CredentialsSignin", code: "too many attempts" });
    log.expectErrors("CredentialsSignin");
  });

  it("that throws the same error each time is refused each time", async () => {
    const wrong = new CredentialsSignin();
    const { browser, log } = createHouse({
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
  ])("that throws %s leads to the error page, which says nothing of it", async (thrown, type) => {
    const { location, session, log } = await attempt(() => {
      throw thrown;
    });
    expect(location).toBe(`${ORIGIN}/auth/error?error=Configuration`);
    expect(session).toBeNull();
    log.expectErrors(type);
  });

  it("that is missing is a fault at boot", () => {
    const { auth, log } = createHouse({
      providers: [{ ...credentials(), authorize: undefined } as never],
    });
    expect(() => auth.inspect()).toThrow("has no `authorize`");
    log.expectErrors("MissingAuthorize");
  });
});

describe("the answers", () => {
  it("to an unknown user and a wrong password are the same (R15)", async () => {
    const { browser, log } = createHouse();
    const wrong = await browser.signInWith("credentials", { ...LOVELACE, password: "x" });
    const unknown = await browser.signInWith("credentials", { ...LOVELACE, username: "eve" });
    const face = (response: Response) => [
      response.status,
      response.headers.get("location"),
      setCookieNames(response),
    ];
    expect(face(unknown)).toEqual(face(wrong));
    log.expectErrors("CredentialsSignin", "CredentialsSignin");
  });

  it("keep where the visitor wanted to go, over a failed attempt", async () => {
    const { browser, log } = createHouse();
    await browser.signInWith("credentials", { ...LOVELACE, password: "x", callbackUrl: "/deep" });
    log.expectErrors("CredentialsSignin");
    const response = await browser.signInWith("credentials", LOVELACE);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/deep`);
  });
});

describe("the doors", () => {
  it("are the callback by POST only", async () => {
    const { browser, log } = createHouse();
    const response = await browser.get("/auth/callback/credentials?username=ada&password=lovelace");
    expect(queryOf(response)).toEqual({ error: "Configuration" });
    expect(await browser.session()).toBeNull();
    log.expectErrors("InvalidProvider");
  });

  it("are not the sign-in route: it leads to the page", async () => {
    const { browser } = createHouse();
    const response = await browser.signIn("credentials", { callbackUrl: "/x" });
    expect(response.headers.get("location")).toMatch(/^http:\/\/localhost:3000\/auth\/signin\?/);
    expect(await browser.session()).toBeNull();
  });

  it("need the CSRF token", async () => {
    const { browser, log } = createHouse();
    const response = await browser.post("/auth/callback/credentials", LOVELACE);
    expect(queryOf(response)).toEqual({ error: "MissingCSRF" });
    expect(await browser.session()).toBeNull();
    log.expectErrors("MissingCSRF");
  });

  it("take JSON as well as a form", async () => {
    const { browser } = createHouse();
    const csrfToken = await browser.csrfToken();
    await browser.post("/auth/callback/credentials", undefined, {
      body: JSON.stringify({ ...LOVELACE, csrfToken }),
      headers: { "content-type": "application/json" },
    });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("are several where several are configured, each with its own check", async () => {
    const { browser, log } = createHouse({
      providers: [
        credentials(),
        credentials({ id: "pin", authorize: ({ pin }) => (pin === "1" ? { name: "Pin" } : null) }),
      ],
    });
    await browser.signInWith("pin", { pin: "1" });
    expect(await browser.session()).toMatchObject({ user: { name: "Pin" } });
    const response = await browser.signInWith("pin", LOVELACE);
    expect(queryOf(response)).toMatchObject({ error: "CredentialsSignin" });
    log.expectErrors("CredentialsSignin");
  });
});

describe("the form on the sign-in page", () => {
  it("has a field for each of `credentials`, with label and attributes", async () => {
    const { browser } = createHouse({
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

  it("is not there for a provider without fields", async () => {
    const { browser } = createHouse({ providers: [credentials({ credentials: {} })] });
    expect(await (await browser.get("/auth/signin")).text()).not.toContain("callback/credentials");
  });
});
