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
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { webauthnPlugin } from "../../plugins/providers/webauthn.ts";
import { ODD_TEXTS } from "../../src/testing.ts";
import { encode } from "../../src/jwt.ts";
import type { Adapter, AdapterUser } from "../../src/types.ts";
import { adapterOn } from "../adapters/_shelf.ts";
import { base64, base64url, createAuthenticator } from "../flows/_authenticator.ts";
import {
  ADA,
  createPasskeyApp,
  type Given,
  locationOf,
  ORIGIN,
  type PasskeyApp,
  SECRET,
} from "../flows/_passkey.ts";
import { expectSafe, givesSession, runs, watchRejections, wellFormed } from "./_attack.ts";

watchRejections();

const TOO_LATE = "/auth/signin?error=InvalidCheck";
const REFUSED = "/auth/error?error=WebAuthnVerificationError";
const TAKEN = "/auth/signin?error=AccountNotLinked";
const EVE = "eve@example.com";

const challenges = (app: PasskeyApp, browser = app.browser) =>
  [...browser.cookies].filter(([name]) => name.includes("challenge"));

describe("a challenge", () => {
  it("that was answered is of no use to who has the cookie and the answer of then", async () => {
    const app = createPasskeyApp();
    await app.register();
    const victim = app.newBrowser();
    const { options } = await app.ask({}, victim);
    const answer = await app.authenticator.get(options);
    const stolen = new Map(victim.cookies);
    expect(locationOf(await app.answer("authenticate", answer, victim))).toBe("/");
    for (let time = 0; time < 3; time++) {
      const thief = app.newBrowser();
      for (const [name, value] of stolen) thief.cookies.set(name, value);
      expect(locationOf(await app.answer("authenticate", answer, thief))).toBe(TOO_LATE);
      expect(await app.who(thief)).toBeUndefined();
    }
  });

  // Two processes share an adapter and no store: neither knows what the other one burned (README).
  it.each([
    ["none where keys count", 7, REFUSED],
    ["once more where they do not", 0, "/"],
  ])("that was answered at a process lets in at another: %s", async (_, counter, led) => {
    const adapter = adapterOn(memoryBackend());
    const authenticator = createAuthenticator();
    const one = createPasskeyApp({ adapter, authenticator });
    const two = createPasskeyApp({ adapter, authenticator });
    await one.register();
    const victim = one.newBrowser();
    const { options } = await one.ask({}, victim);
    expect(options.challenge).toMatch(/^[\w-]{43}$/);
    const answer = await authenticator.get(options, { counter });
    const thieves = [1, 2].map(() => two.newBrowser());
    for (const thief of thieves) {
      for (const [name, value] of victim.cookies) thief.cookies.set(name, value);
    }
    expect(locationOf(await one.answer("authenticate", answer, victim))).toBe("/");
    const ends: string[] = [];
    for (const thief of thieves) {
      ends.push(locationOf(await two.answer("authenticate", answer, thief)));
    }
    expect(ends).toEqual([led, TOO_LATE]);
  });

  it("of Eve's browser is not answered by Ada's, nor one of hers by Eve's", async () => {
    const app = createPasskeyApp();
    await app.register();
    const [ada, eve] = [app.newBrowser(), app.newBrowser()];
    const [hers, eves] = [await app.ask({}, ada), await app.ask({}, eve)];
    // Signed by Ada's own key, for the challenge that Eve was given.
    const answer = await app.authenticator.get(eves.options);
    expect(locationOf(await app.answer("authenticate", answer, ada))).toBe(TOO_LATE);
    expect(await app.who(ada)).toBeUndefined();
    const other = await app.authenticator.get(hers.options);
    expect(locationOf(await app.answer("authenticate", other, eve))).toBe(TOO_LATE);
    expect(await app.who(eve)).toBeUndefined();
  });

  it("cannot be made by who has no secret, nor of what was sealed for something else", async () => {
    const app = createPasskeyApp();
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
      const browser = app.newBrowser();
      browser.cookies.set("authjs.challenge", encodeURIComponent(forged));
      expect(locationOf(await app.answer("authenticate", answer, browser))).toBe(TOO_LATE);
      expect(await app.who(browser)).toBeUndefined();
      expect(challenges(app, browser)).toEqual([]);
    }
  });

  it("that Auth.js sealed before the change is too old, and stands in nobody's way", async () => {
    const app = createPasskeyApp();
    await app.register();
    const browser = app.newBrowser();
    const challenge = "B".repeat(43);
    // What it puts in there: the bare challenge, and whom it registers.
    const token = { value: challenge, data: { email: ADA }, provider: "passkey" };
    const salt = "authjs.challenge";
    const sealed = await encode({ token, secret: SECRET, salt, maxAge: 900 });
    browser.cookies.set("authjs.challenge", sealed);
    const options = { challenge, rpId: "localhost" } as Given["options"];
    const answer = await app.authenticator.get(options);
    expect(locationOf(await app.answer("authenticate", answer, browser))).toBe(TOO_LATE);
    expect(challenges(app, browser)).toEqual([]);
    expect(locationOf(await app.signIn({}, browser))).toBe("/");
  });
});

describe("options", () => {
  it.each([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" },
  ])(
    "are nothing for another site, which makes this browser forget nothing: %j",
    async (headers) => {
      const app = createPasskeyApp();
      await app.register();
      const browser = app.newBrowser();
      const own = await app.ask({}, browser);
      for (let time = 0; time < 12; time++) {
        const path = "/auth/webauthn-options/passkey?action=authenticate";
        const response = await browser.get(path, { headers });
        expect(response.status).toBe(400);
        await expectSafe(response);
        expect(await response.json()).toEqual({ error: "Invalid request" });
        expect(response.headers.getSetCookie()).toEqual([]);
      }
      const answer = await app.authenticator.get(own.options);
      expect(locationOf(await app.answer("authenticate", answer, browser))).toBe("/");
    },
  );

  it("are the same for whoever is named, in all they say and set", async () => {
    const app = createPasskeyApp();
    await app.register();
    const shapes = new Set<string>();
    for (const email of [ADA, ADA.toUpperCase(), "nobody@example.com", "", "x", "__proto__"]) {
      for (const action of [undefined, "authenticate"]) {
        app.calls.length = 0;
        const query = new URLSearchParams({ email, ...(action && { action }) });
        const response = await app.newBrowser().get(`/auth/webauthn-options/passkey?${query}`);
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
    // Nobody was looked up, so nothing can take longer.
    expect([...shapes][0]).toMatch(/,\[\]\]$/);
  });

  it("keep their size and their peace, whatever is asked", async () => {
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
        const browser = app.newBrowser();
        const response = await browser.get(path);
        expect([200, 400]).toContain(response.status);
        await expectSafe(response);
        for (const cookie of response.headers.getSetCookie()) {
          expect(cookie.length).toBeLessThan(4096);
        }
      }),
      runs(100),
    );
    expect(app.errors).toEqual([]);
  });
});

describe("an answer", () => {
  it("of any shape lets nobody in, and is no fault of ours", async () => {
    const app = createPasskeyApp();
    await app.register();
    const browser = app.newBrowser();
    const { options } = await app.ask({}, browser);
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
          const fresh = app.newBrowser();
          const response = await app.answer(action, JSON.stringify(data) ?? "", fresh);
          await expectSafe(response);
          expect(await app.who(fresh)).toBeUndefined();
        },
      ),
      runs(150),
    );
    const types = new Set(app.errors.map(({ type }) => type));
    for (const type of types) {
      expect(["BadRequest", "InvalidCheck", "WebAuthnVerificationError"]).toContain(type);
    }
  });

  it("that is too large, too deep or no text is refused", async () => {
    const app = createPasskeyApp();
    await app.register();
    const deep = `${"[".repeat(5000)}${"]".repeat(5000)}`;
    for (const data of ["x".repeat(70_000), deep, `{"id":${deep}}`, "\u0000", "{}", "null", "[]"]) {
      const browser = app.newBrowser();
      const response = await app.answer("authenticate", data, browser);
      expect(response.status).toBe(400);
      await expectSafe(response);
    }
  });
});

describe("whose a passkey is", () => {
  it("does not change: no id that is known is registered, by whom or where ever", async () => {
    const app = createPasskeyApp();
    app.auth.use(webauthnPlugin({ enableConditionalUI: false }));
    await app.register();
    const owner = await app.who();
    const credentialId = app.authenticator.held[0]?.id as Uint8Array;
    const eves = createAuthenticator();
    for (const provider of ["passkey", "webauthn"]) {
      const eve = app.newBrowser();
      const path = `/auth/webauthn-options/${provider}?action=register&email=${EVE}`;
      const given = (await (await eve.get(path)).json()) as Given;
      const data = JSON.stringify(await eves.create(given.options, { credentialId }));
      const response = await eve.signInWith(provider, { action: "register", data });
      expect(locationOf(response)).toBe(TAKEN);
      expect(await app.who(eve)).toBeUndefined();
    }
    expect(await app.adapter.getUserByEmail?.(EVE)).toBe(null);
    const again = app.newBrowser();
    expect(locationOf(await app.signIn({}, again))).toBe("/");
    expect(await app.who(again)).toBe(owner);
  });

  it("is not said by a user handle, whoever it names", async () => {
    const app = createPasskeyApp();
    await app.register();
    const adas = app.authenticator.held[0]?.userHandle;
    const eveBrowser = app.newBrowser();
    await app.register(EVE, {}, eveBrowser);
    const eve = await app.who(eveBrowser);
    const mine = app.authenticator.held[1];
    const handles: unknown[] = [adas, "", "AA", "A".repeat(200), 7, {}, ["x"], "\u0000"];
    for (const userHandle of handles) {
      const browser = app.newBrowser();
      const { options } = await app.ask({}, browser);
      const answer = await app.authenticator.get(options, {}, mine);
      const response = { ...answer.response, userHandle };
      await app.answer("authenticate", { ...answer, response }, browser);
      // It is Eve's key: whatever it says, nobody but Eve comes in by it.
      expect([undefined, eve]).toContain(await app.who(browser));
      if (userHandle === adas) expect(await app.who(browser)).toBeUndefined();
    }
  });

  it("is who was signed in when it was asked for, and still is", async () => {
    const app = createPasskeyApp();
    await app.register();
    const eves = createAuthenticator();
    const eve = app.newBrowser();
    const { options: asked } = await app.ask({ action: "register", email: EVE }, eve);
    await app.answer("register", await eves.create(asked), eve);
    // Asked for by Eve; by the time of the answer Ada has signed in with this browser.
    const { options } = await app.ask({ action: "register" }, eve);
    const answer = await eves.create(options);
    await app.signIn({}, app.browser);
    for (const [name, value] of app.browser.cookies) {
      if (name.includes("session")) eve.cookies.set(name, value);
    }
    expect(locationOf(await app.answer("register", answer, eve))).toBe(TAKEN);
    // And by who is signed out.
    const gone = app.newBrowser();
    await app.signIn({}, gone);
    const { options: late } = await app.ask({ action: "register" }, gone);
    await gone.signOut();
    expect(locationOf(await app.answer("register", await eves.create(late), gone))).toBe(TAKEN);
    const ada = (await app.adapter.getUserByEmail?.(ADA)) as AdapterUser;
    expect(await app.adapter.listAuthenticatorsByUserId?.(ada.id)).toHaveLength(1);
  });
});

describe("behind a proxy", () => {
  const bare = { AUTH_URL: "" };
  const appAt = (trustHost: boolean | string[] | undefined, adapter: Adapter) =>
    createPasskeyApp({
      adapter,
      config: {
        env: { NODE_ENV: "production", ...bare },
        ...(trustHost !== undefined && { trustHost: trustHost as true }),
      },
    });

  it("the relying party is a host that is trusted, never just one that is claimed", async () => {
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
    // Nobody is trusted, and no origin is set: nothing starts.
    expect(await ask(false, "evil.example")).toBe(500);
    expect(await ask(true, "evil.example/x?")).toBe(400);
  });

  it("an answer that was given at one host is none at another", async () => {
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
    expect(response.headers.get("location")).toMatch(/error=WebAuthnVerificationError$/);
    expect(givesSession(response)).toBe(false);
    expect(await adapter.getUserByEmail(ADA)).toBe(null);
  });
});

it("the script is the same for everybody, sets nothing, and is no page", async () => {
  const app = createPasskeyApp();
  const html = await (await app.browser.get("/auth/signin")).text();
  const [, src = ""] = /src="([^"]+passkey-[^"]+)"/.exec(html) ?? [];
  const response = await app.browser.get(src.slice(ORIGIN.length));
  expect(response.headers.get("content-type")).toMatch(/^text\/javascript/);
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  expect(response.headers.getSetCookie()).toEqual([]);
});

describe("the removal of a passkey", () => {
  /** Ada with two passkeys and Eve with one, each signed in. */
  async function couple() {
    const app = createPasskeyApp();
    await app.register();
    const { options } = await app.ask({ action: "register" });
    await app.answer("register", await app.authenticator.create(options));
    const eve = app.newBrowser();
    await app.register(EVE, {}, eve);
    const idsOf = async (browser = app.browser) => {
      const id = (await app.who(browser)) ?? "";
      const all = await app.adapter.listAuthenticatorsByUserId?.(id);
      return (all ?? []).map(({ credentialID }) => credentialID);
    };
    return { app, eve, idsOf, ids: await idsOf() };
  }

  it("is asked for by the page's own form, and by nothing else", async () => {
    const { app, eve, ids, idsOf } = await couple();
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
    expect(await idsOf()).toEqual(ids);
  });

  it("is of one's own alone, and tells of no other one", async () => {
    const { app, eve, ids, idsOf } = await couple();
    const csrfToken = await eve.csrfToken();
    const odd = [...ids, "nobody's", "", "__proto__", "x".repeat(5000), `${ids[0]} `, "\u0000"];
    for (const passkey of odd) {
      const response = await eve.post("/auth/passkeys", { csrfToken, passkey });
      expect(locationOf(response), passkey.slice(0, 40)).toBe("/auth/account?failed");
    }
    // Nor by the way of other accounts: a passkey's goes with it.
    for (const account of ids) {
      const fields = { csrfToken, provider: "passkey", account };
      expect(locationOf(await eve.post("/auth/account", fields))).toBe("/auth/account?failed");
      const own = { ...fields, csrfToken: await app.browser.csrfToken() };
      expect(locationOf(await app.browser.post("/auth/account", own))).toBe("/auth/account?failed");
    }
    expect(await idsOf()).toEqual(ids);
    expect(await idsOf(eve)).toHaveLength(1);
  });

  it("is nothing for who is not signed in, any more or at all", async () => {
    const { app, ids, idsOf } = await couple();
    const gone = app.newBrowser();
    const csrfToken = await gone.csrfToken();
    gone.cookies.set("authjs.session-token", "planted");
    const response = await gone.post("/auth/passkeys", { csrfToken, passkey: ids[0] ?? "" });
    expect(locationOf(response)).toBe("/auth/account?failed");
    expect(await idsOf()).toEqual(ids);
  });

  it("of all of them at the same moment leaves one, which lets in", async () => {
    const { app, ids, idsOf } = await couple();
    const csrfToken = await app.browser.csrfToken();
    const ends = await Promise.all(
      [...ids, ...ids].map((passkey) => app.browser.post("/auth/passkeys", { csrfToken, passkey })),
    );
    expect(ends.map(locationOf).filter((end) => end === "/auth/account?done")).toHaveLength(1);
    const [left] = await idsOf();
    const again = app.newBrowser();
    const { options } = await app.ask({}, again);
    const held = app.authenticator.held.find(({ id }) => base64(base64url(id)) === left);
    const answer = await app.authenticator.get(options, {}, held);
    expect(locationOf(await app.answer("authenticate", answer, again))).toBe("/");
  });
});
