import { assert, property, uint8Array } from "fast-check";
import { expect, it } from "vitest";
import { checkAttestation } from "../../plugins/flows/webauthn/attestation.ts";
import { readAuthenticatorData } from "../../plugins/flows/webauthn/authenticator-data.ts";
import { decodeCborMap, readCborMap } from "../../plugins/flows/webauthn/cbor.ts";
import { checkSignature } from "../../plugins/flows/webauthn/public-key.ts";
import { WebAuthnVerificationError } from "../../src/errors.ts";
import { getCpuTime } from "../_cpu-time.ts";
import { type Cbor, cbor } from "./_authenticator.ts";

const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex"));

/** Bytes that are not a CBOR map as in CTAP 2.2, section 8. */
const MALFORMED: Record<string, string> = {
  nothing: "",
  "a number": "01",
  "an array": "81 01",
  "trailing bytes": "a0 00",
  "a map with fewer members than it claims": "a2 01 02",
  "a map of 2^53 members": "bb 0020000000000000",
  "an array of 2^32 members": "a1 01 9b 0000000100000000",
  "a text that ends early": "a1 01 63 61",
  "bytes that end early": "a1 01 58 ff 00",
  "a number that ends early": "a1 01 1a 00",
  "a text that is not UTF-8": "a1 01 61 ff",
  "a duplicate member": "a2 01 01 01 02",
  "an array as the name of a member": "a1 80 01",
  "a map of indefinite length": "bf 01 01 ff",
  "bytes of indefinite length": "a1 01 5f 41 00 ff",
  "a number of 16 bytes": "a1 01 1c 00000000000000000000000000000001",
  "a number beyond 2^53": "a1 01 1b 0020000000000000",
  "a tag": "a1 01 c0 60",
  "a float": "a1 01 f9 3c00",
  "five levels": "a1 01 81 81 81 81 00",
};

it.each(Object.entries(MALFORMED))("the CBOR of a passkey response is refused: %s", (_, hex) => {
  expect(() => decodeCborMap(fromHex(hex))).toThrow(WebAuthnVerificationError);
});

it.each(
  Object.entries(MALFORMED).filter(([, hex]) => !hex.endsWith(" 00") || hex.includes("58 ff")),
)("a CBOR map within other bytes is refused: %s", (_, hex) => {
  expect(() => readCborMap(fromHex(hex))).toThrow(WebAuthnVerificationError);
});

it("the CBOR of a passkey response is decoded to values of each kind", () => {
  const bytes = fromHex(
    "a7 01 26 02 1903e8 03 43010203 04 62c3a9 05 82f4f5 06 a1 6161 f6 20 1b 0000000100000000",
  );
  expect(decodeCborMap(bytes)).toEqual(
    new Map<number, unknown>([
      [1, -7],
      [2, 1000],
      [3, new Uint8Array([1, 2, 3])],
      [4, "é"],
      [5, [false, true]],
      [6, new Map([["a", null]])],
      [-1, 2 ** 32],
    ]),
  );
});

it("the CBOR of a passkey response may have any number of arrays side by side", () => {
  expect(decodeCborMap(fromHex("a1 01 86 80 80 80 80 80 80")).get(1)).toHaveLength(6);
});

it("the CBOR of a passkey response has at most 256 items of any size", () => {
  const withItems = (count: number) =>
    new Uint8Array([0xa1, 0x01, 0x99, count >> 8, count & 0xff, ...new Uint8Array(count)]);
  // The map, its key and the array are items too.
  expect(decodeCborMap(withItems(253)).get(1)).toHaveLength(253);
  expect(() => decodeCborMap(withItems(254))).toThrow(WebAuthnVerificationError);
});

it("arbitrary bytes as the CBOR of a passkey response are decoded or refused, without other errors", () => {
  const isFine = (read: () => unknown): boolean => {
    try {
      read();
      return true;
    } catch (error) {
      return error instanceof WebAuthnVerificationError;
    }
  };
  const bytes = uint8Array({ maxLength: 300 });
  assert(
    property(bytes, bytes, (some, more) => {
      const data = new Uint8Array([...new Uint8Array(32), 0xc1, ...new Uint8Array(20), ...more]);
      const object = cbor(
        new Map<string, Cbor>([
          ["fmt", "packed"],
          ["authData", data],
        ]),
      );
      return (
        isFine(() => decodeCborMap(new Uint8Array(some))) &&
        isFine(() => readAuthenticatorData(data)) &&
        isFine(() => checkAttestation(new Uint8Array(some), true)) &&
        isFine(() => checkAttestation(object, true))
      );
    }),
  );
});

it("CBOR of 64 kB in a passkey response is decoded or refused within 50 ms, whatever lengths it claims", () => {
  const size = 64 * 1024;
  const hostile = [
    new Uint8Array(size).fill(0x81),
    new Uint8Array(size).fill(0xa1),
    new Uint8Array(size).fill(0x9a),
    new Uint8Array([0xa1, 0x01, 0x9a, 0, 0, 0xff, 0xff, ...new Uint8Array(size).fill(0x80)]),
    new Uint8Array([0xa1, 0x01, 0x9a, 0, 0, 0xff, 0xff, ...new Uint8Array(size).fill(0xa0)]),
  ];
  for (const bytes of hostile) {
    const start = getCpuTime();
    expect(() => decodeCborMap(bytes)).toThrow(WebAuthnVerificationError);
    expect(getCpuTime() - start).toBeLessThan(50);
  }
});

const number = (length: number) =>
  `02 ${length.toString(16).padStart(2, "0")} ${"11".repeat(length)}`;
const EC2 = new Map([[1, 2]]);

it.each([
  ["8 bytes", `30 06 ${number(1)} ${number(1)}`],
  ["127 bytes of content", `30 7f ${number(62)} ${number(61)}`],
  ["P-521, whose length takes two bytes", `30 81 88 ${number(66)} ${number(66)}`],
])("an ECDSA signature is a sequence of two numbers: %s", (_, hex) => {
  expect(() => checkSignature(EC2, fromHex(hex))).not.toThrow();
});

it.each([
  ["a set", `31 06 ${number(1)} ${number(1)}`],
  ["bytes and a number", `30 06 04 01 01 ${number(1)}`],
  ["a number and bytes", `30 06 ${number(1)} 04 01 01`],
  ["one number", `30 03 ${number(1)}`],
  ["three numbers", `30 09 ${number(1)} ${number(1)} ${number(1)}`],
  ["a length in a form of another size", `30 82 ${number(63)} ${number(63)}`],
  ["trailing bytes", `30 81 88 ${number(66)} ${number(66)} 00`],
  ["nothing", ""],
])("an ECDSA signature that is not two numbers is refused: %s", (_, hex) => {
  expect(() => checkSignature(EC2, fromHex(hex))).toThrow(WebAuthnVerificationError);
});
