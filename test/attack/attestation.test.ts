import { afterEach, describe, expect, it, vi } from "vitest";
import { locationOf } from "../_app.ts";
import { type Change, createAuthenticator } from "../flows/_authenticator.ts";
import { attestAndroidKey, attestPacked, attestU2f, issue } from "../flows/_certificate.ts";
import { ADA, createPasskeyApp, type PasskeyApp } from "../flows/_passkey.ts";
import { watchRejections } from "./_attack.ts";

watchRejections();
afterEach(() => void vi.unstubAllGlobals());

const REFUSED = "/auth/error?error=WebAuthnVerificationError";
const FORMATS = ["android-key", "android-safetynet", "apple", "fido-u2f", "packed", "tpm"];
const lists = Array.from({ length: 20 }, (_, at) => `http://internal.example/${at}.crl`);
const direct = { registrationOptions: { attestationType: "direct" as const } };

/** Records the addresses that are fetched. */
function recordFetches(): string[] {
  const fetched: string[] = [];
  vi.stubGlobal("fetch", async (url: string | URL) => {
    fetched.push(String(url));
    return new Response("nothing");
  });
  return fetched;
}

async function expectRefused(app: PasskeyApp, change: Change, reason: RegExp): Promise<void> {
  expect(locationOf(await app.register(ADA, change))).toBe(REFUSED);
  expect(app.log.errors.map(({ message }) => message)).toEqual([expect.stringMatching(reason)]);
  app.log.errors.length = 0;
  expect(await app.adapter.getUserByEmail?.(ADA)).toBeNull();
}

describe("attestation of a passkey", () => {
  it.each([
    ["without attestation configured", {}],
    ["with attestation configured", direct],
  ])(
    "POST /callback/passkey fetches no address that a stranger's certificate names, %s",
    async (_, passkey) => {
      const fetched = recordFetches();
      const app = createPasskeyApp({ passkey });
      const android: Change = {
        format: "android-key",
        attest: (signed) => attestAndroidKey(signed, lists),
      };
      await expectRefused(app, android, /attestation/);
      const packed: Change = {
        format: "packed",
        attest: (signed) => attestPacked(signed, { lists }),
      };
      await expectRefused(app, packed, /attestation|revocation list/);
      const root: Change = {
        format: "packed",
        attest: async (signed) => {
          const { publicKey: key, privateKey: signer } = signed.keys;
          const subject = { CN: "Root" };
          const more = [await issue({ subject, issuer: subject, key, signer, lists })];
          return attestPacked(signed, { more });
        },
      };
      await expectRefused(app, root, /attestation|revocation list/);
      expect(fetched).toEqual([]);
    },
  );

  it.each(FORMATS)(
    "POST /callback/passkey refuses certificates unless the application asks for attestation: %s",
    async (format) => {
      const app = createPasskeyApp();
      const change: Change = { format, attest: (signed) => attestPacked(signed) };
      await expectRefused(app, change, /attestationType/);
    },
  );

  it.each(["direct", "enterprise"] as const)(
    "POST /callback/passkey accepts certificates when the application asks for attestation: %s",
    async (attestationType) => {
      const app = createPasskeyApp({ passkey: { registrationOptions: { attestationType } } });
      const change: Change = { format: "packed", attest: (signed) => attestPacked(signed) };
      expect(locationOf(await app.register(ADA, change))).toBe("/");
    },
  );

  it("POST /callback/passkey verifies the signature of a U2F key's certificate", async () => {
    const app = createPasskeyApp({ passkey: direct });
    const change = (isForged: boolean): Change => ({
      format: "fido-u2f",
      attest: (signed) => attestU2f(signed, { isForged }),
    });
    await expectRefused(app, change(true), /The attestation is not valid/);
    expect(locationOf(await app.register(ADA, change(false)))).toBe("/");
  });

  it.each(["apple", "tpm"])(
    "POST /callback/passkey refuses a stranger's certificates for the format %s",
    async (format) => {
      const app = createPasskeyApp({ passkey: direct });
      const nested = new Uint8Array(4096).map((_, at) => (at % 2 ? 0x80 : 0x30));
      for (const more of [[], [nested], [new Uint8Array(4096).fill(0x30)]]) {
        const change: Change = { format, attest: (signed) => attestPacked(signed, { more }) };
        await expectRefused(app, change, /The registration is not valid/);
      }
    },
  );

  it.each(["android-key", "android-safetynet"])(
    "POST /callback/passkey refuses the format %s even when the application asks for attestation",
    async (format) => {
      const app = createPasskeyApp({ passkey: direct });
      const change: Change = { format, attest: (signed) => attestAndroidKey(signed, []) };
      await expectRefused(app, change, /format/);
    },
  );

  it("POST /callback/passkey refuses too many, too large or missing certificates", async () => {
    const app = createPasskeyApp({ passkey: direct });
    const attest = (more: Uint8Array<ArrayBuffer>[]): Change => ({
      format: "packed",
      attest: (signed) => attestPacked(signed, { more }),
    });
    const small = new Uint8Array(10);
    await expectRefused(app, attest(Array.from({ length: 6 }, () => small)), /certificates/);
    await expectRefused(app, attest([new Uint8Array(4097)]), /certificates/);
    for (const x5c of [[], "x", 0, false, new Map(), ["x"], [[small]], [new Uint8Array()]]) {
      const change = { format: "packed", statement: new Map([["x5c", x5c]]) };
      await expectRefused(app, change, /certificates/);
    }
  });

  it("POST /callback/passkey refuses a self attestation by another algorithm than the key's", async () => {
    const app = createPasskeyApp({ authenticator: createAuthenticator({ attestation: "packed" }) });
    const statement = new Map<string, number | Uint8Array<ArrayBuffer>>([
      ["alg", -65535],
      ["sig", new Uint8Array(70)],
    ]);
    await expectRefused(app, { statement }, /algorithm/);
    expect(locationOf(await app.register())).toBe("/");
  });
});
