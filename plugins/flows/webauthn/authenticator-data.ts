import { type Bytes, type CborMap, readCborMap } from "./cbor.ts";
import { refusal } from "./error.ts";
import { checkPublicKey } from "./public-key.ts";

// WebAuthn level 3, section 6.1: hash of the relying party's id, flags, counter. Section 6.5.1: AAGUID, length of the
// credential id, credential id, public key.
const FLAGS_AT = 32;
const HEADER_BYTES = 37;
const AAGUID_BYTES = 16;
const ATTESTED = 0x40;
const EXTENDED = 0x80;
// RSA keys of 8,192 bits and ML-DSA-87 keys are smaller.
const MAX_PUBLIC_KEY_BYTES = 4096;

function readPublicKey(bytes: Bytes): { publicKey: CborMap; end: number } {
  const lengthAt = HEADER_BYTES + AAGUID_BYTES;
  const idBytes = (bytes[lengthAt] ?? 0) * 256 + (bytes[lengthAt + 1] ?? 0);
  const start = lengthAt + 2 + idBytes;
  const { map: publicKey, end } = readCborMap(bytes, start);
  if (end - start > MAX_PUBLIC_KEY_BYTES) {
    throw refusal(`The public key has more than ${MAX_PUBLIC_KEY_BYTES} bytes.`);
  }
  checkPublicKey(publicKey);
  return { publicKey, end };
}

/**
 * Checks the structure of authenticator data and its public key, and that no bytes follow. Returns the public key,
 * which only a registration has.
 * @throws WebAuthnVerificationError
 */
export function readAuthenticatorData(bytes: Bytes): CborMap | undefined {
  if (bytes.length < HEADER_BYTES) throw refusal("The authenticator data is too short.");
  const flags = bytes[FLAGS_AT] ?? 0;
  let end = HEADER_BYTES;
  let publicKey: CborMap | undefined;
  if (flags & ATTESTED) ({ publicKey, end } = readPublicKey(bytes));
  if (flags & EXTENDED) ({ end } = readCborMap(bytes, end));
  if (end !== bytes.length) throw refusal("The authenticator data has trailing bytes.");
  return publicKey;
}
