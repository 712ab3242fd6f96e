import { afterEach, describe, expect, it, vi } from "vitest";
import type { AdapterUser } from "../../src/types.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { defineStore } from "../../src/store.ts";
import { adapterOn } from "../adapters/_shelf.ts";
import { base64, base64url, createAuthenticator, fromBase64url } from "./_authenticator.ts";
import { ADA, createPasskeyApp, type Given, locationOf, ORIGIN, OWN } from "./_passkey.ts";

const EVE = "eve@example.com";
const TOO_LATE = "/auth/signin?error=InvalidCheck";
const TAKEN = "/auth/signin?error=AccountNotLinked";
const REFUSED = "/auth/error?error=WebAuthnVerificationError";

afterEach(() => {
  vi.useRealTimers();
});

const shapeOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shapeOf(one)]));
};

describe.each([
  ["database", "our adapter", []],
  ["jwt", "our adapter", []],
  ["database", "an adapter of Auth.js", OWN],
  ["jwt", "an adapter of Auth.js", OWN],
] as const)("under the strategy %s, with %s", (strategy, _, without) => {
  const make = () => createPasskeyApp({ strategy, without });

  it("registers somebody new, and lets them in again without a name", async () => {
    const app = make();
    expect(locationOf(await app.register())).toBe("/");
    const id = await app.who();
    expect(id).toBeDefined();
    const other = app.newBrowser();
    expect(locationOf(await app.signIn({}, other))).toBe("/");
    expect(await app.who(other)).toBe(id);
    expect(app.events).toEqual(["createUser", "linkAccount", "signIn", "signIn"]);
    expect(app.errors).toEqual([]);
    expect(await app.adapter.getUser?.(id ?? "")).toMatchObject({
      email: ADA,
      emailVerified: null,
    });
  });

  it("adds a second passkey, and both let in", async () => {
    const app = make();
    await app.register();
    const id = await app.who();
    const old = app.browser.cookies.get("authjs.session-token");
    const { options } = await app.ask({ action: "register" });
    const [first] = app.authenticator.held;
    expect(options.excludeCredentials).toEqual([
      {
        id: base64url(first?.id ?? new Uint8Array()),
        type: "public-key",
        transports: ["internal", "hybrid"],
      },
    ]);
    const added = await app.authenticator.create(options);
    expect(locationOf(await app.answer("register", added))).toBe("/");
    // R13: a new session.
    expect(app.browser.cookies.get("authjs.session-token")).not.toBe(old);
    expect(await app.who()).toBe(id);
    for (const credential of app.authenticator.held) {
      const browser = app.newBrowser();
      const given = await app.ask({}, browser);
      const answer = await app.authenticator.get(given.options, {}, credential);
      expect(locationOf(await app.answer("authenticate", answer, browser))).toBe("/");
      expect(await app.who(browser)).toBe(id);
    }
    expect(app.events.filter((name) => name === "createUser").length).toBe(1);
    expect(app.events.filter((name) => name === "linkAccount").length).toBe(2);
  });

  it("stores what Auth.js stores", async () => {
    const app = make();
    await app.register();
    const userId = (await app.who()) ?? "";
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
    });
  });

  it("lets in with what Auth.js stored", async () => {
    const app = make();
    const user = (await app.adapter.createUser?.({
      id: crypto.randomUUID(),
      email: ADA,
      emailVerified: null,
    })) as AdapterUser;
    // As its own registration made it: a handle of 64 letters, and no word of transports.
    const handle = base64url(Buffer.from("ab".repeat(32)));
    const legacy = createPasskeyApp();
    const { options } = await legacy.ask({ action: "register", email: ADA });
    const answer = await app.authenticator.create({ ...options, user: { id: handle } });
    await legacy.answer("register", answer);
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
    expect(locationOf(await app.signIn())).toBe("/");
    expect(await app.who()).toBe(user.id);
  });

  it("lets nobody in with a passkey that was removed", async () => {
    const app = make();
    await app.register();
    const [credential] = app.authenticator.held;
    const id = base64(base64url(credential?.id ?? new Uint8Array()));
    const key = { provider: "passkey", providerAccountId: id };
    // An adapter that cannot remove passkeys can still unlink their accounts.
    await app.adapter.unlinkAccount?.(key);
    const browser = app.newBrowser();
    expect(locationOf(await app.signIn({}, browser))).toBe(REFUSED);
    expect(await app.who(browser)).toBeUndefined();
    // Nor does the leftover let in who registers its id.
    expect(locationOf(await app.register(EVE, { credentialId: credential?.id as never }))).toBe(
      TAKEN,
    );
  });
});

describe("what a browser is asked for", () => {
  it("says the public origin, and what a passkey has to be", async () => {
    const app = createPasskeyApp();
    const { action, options } = await app.ask({
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
    const signIn = await app.ask({ action: "authenticate" });
    expect(signIn.action).toBe("authenticate");
    expect(signIn.options).toMatchObject({
      rpId: "localhost",
      timeout: 300_000,
      userVerification: "required",
    });
    expect(fromBase64url(signIn.options.challenge).length).toBeGreaterThanOrEqual(16);
  });

  it("is kept by nobody", async () => {
    const app = createPasskeyApp();
    const response = await app.browser.get("/auth/webauthn-options/passkey");
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(response.headers.get("content-type")).toBe("application/json");
    const [cookie] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^authjs\.challenge=.*Max-Age=900;.*HttpOnly.*SameSite=Lax/);
  });

  it("takes the relying party that is configured, or asked for", async () => {
    const fixed = createPasskeyApp({
      provider: {
        relayingParty: {
          id: ["example.com", "x.example"],
          name: "Example",
          origin: ["https://app.example.com", ORIGIN],
        },
      },
    });
    expect((await fixed.ask({})).options.rpId).toBe("example.com");
    expect((await fixed.ask({ action: "register", email: ADA })).options.rp).toEqual({
      id: "example.com",
      name: "Example",
    });
    // An answer from any of the origins that are listed.
    expect(locationOf(await fixed.register())).toBe("/");
    const asked = createPasskeyApp({
      provider: {
        getRelayingParty: (_, { headers }) => ({
          id: headers.get("host") ?? "tenant.example",
          name: "Tenant",
          origin: ORIGIN,
        }),
      },
    });
    expect((await asked.ask({})).options.rpId).toBe("tenant.example");
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
  it.each(REFUSALS)("is nothing for %j (signed in: %s)", async (query, isSignedIn, error) => {
    const app = createPasskeyApp();
    if (isSignedIn) await app.register();
    const path = `/auth/webauthn-options/passkey?${new URLSearchParams(query)}`;
    const response = await app.browser.get(path);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error });
    expect(response.headers.getSetCookie().filter((one) => one.includes("challenge"))).toEqual([]);
  });

  it("is nothing for another site", async () => {
    const app = createPasskeyApp();
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const response = await app.browser.get("/auth/webauthn-options/passkey", { headers });
    expect(response.status).toBe(400);
    expect(app.browser.cookies.size).toBe(0);
  });

  it("is asked of passkeys alone, and by GET", async () => {
    const app = createPasskeyApp({
      config: {
        providers: [
          { id: "in", name: "In", type: "credentials", credentials: {}, authorize: () => null },
        ],
      },
    });
    expect((await app.browser.get("/auth/webauthn-options/in")).status).toBe(404);
    expect((await app.browser.get("/auth/webauthn-options/none")).status).toBe(404);
    expect((await app.browser.post("/auth/webauthn-options/passkey")).status).toBe(405);
    expect(locationOf(await app.browser.get("/auth/callback/passkey"))).toBe(
      "/auth/error?error=Configuration",
    );
    expect(locationOf(await app.browser.signIn("passkey"))).toMatch(/^\/auth\/signin\?/);
  });

  it("names the same person by the same handle, and nobody by anything else", async () => {
    const app = createPasskeyApp();
    const before = await app.ask({ action: "register", email: ADA });
    const answer = await app.authenticator.create(before.options);
    await app.answer("register", answer);
    const { user } = (await app.ask({ action: "register" })).options;
    expect(user.id).toBe(before.options.user.id);
    expect((await app.ask({ action: "register" })).options.user.id).toBe(user.id);
    expect(fromBase64url(user.id).length).toBe(32);
    const id = (await app.who()) ?? "";
    expect(Buffer.from(fromBase64url(user.id)).toString("latin1")).not.toContain(id);
  });
});

describe("nobody is told who has an account", () => {
  it.each([{}, { action: "authenticate" }, { action: "register" }] as Record<string, string>[])(
    "%j",
    async (query) => {
      const app = createPasskeyApp();
      await app.register();
      const stranger = app.newBrowser();
      const known = await app.ask({ ...query, email: ADA }, stranger);
      const unknown = await app.ask({ ...query, email: EVE }, stranger);
      expect(shapeOf(known)).toEqual(shapeOf(unknown));
      expect(known.action).toBe(query.action ?? "authenticate");
      const flat = ({ options }: Given) =>
        JSON.stringify({ ...options, challenge: 0, user: { ...options.user, id: 0 } });
      expect(flat(known).replaceAll(ADA, "-")).toBe(flat(unknown).replaceAll(EVE, "-"));
      expect(known.options.allowCredentials).toBeUndefined();
      // And nobody was looked up: it takes the same time, too.
      const before = app.calls.length;
      await app.ask({ ...query, email: ADA }, stranger);
      expect(app.calls.slice(before)).toEqual([]);
    },
  );

  it("an address that is taken is refused only to who has made a passkey for it", async () => {
    const app = createPasskeyApp();
    await app.register();
    const stranger = app.newBrowser();
    expect(locationOf(await app.register(ADA, {}, stranger))).toBe(TAKEN);
    expect(await app.who(stranger)).toBeUndefined();
    expect((await app.adapter.listAuthenticatorsByUserId?.((await app.who()) ?? ""))?.length).toBe(
      1,
    );
  });

  it("nor where the application looks people up itself", async () => {
    const app = createPasskeyApp({
      provider: {
        getUserInfo: async ({ adapter }, { query }) => {
          const user = await adapter.getUserByEmail?.(query.email ?? "");
          return user
            ? { user, exists: true }
            : { user: { email: query.email ?? "" }, exists: false };
        },
      },
    });
    await app.register();
    const stranger = app.newBrowser();
    const known = await app.ask({ action: "register", email: ADA }, stranger);
    const unknown = await app.ask({ action: "register", email: EVE }, stranger);
    expect(shapeOf(known)).toEqual(shapeOf(unknown));
    expect(locationOf(await app.register(ADA, {}, stranger))).toBe(TAKEN);
    expect(await app.who(stranger)).toBeUndefined();
  });
});

describe("a challenge", () => {
  it("is answered once, by the browser that was asked", async () => {
    const app = createPasskeyApp();
    await app.register();
    const browser = app.newBrowser();
    const { options } = await app.ask({}, browser);
    const answer = await app.authenticator.get(options);
    const jar = new Map(browser.cookies);
    const thief = app.newBrowser();
    expect(locationOf(await app.answer("authenticate", answer, thief))).toBe(TOO_LATE);
    expect(locationOf(await app.answer("authenticate", answer, browser))).toBe("/");
    expect(browser.cookies.has("authjs.challenge")).toBe(false);
    // With the very cookies it had: they are a copy of what was used up.
    const copy = app.newBrowser();
    for (const [name, value] of jar) copy.cookies.set(name, value);
    expect(locationOf(await app.answer("authenticate", answer, copy))).toBe(TOO_LATE);
    expect(await app.who(copy)).toBeUndefined();
    expect(copy.cookies.has("authjs.challenge")).toBe(false);
  });

  it("is answered once among many at the same moment", async () => {
    const app = createPasskeyApp();
    await app.register();
    const first = app.newBrowser();
    const { options } = await app.ask({}, first);
    const answer = await app.authenticator.get(options);
    const copies = Array.from({ length: 10 }, () => {
      const copy = app.newBrowser();
      for (const [name, value] of first.cookies) copy.cookies.set(name, value);
      return copy;
    });
    const ends = await Promise.all(copies.map((copy) => app.answer("authenticate", answer, copy)));
    expect(ends.map(locationOf).sort()).toEqual(["/", ...Array<string>(9).fill(TOO_LATE)]);
  });

  it("is answered once among processes that share a store", async () => {
    const backend = memoryBackend();
    const adapter = adapterOn(backend);
    const make = () => {
      const app = createPasskeyApp({ adapter });
      app.auth.use(defineStore(backend));
      return app;
    };
    const [one, other] = [make(), make()];
    await one.register();
    const browser = one.newBrowser();
    const { options } = await one.ask({}, browser);
    const answer = await one.authenticator.get(options);
    const copy = other.newBrowser();
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    expect(locationOf(await one.answer("authenticate", answer, browser))).toBe("/");
    expect(locationOf(await other.answer("authenticate", answer, copy))).toBe(TOO_LATE);
    expect(await other.who(copy)).toBeUndefined();
  });

  it("is used up by an answer that fails", async () => {
    const app = createPasskeyApp();
    await app.register();
    const browser = app.newBrowser();
    const { options } = await app.ask({}, browser);
    const bad = await app.authenticator.get(options, { rpId: "evil.example" });
    expect(locationOf(await app.answer("authenticate", bad, browser))).toBe(REFUSED);
    const good = await app.authenticator.get(options);
    expect(locationOf(await app.answer("authenticate", good, browser))).toBe(TOO_LATE);
  });

  it("is too old after 15 minutes", async () => {
    const app = createPasskeyApp();
    await app.register();
    const browser = app.newBrowser();
    const { options } = await app.ask({}, browser);
    const jar = new Map(browser.cookies);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 16 * 60_000 });
    for (const [name, value] of jar) browser.cookies.set(name, value);
    const answer = await app.authenticator.get(options);
    expect(locationOf(await app.answer("authenticate", answer, browser))).toBe(TOO_LATE);
    expect(await app.who(browser)).toBeUndefined();
  });

  it("is for one action", async () => {
    const app = createPasskeyApp();
    await app.register();
    const browser = app.newBrowser();
    const { options } = await app.ask({ action: "register", email: EVE }, browser);
    const answer = await app.authenticator.get(
      { ...options, rpId: "localhost" },
      {},
      app.authenticator.held[0],
    );
    expect(locationOf(await app.answer("authenticate", answer, browser))).toBe(REFUSED);
    const { options: signIn } = await app.ask({}, browser);
    const made = { ...signIn, rp: { id: "localhost" }, user: { id: "AAAA" } };
    const created = await app.authenticator.create(made);
    expect(locationOf(await app.answer("register", created, browser))).toBe(REFUSED);
    expect(await app.who(browser)).toBeUndefined();
  });

  it("is for one provider", async () => {
    const { webauthnPlugin } = await import("../../plugins/providers/webauthn.ts");
    const app = createPasskeyApp();
    app.auth.use(webauthnPlugin({ enableConditionalUI: false }));
    await app.register();
    const browser = app.newBrowser();
    const { options } = await app.ask({}, browser);
    const data = JSON.stringify(await app.authenticator.get(options));
    const response = await browser.signInWith("webauthn", { action: "authenticate", data });
    expect(locationOf(response)).toBe(TOO_LATE);
    // Nor is a passkey of one provider one of another.
    const own = await browser.get("/auth/webauthn-options/webauthn");
    const given = (await own.json()) as Given;
    const fresh = JSON.stringify(await app.authenticator.get(given.options));
    const other = await browser.signInWith("webauthn", { action: "authenticate", data: fresh });
    expect(locationOf(other)).toBe(REFUSED);
  });

  it("does not end that of another tab, which may answer later", async () => {
    const app = createPasskeyApp();
    await app.register();
    const browser = app.newBrowser();
    const tabs: Given[] = [];
    for (let tab = 0; tab < 3; tab++) tabs.push(await app.ask({}, browser));
    for (const tab of [1, 0, 2]) {
      const options = tabs[tab]?.options as Given["options"];
      // Signed in in one tab, the others still answer for nobody in particular.
      const answer = await app.authenticator.get(options);
      expect(locationOf(await app.answer("authenticate", answer, browser))).toBe("/");
    }
    expect([...browser.cookies.keys()].filter((name) => name.includes("challenge"))).toEqual([]);
  });

  it("gives way when there are too many", async () => {
    const app = createPasskeyApp();
    const asked: Given[] = [];
    for (let count = 0; count < 12; count++) {
      asked.push(await app.ask({ action: "register", email: ADA }));
    }
    const names = [...app.browser.cookies.keys()].filter((name) => name.includes("challenge"));
    expect(names.length).toBe(5);
    const answer = await app.authenticator.create(asked.at(-1)?.options as Given["options"]);
    expect(locationOf(await app.answer("register", answer))).toBe("/");
  });
});

describe("an answer", () => {
  it("needs the CSRF token, and comes from the page's own origin", async () => {
    const app = createPasskeyApp();
    await app.register();
    const browser = app.newBrowser();
    const { options } = await app.ask({}, browser);
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
    // Nothing was used up by that.
    expect(locationOf(await app.answer("authenticate", data, browser))).toBe("/");
  });

  it.each([
    ["nothing", {}],
    ["another action", { action: "delete", data: "{}" }],
    ["a prototype's name", { action: "constructor", data: "{}" }],
    ["no data", { action: "authenticate" }],
    ["data that is no JSON", { action: "authenticate", data: "{" }],
    ["data that is null", { action: "authenticate", data: "null" }],
    ["data that is a list", { action: "register", data: "[]" }],
    ["data without an id", { action: "register", data: '{"response":{"clientDataJSON":"e30"}}' }],
    ["data without client data", { action: "register", data: '{"id":"AA","response":{}}' }],
    ["data nested too deep", { action: "register", data: `${"[".repeat(40)}${"]".repeat(40)}` }],
  ])("with %s is no answer", async (_, fields) => {
    const app = createPasskeyApp();
    const response = await app.browser.signInWith("passkey", fields as Record<string, string>);
    expect(response.status).toBe(400);
    expect(app.errors.map(({ type }) => type)).toEqual(["BadRequest"]);
  });

  it("may be JSON, and is answered so where that is asked for", async () => {
    const app = createPasskeyApp();
    const { options } = await app.ask({ action: "register", email: ADA });
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
    expect(await app.who()).toBeDefined();
  });

  it("leads newcomers to their page", async () => {
    const app = createPasskeyApp({ config: { pages: { newUser: "/welcome" } } });
    expect(locationOf(await app.register())).toMatch(/^\/welcome\?/);
    expect(locationOf(await app.signIn({}, app.newBrowser()))).toBe("/");
  });

  it("of another letter case finds nothing, whatever the database compares", async () => {
    const full = adapterOn(memoryBackend());
    const folded = new Map<string, string>();
    const app = createPasskeyApp({
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
    const browser = app.newBrowser();
    expect(locationOf(await app.signIn({ json }, browser))).toBe(REFUSED);
    expect(locationOf(await app.signIn({}, browser))).toBe("/");
  });
});

describe("whoever is signed in", () => {
  it("answers with a passkey of their own", async () => {
    const app = createPasskeyApp();
    await app.register();
    const [ada] = app.authenticator.held;
    const eve = app.newBrowser();
    await app.register(EVE, {}, eve);
    const id = await app.who(eve);
    const { options } = await app.ask({ action: "authenticate" }, eve);
    expect(options.allowCredentials?.map((one) => one.id)).toEqual([
      base64url(app.authenticator.held[1]?.id ?? new Uint8Array()),
    ]);
    const borrowed = await app.authenticator.get(options, {}, ada);
    expect(locationOf(await app.answer("authenticate", borrowed, eve))).toBe(TAKEN);
    expect(await app.who(eve)).toBe(id);
    const { options: again } = await app.ask({ action: "authenticate" }, eve);
    // With a list, some authenticators give no handle.
    const own = await app.authenticator.get(again, { userHandle: null });
    expect(locationOf(await app.answer("authenticate", own, eve))).toBe("/");
  });

  it("adds a passkey while they are still there", async () => {
    const app = createPasskeyApp();
    await app.register();
    const id = await app.who();
    const { options } = await app.ask({ action: "register" });
    const answer = await app.authenticator.create(options);
    await app.browser.signOut();
    expect(locationOf(await app.answer("register", answer))).toBe(TAKEN);
    expect((await app.adapter.listAuthenticatorsByUserId?.(id ?? ""))?.length).toBe(1);
  });

  it("adds a passkey to themselves, and to nobody who signed in since", async () => {
    const app = createPasskeyApp();
    await app.register(EVE, {}, app.newBrowser());
    const [eve] = app.authenticator.held;
    await app.register();
    const { options } = await app.ask({ action: "register" });
    const answer = await app.authenticator.create(options);
    await app.browser.signOut();
    const given = await app.ask({});
    const signIn = await app.authenticator.get(given.options, {}, eve);
    expect(locationOf(await app.answer("authenticate", signIn))).toBe("/");
    const id = await app.who();
    expect(locationOf(await app.answer("register", answer))).toBe(TAKEN);
    expect((await app.adapter.listAuthenticatorsByUserId?.(id ?? ""))?.length).toBe(1);
  });
});

describe("the signIn hook", () => {
  it.each([
    ["refuses", () => false, "/auth/error?error=AccessDenied"],
    ["leads elsewhere", () => "/quarantine", "/quarantine"],
    ["throws", () => Promise.reject(new Error("no")), "/auth/error?error=AccessDenied"],
  ])("%s, and nothing is stored", async (_, signIn, target) => {
    const app = createPasskeyApp({ config: { callbacks: { signIn } } });
    expect(locationOf(await app.register())).toBe(target);
    expect(await app.who()).toBeUndefined();
    expect(await app.adapter.getUserByEmail?.(ADA)).toBeNull();
    expect(app.calls).not.toContain("createUserWithAccount");
    expect(app.events).toEqual([]);
  });

  it("is asked at each sign-in, and told who comes", async () => {
    const told: unknown[] = [];
    let verdict: boolean | string = true;
    const app = createPasskeyApp({
      config: {
        callbacks: {
          signIn({ user, account }) {
            told.push([user.email, account?.type, account?.provider]);
            return verdict;
          },
        },
      },
    });
    await app.register();
    const browser = app.newBrowser();
    verdict = "/quarantine";
    expect(locationOf(await app.signIn({}, browser))).toBe("/quarantine");
    expect(await app.who(browser)).toBeUndefined();
    verdict = false;
    expect(locationOf(await app.signIn({}, browser))).toBe("/auth/error?error=AccessDenied");
    verdict = true;
    expect(locationOf(await app.signIn({}, browser))).toBe("/");
    expect(told).toEqual(Array(4).fill([ADA, "webauthn", "passkey"]));
  });
});

describe("with links by mail beside it", () => {
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

  it("whoever proves the address keeps it, and the passkey that came before is gone", async () => {
    const app = createPasskeyApp({ config: { providers: [mail] } });
    const attacker = app.newBrowser();
    expect(locationOf(await app.register(ADA, {}, attacker))).toBe("/");
    const id = await app.who(attacker);
    await app.browser.signIn("mail", { email: ADA });
    await app.browser.get(links[0]?.slice(ORIGIN.length) ?? "");
    expect(await app.who()).toBe(id);
    expect(await app.who(attacker)).toBeUndefined();
    expect(locationOf(await app.signIn({}, attacker))).toBe(REFUSED);
    expect(await app.who(attacker)).toBeUndefined();
    // And may add one.
    const { options } = await app.ask({ action: "register" });
    const answer = await app.authenticator.create(options);
    expect(locationOf(await app.answer("register", answer))).toBe("/");
    const other = app.newBrowser();
    expect(locationOf(await app.signIn({}, other))).toBe("/");
    expect(await app.who(other)).toBe(id);
  });

  it("nobody registers unasked where the adapter could not take the passkey away again", async () => {
    const app = createPasskeyApp({ config: { providers: [mail] }, without: OWN });
    const path = `/auth/webauthn-options/passkey?action=register&email=${ADA}`;
    expect((await app.browser.get(path)).status).toBe(400);
    expect(await (await app.browser.get("/auth/signin")).text()).not.toContain("Register with");
    await app.browser.signIn("mail", { email: ADA });
    await app.browser.get(links[0]?.slice(ORIGIN.length) ?? "");
    const { options } = await app.ask({ action: "register" });
    const answer = await app.authenticator.create(options);
    expect(locationOf(await app.answer("register", answer))).toBe("/");
  });
});

it("registers only those who are signed in, where the application says so", async () => {
  const app = createPasskeyApp({ provider: { registration: "signed-in" } });
  const path = `/auth/webauthn-options/passkey?action=register&email=${ADA}`;
  expect((await app.browser.get(path)).status).toBe(400);
});

it("keeps an authenticator that counts apart from one that does not", async () => {
  const authenticator = createAuthenticator({ counts: true });
  const app = createPasskeyApp({ authenticator, without: OWN });
  await app.register();
  for (let use = 1; use < 4; use++) {
    expect(locationOf(await app.signIn({}, app.newBrowser()))).toBe("/");
    const id = base64(base64url(authenticator.held[0]?.id ?? new Uint8Array()));
    expect((await app.adapter.getAuthenticator?.(id))?.counter).toBe(use);
  }
});
