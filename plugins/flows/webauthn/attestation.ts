import { readAuthenticatorData } from "./authenticator-data.ts";
import { type Bytes, type Cbor, type CborMap, decodeCborMap } from "./cbor.ts";
import { refusal } from "./error.ts";
import { ALGORITHM } from "./public-key.ts";

// `android-key` and `android-safetynet` are missing, and Android's passkeys use neither. For `android-key`, the package
// follows the URLs in the certificate chain, which may end at an attacker's root, before it checks that the root is
// Google's. The service of `android-safetynet` has ended, and its certificates are inside a token.
const CERTIFIED: readonly string[] = ["packed", "fido-u2f", "tpm", "apple"];
const MAX_CERTIFICATES = 6;
const MAX_CERTIFICATE_BYTES = 4096;
// The DER of the object identifier 2.5.29.31 (RFC 5280 section 4.2.1.13).
const CRL_DISTRIBUTION_POINTS: readonly number[] = [0x06, 0x03, 0x55, 0x1d, 0x1f];

function includesBytes(bytes: Bytes, part: readonly number[]): boolean {
  return bytes.some((_, at) => part.every((byte, offset) => bytes[at + offset] === byte));
}

function isCertificate(value: Cbor): value is Bytes {
  return value instanceof Uint8Array && value.length > 0 && value.length <= MAX_CERTIFICATE_BYTES;
}

// The package would fetch revocation lists without limits on time and size.
function checkCertificates(chain: Cbor): void {
  const isBounded = Array.isArray(chain) && chain.length > 0 && chain.length <= MAX_CERTIFICATES;
  if (!isBounded || !chain.every(isCertificate)) {
    throw refusal(
      `The attestation must have 1 to ${MAX_CERTIFICATES} certificates of at most ${MAX_CERTIFICATE_BYTES} bytes each.`,
    );
  }
  if (chain.some((one) => includesBytes(one, CRL_DISTRIBUTION_POINTS))) {
    throw refusal(
      "A certificate of the attestation names a revocation list, which is not fetched.",
    );
  }
}

function checkFormat(format: Cbor, statement: CborMap, key: CborMap, isAsked: boolean): void {
  if (format === "none") return;
  if (format === "packed" && !statement.has("x5c")) {
    // Section 8.2, self attestation. The package would verify it with any algorithm.
    if (statement.get("alg") === key.get(ALGORITHM)) return;
    throw refusal("The attestation uses another algorithm than the public key.");
  }
  if (!isAsked) {
    throw refusal(
      "No attestation was requested. Set `registrationOptions.attestationType` to accept those with certificates.",
    );
  }
  if (typeof format !== "string" || !CERTIFIED.includes(format)) {
    throw refusal(`The attestation's format is not one of none, ${CERTIFIED.join(", ")}.`);
  }
  checkCertificates(statement.get("x5c"));
}

/**
 * Checks an attestation object before the package reads it, because the package verifies every format and fetches URLs
 * from certificates. Formats with certificates are accepted only if the application asked for them. Returns the public
 * key.
 * @throws WebAuthnVerificationError
 */
export function checkAttestation(bytes: Bytes, isAsked: boolean): CborMap {
  const object = decodeCborMap(bytes);
  const statement = object.get("attStmt");
  const data = object.get("authData");
  if (!(statement instanceof Map) || !(data instanceof Uint8Array)) {
    throw refusal("The attestation object has no statement or no authenticator data.");
  }
  const key = readAuthenticatorData(data);
  if (!key) throw refusal("The attestation object has no public key.");
  checkFormat(object.get("fmt"), statement, key, isAsked);
  return key;
}
