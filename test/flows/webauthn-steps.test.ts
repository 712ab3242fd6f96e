import { describe, expect, it } from "vitest";
import { locationOf } from "../_app.ts";
import {
  type Answer,
  AT,
  base64,
  base64url,
  BE,
  BS,
  cbor,
  type Cbor,
  type Change,
  createAuthenticator,
  fromBase64url,
  UP,
  UV,
} from "./_authenticator.ts";
import { ADA, createPasskeyApp, type PasskeyApp } from "./_passkey.ts";

const REFUSED = "/auth/error?error=WebAuthnVerificationError";

const without = (bits: number) => (flags: number) => flags & ~bits;
const flipped = (bytes: Uint8Array<ArrayBuffer>, at: number) => {
  const copy = bytes.slice();
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};
const followed = (bytes: Uint8Array) => new Uint8Array([...bytes, 0]);
const ED = 0x80;
const extended = (bytes: Uint8Array) =>
  new Uint8Array([...bytes, ...cbor(new Map([["credProtect", 2]]))]);

/** The COSE key of an RSA key (RFC 8230 section 4) with a modulus of this many bits. */
function rsaKey(bits: number, exponent: readonly number[] = [1, 0, 1]): Map<number, Cbor> {
  const modulus = new Uint8Array(Math.ceil(bits / 8)).fill(0xff);
  if (bits % 8) modulus[0] = 0xff >> (8 - (bits % 8));
  return new Map<number, Cbor>([
    [1, 3],
    [3, -257],
    [-1, modulus],
    [-2, new Uint8Array(exponent)],
  ]);
}

/** A COSE key of an elliptic curve (RFC 9053 section 7.1). */
function curveKey(type: number, alg: number, crv: number, ...points: Uint8Array[]) {
  const key = new Map<number, Cbor>([
    [1, type],
    [3, alg],
    [-1, crv],
  ]);
  for (const [at, point] of points.entries()) key.set(-2 - at, new Uint8Array(point));
  return key;
}
const P384 =
  "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7";
const P384_Y =
  "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f";
const P256 = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
const P256_Y = "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
const hex = (text: string) => Buffer.from(text, "hex");

const response =
  (change: (response: Record<string, unknown>) => Record<string, unknown>) => (answer: Answer) => ({
    ...answer,
    response: change(answer.response),
  });

/** Registration, WebAuthn level 3, section 7.1. Each entry has one violation. The numbers count the
 * section's steps, some of which are combined. */
const REGISTRATION: Record<string, Change> = {
  "2: client data that is not UTF-8": {
    clientBytes: (json) => new Uint8Array([...Buffer.from(json.slice(0, -1)), 0xff, 0x7d]),
  },
  "2: client data that is not JSON": { clientBytes: (json) => Buffer.from(json.slice(1)) },
  "2: client data that is not an object": { clientBytes: (json) => Buffer.from(`[${json}]`) },
  "3: another type": { clientData: { type: "webauthn.get" } },
  "3: no type": { clientData: { type: undefined } },
  "5: another origin": { clientData: { origin: "https://evil.example" } },
  "5: another port": { clientData: { origin: "http://localhost:3001" } },
  "5: a longer origin": { clientData: { origin: "http://localhost:3000.evil.example" } },
  "5: no origin": { clientData: { origin: undefined } },
  "6: a frame of another origin": { clientData: { crossOrigin: true } },
  "6: a frame with a non-boolean crossOrigin": { clientData: { crossOrigin: "false" } },
  "6: below another top origin": { clientData: { topOrigin: "https://evil.example" } },
  "8: an attestation object that is not CBOR": {
    json: response((given) => ({ ...given, attestationObject: base64url(Buffer.from("no")) })),
  },
  "8: no attestation object": {
    json: response(({ attestationObject: _, ...rest }) => rest),
  },
  "8: authenticator data with trailing bytes": {
    authData: (bytes) => new Uint8Array([...bytes, 0]),
  },
  "8: authenticator data with trailing bytes after its extensions": {
    flags: (flags) => flags | ED,
    authData: (bytes) => followed(extended(bytes)),
  },
  "8: authenticator data that lacks its extensions": { flags: (flags) => flags | ED },
  "8: truncated authenticator data": { authData: (bytes) => bytes.slice(0, 80) },
  "8: an attestation object with trailing bytes": { attestationObject: (bytes) => followed(bytes) },
  "8: an attestation object in padded base64": {
    json: response((given) => ({
      ...given,
      attestationObject: `${String(given.attestationObject)}=`,
    })),
  },
  "8: an attestation object without a statement": { statement: 5 as never },
  "8: an attestation object without authenticator data": {
    attestationObject: () =>
      cbor(
        new Map<string, Cbor>([
          ["fmt", "none"],
          ["attStmt", new Map()],
        ]),
      ),
  },
  "8: an attestation object without a public key": {
    flags: without(AT),
    authData: (bytes) => bytes.slice(0, 37),
  },
  "8: a public key that is too large": {
    publicKey: new Map<number, Cbor>([
      [1, 2],
      [-2, new Uint8Array(4096)],
    ]),
  },
  "8: a public key with a text": {
    publicKey: new Map<number, Cbor>([
      [1, 2],
      [-70000, "é"],
    ]),
  },
  "9: another relying party": { rpId: "evil.example" },
  "10: user not present": { flags: without(UP) },
  "11: user not verified": { flags: without(UV) },
  "12: a backed-up credential that is not backup eligible": { flags: without(BE) },
  "15: an RSA key of 1024 bits": { publicKey: rsaKey(1024) },
  "15: an RSA key of 2047 bits": { publicKey: rsaKey(2047) },
  "15: an RSA key of 8193 bits": { publicKey: rsaKey(8193) },
  "15: an RSA key without a modulus": { publicKey: rsaKey(0) },
  "15: an RSA key of 1024 bits and zeros": {
    publicKey: rsaKey(1024).set(-1, new Uint8Array([...new Uint8Array(256), 0xff])),
  },
  "15: an RSA key with the exponent 1": { publicKey: rsaKey(2048, [0, 0, 1]) },
  "15: an RSA key with the exponent 4": { publicKey: rsaKey(2048, [4]) },
  "15: an RSA key with an exponent of 33 bits": { publicKey: rsaKey(2048, [1, 0, 0, 0, 1]) },
  "15: an algorithm that was not offered": { algorithm: -36 },
  "15: a key that is not a point of its curve": {
    publicKey: curveKey(2, -7, 1, hex(P256), hex(P256)),
  },
  "15: a key that lacks a coordinate": { publicKey: curveKey(2, -7, 1, hex(P256)) },
  "15: a key of Ed25519 that is too short": { publicKey: curveKey(1, -8, 6, hex("00")) },
  "15: a key on another curve than its algorithm's": {
    publicKey: curveKey(2, -7, 2, hex(P384), hex(P384_Y)),
  },
  "15: a key of X25519 for EdDSA": { publicKey: curveKey(1, -8, 4, new Uint8Array(32)) },
  "15: a key of a curve for RS256": { publicKey: curveKey(2, -257, 1, hex(P256), hex(P256_Y)) },
  "15: a key with a modulus for ES256": { publicKey: rsaKey(2048).set(3, -7) },
  "16: an unknown attestation format": { format: "home-made" },
  "17: a statement with attestation `none`": { statement: new Map([["sig", new Uint8Array(8)]]) },
  "20: a credential id of 1024 bytes": { credentialId: new Uint8Array(1024).fill(7) },
  "20: an empty credential id": { credentialId: new Uint8Array() },
  "an id that differs from the attested one": {
    json: (answer) => ({ ...answer, id: "AAAA", rawId: "AAAA" }),
  },
  "an id that differs from its raw id": { json: (answer) => ({ ...answer, rawId: "AAAA" }) },
  "an id that is not base64url": {
    json: (answer) => ({ ...answer, id: `${answer.id}=`, rawId: `${answer.rawId}=` }),
  },
  "another type of credential": { json: (answer) => ({ ...answer, type: "password" }) },
};

/** Authentication, WebAuthn level 3, section 7.2. */
const AUTHENTICATION: Record<string, Change> = {
  "2: an unknown credential id": {
    json: (answer) => ({ ...answer, id: "AAAAAAAA", rawId: "AAAAAAAA" }),
  },
  "3: the user handle of another user": {
    userHandle: base64url(new Uint8Array(32).fill(9)),
  },
  "3: no user handle": { userHandle: null },
  "3: an empty user handle": { userHandle: "" },
  "3: a user handle that is too long": { userHandle: base64url(new Uint8Array(65)) },
  "3: a user handle of 31 bytes": { userHandle: base64url(new Uint8Array(31)) },
  "3: a user handle of 33 bytes": { userHandle: base64url(new Uint8Array(33)) },
  "3: a user handle of 63 bytes": { userHandle: base64url(new Uint8Array(63)) },
  "4: another type": { clientData: { type: "webauthn.create" } },
  "6: another origin": { clientData: { origin: "https://evil.example" } },
  "6: the same host with another scheme": { clientData: { origin: "https://localhost:3000" } },
  "7: a frame of another origin": { clientData: { crossOrigin: true } },
  "7: below another top origin": { clientData: { topOrigin: "https://evil.example" } },
  "8: another relying party": { rpId: "evil.example" },
  "8: authenticator data with trailing bytes": { authData: followed },
  "8: truncated authenticator data": { authData: (bytes) => bytes.slice(0, 36) },
  "8: authenticator data with an RSA key of 1024 bits": {
    flags: (flags) => flags | 0x40,
    authData: (bytes) => new Uint8Array([...bytes, ...new Uint8Array(18), ...cbor(rsaKey(1024))]),
  },
  "9: user not present": { flags: without(UP) },
  "10: user not verified": { flags: without(UV) },
  "11: a backed-up credential that is not backup eligible": { flags: without(BE) },
  "12: a credential that is no longer backup eligible": { flags: without(BE | BS) },
  "13: a signature by another key": {
    signature: (bytes) => flipped(bytes, bytes.length - 1),
  },
  "13: a signature with trailing bytes": { signature: followed },
  "13: a signature with trailing bytes inside": {
    signature: (bytes) => followed(bytes).with(1, (bytes[1] ?? 0) + 1),
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
  "14: a counter that does not increase": { counter: 5 },
  "14: a counter that decreases": { counter: 4 },
};

/** The logged reason by violation, to check that this step refused. */
const REASONS: readonly [name: RegExp, reason: RegExp][] = [
  [/type$/, /another type of ceremony/],
  [/client data that/, /The client data is not (a )?JSON/],
  [/^[67]: (a frame|below)/, /in a frame of another site|under another top-level origin/],
  [/^[56]: /, /from another origin/],
  [/^8: .*relying party|^9: .*relying party/, /RP ID hash/],
  [/RSA key/, /RSA key/],
  [/^8: a public key/, /public key has/],
  [/^8: .* without/, /attestation object has no (statement|public key)/],
  [/trailing bytes/, /trailing bytes/],
  [/^8: /, /malformed|missing or not base64url|too short/],
  [/user not present/, /[Uu]ser.*not present/],
  [/user not verified/, /User verification.*required/],
  [/eligible/, /Single-device credential|backup eligibility/],
  [/^15: a key (that|of Ed)/, /public key is not a point of its curve/],
  [/^15: a key/, /type of the public key does not fit its algorithm/],
  [/^15: /, /public key alg/],
  [/^16: /, /No attestation was requested/],
  [/^17: /, /None attestation had/],
  [/unknown credential id/, /The passkey is unknown/],
  [/user handle/, /user handle/],
  [/^13: /, /The signature is not valid|signature is missing/],
  [/^14: /, /counter value/],
  [/id|credential/, /id or type is not valid|another credential's id/],
];

function expectReason({ log: { errors } }: PasskeyApp, name: string): void {
  const [error] = errors;
  const said = `${error?.message} ${(error?.cause as { err?: Error } | undefined)?.err?.message}`;
  const [, reason] = REASONS.find(([fits]) => fits.test(name)) ?? [];
  expect(said).toMatch(reason as RegExp);
}

describe("registration ceremony (WebAuthn level 3, section 7.1)", () => {
  it.each(Object.entries(REGISTRATION))("refuses a registration, %s", async (name, change) => {
    const app = createPasskeyApp();
    expect(locationOf(await app.register(ADA, change))).toBe(REFUSED);
    expect(app.log.errors.map(({ type }) => type)).toEqual(["WebAuthnVerificationError"]);
    expectReason(app, name);
    expect(await app.getUserId()).toBeUndefined();
    expect(await app.adapter.getUserByEmail?.(ADA)).toBeNull();
    expect(app.calls).not.toContain("createAuthenticator");
  });

  it("refuses a registration, 4: a challenge that was not issued", async () => {
    const app = createPasskeyApp();
    const { options } = await app.fetchOptions({ action: "register", email: ADA });
    const own = { ...options, challenge: base64url(new Uint8Array(32)) };
    const answer = await app.authenticator.create(own);
    expect(locationOf(await app.respond("register", answer))).toBe(
      "/auth/signin?error=InvalidCheck",
    );
    // The issued challenge is still valid.
    const right = await app.authenticator.create(options);
    expect(locationOf(await app.respond("register", right))).toBe("/");
    expect(app.log.errors.map(({ type }) => type)).toEqual(["InvalidCheck"]);
  });

  it("refuses a registration, 15: an algorithm that the application does not offer", async () => {
    const app = createPasskeyApp({
      errors: "allowed",
      passkey: { registrationOptions: { supportedAlgorithmIDs: [-8] } },
    });
    const { options } = await app.fetchOptions({ action: "register", email: ADA });
    expect(options.pubKeyCredParams).toEqual([{ alg: -8, type: "public-key" }]);
    expect(locationOf(await app.register())).toBe(REFUSED);
  });

  it.each([
    ["ES256", curveKey(2, -7, 1, hex(P256), hex(P256_Y))],
    ["EdDSA", curveKey(1, -8, 6, new Uint8Array(32).fill(7))],
    ["RS256", rsaKey(2048)],
    ["ES384", curveKey(2, -35, 2, hex(P384), hex(P384_Y))],
    ["PS256", rsaKey(2048).set(3, -37)],
  ])("accepts a registration, 15: a key of %s", async (_, publicKey) => {
    const registrationOptions = { supportedAlgorithmIDs: [-7, -8, -35, -37, -257] };
    const app = createPasskeyApp({ passkey: { registrationOptions } });
    expect(locationOf(await app.register(ADA, { publicKey }))).toBe("/");
  });

  it("refuses a registration, 15: a curve's key for PS256, an algorithm of another key type", async () => {
    const registrationOptions = { supportedAlgorithmIDs: [-7, -37] };
    const app = createPasskeyApp({ errors: "allowed", passkey: { registrationOptions } });
    const publicKey = curveKey(2, -37, 1, hex(P256), hex(P256_Y));
    expect(locationOf(await app.register(ADA, { publicKey }))).toBe(REFUSED);
  });

  it("refuses a registration, 17: a self attestation with a wrong signature", async () => {
    const authenticator = createAuthenticator({ attestation: "packed" });
    const app = createPasskeyApp({ errors: "allowed", authenticator });
    const change = {
      signature: (bytes: Uint8Array<ArrayBuffer>) => flipped(bytes, bytes.length - 1),
    };
    expect(locationOf(await app.register(ADA, change))).toBe(REFUSED);
    expect(locationOf(await app.register())).toBe("/");
  });

  it("refuses a registration, 21: a credential id that is already registered", async () => {
    const app = createPasskeyApp({ errors: "allowed" });
    await app.register();
    const owner = await app.getUserId();
    const { id = new Uint8Array() } = app.authenticator.held[0] ?? {};
    const thief = app.openBrowser();
    const taken = "/auth/signin?error=AccountNotLinked";
    const answer = await app.register("eve@example.com", { credentialId: id }, thief);
    expect(locationOf(answer)).toBe(taken);
    expect(await app.getUserId(thief)).toBeUndefined();
    expect(await app.adapter.getUserByEmail?.("eve@example.com")).toBeNull();
    // Its owner cannot either.
    expect(locationOf(await app.register(ADA, { credentialId: id }))).toBe(taken);
    const { credentialID, userId } = (await app.adapter.getAuthenticator?.(
      base64(base64url(id)),
    )) ?? { credentialID: "", userId: "" };
    expect([credentialID, userId]).toEqual([base64(base64url(id)), owner]);
  });

  it("accepts a registration and an authentication, 6-7: by a browser that does not send crossOrigin", async () => {
    const clientData = { crossOrigin: undefined };
    const app = createPasskeyApp();
    expect(locationOf(await app.register(ADA, { clientData }))).toBe("/");
    expect(locationOf(await app.signIn({ clientData }, app.openBrowser()))).toBe("/");
  });

  it("accepts a registration, 23: with extensions that were not requested", async () => {
    const app = createPasskeyApp();
    const json = (answer: Answer) => ({
      ...answer,
      clientExtensionResults: { credProps: { rk: true }, __proto__: { polluted: 1 }, extra: [1] },
    });
    expect(locationOf(await app.register(ADA, { json }))).toBe("/");
  });

  it("accepts a registration and an authentication, 8: with extensions in the authenticator data", async () => {
    const change: Change = { flags: (flags) => flags | ED, authData: extended };
    const app = createPasskeyApp();
    expect(locationOf(await app.register(ADA, change))).toBe("/");
    expect(locationOf(await app.signIn(change, app.openBrowser()))).toBe("/");
  });

  it("accepts a registration, 10-11: without user verification when the application does not require it", async () => {
    const app = createPasskeyApp({
      errors: "allowed",
      passkey: {
        registrationOptions: { authenticatorSelection: { userVerification: "discouraged" } },
        verifyRegistrationOptions: { requireUserVerification: false },
        verifyAuthenticationOptions: { requireUserVerification: false },
      },
    });
    const { options } = await app.fetchOptions({ action: "register", email: ADA });
    expect(options.authenticatorSelection.userVerification).toBe("discouraged");
    expect((await app.fetchOptions({})).options.userVerification).toBe("preferred");
    expect(locationOf(await app.register(ADA, { flags: without(UV) }))).toBe("/");
    const other = app.openBrowser();
    expect(locationOf(await app.signIn({ flags: without(UP | UV) }, other))).toBe(REFUSED);
    expect(locationOf(await app.signIn({ flags: without(UV) }, other))).toBe("/");
  });
});

describe("authentication ceremony (WebAuthn level 3, section 7.2)", () => {
  async function registered(): Promise<PasskeyApp> {
    const app = createPasskeyApp({
      errors: "allowed",
      authenticator: createAuthenticator({ counts: true }),
    });
    await app.register(ADA, { counter: 5 });
    return app;
  }

  it.each(Object.entries(AUTHENTICATION))("refuses an authentication, %s", async (name, change) => {
    const app = await registered();
    const browser = app.openBrowser();
    expect(locationOf(await app.signIn({ counter: 6, ...change }, browser))).toBe(REFUSED);
    expect(app.log.errors.map(({ type }) => type)).toEqual(["WebAuthnVerificationError"]);
    expectReason(app, name);
    expect(await app.getUserId(browser)).toBeUndefined();
    // The same without the violation.
    expect(locationOf(await app.signIn({ counter: 6 }, browser))).toBe("/");
    expect(await app.getUserId(browser)).toBe(await app.getUserId());
  });

  it("accepts an authentication, 15: with extensions that were not requested", async () => {
    const app = await registered();
    const browser = app.openBrowser();
    const json = (answer: Answer) => ({
      ...answer,
      clientExtensionResults: { appid: true, __proto__: { polluted: 1 }, extra: [1] },
    });
    expect(locationOf(await app.signIn({ counter: 6, json }, browser))).toBe("/");
    expect(await app.getUserId(browser)).toBe(await app.getUserId());
  });

  it("refuses an authentication, 5: a challenge that was not issued", async () => {
    const app = await registered();
    const browser = app.openBrowser();
    const { options } = await app.fetchOptions({}, browser);
    const own = { ...options, challenge: base64url(new Uint8Array(32)) };
    const answer = await app.authenticator.get(own, { counter: 6 });
    const refused = await app.respond("authenticate", answer, browser);
    expect(locationOf(refused)).toBe("/auth/signin?error=InvalidCheck");
    expect(await app.getUserId(browser)).toBeUndefined();
  });

  it("refuses an authentication, 13: the signature of another passkey", async () => {
    const app = await registered();
    await app.register("eve@example.com", { counter: 5 }, app.openBrowser());
    const [ada, eve] = app.authenticator.held;
    const browser = app.openBrowser();
    const { options } = await app.fetchOptions({}, browser);
    const forged = await app.authenticator.get(
      options,
      { counter: 6 },
      {
        ...(eve as NonNullable<typeof eve>),
        id: ada?.id as NonNullable<typeof ada>["id"],
        userHandle: ada?.userHandle ?? "",
      },
    );
    expect(locationOf(await app.respond("authenticate", forged, browser))).toBe(REFUSED);
    expect(await app.getUserId(browser)).toBeUndefined();
  });

  it("refuses an authentication, 13: by a stored RSA key of 1024 bits", async () => {
    const app = await registered();
    const { id = new Uint8Array() } = app.authenticator.held[0] ?? {};
    const credentialID = base64(base64url(id));
    const stored = await app.adapter.getAuthenticator?.(credentialID);
    if (!stored) throw new Error("There is no passkey.");
    const credentialPublicKey = Buffer.from(cbor(rsaKey(1024))).toString("base64");
    await app.adapter.deleteAuthenticator?.(credentialID, stored.userId);
    await app.adapter.createAuthenticator?.({ ...stored, credentialPublicKey });
    expect(locationOf(await app.signIn({ counter: 6 }, app.openBrowser()))).toBe(REFUSED);
    expect(app.log.errors[0]?.message).toContain("The RSA key has 1024 bits");
  });

  it("accepts a registration and an authentication by an RSA key of 2048 bits", async () => {
    const app = createPasskeyApp();
    const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
    const keys = await crypto.subtle.generateKey(
      { ...algorithm, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
      true,
      ["sign", "verify"],
    );
    const { n = "" } = await crypto.subtle.exportKey("jwk", keys.publicKey);
    const publicKey = rsaKey(2048).set(-1, fromBase64url(n));
    expect(locationOf(await app.register(ADA, { publicKey }))).toBe("/");
    const browser = app.openBrowser();
    const { options } = await app.fetchOptions({}, browser);
    const answer = await app.authenticator.get(options);
    const bytes = (name: string) => fromBase64url(String(answer.response[name]));
    const hash = await crypto.subtle.digest("SHA-256", bytes("clientDataJSON"));
    const data = Buffer.concat([bytes("authenticatorData"), new Uint8Array(hash)]);
    const signed = await crypto.subtle.sign(algorithm, keys.privateKey, new Uint8Array(data));
    const signature = base64url(new Uint8Array(signed));
    const own = { ...answer, response: { ...answer.response, signature } };
    expect(locationOf(await app.respond("authenticate", own, browser))).toBe("/");
  });

  it("stores a greater counter and the backup state, and refuses a repeated counter, 14-16", async () => {
    const app = await registered();
    const id = base64(base64url(app.authenticator.held[0]?.id ?? new Uint8Array()));
    const stored = () => app.adapter.getAuthenticator?.(id);
    expect(await stored()).toMatchObject({ counter: 5, credentialBackedUp: true });
    const single = { counter: 9, flags: without(BS) };
    expect(locationOf(await app.signIn(single, app.openBrowser()))).toBe("/");
    expect(await stored()).toMatchObject({ counter: 9, credentialBackedUp: false });
    expect(locationOf(await app.signIn({ counter: 9 }, app.openBrowser()))).toBe(REFUSED);
    expect(locationOf(await app.signIn({ counter: 0 }, app.openBrowser()))).toBe(REFUSED);
    expect(await stored()).toMatchObject({ counter: 9 });
  });

  it("accepts an authentication, 14: by a passkey that does not count", async () => {
    const app = createPasskeyApp();
    await app.register();
    for (let use = 0; use < 3; use++) {
      expect(locationOf(await app.signIn({}, app.openBrowser()))).toBe("/");
    }
  });

  it("refuses an authentication, 14: copies of a passkey that are used concurrently", async () => {
    const app = await registered();
    const browsers = Array.from({ length: 8 }, () => app.openBrowser());
    const answers = await Promise.all(
      browsers.map(async (browser) => {
        const { options } = await app.fetchOptions({}, browser);
        return app.authenticator.get(options, { counter: 6 });
      }),
    );
    const ends = await Promise.all(
      browsers.map((browser, at) => app.respond("authenticate", answers[at], browser)),
    );
    expect(ends.filter((end) => locationOf(end) === "/").length).toBe(1);
    expect(ends.filter((end) => locationOf(end) === REFUSED).length).toBe(7);
  });
});
