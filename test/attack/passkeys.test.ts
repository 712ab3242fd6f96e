import {
  assert,
  asyncProperty,
  constantFrom,
  dictionary,
  jsonValue,
  oneof,
  string,
} from "fast-check";
import { describe, expect, it } from "vitest";
import { webauthnPlugin } from "../../plugins/providers/webauthn.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { encode } from "../../src/jwt/jwt.ts";
import { ODD_TEXTS } from "../../src/testing/testing.ts";
import type { Adapter, AdapterUser } from "../../src/types.ts";
import { locationOf, ORIGIN, SECRET } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { base64, base64url, type Change, createAuthenticator } from "../flows/_authenticator.ts";
import { ADA, createPasskeyApp, type Given, type PasskeyApp } from "../flows/_passkey.ts";
import { expectSafe, givesSession, runs, watchRejections, wellFormed } from "./_attack.ts";

watchRejections();

const TOO_LATE = "/auth/signin?error=InvalidCheck";
const REFUSED = "/auth/error?error=WebAuthnVerificationError";
const TAKEN = "/auth/signin?error=AccountNotLinked";
const SIGNED_OUT = "/auth/signin?error=SessionRequired";
const EVE = "eve@example.com";

const challenges = (app: PasskeyApp, browser = app.browser) =>
  [...browser.cookies].filter(([name]) => name.includes("challenge"));

describe("passkey challenges", () => {
  it("POST /callback/passkey rejects a used challenge replayed from a stolen cookie and response", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const victim = app.openBrowser();
    const { options } = await app.fetchOptions({}, victim);
    const answer = await app.authenticator.get(options);
    const stolen = new Map(victim.cookies);
    expect(locationOf(await app.respond("authenticate", answer, victim))).toBe("/");
    for (let time = 0; time < 3; time++) {
      const thief = app.openBrowser();
      for (const [name, value] of stolen) thief.cookies.set(name, value);
      expect(locationOf(await app.respond("authenticate", answer, thief))).toBe(TOO_LATE);
      expect(await app.getUserId(thief)).toBeUndefined();
    }
  });

  // Two processes share an adapter but no store, so neither knows which challenges the other has used (README).
  it.each([
    ["zero times with a signature counter", 7, REFUSED],
    ["once without a signature counter", 0, "/"],
  ])(
    "POST /callback/passkey on another process accepts a replayed challenge %s",
    async (_, counter, led) => {
      const adapter = adapterOn(memoryBackend());
      const authenticator = createAuthenticator();
      const one = createPasskeyApp({ adapter, authenticator });
      const two = createPasskeyApp({ errors: "allowed", adapter, authenticator });
      await one.register();
      const victim = one.openBrowser();
      const { options } = await one.fetchOptions({}, victim);
      expect(options.challenge).toMatch(/^[\w-]{43}$/);
      const answer = await authenticator.get(options, { counter });
      const thieves = [1, 2].map(() => two.openBrowser());
      for (const thief of thieves) {
        for (const [name, value] of victim.cookies) thief.cookies.set(name, value);
      }
      expect(locationOf(await one.respond("authenticate", answer, victim))).toBe("/");
      const ends: string[] = [];
      for (const thief of thieves) {
        ends.push(locationOf(await two.respond("authenticate", answer, thief)));
      }
      expect(ends).toEqual([led, TOO_LATE]);
    },
  );

  it("POST /callback/passkey rejects a response to the challenge of another browser", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const [ada, eve] = [app.openBrowser(), app.openBrowser()];
    const [hers, eves] = [await app.fetchOptions({}, ada), await app.fetchOptions({}, eve)];
    // Signed with Ada's own key, for the challenge that Eve received.
    const answer = await app.authenticator.get(eves.options);
    expect(locationOf(await app.respond("authenticate", answer, ada))).toBe(TOO_LATE);
    expect(await app.getUserId(ada)).toBeUndefined();
    const other = await app.authenticator.get(hers.options);
    expect(locationOf(await app.respond("authenticate", other, eve))).toBe(TOO_LATE);
    expect(await app.getUserId(eve)).toBeUndefined();
  });

  it("POST /callback/passkey rejects a challenge cookie sealed with another secret or for another purpose", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const challenge = "A".repeat(43);
    const value = JSON.stringify({ challenge, action: "authenticate" });
    const token = { value, provider: "passkey" };
    const seal = (secret: string, salt: string) => encode({ token, secret, salt, maxAge: 900 });
    const answer = await app.authenticator.get({
      challenge,
      rpId: "localhost",
      userVerification: "required",
    } as Given["options"]);
    for (const forged of [
      await seal("another-secret-0123456789abcdefghijk", "authjs.challenge"),
      await seal(SECRET, "authjs.state"),
      await seal(SECRET, "authjs.pkce.code_verifier"),
      await seal(SECRET, "authjs.session-token"),
      await seal(SECRET, ""),
      value,
      btoa(value),
      `eyJhbGciOiJub25lIn0.${btoa(JSON.stringify(token)).replaceAll("=", "")}.`,
    ]) {
      const browser = app.openBrowser();
      browser.cookies.set("authjs.challenge", encodeURIComponent(forged));
      expect(locationOf(await app.respond("authenticate", answer, browser))).toBe(TOO_LATE);
      expect(await app.getUserId(browser)).toBeUndefined();
      expect(challenges(app, browser)).toEqual([]);
    }
  });

  it("POST /callback/passkey rejects a challenge cookie of Auth.js, and the next attempt works", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const browser = app.openBrowser();
    const challenge = "B".repeat(43);
    // What Auth.js seals: only the challenge and the user that it registers.
    const token = { value: challenge, data: { email: ADA }, provider: "passkey" };
    const salt = "authjs.challenge";
    const sealed = await encode({ token, secret: SECRET, salt, maxAge: 900 });
    browser.cookies.set("authjs.challenge", sealed);
    const options = { challenge, rpId: "localhost" } as Given["options"];
    const answer = await app.authenticator.get(options);
    expect(locationOf(await app.respond("authenticate", answer, browser))).toBe(TOO_LATE);
    expect(challenges(app, browser)).toEqual([]);
    expect(locationOf(await app.signIn({}, browser))).toBe("/");
  });
});

describe("GET /webauthn-options", () => {
  it.each([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" },
  ])(
    "GET /webauthn-options rejects other sites and leaves the browser's challenge alone: %j",
    async (headers) => {
      const app = createPasskeyApp();
      await app.register();
      const browser = app.openBrowser();
      const own = await app.fetchOptions({}, browser);
      for (let time = 0; time < 12; time++) {
        const path = "/auth/webauthn-options/passkey?action=authenticate";
        const response = await browser.get(path, { headers });
        expect(response.status).toBe(400);
        await expectSafe(response);
        expect(await response.json()).toEqual({ error: "Invalid request" });
        expect(response.headers.getSetCookie()).toEqual([]);
      }
      const answer = await app.authenticator.get(own.options);
      expect(locationOf(await app.respond("authenticate", answer, browser))).toBe("/");
    },
  );

  it("GET /webauthn-options returns identical options and cookies for every e-mail address", async () => {
    const app = createPasskeyApp();
    await app.register();
    const shapes = new Set<string>();
    for (const email of [ADA, ADA.toUpperCase(), "nobody@example.com", "", "x", "__proto__"]) {
      for (const action of [undefined, "authenticate"]) {
        app.calls.length = 0;
        const query = new URLSearchParams({ email, ...(action && { action }) });
        const response = await app.openBrowser().get(`/auth/webauthn-options/passkey?${query}`);
        const given = (await response.json()) as Given;
        given.options.challenge = "";
        const set = response.headers.getSetCookie().map((cookie) => {
          const [, end = ""] = /^[^=]+=[^;]+;(.*)$/.exec(cookie) ?? [];
          return end.replace(/expires=[^;]+/i, "");
        });
        shapes.add(JSON.stringify([response.status, given, set, app.calls]));
      }
    }
    expect([...shapes]).toHaveLength(1);
    // No user was looked up, so there is no look-up to time.
    expect([...shapes][0]).toMatch(/,\[\]\]$/);
  });

  it("GET /webauthn-options returns 200 or 400 and small cookies for any query", async () => {
    const app = createPasskeyApp();
    const text = oneof(
      string({ unit: "binary", maxLength: 60 }).map(wellFormed),
      constantFrom(...ODD_TEXTS.map(wellFormed), "register", "authenticate", ADA, "x".repeat(9000)),
    );
    const query = dictionary(
      constantFrom("action", "email", "name", "__proto__", "id", "user"),
      text,
    );
    await assert(
      asyncProperty(query, async (fields) => {
        const path = `/auth/webauthn-options/passkey?${new URLSearchParams(fields)}`;
        const browser = app.openBrowser();
        const response = await browser.get(path);
        expect([200, 400]).toContain(response.status);
        await expectSafe(response);
        for (const cookie of response.headers.getSetCookie()) {
          expect(cookie.length).toBeLessThan(4096);
        }
      }),
      runs(100),
    );
    expect(app.log.errors).toEqual([]);
  });
});

describe("malformed passkey responses", () => {
  it("POST /callback/passkey rejects a response with any field replaced by an arbitrary value", async () => {
    const app = createPasskeyApp();
    await app.register();
    const browser = app.openBrowser();
    const { options } = await app.fetchOptions({}, browser);
    const good = (await app.authenticator.get(options)) as unknown as Record<string, unknown>;
    const odd = oneof(
      jsonValue(),
      constantFrom<unknown>("", "AA", "A".repeat(1400), "====", "__proto__", { length: 1e9 }),
    );
    const inside = Object.keys(good.response as object);
    await assert(
      asyncProperty(
        constantFrom("data", ...Object.keys(good), ...inside),
        constantFrom("authenticate", "register"),
        odd,
        async (key, action, value) => {
          let data: unknown = { ...good, [key]: value };
          if (key === "data") data = value;
          if (inside.includes(key)) {
            data = { ...good, response: { ...(good.response as object), [key]: value } };
          }
          const fresh = app.openBrowser();
          const response = await app.respond(action, JSON.stringify(data) ?? "", fresh);
          await expectSafe(response);
          expect(await app.getUserId(fresh)).toBeUndefined();
        },
      ),
      runs(150),
    );
    const types = new Set(app.log.errors.map(({ type }) => type));
    for (const type of types) {
      expect(["BadRequest", "InvalidCheck", "WebAuthnVerificationError"]).toContain(type);
    }
  });

  it("POST /callback/passkey rejects a response that is too large, too deep or not an object", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    for (const data of ["x".repeat(70_000), deep, `{"id":${deep}}`, "\u0000", "{}", "null", "[]"]) {
      const browser = app.openBrowser();
      const response = await app.respond("authenticate", data, browser);
      expect(response.status).toBe(data.length > 65_536 ? 413 : 400);
      await expectSafe(response);
    }
  });
});

describe("ownership of passkeys", () => {
  it("POST /callback/passkey registers one user for one response, one address and one credential id", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    const { options } = await app.fetchOptions({ action: "register", email: ADA });
    const answer = await app.authenticator.create(options);
    const sent = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const browser = app.openBrowser();
        for (const [name, value] of app.browser.cookies) browser.cookies.set(name, value);
        return locationOf(await app.respond("register", answer, browser));
      }),
    );
    expect(sent.sort()).toEqual(["/", ...Array.from({ length: 9 }, () => TOO_LATE)]);

    const credentialId = crypto.getRandomValues(new Uint8Array(16));
    const race = async (emails: readonly string[], change: Change) => {
      const register = (email: string) => app.register(email, change, app.openBrowser());
      return (await Promise.all(emails.map(register))).map(locationOf).sort();
    };
    const won = ["/", TAKEN, TAKEN, TAKEN];
    expect(await race([EVE, EVE, EVE, EVE], {})).toEqual(won);
    const emails = [1, 2, 3, 4].map((at) => `eve-${at}@example.com`);
    expect(await race(emails, { credentialId })).toEqual(won);
    const users = await Promise.all(emails.map((email) => app.adapter.getUserByEmail?.(email)));
    expect(users.filter(Boolean)).toHaveLength(1);
    expect(app.events.filter((name) => name === "createUser")).toHaveLength(3);
  });

  it("POST /callback/passkey does not register a known credential id for another user or provider", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    app.auth.use(webauthnPlugin({ enableConditionalUI: false }));
    await app.register();
    const owner = await app.getUserId();
    const credentialId = app.authenticator.held[0]?.id as Uint8Array;
    const eves = createAuthenticator();
    for (const provider of ["passkey", "webauthn"]) {
      const eve = app.openBrowser();
      const path = `/auth/webauthn-options/${provider}?action=register&email=${EVE}`;
      const given = (await (await eve.get(path)).json()) as Given;
      const data = JSON.stringify(await eves.create(given.options, { credentialId }));
      const response = await eve.signInWith(provider, { action: "register", data });
      expect(locationOf(response)).toBe(TAKEN);
      expect(await app.getUserId(eve)).toBeUndefined();
    }
    expect(await app.adapter.getUserByEmail?.(EVE)).toBe(null);
    const again = app.openBrowser();
    expect(locationOf(await app.signIn({}, again))).toBe("/");
    expect(await app.getUserId(again)).toBe(owner);
  });

  it("POST /callback/passkey ignores whose user handle a response contains", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const adas = app.authenticator.held[0]?.userHandle;
    const eveBrowser = app.openBrowser();
    await app.register(EVE, {}, eveBrowser);
    const eve = await app.getUserId(eveBrowser);
    const mine = app.authenticator.held[1];
    const handles: unknown[] = [adas, "", "AA", "A".repeat(200), 7, {}, ["x"], "\u0000"];
    for (const userHandle of handles) {
      const browser = app.openBrowser();
      const { options } = await app.fetchOptions({}, browser);
      const answer = await app.authenticator.get(options, {}, mine);
      const response = { ...answer.response, userHandle };
      await app.respond("authenticate", { ...answer, response }, browser);
      // Eve's key signs in only Eve, whatever the user handle is.
      expect([undefined, eve]).toContain(await app.getUserId(browser));
      if (userHandle === adas) expect(await app.getUserId(browser)).toBeUndefined();
    }
  });

  it("POST /callback/passkey registers a passkey only for the session that requested its options", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const eves = createAuthenticator();
    const eve = app.openBrowser();
    const { options: asked } = await app.fetchOptions({ action: "register", email: EVE }, eve);
    await app.respond("register", await eves.create(asked), eve);
    // Eve requests the options, and Ada signs in with this browser before the response.
    const { options } = await app.fetchOptions({ action: "register" }, eve);
    const answer = await eves.create(options);
    await app.signIn({}, app.browser);
    for (const [name, value] of app.browser.cookies) {
      if (name.includes("session")) eve.cookies.set(name, value);
    }
    expect(locationOf(await app.respond("register", answer, eve))).toBe(SIGNED_OUT);
    // The user has signed out in the meantime.
    const gone = app.openBrowser();
    await app.signIn({}, gone);
    const { options: late } = await app.fetchOptions({ action: "register" }, gone);
    await gone.signOut();
    expect(locationOf(await app.respond("register", await eves.create(late), gone))).toBe(
      SIGNED_OUT,
    );
    const ada = (await app.adapter.getUserByEmail?.(ADA)) as AdapterUser;
    expect(await app.adapter.listAuthenticatorsByUserId?.(ada.id)).toHaveLength(1);
  });
});

describe("passkeys behind a proxy", () => {
  const bare = { AUTH_URL: "" };
  const appAt = (trustHost: boolean | string[] | undefined, adapter: Adapter) =>
    createPasskeyApp({
      errors: "allowed",
      adapter,

      env: { NODE_ENV: "production", ...bare },
      ...(trustHost !== undefined && { trustHost: trustHost as true }),
    });

  it("GET /webauthn-options uses a trusted host as the relying party, never an untrusted header", async () => {
    const ask = async (trustHost: boolean | string[] | undefined, host: string) => {
      const app = appAt(trustHost, adapterOn(memoryBackend()));
      const request = new Request("http://inside:8080/auth/webauthn-options/passkey", {
        headers: { "x-forwarded-host": host, "x-forwarded-proto": "https" },
      });
      const response = await app.auth.fetch(request);
      if (response.status !== 200) return response.status;
      return ((await response.json()) as Given).options.rpId;
    };
    expect(await ask(["app.example"], "app.example")).toBe("app.example");
    for (const host of ["evil.example", "app.example.evil.example", "app.example@evil.example"]) {
      expect(await ask(["app.example"], host)).toBe(400);
    }
    // No host is trusted and no origin is set, so the ceremony does not start.
    expect(await ask(false, "evil.example")).toBe(500);
    expect(await ask(true, "evil.example/x?")).toBe(400);
  });

  it("POST /callback/passkey rejects a response created at another host", async () => {
    const adapter = adapterOn(memoryBackend());
    const app = appAt(["one.example", "two.example"], adapter);
    const at = (host: string, path: string, init: RequestInit = {}) =>
      app.auth.fetch(new Request(`https://${host}${path}`, init));
    const cookies = new Map<string, string>();
    const keep = (response: Response) => {
      for (const cookie of response.headers.getSetCookie()) {
        const [pair = ""] = cookie.split(";");
        cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
      }
    };
    const jar = () => ({ cookie: [...cookies].map((pair) => pair.join("=")).join("; ") });
    const csrf = await at("one.example", "/auth/csrf");
    keep(csrf);
    const { csrfToken } = (await csrf.json()) as { csrfToken: string };
    const path = `/auth/webauthn-options/passkey?action=register&email=${ADA}`;
    const options = await at("one.example", path, { headers: jar() });
    keep(options);
    const given = (await options.json()) as Given;
    const data = JSON.stringify(
      await app.authenticator.create(given.options, {
        clientData: { origin: "https://one.example" },
      }),
    );
    const body = () => new URLSearchParams({ csrfToken, action: "register", data });
    const post = (host: string) =>
      at(host, "/auth/callback/passkey", {
        method: "POST",
        body: body(),
        headers: { ...jar(), origin: `https://${host}` },
      });
    const response = await post("two.example");
    expect(response.headers.get("location")).toMatch(/error=InvalidCheck$/);
    expect(givesSession(response)).toBe(false);
    expect(await adapter.getUserByEmail(ADA)).toBe(null);
  });
});

it("the passkey script is JavaScript with nosniff and sets no cookie", async () => {
  const app = createPasskeyApp();
  const html = await (await app.browser.get("/auth/signin")).text();
  const [, src = ""] = /src="([^"]+passkey-[^"]+)"/.exec(html) ?? [];
  const response = await app.browser.get(src.slice(ORIGIN.length));
  expect(response.headers.get("content-type")).toMatch(/^text\/javascript/);
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.getSetCookie()).toEqual([]);
});

describe("POST /passkeys", () => {
  /** Creates Ada with two passkeys and Eve with one, each signed in. */
  async function createAdaAndEve() {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const { options } = await app.fetchOptions({ action: "register" });
    await app.respond("register", await app.authenticator.create(options));
    const eve = app.openBrowser();
    await app.register(EVE, {}, eve);
    const listIds = async (browser = app.browser) => {
      const id = (await app.getUserId(browser)) ?? "";
      const all = await app.adapter.listAuthenticatorsByUserId?.(id);
      return (all ?? []).map(({ credentialID }) => credentialID);
    };
    return { app, eve, listIds, ids: await listIds() };
  }

  it("POST /passkeys removes a passkey only with the page's CSRF token and origin", async () => {
    const { app, eve, ids, listIds } = await createAdaAndEve();
    const [passkey = ""] = ids;
    const csrfToken = await app.browser.csrfToken();
    const hers = await eve.csrfToken();
    for (const [fields, headers] of [
      [{ passkey }, {}],
      [{ passkey, csrfToken: hers }, {}],
      [{ passkey, csrfToken: "" }, {}],
      [{ passkey, csrfToken }, { origin: "https://evil.example" }],
      [{ passkey, csrfToken }, { origin: "http://localhost:3001" }],
      [
        { passkey, csrfToken },
        { origin: "null", "sec-fetch-site": "same-site" },
      ],
    ] as [Record<string, string>, Record<string, string>][]) {
      const response = await app.browser.post("/auth/passkeys", fields, { headers });
      expect(response.headers.get("location")).toContain("error=MissingCSRF");
    }
    const query = new URLSearchParams({ passkey, csrfToken });
    expect((await app.browser.get(`/auth/passkeys?${query}`)).status).toBe(405);
    expect(await listIds()).toEqual(ids);
  });

  it("POST /passkeys does not remove passkeys of another user, or reveal whether they exist", async () => {
    const { app, eve, ids, listIds } = await createAdaAndEve();
    const csrfToken = await eve.csrfToken();
    const odd = [...ids, "nobody's", "", "__proto__", "x".repeat(5000), `${ids[0]} `, "\u0000"];
    for (const passkey of odd) {
      const response = await eve.post("/auth/passkeys", { csrfToken, passkey });
      expect(locationOf(response), passkey.slice(0, 40)).toBe("/auth/account");
    }
    // Unlinking the account does not remove it either. The account of a passkey is removed with the passkey.
    for (const account of ids) {
      const fields = { csrfToken, provider: "passkey", account };
      expect(locationOf(await eve.post("/auth/account", fields))).toBe("/auth/account");
      const own = { ...fields, csrfToken: await app.browser.csrfToken() };
      expect(locationOf(await app.browser.post("/auth/account", own))).toBe("/auth/account?failed");
    }
    expect(await listIds()).toEqual(ids);
    expect(await listIds(eve)).toHaveLength(1);
  });

  it("POST /passkeys removes nothing without a valid session", async () => {
    const { app, ids, listIds } = await createAdaAndEve();
    const gone = app.openBrowser();
    const csrfToken = await gone.csrfToken();
    gone.cookies.set("authjs.session-token", "planted");
    const response = await gone.post("/auth/passkeys", { csrfToken, passkey: ids[0] ?? "" });
    expect(locationOf(response)).toBe("/auth/account");
    expect(await listIds()).toEqual(ids);
  });

  it("POST /passkeys keeps one working passkey when all are removed concurrently", async () => {
    const { app, ids, listIds } = await createAdaAndEve();
    const csrfToken = await app.browser.csrfToken();
    const ends = await Promise.all(
      [...ids, ...ids].map((passkey) => app.browser.post("/auth/passkeys", { csrfToken, passkey })),
    );
    expect(ends.map(locationOf).filter((end) => end === "/auth/account?done")).toHaveLength(1);
    const [left] = await listIds();
    const again = app.openBrowser();
    const { options } = await app.fetchOptions({}, again);
    const held = app.authenticator.held.find(({ id }) => base64(base64url(id)) === left);
    const answer = await app.authenticator.get(options, {}, held);
    expect(locationOf(await app.respond("authenticate", answer, again))).toBe("/");
  });
});
