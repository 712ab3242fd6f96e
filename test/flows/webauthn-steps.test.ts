import { describe, expect, it } from "vitest";
import {
  type Answer,
  base64,
  base64url,
  BE,
  BS,
  type Change,
  createAuthenticator,
  fromBase64url,
  UP,
  UV,
} from "./_authenticator.ts";
import { ADA, createPasskeyApp, locationOf, type PasskeyApp } from "./_passkey.ts";

const REFUSED = "/auth/error?error=WebAuthnVerificationError";

const without = (bits: number) => (flags: number) => flags & ~bits;
const flipped = (bytes: Uint8Array<ArrayBuffer>, at: number) => {
  const copy = bytes.slice();
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};
const response =
  (change: (response: Record<string, unknown>) => Record<string, unknown>) => (answer: Answer) => ({
    ...answer,
    response: change(answer.response),
  });

/** WebAuthn level 3, section 7.1, one fault each; the numbers are those of SECURITY.md. */
const REGISTRATION: Record<string, Change> = {
  "2: client data that is not UTF-8": {
    clientBytes: (json) => new Uint8Array([...Buffer.from(json.slice(0, -1)), 0xff, 0x7d]),
  },
  "2: client data that is no JSON": { clientBytes: (json) => Buffer.from(json.slice(1)) },
  "2: client data that is no object": { clientBytes: (json) => Buffer.from(`[${json}]`) },
  "3: another type": { clientData: { type: "webauthn.get" } },
  "3: no type": { clientData: { type: undefined } },
  "5: another origin": { clientData: { origin: "https://evil.example" } },
  "5: another port": { clientData: { origin: "http://localhost:3001" } },
  "5: a longer origin": { clientData: { origin: "http://localhost:3000.evil.example" } },
  "5: no origin": { clientData: { origin: undefined } },
  "6: a frame of another origin": { clientData: { crossOrigin: true } },
  "6: a frame that does not say whose": { clientData: { crossOrigin: "false" } },
  "6: below another origin": { clientData: { topOrigin: "https://evil.example" } },
  "8: an attestation object that is no CBOR": {
    json: response((given) => ({ ...given, attestationObject: base64url(Buffer.from("no")) })),
  },
  "8: no attestation object": {
    json: response(({ attestationObject: _, ...rest }) => rest),
  },
  "8: authenticator data with more behind it": {
    authData: (bytes) => new Uint8Array([...bytes, 0]),
  },
  "8: authenticator data that is cut off": { authData: (bytes) => bytes.slice(0, 80) },
  "9: another relying party": { rpId: "evil.example" },
  "10: nobody present": { flags: without(UP) },
  "11: nobody verified": { flags: without(UV) },
  "12: backed up, and not eligible for it": { flags: without(BE) },
  "15: an algorithm that was not offered": { algorithm: -36 },
  "16: a format that nobody knows": { format: "home-made" },
  "17: a statement where there is none": { statement: new Map([["sig", new Uint8Array(8)]]) },
  "20: a credential's id of 1024 bytes": { credentialId: new Uint8Array(1024).fill(7) },
  "20: an empty id": { credentialId: new Uint8Array() },
  "an id beside the one that is attested": {
    json: (answer) => ({ ...answer, id: "AAAA", rawId: "AAAA" }),
  },
  "an id that is not its raw id": { json: (answer) => ({ ...answer, rawId: "AAAA" }) },
  "an id in another alphabet": {
    json: (answer) => ({ ...answer, id: `${answer.id}=`, rawId: `${answer.rawId}=` }),
  },
  "another type of credential": { json: (answer) => ({ ...answer, type: "password" }) },
};

/** Section 7.2. */
const AUTHENTICATION: Record<string, Change> = {
  "2: an id that nobody has": {
    json: (answer) => ({ ...answer, id: "AAAAAAAA", rawId: "AAAAAAAA" }),
  },
  "3: another's user handle": {
    userHandle: base64url(new Uint8Array(32).fill(9)),
  },
  "3: no user handle": { userHandle: null },
  "3: an empty user handle": { userHandle: "" },
  "3: a user handle that is too long": { userHandle: base64url(new Uint8Array(65)) },
  "4: another type": { clientData: { type: "webauthn.create" } },
  "6: another origin": { clientData: { origin: "https://evil.example" } },
  "6: the same host without encryption": { clientData: { origin: "https://localhost:3000" } },
  "7: a frame of another origin": { clientData: { crossOrigin: true } },
  "7: below another origin": { clientData: { topOrigin: "https://evil.example" } },
  "8: another relying party": { rpId: "evil.example" },
  "9: nobody present": { flags: without(UP) },
  "10: nobody verified": { flags: without(UV) },
  "11: backed up, and not eligible for it": { flags: without(BE) },
  "12: not eligible for a backup any more": { flags: without(BE | BS) },
  "13: a signature of another key": {
    signature: (bytes) => flipped(bytes, bytes.length - 1),
  },
  "13: no signature": { json: response((given) => ({ ...given, signature: "" })) },
  "13: client data changed after it was signed": {
    json: response((given) => {
      const text = Buffer.from(fromBase64url(String(given.clientDataJSON))).toString();
      const changed = text.replace('"crossOrigin":false', '"crossOrigin": false');
      return { ...given, clientDataJSON: base64url(Buffer.from(changed)) };
    }),
  },
  "13: authenticator data changed after it was signed": {
    json: response((given) => ({
      ...given,
      authenticatorData: base64url(flipped(fromBase64url(String(given.authenticatorData)), 36)),
    })),
  },
  "14: a counter that stands still": { counter: 5 },
  "14: a counter that goes back": { counter: 4 },
};

/** What the log says of a fault, by its name here: that it was this very step which refused. */
const REASONS: readonly [name: RegExp, reason: RegExp][] = [
  [/type$/, /another kind of ceremony/],
  [/client data that/, /The client data is no JSON/],
  [/^[67]: (a frame|below)/, /inside another site's page|below another origin/],
  [/^[56]: /, /of another origin/],
  [/^8: .*relying party|^9: .*relying party/, /RP ID hash/],
  [/^8: /, /does not hold.*(Leftover|not well formed|get is not|undefined)/],
  [/nobody present/, /[Uu]ser.*not present/],
  [/nobody verified/, /User verification.*required/],
  [/eligible/, /Single-device credential|backup eligibility/],
  [/^15: /, /public key alg/],
  [/^16: /, /Unsupported Attestation Format/],
  [/^17: /, /None attestation had/],
  [/that nobody has/, /The passkey is unknown/],
  [/user handle/, /user handle/],
  [/^13: /, /The signature does not hold|zero length/],
  [/^14: /, /counter value/],
  [/id|credential/, /id or type is none|another credential's id/],
];

function expectReason({ errors }: PasskeyApp, name: string): void {
  const [error] = errors;
  const said = `${error?.message} ${(error?.cause as { err?: Error } | undefined)?.err?.message}`;
  const [, reason] = REASONS.find(([fits]) => fits.test(name)) ?? [];
  expect(said).toMatch(reason as RegExp);
}

describe("a registration is refused for", () => {
  it.each(Object.entries(REGISTRATION))("%s", async (name, change) => {
    const app = createPasskeyApp();
    expect(locationOf(await app.register(ADA, change))).toBe(REFUSED);
    expect(app.errors.map(({ type }) => type)).toEqual(["WebAuthnVerificationError"]);
    expectReason(app, name);
    expect(await app.who()).toBeUndefined();
    expect(await app.adapter.getUserByEmail?.(ADA)).toBeNull();
    expect(app.calls).not.toContain("createAuthenticator");
  });

  it("4: a challenge of somebody's own", async () => {
    const app = createPasskeyApp();
    const { options } = await app.ask({ action: "register", email: ADA });
    const own = { ...options, challenge: base64url(new Uint8Array(32)) };
    const answer = await app.authenticator.create(own);
    expect(locationOf(await app.answer("register", answer))).toBe(
      "/auth/signin?error=InvalidCheck",
    );
    // The one that was given is still good.
    const right = await app.authenticator.create(options);
    expect(locationOf(await app.answer("register", right))).toBe("/");
    expect(app.errors.map(({ type }) => type)).toEqual(["InvalidCheck"]);
  });

  it("15: an algorithm that the application does not offer", async () => {
    const app = createPasskeyApp({
      provider: { registrationOptions: { supportedAlgorithmIDs: [-8] } },
    });
    const { options } = await app.ask({ action: "register", email: ADA });
    expect(options.pubKeyCredParams).toEqual([{ alg: -8, type: "public-key" }]);
    expect(locationOf(await app.register())).toBe(REFUSED);
  });

  it("17: an attestation of its own that is signed wrongly, and not for a good one", async () => {
    const authenticator = createAuthenticator({ attestation: "packed" });
    const app = createPasskeyApp({ authenticator });
    const change = {
      signature: (bytes: Uint8Array<ArrayBuffer>) => flipped(bytes, bytes.length - 1),
    };
    expect(locationOf(await app.register(ADA, change))).toBe(REFUSED);
    expect(locationOf(await app.register())).toBe("/");
  });

  it("21: an id that is registered, whoever has it", async () => {
    const app = createPasskeyApp();
    await app.register();
    const owner = await app.who();
    const { id = new Uint8Array() } = app.authenticator.held[0] ?? {};
    const thief = app.newBrowser();
    const taken = "/auth/signin?error=AccountNotLinked";
    const answer = await app.register("eve@example.com", { credentialId: id }, thief);
    expect(locationOf(answer)).toBe(taken);
    expect(await app.who(thief)).toBeUndefined();
    expect(await app.adapter.getUserByEmail?.("eve@example.com")).toBeNull();
    // Also by its owner.
    expect(locationOf(await app.register(ADA, { credentialId: id }))).toBe(taken);
    const { credentialID, userId } = (await app.adapter.getAuthenticator?.(
      base64(base64url(id)),
    )) ?? { credentialID: "", userId: "" };
    expect([credentialID, userId]).toEqual([base64(base64url(id)), owner]);
  });

  it("23: nothing, when it brings extensions that were not asked for", async () => {
    const app = createPasskeyApp();
    const json = (answer: Answer) => ({
      ...answer,
      clientExtensionResults: { credProps: { rk: true }, __proto__: { polluted: 1 }, extra: [1] },
    });
    expect(locationOf(await app.register(ADA, { json }))).toBe("/");
  });

  it("10-11: less, where the application demands less", async () => {
    const app = createPasskeyApp({
      provider: {
        registrationOptions: { authenticatorSelection: { userVerification: "discouraged" } },
        verifyRegistrationOptions: { requireUserVerification: false },
        verifyAuthenticationOptions: { requireUserVerification: false },
      },
    });
    const { options } = await app.ask({ action: "register", email: ADA });
    expect(options.authenticatorSelection.userVerification).toBe("discouraged");
    expect((await app.ask({})).options.userVerification).toBe("preferred");
    expect(locationOf(await app.register(ADA, { flags: without(UV) }))).toBe("/");
    const other = app.newBrowser();
    expect(locationOf(await app.signIn({ flags: without(UP | UV) }, other))).toBe(REFUSED);
    expect(locationOf(await app.signIn({ flags: without(UV) }, other))).toBe("/");
  });
});

describe("a sign-in is refused for", () => {
  async function registered(): Promise<PasskeyApp> {
    const app = createPasskeyApp({ authenticator: createAuthenticator({ counts: true }) });
    await app.register(ADA, { counter: 5 });
    return app;
  }

  it.each(Object.entries(AUTHENTICATION))("%s", async (name, change) => {
    const app = await registered();
    const browser = app.newBrowser();
    expect(locationOf(await app.signIn({ counter: 6, ...change }, browser))).toBe(REFUSED);
    expect(app.errors.map(({ type }) => type)).toEqual(["WebAuthnVerificationError"]);
    expectReason(app, name);
    expect(await app.who(browser)).toBeUndefined();
    // The same without the fault.
    expect(locationOf(await app.signIn({ counter: 6 }, browser))).toBe("/");
    expect(await app.who(browser)).toBe(await app.who());
  });

  it("15: nothing, when it brings extensions that were not asked for", async () => {
    const app = await registered();
    const browser = app.newBrowser();
    const json = (answer: Answer) => ({
      ...answer,
      clientExtensionResults: { appid: true, __proto__: { polluted: 1 }, extra: [1] },
    });
    expect(locationOf(await app.signIn({ counter: 6, json }, browser))).toBe("/");
    expect(await app.who(browser)).toBe(await app.who());
  });

  it("5: a challenge of somebody's own", async () => {
    const app = await registered();
    const browser = app.newBrowser();
    const { options } = await app.ask({}, browser);
    const own = { ...options, challenge: base64url(new Uint8Array(32)) };
    const answer = await app.authenticator.get(own, { counter: 6 });
    const refused = await app.answer("authenticate", answer, browser);
    expect(locationOf(refused)).toBe("/auth/signin?error=InvalidCheck");
    expect(await app.who(browser)).toBeUndefined();
  });

  it("13: the signature of another passkey", async () => {
    const app = await registered();
    await app.register("eve@example.com", { counter: 5 }, app.newBrowser());
    const [ada, eve] = app.authenticator.held;
    const browser = app.newBrowser();
    const { options } = await app.ask({}, browser);
    const forged = await app.authenticator.get(
      options,
      { counter: 6 },
      {
        ...(eve as NonNullable<typeof eve>),
        id: ada?.id as NonNullable<typeof ada>["id"],
        userHandle: ada?.userHandle ?? "",
      },
    );
    expect(locationOf(await app.answer("authenticate", forged, browser))).toBe(REFUSED);
    expect(await app.who(browser)).toBeUndefined();
  });

  it("14-16: a counter that was there before; a greater one is kept, and the backup too", async () => {
    const app = await registered();
    const id = base64(base64url(app.authenticator.held[0]?.id ?? new Uint8Array()));
    const stored = () => app.adapter.getAuthenticator?.(id);
    expect(await stored()).toMatchObject({ counter: 5, credentialBackedUp: true });
    const single = { counter: 9, flags: without(BS) };
    expect(locationOf(await app.signIn(single, app.newBrowser()))).toBe("/");
    expect(await stored()).toMatchObject({ counter: 9, credentialBackedUp: false });
    expect(locationOf(await app.signIn({ counter: 9 }, app.newBrowser()))).toBe(REFUSED);
    expect(locationOf(await app.signIn({ counter: 0 }, app.newBrowser()))).toBe(REFUSED);
    expect(await stored()).toMatchObject({ counter: 9 });
  });

  it("14: nothing, where a passkey does not count", async () => {
    const app = createPasskeyApp();
    await app.register();
    for (let use = 0; use < 3; use++) {
      expect(locationOf(await app.signIn({}, app.newBrowser()))).toBe("/");
    }
  });

  it("14: a copy that is used at the same moment", async () => {
    const app = await registered();
    const browsers = Array.from({ length: 8 }, () => app.newBrowser());
    const answers = await Promise.all(
      browsers.map(async (browser) => {
        const { options } = await app.ask({}, browser);
        return app.authenticator.get(options, { counter: 6 });
      }),
    );
    const ends = await Promise.all(
      browsers.map((browser, at) => app.answer("authenticate", answers[at], browser)),
    );
    expect(ends.filter((end) => locationOf(end) === "/").length).toBe(1);
    expect(ends.filter((end) => locationOf(end) === REFUSED).length).toBe(7);
  });
});
