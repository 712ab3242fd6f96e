import { afterEach, describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { defineStore } from "../../src/kernel.ts";
import { createClock } from "../../src/testing/testing.ts";
import type { AdapterUser } from "../../src/types.ts";
import { locationOf, ORIGIN } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import {
  base64,
  base64url,
  createAuthenticator,
  fromBase64url,
  SCRIPTS,
} from "./_authenticator.ts";
import { ADA, createPasskeyApp, type Given, OWN } from "./_passkey.ts";

const EVE = "eve@example.com";
const TOO_LATE = "/auth/signin?error=InvalidCheck";
const GONE = "/auth/signin?error=SessionRequired";
const TAKEN = "/auth/signin?error=AccountNotLinked";
const REFUSED = "/auth/error?error=WebAuthnVerificationError";

const toShape = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toShape);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, toShape(one)]));
};

describe.each([
  ["database", "the store's adapter", []],
  ["jwt", "the store's adapter", []],
  ["database", "an Auth.js adapter", OWN],
  ["jwt", "an Auth.js adapter", OWN],
] as const)("passkeys with %s sessions and %s", (strategy, _, without) => {
  const make = () => createPasskeyApp({ errors: "allowed", strategy, without });

  it("a new user registers with a passkey, and signs in again without a user name", async () => {
    const app = make();
    expect(locationOf(await app.register())).toBe("/");
    const id = await app.getUserId();
    expect(id).toBeDefined();
    const other = app.openBrowser();
    expect(locationOf(await app.signIn({}, other))).toBe("/");
    expect(await app.getUserId(other)).toBe(id);
    expect(app.events).toEqual(["createUser", "linkAccount", "signIn", "signIn"]);
    expect(app.log.errors).toEqual([]);
    expect(await app.adapter.getUser?.(id ?? "")).toMatchObject({
      email: ADA,
      emailVerified: null,
    });
  });

  it("a signed-in user adds a second passkey, and both passkeys sign in", async () => {
    const app = make();
    await app.register();
    const id = await app.getUserId();
    const old = app.browser.cookies.get("authjs.session-token");
    const { options } = await app.fetchOptions({ action: "register" });
    const [first] = app.authenticator.held;
    expect(options.excludeCredentials).toEqual([
      {
        id: base64url(first?.id ?? new Uint8Array()),
        type: "public-key",
        transports: ["internal", "hybrid"],
      },
    ]);
    const added = await app.authenticator.create(options);
    expect(locationOf(await app.respond("register", added))).toBe("/");
    // A sign-in replaces the session (R13).
    expect(app.browser.cookies.get("authjs.session-token")).not.toBe(old);
    expect(await app.getUserId()).toBe(id);
    for (const credential of app.authenticator.held) {
      const browser = app.openBrowser();
      const given = await app.fetchOptions({}, browser);
      const answer = await app.authenticator.get(given.options, {}, credential);
      expect(locationOf(await app.respond("authenticate", answer, browser))).toBe("/");
      expect(await app.getUserId(browser)).toBe(id);
    }
    expect(app.events.filter((name) => name === "createUser").length).toBe(1);
    expect(app.events.filter((name) => name === "linkAccount").length).toBe(2);
  });

  it("stores the same authenticator and account fields as Auth.js", async () => {
    const app = make();
    await app.register();
    const userId = (await app.getUserId()) ?? "";
    const credentialID = base64(base64url(app.authenticator.held[0]?.id ?? new Uint8Array()));
    expect(credentialID).toMatch(/^[A-Za-z0-9+/]+=*$/);
    const stored = await app.adapter.getAuthenticator?.(credentialID);
    expect(stored).toEqual({
      credentialID,
      providerAccountId: credentialID,
      credentialPublicKey: expect.stringMatching(/^pQECAyYgASFY[A-Za-z0-9+/]+=*$/) as string,
      counter: 0,
      credentialDeviceType: "multiDevice",
      credentialBackedUp: true,
      transports: "internal,hybrid",
      userId,
    });
    expect(await app.adapter.getAccount?.(credentialID, "passkey")).toEqual({
      provider: "passkey",
      providerAccountId: credentialID,
      type: "webauthn",
      userId,
      // An Auth.js adapter does not store this.
      ...("createUserWithAccount" in app.adapter && { verifiedEmail: false }),
    });
  });

  // An application may use its own script in one place, and Keyhook's page in another.
  it.each([
    ["keyhook", "keyhook"],
    ["keyhook", "next-auth"],
    ["next-auth", "keyhook"],
    ["next-auth", "next-auth"],
  ] as const)(
    "signs in with a passkey that the script of %s created, in the script of %s",
    async (first, second) => {
      const app = make();
      const { options } = await app.fetchOptions({ action: "register", email: ADA });
      const made = await app.authenticator.create(SCRIPTS[first].toCreation(options));
      expect(locationOf(await app.respond("register", made))).toBe("/");
      const [held] = app.authenticator.held;
      const userHandle = SCRIPTS[second].toPosted(held?.userHandle ?? "");
      const other = app.openBrowser();
      expect(locationOf(await app.signIn({ userHandle }, other))).toBe("/");
      expect(await app.getUserId(other)).toBe(await app.getUserId());
    },
  );

  it("signs in with a passkey that Auth.js stored", async () => {
    const app = make();
    const user = (await app.adapter.createUser?.({
      id: crypto.randomUUID(),
      email: ADA,
      emailVerified: null,
    })) as AdapterUser;
    // The registration of Auth.js writes a user handle of 64 characters and no transports.
    const handle = base64url(Buffer.from("ab".repeat(32)));
    const legacy = createPasskeyApp();
    const { options } = await legacy.fetchOptions({ action: "register", email: ADA });
    const answer = await app.authenticator.create({ ...options, user: { id: handle } });
    await legacy.respond("register", answer);
    const credentialID = base64(answer.id);
    const { transports: __, ...row } =
      (await legacy.adapter.getAuthenticator?.(credentialID)) ?? {};
    await app.adapter.linkAccount?.({
      provider: "passkey",
      type: "webauthn",
      providerAccountId: credentialID,
      userId: user.id,
    });
    await app.adapter.createAuthenticator?.({ ...row, userId: user.id } as never);
    for (const { toPosted } of Object.values(SCRIPTS)) {
      const browser = app.openBrowser();
      const userHandle = toPosted(handle);
      expect(locationOf(await app.signIn({ userHandle }, browser))).toBe("/");
      expect(await app.getUserId(browser)).toBe(user.id);
    }
  });

  it("refuses a passkey whose account was unlinked", async () => {
    const app = make();
    await app.register();
    const [credential] = app.authenticator.held;
    const id = base64(base64url(credential?.id ?? new Uint8Array()));
    const key = { provider: "passkey", providerAccountId: id };
    // An adapter that cannot remove passkeys can still unlink their accounts.
    await app.adapter.unlinkAccount?.(key);
    const browser = app.openBrowser();
    expect(locationOf(await app.signIn({}, browser))).toBe(REFUSED);
    expect(await app.getUserId(browser)).toBeUndefined();
    // The leftover authenticator does not let another user register its id either.
    expect(locationOf(await app.register(EVE, { credentialId: credential?.id as never }))).toBe(
      TAKEN,
    );
  });
});

describe("GET /webauthn-options/:provider", () => {
  it("options contain the public origin's relying party and the required kind of passkey", async () => {
    const app = createPasskeyApp();
    const { action, options } = await app.fetchOptions({
      action: "register",
      email: ` ${ADA.toUpperCase()} `,
    });
    expect(action).toBe("register");
    expect(options).toMatchObject({
      rp: { id: "localhost", name: "localhost:3000" },
      user: { name: ADA, displayName: ADA },
      timeout: 300_000,
      attestation: "none",
      excludeCredentials: [],
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
    expect(options.pubKeyCredParams.map(({ alg }) => alg)).toEqual([-8, -7, -257]);
    const signIn = await app.fetchOptions({ action: "authenticate" });
    expect(signIn.action).toBe("authenticate");
    expect(signIn.options).toMatchObject({
      rpId: "localhost",
      timeout: 300_000,
      userVerification: "required",
    });
    expect(fromBase64url(signIn.options.challenge).length).toBeGreaterThanOrEqual(16);
  });

  it("options contain what the application asks authenticators for", async () => {
    const app = createPasskeyApp({
      passkey: {
        registrationOptions: {
          timeout: 60_000,
          attestationType: "direct",
          authenticatorSelection: { authenticatorAttachment: "platform" },
          extensions: { minPinLength: true },
        },
        authenticationOptions: { timeout: 30_000, extensions: { appid: ORIGIN } },
      },
    });
    const { options } = await app.fetchOptions({ action: "register", email: ADA });
    expect(options).toMatchObject({
      timeout: 60_000,
      attestation: "direct",
      authenticatorSelection: { authenticatorAttachment: "platform", residentKey: "required" },
      extensions: { minPinLength: true },
    });
    const signIn = await app.fetchOptions({ action: "authenticate" });
    expect(signIn.options).toMatchObject({ timeout: 30_000, extensions: { appid: ORIGIN } });
  });

  it("a visitor's name is trimmed and has at most 100 characters", async () => {
    const app = createPasskeyApp();
    const query = { action: "register", email: ADA, name: `  ${"n".repeat(200)}  ` };
    const { options } = await app.fetchOptions(query);
    expect(options.user).toMatchObject({ name: ADA, displayName: "n".repeat(100) });
    await app.respond("register", await app.authenticator.create(options));
    expect(await app.adapter.getUserByEmail?.(ADA)).toMatchObject({ name: "n".repeat(100) });
  });

  it("the options response is not cached and sets the challenge cookie", async () => {
    const app = createPasskeyApp();
    const response = await app.browser.get("/auth/webauthn-options/passkey");
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(response.headers.get("content-type")).toBe("application/json");
    const [browser, cookie] = response.headers.getSetCookie();
    expect(browser).toMatch(/^keyhook\.browser=[\w-]{22}; Max-Age=86400;.*HttpOnly; SameSite=Lax$/);
    expect(cookie).toMatch(/^authjs\.challenge=.*Max-Age=900;.*HttpOnly.*SameSite=Lax/);
  });

  it("options use the relying party of `relayingParty` or getRelayingParty()", async () => {
    const fixed = createPasskeyApp({
      passkey: {
        relayingParty: {
          id: ["example.com", "x.example"],
          name: "Example",
          origin: ["https://app.example.com", ORIGIN],
        },
      },
    });
    expect((await fixed.fetchOptions({})).options.rpId).toBe("example.com");
    expect((await fixed.fetchOptions({ action: "register", email: ADA })).options.rp).toEqual({
      id: "example.com",
      name: "Example",
    });
    // A response from any listed origin is accepted.
    expect(locationOf(await fixed.register())).toBe("/");
    const asked = createPasskeyApp({
      passkey: {
        getRelayingParty: (_, { headers }) => ({
          id: headers.get("host") ?? "tenant.example",
          name: "Tenant",
          origin: ORIGIN,
        }),
      },
    });
    expect((await asked.fetchOptions({})).options.rpId).toBe("tenant.example");
  });

  const REFUSALS: [query: Record<string, string>, isSignedIn: boolean, error: string][] = [
    [{ action: "sign" }, false, "Invalid action"],
    [{ action: "" }, false, "Invalid action"],
    [{ action: "register" }, false, "Invalid request"],
    [{ action: "register", email: "" }, false, "Invalid request"],
    [{ action: "register", email: "nobody" }, false, "Invalid request"],
    [{ action: "register", email: "a@b,c@d" }, false, "Invalid request"],
    [{ action: "register", email: `${"a".repeat(300)}@b.example` }, false, "Invalid request"],
    [{}, true, "Invalid request"],
  ];
  it.each(REFUSALS)(
    "responds with 400 to the options query %j (signed in: %s)",
    async (query, isSignedIn, error) => {
      const app = createPasskeyApp();
      if (isSignedIn) await app.register();
      const path = `/auth/webauthn-options/passkey?${new URLSearchParams(query)}`;
      const response = await app.browser.get(path);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error });
      expect(response.headers.getSetCookie().filter((one) => one.includes("challenge"))).toEqual(
        [],
      );
    },
  );

  it("refuses a cross-site request for options", async () => {
    const app = createPasskeyApp();
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const response = await app.browser.get("/auth/webauthn-options/passkey", { headers });
    expect(response.status).toBe(400);
    expect(app.browser.cookies.size).toBe(0);
  });

  it("serves options for WebAuthn providers only, and only by GET", async () => {
    const app = createPasskeyApp({
      errors: "allowed",
      providers: [
        { id: "in", name: "In", type: "credentials", credentials: {}, authorize: () => null },
      ],
    });
    expect((await app.browser.get("/auth/webauthn-options/in")).status).toBe(404);
    expect((await app.browser.get("/auth/webauthn-options/none")).status).toBe(404);
    expect((await app.browser.post("/auth/webauthn-options/passkey")).status).toBe(405);
    expect(locationOf(await app.browser.get("/auth/callback/passkey"))).toBe(
      "/auth/error?error=Configuration",
    );
    expect(locationOf(await app.browser.signIn("passkey"))).toMatch(/^\/auth\/signin\?/);
  });

  it("the user handle is the same for the same user and does not contain the user's id", async () => {
    const app = createPasskeyApp();
    const before = await app.fetchOptions({ action: "register", email: ADA });
    const answer = await app.authenticator.create(before.options);
    await app.respond("register", answer);
    const { user } = (await app.fetchOptions({ action: "register" })).options;
    expect(user.id).toBe(before.options.user.id);
    expect((await app.fetchOptions({ action: "register" })).options.user.id).toBe(user.id);
    expect(fromBase64url(user.id).length).toBe(43);
    const id = (await app.getUserId()) ?? "";
    expect(Buffer.from(fromBase64url(user.id)).toString("latin1")).not.toContain(id);
  });
});

describe("passkey options reveal no accounts", () => {
  it.each([{}, { action: "authenticate" }, { action: "register" }] as Record<string, string>[])(
    "options for a known and an unknown address have the same shape, query %j",
    async (query) => {
      const app = createPasskeyApp();
      await app.register();
      const stranger = app.openBrowser();
      const known = await app.fetchOptions({ ...query, email: ADA }, stranger);
      const unknown = await app.fetchOptions({ ...query, email: EVE }, stranger);
      expect(toShape(known)).toEqual(toShape(unknown));
      expect(known.action).toBe(query.action ?? "authenticate");
      const flat = ({ options }: Given) =>
        JSON.stringify({ ...options, challenge: 0, user: { ...options.user, id: 0 } });
      expect(flat(known).replaceAll(ADA, "-")).toBe(flat(unknown).replaceAll(EVE, "-"));
      expect(known.options.allowCredentials).toBeUndefined();
      // No user was looked up, so the timing does not differ either.
      const before = app.calls.length;
      await app.fetchOptions({ ...query, email: ADA }, stranger);
      expect(app.calls.slice(before)).toEqual([]);
    },
  );

  it("an address that is taken is refused only after the browser has created a passkey", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const stranger = app.openBrowser();
    expect(locationOf(await app.register(ADA, {}, stranger))).toBe(TAKEN);
    expect(await app.getUserId(stranger)).toBeUndefined();
    expect(
      (await app.adapter.listAuthenticatorsByUserId?.((await app.getUserId()) ?? ""))?.length,
    ).toBe(1);
  });

  it("options reveal no accounts when getUserInfo() looks users up", async () => {
    const app = createPasskeyApp({
      errors: "allowed",
      passkey: {
        getUserInfo: async ({ adapter }, { query }) => {
          const user = await adapter.getUserByEmail?.(query.email ?? "");
          return user
            ? { user, exists: true }
            : { user: { email: query.email ?? "" }, exists: false };
        },
      },
    });
    await app.register();
    const stranger = app.openBrowser();
    const known = await app.fetchOptions({ action: "register", email: ADA }, stranger);
    const unknown = await app.fetchOptions({ action: "register", email: EVE }, stranger);
    expect(toShape(known)).toEqual(toShape(unknown));
    expect(locationOf(await app.register(ADA, {}, stranger))).toBe(TAKEN);
    expect(await app.getUserId(stranger)).toBeUndefined();
  });
});

it("registration of a user that getUserInfo() reports as existing requires a session", async () => {
  const app = createPasskeyApp({
    errors: "allowed",
    passkey: {
      getUserInfo: (_, { query: { name = "" } }) => ({ user: { name }, exists: name === "ada" }),
    },
  });
  const made = async (name: string) => {
    const browser = app.openBrowser();
    const { options } = await app.fetchOptions({ action: "register", name }, browser);
    const answer = await app.authenticator.create(options);
    return locationOf(await app.respond("register", answer, browser));
  };
  expect(await made("ada")).toBe(TAKEN);
  expect(app.events).toEqual([]);
  expect(await made("eve")).toBe("/");
});

describe("WebAuthn challenge", () => {
  it("a challenge is accepted once, only from the browser that requested it", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const browser = app.openBrowser();
    const { options } = await app.fetchOptions({}, browser);
    const answer = await app.authenticator.get(options);
    const jar = new Map(browser.cookies);
    const thief = app.openBrowser();
    expect(locationOf(await app.respond("authenticate", answer, thief))).toBe(TOO_LATE);
    expect(locationOf(await app.respond("authenticate", answer, browser))).toBe("/");
    expect(browser.cookies.has("authjs.challenge")).toBe(false);
    // The cookies from before are a copy of the used ones.
    const copy = app.openBrowser();
    for (const [name, value] of jar) copy.cookies.set(name, value);
    expect(locationOf(await app.respond("authenticate", answer, copy))).toBe(TOO_LATE);
    expect(await app.getUserId(copy)).toBeUndefined();
    expect(copy.cookies.has("authjs.challenge")).toBe(false);
  });

  it("exactly one of 10 concurrent responses to a challenge signs in", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const first = app.openBrowser();
    const { options } = await app.fetchOptions({}, first);
    const answer = await app.authenticator.get(options);
    const copies = Array.from({ length: 10 }, () => {
      const copy = app.openBrowser();
      for (const [name, value] of first.cookies) copy.cookies.set(name, value);
      return copy;
    });
    const ends = await Promise.all(copies.map((copy) => app.respond("authenticate", answer, copy)));
    expect(ends.map(locationOf).sort()).toEqual(["/", ...Array<string>(9).fill(TOO_LATE)]);
  });

  it("a challenge is accepted once by processes that share a store", async () => {
    const backend = memoryBackend();
    const adapter = adapterOn(backend);
    const make = () => {
      const app = createPasskeyApp({ errors: "allowed", adapter });
      app.auth.use(defineStore(backend));
      return app;
    };
    const [one, other] = [make(), make()];
    await one.register();
    const browser = one.openBrowser();
    const { options } = await one.fetchOptions({}, browser);
    const answer = await one.authenticator.get(options);
    const copy = other.openBrowser();
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    expect(locationOf(await one.respond("authenticate", answer, browser))).toBe("/");
    expect(locationOf(await other.respond("authenticate", answer, copy))).toBe(TOO_LATE);
    expect(await other.getUserId(copy)).toBeUndefined();
  });

  it("a failed response uses up its challenge", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const browser = app.openBrowser();
    const { options } = await app.fetchOptions({}, browser);
    const bad = await app.authenticator.get(options, { rpId: "evil.example" });
    expect(locationOf(await app.respond("authenticate", bad, browser))).toBe(REFUSED);
    const good = await app.authenticator.get(options);
    expect(locationOf(await app.respond("authenticate", good, browser))).toBe(TOO_LATE);
  });

  it("a challenge expires after 15 minutes", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const browser = app.openBrowser();
    const { options } = await app.fetchOptions({}, browser);
    const jar = new Map(browser.cookies);
    using clock = createClock();
    clock.advance("16 minutes");
    for (const [name, value] of jar) browser.cookies.set(name, value);
    const answer = await app.authenticator.get(options);
    expect(locationOf(await app.respond("authenticate", answer, browser))).toBe(TOO_LATE);
    expect(await app.getUserId(browser)).toBeUndefined();
  });

  it("a challenge for registration is refused for authentication and the reverse", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const browser = app.openBrowser();
    const { options } = await app.fetchOptions({ action: "register", email: EVE }, browser);
    const answer = await app.authenticator.get(
      { ...options, rpId: "localhost" },
      {},
      app.authenticator.held[0],
    );
    expect(locationOf(await app.respond("authenticate", answer, browser))).toBe(REFUSED);
    const { options: signIn } = await app.fetchOptions({}, browser);
    const made = { ...signIn, rp: { id: "localhost" }, user: { id: "AAAA" } };
    const created = await app.authenticator.create(made);
    expect(locationOf(await app.respond("register", created, browser))).toBe(REFUSED);
    expect(await app.getUserId(browser)).toBeUndefined();
  });

  it("a challenge of one provider is refused by another", async () => {
    const { webauthnPlugin } = await import("../../plugins/providers/webauthn.ts");
    const app = createPasskeyApp({ errors: "allowed" });
    app.auth.use(webauthnPlugin({ enableConditionalUI: false }));
    await app.register();
    const browser = app.openBrowser();
    const { options } = await app.fetchOptions({}, browser);
    const data = JSON.stringify(await app.authenticator.get(options));
    const response = await browser.signInWith("webauthn", { action: "authenticate", data });
    expect(locationOf(response)).toBe(TOO_LATE);
    // A passkey of one provider does not sign in at another either.
    const own = await browser.get("/auth/webauthn-options/webauthn");
    const given = (await own.json()) as Given;
    const fresh = JSON.stringify(await app.authenticator.get(given.options));
    const other = await browser.signInWith("webauthn", { action: "authenticate", data: fresh });
    expect(locationOf(other)).toBe(REFUSED);
  });

  it("challenges of several tabs stay valid independently", async () => {
    const app = createPasskeyApp();
    await app.register();
    const browser = app.openBrowser();
    const tabs: Given[] = [];
    for (let tab = 0; tab < 3; tab++) tabs.push(await app.fetchOptions({}, browser));
    for (const tab of [1, 0, 2]) {
      const options = tabs[tab]?.options as Given["options"];
      // After the sign-in in one tab, the challenges of the other tabs are still for no particular user.
      const answer = await app.authenticator.get(options);
      expect(locationOf(await app.respond("authenticate", answer, browser))).toBe("/");
    }
    expect([...browser.cookies.keys()].filter((name) => name.includes("challenge"))).toEqual([]);
  });

  it("keeps the five most recent challenges of a browser", async () => {
    const app = createPasskeyApp();
    const asked: Given[] = [];
    for (let count = 0; count < 9; count++) {
      asked.push(await app.fetchOptions({ action: "register", email: ADA }));
    }
    const names = [...app.browser.cookies.keys()].filter((name) => name.includes("challenge"));
    expect(names.length).toBe(5);
    const answer = await app.authenticator.create(asked.at(-1)?.options as Given["options"]);
    expect(locationOf(await app.respond("register", answer))).toBe("/");
  });
});

describe("POST /callback/:webauthn-provider", () => {
  it("refuses a WebAuthn response without CSRF token or from another origin", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const browser = app.openBrowser();
    const { options } = await app.fetchOptions({}, browser);
    const data = JSON.stringify(await app.authenticator.get(options));
    const fields = { action: "authenticate", data };
    const missing = await browser.post("/auth/callback/passkey", fields);
    expect(locationOf(missing)).toBe("/auth/signin?error=MissingCSRF");
    const csrfToken = await browser.csrfToken();
    const foreign = await browser.post(
      "/auth/callback/passkey",
      { ...fields, csrfToken },
      { headers: { origin: "https://evil.example" } },
    );
    expect(locationOf(foreign)).toBe("/auth/signin?error=MissingCSRF");
    // The refused requests have not used up the challenge.
    expect(locationOf(await app.respond("authenticate", data, browser))).toBe("/");
  });

  it.each([
    ["no fields", {}],
    ["another action", { action: "delete", data: "{}" }],
    ["a prototype property as action", { action: "constructor", data: "{}" }],
    ["no data", { action: "authenticate" }],
    ["data that is not JSON", { action: "authenticate", data: "{" }],
    ["data that is null", { action: "authenticate", data: "null" }],
    ["data that is a list", { action: "register", data: "[]" }],
    ["data without an id", { action: "register", data: '{"response":{"clientDataJSON":"e30"}}' }],
    ["data without client data", { action: "register", data: '{"id":"AA","response":{}}' }],
    ["data nested too deep", { action: "register", data: `${"[".repeat(40)}${"]".repeat(40)}` }],
  ])("responds with 400 to a WebAuthn response with %s", async (_, fields) => {
    const app = createPasskeyApp();
    const response = await app.browser.signInWith("passkey", fields as Record<string, string>);
    expect(response.status).toBe(400);
    expect(app.log.debugs.at(-1)?.[1]).toEqual({ type: "BadRequest" });
  });

  it("accepts a WebAuthn response as JSON and responds with JSON when asked to", async () => {
    const app = createPasskeyApp();
    const { options } = await app.fetchOptions({ action: "register", email: ADA });
    const data = await app.authenticator.create(options);
    const csrfToken = await app.browser.csrfToken();
    const response = await app.browser.post(
      "/auth/callback/passkey",
      {},
      {
        body: JSON.stringify({ action: "register", data, csrfToken, callbackUrl: "/welcome" }),
        headers: { "content-type": "application/json", "x-auth-return-redirect": "1" },
      },
    );
    expect(await response.json()).toEqual({ url: `${ORIGIN}/welcome` });
    expect(await app.getUserId()).toBeDefined();
  });

  it("redirects new users to pages.newUser", async () => {
    const app = createPasskeyApp({ pages: { newUser: "/welcome" } });
    expect(locationOf(await app.register())).toMatch(/^\/welcome\?/);
    expect(locationOf(await app.signIn({}, app.openBrowser()))).toBe("/");
  });

  it("a credential id in another letter case is refused, even if the database ignores case", async () => {
    const full = adapterOn(memoryBackend());
    const folded = new Map<string, string>();
    const app = createPasskeyApp({
      errors: "allowed",
      adapter: {
        ...full,
        async createUserWithAccount(user, account, passkey) {
          const id = passkey?.credentialID ?? "";
          folded.set(id.toLowerCase(), id);
          return full.createUserWithAccount(user, account, passkey);
        },
        getAuthenticator: async (id) => full.getAuthenticator(folded.get(id.toLowerCase()) ?? id),
      },
    });
    await app.register(ADA, { credentialId: fromBase64url("AAaaBBbb") });
    const json = (answer: object) => ({ ...answer, id: "aaAAbbBB", rawId: "aaAAbbBB" });
    const browser = app.openBrowser();
    expect(locationOf(await app.signIn({ json }, browser))).toBe("/auth/error?error=Configuration");
    expect(locationOf(await app.signIn({}, browser))).toBe("/");
  });
});

describe("passkeys of a signed-in user", () => {
  it("a signed-in user authenticates with one of their own passkeys only", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const [ada] = app.authenticator.held;
    const eve = app.openBrowser();
    await app.register(EVE, {}, eve);
    const id = await app.getUserId(eve);
    const { options } = await app.fetchOptions({ action: "authenticate" }, eve);
    expect(options.allowCredentials?.map((one) => one.id)).toEqual([
      base64url(app.authenticator.held[1]?.id ?? new Uint8Array()),
    ]);
    const borrowed = await app.authenticator.get(options, {}, ada);
    expect(locationOf(await app.respond("authenticate", borrowed, eve))).toBe(TAKEN);
    expect(await app.getUserId(eve)).toBe(id);
    const { options: again } = await app.fetchOptions({ action: "authenticate" }, eve);
    // With `allowCredentials`, some authenticators omit the user handle.
    const own = await app.authenticator.get(again, { userHandle: null });
    expect(locationOf(await app.respond("authenticate", own, eve))).toBe("/");
  });

  it("adding a passkey fails after the user has signed out", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const id = await app.getUserId();
    const { options } = await app.fetchOptions({ action: "register" });
    const answer = await app.authenticator.create(options);
    await app.browser.signOut();
    expect(locationOf(await app.respond("register", answer))).toBe(GONE);
    expect((await app.adapter.listAuthenticatorsByUserId?.(id ?? ""))?.length).toBe(1);
  });

  it("adding a passkey fails after another user has signed in", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register(EVE, {}, app.openBrowser());
    const [eve] = app.authenticator.held;
    await app.register();
    const { options } = await app.fetchOptions({ action: "register" });
    const answer = await app.authenticator.create(options);
    await app.browser.signOut();
    const given = await app.fetchOptions({});
    const signIn = await app.authenticator.get(given.options, {}, eve);
    expect(locationOf(await app.respond("authenticate", signIn))).toBe("/");
    const id = await app.getUserId();
    expect(locationOf(await app.respond("register", answer))).toBe(GONE);
    expect((await app.adapter.listAuthenticatorsByUserId?.(id ?? ""))?.length).toBe(1);
  });
});

describe("signIn callback for passkeys", () => {
  it.each([
    ["returns false", () => false, "/auth/error?error=AccessDenied"],
    ["returns a path", () => "/quarantine", "/quarantine"],
    ["rejects", () => Promise.reject(new Error("no")), "/auth/error?error=AccessDenied"],
  ])("nothing is stored when the signIn callback %s", async (_, signIn, target) => {
    const app = createPasskeyApp({ errors: "allowed", callbacks: { signIn } });
    expect(locationOf(await app.register())).toBe(target);
    expect(await app.getUserId()).toBeUndefined();
    expect(await app.adapter.getUserByEmail?.(ADA)).toBeNull();
    expect(app.calls).not.toContain("createUserWithAccount");
    expect(app.events).toEqual([]);
  });

  it("the signIn callback runs at each sign-in and receives user and account", async () => {
    const received: unknown[] = [];
    let verdict: boolean | string = true;
    const app = createPasskeyApp({
      errors: "allowed",
      callbacks: {
        signIn({ user, account }) {
          received.push([user.email, account?.type, account?.provider]);
          return verdict;
        },
      },
    });
    await app.register();
    const browser = app.openBrowser();
    verdict = "/quarantine";
    expect(locationOf(await app.signIn({}, browser))).toBe("/quarantine");
    expect(await app.getUserId(browser)).toBeUndefined();
    verdict = false;
    expect(locationOf(await app.signIn({}, browser))).toBe("/auth/error?error=AccessDenied");
    verdict = true;
    expect(locationOf(await app.signIn({}, browser))).toBe("/");
    expect(received).toEqual(Array(4).fill([ADA, "webauthn", "passkey"]));
  });
});

describe("passkeys together with e-mail sign-in", () => {
  const mail = {
    id: "mail",
    name: "Mail",
    type: "email" as const,
    sendVerificationRequest: ({ url }: { url: string }) => void links.push(url),
  };
  let links: string[] = [];
  afterEach(() => {
    links = [];
  });

  it("signing in by e-mail to an address removes the passkey that was registered before it was verified", async () => {
    const app = createPasskeyApp({ errors: "allowed", providers: [mail] });
    const attacker = app.openBrowser();
    expect(locationOf(await app.register(ADA, {}, attacker))).toBe("/");
    const id = await app.getUserId(attacker);
    await app.browser.signIn("mail", { email: ADA });
    await app.browser.get(links[0]?.slice(ORIGIN.length) ?? "");
    expect(await app.getUserId()).toBe(id);
    expect(await app.getUserId(attacker)).toBeUndefined();
    expect(locationOf(await app.signIn({}, attacker))).toBe(REFUSED);
    expect(await app.getUserId(attacker)).toBeUndefined();
    // The owner of the address may add a passkey.
    const { options } = await app.fetchOptions({ action: "register" });
    const answer = await app.authenticator.create(options);
    expect(locationOf(await app.respond("register", answer))).toBe("/");
    const other = app.openBrowser();
    expect(locationOf(await app.signIn({}, other))).toBe("/");
    expect(await app.getUserId(other)).toBe(id);
  });

  it("registration requires a session when the adapter cannot delete passkeys", async () => {
    const app = createPasskeyApp({ providers: [mail], without: OWN });
    const path = `/auth/webauthn-options/passkey?action=register&email=${ADA}`;
    expect((await app.browser.get(path)).status).toBe(400);
    expect(await (await app.browser.get("/auth/signin")).text()).not.toContain("Sign up with");
    await app.browser.signIn("mail", { email: ADA });
    await app.browser.get(links[0]?.slice(ORIGIN.length) ?? "");
    const { options } = await app.fetchOptions({ action: "register" });
    const answer = await app.authenticator.create(options);
    expect(locationOf(await app.respond("register", answer))).toBe("/");
  });
});

it('`registration: "signed-in"` refuses registration without a session', async () => {
  const app = createPasskeyApp({ passkey: { registration: "signed-in" } });
  const path = `/auth/webauthn-options/passkey?action=register&email=${ADA}`;
  expect((await app.browser.get(path)).status).toBe(400);
});

it("stores the signature counter of an authenticator that counts", async () => {
  const authenticator = createAuthenticator({ counts: true });
  const app = createPasskeyApp({ authenticator, without: OWN });
  await app.register();
  for (let use = 1; use < 4; use++) {
    expect(locationOf(await app.signIn({}, app.openBrowser()))).toBe("/");
    const id = base64(base64url(authenticator.held[0]?.id ?? new Uint8Array()));
    expect((await app.adapter.getAuthenticator?.(id))?.counter).toBe(use);
  }
});
