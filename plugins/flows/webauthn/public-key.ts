import { encodeBase64url } from "../../../src/_kit.ts";
import type { Bytes, Cbor, CborMap } from "./cbor.ts";
import { refusal } from "./error.ts";

// COSE (RFC 9052 section 7, RFC 9053 section 7, RFC 8230 section 4).
const KEY_TYPE = 1;
const KTY_OKP = 1;
const KTY_EC2 = 2;
const KTY_RSA = 3;
const CURVE = -1;
const X = -2;
const Y = -3;
const MODULUS = -1;
const EXPONENT = -2;

const MIN_RSA_BITS = 2048;
// A larger key would only cost time.
const MAX_RSA_BITS = 8192;
const MAX_EXPONENT = 2 ** 32;

/** The label of the algorithm in a COSE key. */
export const ALGORITHM = 3;

function toBytes(value: Cbor): Bytes {
  return value instanceof Uint8Array ? value : new Uint8Array();
}

function countBits(number: Bytes): number {
  const first = number.findIndex((byte) => byte !== 0);
  if (first === -1) return 0;
  return (number.length - first) * 8 - (Math.clz32(number[first] ?? 0) - 24);
}

function toNumber(number: Bytes): number {
  return number.reduce((value, byte) => value * 256 + byte, 0);
}

// WebAuthn level 3, section 6.5.1. The package encodes the key again to store it, and would change text with
// multibyte characters.
function isPlain([label, value]: [number | string, Cbor]): boolean {
  return typeof label === "number" && (typeof value === "number" || value instanceof Uint8Array);
}

/**
 * Checks that a public key has only numbers and bytes. An RSA key must be neither too weak nor too slow to verify.
 * @throws WebAuthnVerificationError
 */
export function checkPublicKey(key: CborMap): void {
  if (![...key].every(isPlain)) throw refusal("The public key has members that a key cannot have.");
  if (key.get(KEY_TYPE) !== KTY_RSA) return;
  const bits = countBits(toBytes(key.get(MODULUS)));
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS) {
    throw refusal(`The RSA key has ${bits} bits, not ${MIN_RSA_BITS} to ${MAX_RSA_BITS}.`);
  }
  const exponent = toNumber(toBytes(key.get(EXPONENT)));
  // With an exponent of 1, anyone can sign.
  if (exponent < 3 || exponent % 2 === 0 || exponent >= MAX_EXPONENT) {
    throw refusal("The RSA key's exponent is not an odd number from 3 of at most 32 bits.");
  }
}

// WebAuthn level 3, section 5.8.5: an algorithm requires a type of key and, for elliptic curves, a curve.
const DEMANDS: ReadonlyMap<Cbor, readonly [type: number, curve?: number, name?: string]> = new Map([
  [-7, [KTY_EC2, 1, "P-256"]],
  [-8, [KTY_OKP, 6, "Ed25519"]],
  [-35, [KTY_EC2, 2, "P-384"]],
  [-36, [KTY_EC2, 3, "P-521"]],
  [-37, [KTY_RSA]],
  [-38, [KTY_RSA]],
  [-39, [KTY_RSA]],
  [-257, [KTY_RSA]],
  [-258, [KTY_RSA]],
  [-259, [KTY_RSA]],
]);

/**
 * Checks at a registration that a public key can verify signatures of its algorithm: it must have the required type and
 * be a point of the curve. Otherwise the user would be signed in now but never again.
 * @throws WebAuthnVerificationError
 */
export async function checkUsableKey(key: CborMap): Promise<void> {
  const [type, curve, crv] = DEMANDS.get(key.get(ALGORITHM)) ?? [];
  if (!type) return;
  if (key.get(KEY_TYPE) !== type || (crv && key.get(CURVE) !== curve)) {
    throw refusal("The type of the public key does not fit its algorithm.");
  }
  if (!crv) return;
  const [x, y] = [X, Y].map((label) => encodeBase64url(toBytes(key.get(label)))) as [
    string,
    string,
  ];
  const [kty, name] = type === KTY_EC2 ? ["EC", "ECDSA"] : ["OKP", crv];
  try {
    const algorithm = { name, namedCurve: crv };
    await crypto.subtle.importKey("jwk", { kty, crv, x, y }, algorithm, false, ["verify"]);
  } catch (error) {
    throw refusal("The public key is not a point of its curve.", error);
  }
}

// Returns where the content of an ASN.1 DER element begins and ends, or NaN when its tag differs.
function locate(der: Bytes, at: number, tag: number): [start: number, end: number] {
  const length = der[at + 1] ?? 0;
  const isLong = length === 0x81;
  if (der[at] !== tag || (length > 127 && !isLong)) return [Number.NaN, Number.NaN];
  const start = at + (isLong ? 3 : 2);
  return [start, start + (isLong ? (der[at + 2] ?? 0) : length)];
}

/**
 * Checks that an ECDSA signature is a sequence of two numbers (RFC 3279 section 2.2.3) without trailing bytes.
 * Signatures by other keys have a fixed length.
 * @throws WebAuthnVerificationError
 */
export function checkSignature(key: CborMap, signature: Bytes): void {
  if (key.get(KEY_TYPE) !== KTY_EC2) return;
  const [start, end] = locate(signature, 0, 0x30);
  const [, second] = locate(signature, start, 2);
  const [, last] = locate(signature, second, 2);
  if (end !== signature.length || last !== end) {
    throw refusal("The signature is malformed or has trailing bytes.");
  }
}
