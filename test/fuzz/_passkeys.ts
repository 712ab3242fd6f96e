import { expect } from "vitest";
import { checkAttestation } from "../../plugins/flows/webauthn/attestation.ts";
import { readAuthenticatorData } from "../../plugins/flows/webauthn/authenticator-data.ts";
import { readCborMap } from "../../plugins/flows/webauthn/cbor.ts";
import { WebAuthnVerificationError } from "../../src/errors.ts";
import { locationOf } from "../_app.ts";
import { base64url, cbor, createAuthenticator, fromBase64url } from "../flows/_authenticator.ts";
import { createPasskeyApp, type PasskeyApp } from "../flows/_passkey.ts";
import { fromBytes, REFUSALS, type Target, toBytes, within } from "./_target.ts";

const options = {
  challenge: "AAAAAAAAAAAAAAAAAAAAAA",
  rp: { id: "localhost" },
  user: { id: "AAAA" },
};

/** Creates an attestation object of each kind that this authenticator supports. */
const attestations = Promise.all(
  (["none", "packed"] as const).map(async (attestation) => {
    const { response } = await createAuthenticator({ attestation }).create(options);
    return fromBytes(fromBase64url(String(response.attestationObject)));
  }),
);

function refuses(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    expect(error, (error as Error).stack).toBeInstanceOf(WebAuthnVerificationError);
  }
}

const WORDS = [
  "fmt",
  "none",
  "packed",
  "attStmt",
  "authData",
  "x5c",
  "\u00a0",
  "\u00bf",
  "\u00ff",
  "\u0059\u00ff\u00ff",
  "\u009b\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff",
];

/** Checks invariants after a response to a challenge: no one was signed in, and the log contains only refusals. */
async function expectRefused(app: PasskeyApp, response: Response): Promise<boolean> {
  // A body may be too large.
  expect([302, 400, 413]).toContain(response.status);
  for (const error of app.log.errors.splice(0)) expect(REFUSALS, error.stack).toContain(error.type);
  return locationOf(response) !== "/";
}

const toJson = (value: unknown) => JSON.stringify(value);

/** What a browser and its authenticator send. */
export const PASSKEYS: readonly Target[] = [
  {
    name: "CBOR",
    seeds: () => [
      fromBytes(
        cbor(new Map<string, never>([["a", [1, -1, "x", true, new Uint8Array(3)] as never]])),
      ),
    ],
    words: WORDS,
    run: (input) => within(() => refuses(() => readCborMap(toBytes(input)))),
  },
  {
    name: "attestation objects",
    seeds: () => attestations,
    words: WORDS,
    async run(input) {
      const bytes = toBytes(input);
      await within(() => {
        for (const isAsked of [true, false]) refuses(() => checkAttestation(bytes, isAsked));
      });
      const app = createPasskeyApp({ errors: "allowed" });
      await expectRefused(
        app,
        await within(() => app.register("ada@example.com", { attestationObject: () => bytes })),
      );
    },
  },
  {
    name: "authenticator data",
    async seeds() {
      const found: string[] = [];
      const authData = (bytes: Uint8Array<ArrayBuffer>) => {
        found.push(fromBytes(bytes));
        return bytes;
      };
      const authenticator = createAuthenticator();
      await authenticator.create(options, { authData });
      await authenticator.get({ challenge: options.challenge, rpId: "localhost" }, { authData });
      return found;
    },
    words: WORDS,
    async run(input) {
      const bytes = toBytes(input);
      await within(() => refuses(() => readAuthenticatorData(bytes)));
      const app = createPasskeyApp({ errors: "allowed" });
      await app.register();
      const browser = app.openBrowser();
      // The signature covers these bytes, so only their meaning can be refused.
      const response = await within(() => app.signIn({ authData: () => bytes }, browser));
      await expectRefused(app, response);
    },
  },
  {
    name: "client data",
    seeds: () => [
      toJson({
        type: "webauthn.get",
        challenge: "AAAA",
        origin: "http://localhost:3000",
        crossOrigin: false,
      }),
      toJson({
        type: "webauthn.create",
        challenge: "AAAA",
        origin: "http://localhost:3000",
        topOrigin: "x",
      }),
    ],
    words: [
      '"type":',
      '"challenge":',
      '"origin":',
      '"topOrigin":null',
      '"crossOrigin":true',
      "\ufeff",
    ],
    async run(input) {
      const app = createPasskeyApp({ errors: "allowed" });
      await app.register();
      const browser = app.openBrowser();
      const { options: given } = await app.fetchOptions({}, browser);
      const text = input.replace('"AAAA"', JSON.stringify(given.challenge));
      const clientBytes = () => new TextEncoder().encode(text);
      const answer = await app.authenticator.get(given, { clientBytes });
      const response = await within(() => app.respond("authenticate", answer, browser));
      if (await expectRefused(app, response)) return;
      const { type, origin, challenge } = JSON.parse(text.replace(/^\ufeff/, "")) as Record<
        string,
        unknown
      >;
      expect({ type, origin, challenge }).toEqual({
        type: "webauthn.get",
        origin: "http://localhost:3000",
        challenge: given.challenge,
      });
    },
  },
  {
    name: "responses of passkeys",
    async seeds() {
      const authenticator = createAuthenticator();
      const created = await authenticator.create(options);
      const got = await authenticator.get({ challenge: options.challenge, rpId: "localhost" });
      return [
        toJson(created),
        toJson(got),
        toJson({ ...got, id: base64url(new Uint8Array(1023)) }),
      ];
    },
    words: [
      '"id":',
      '"rawId":',
      '"type":"public-key"',
      '"response":',
      '"signature":',
      '"userHandle":null',
    ],
    async run(input) {
      const app = createPasskeyApp({ errors: "allowed" });
      for (const action of ["register", "authenticate"]) {
        await app.fetchOptions({ action, email: "ada@example.com" });
        const response = await within(() => app.respond(action, input));
        expect(await expectRefused(app, response)).toBe(true);
      }
    },
  },
];
