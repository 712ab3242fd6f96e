import { der, type Cbor, type Signed } from "./_authenticator.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const bytesOf = (...parts: (Uint8Array | readonly number[])[]): Bytes =>
  new Uint8Array(Buffer.concat(parts.map((part) => new Uint8Array(part))));

/** An element of ASN.1 DER. */
function element(tag: number, ...parts: (Uint8Array | readonly number[])[]): Bytes {
  const content = bytesOf(...parts);
  const { length } = content;
  if (length < 128) return bytesOf([tag, length], content);
  return bytesOf([tag, 0x82, length >> 8, length & 255], content);
}

const sequence = (...parts: Uint8Array[]): Bytes => element(0x30, ...parts);
const object = (hex: string): Bytes => element(6, Buffer.from(hex, "hex"));
const text = (tag: number, value: string): Bytes => element(tag, Buffer.from(value));
const extension = (oid: string, value: Uint8Array): Bytes =>
  sequence(object(oid), element(4, value));

const ECDSA_SHA256 = sequence(object("2a8648ce3d040302"));
const NAMES: Record<string, string> = { C: "550406", O: "55040a", OU: "55040b", CN: "550403" };
const name = (parts: Record<string, string>): Bytes =>
  sequence(
    ...Object.entries(parts).map(([key, value]) =>
      element(0x31, sequence(object(NAMES[key] ?? ""), text(0x0c, value))),
    ),
  );

/** Options of `issue`. */
export interface CertificateOptions {
  subject: Record<string, string>;
  issuer: Record<string, string>;
  key: CryptoKey;
  signer: CryptoKey;
  /** URLs of certificate revocation lists. */
  lists?: readonly string[];
  extensions?: readonly Bytes[];
}

let serial = 0;

/** Issues a certificate (RFC 5280). */
export async function issue(options: CertificateOptions): Promise<Bytes> {
  const { subject, issuer, key, signer, lists = [], extensions = [] } = options;
  const points = lists.map((url) => sequence(element(0xa0, element(0xa0, text(0x86, url)))));
  const all = [...extensions, ...(points.length ? [extension("551d1f", sequence(...points))] : [])];
  const content = sequence(
    element(0xa0, [2, 1, 2]),
    element(2, [++serial]),
    ECDSA_SHA256,
    name(issuer),
    sequence(text(0x17, "200101000000Z"), text(0x17, "490101000000Z")),
    name(subject),
    new Uint8Array(await crypto.subtle.exportKey("spki", key)),
    ...(all.length ? [element(0xa3, sequence(...all))] : []),
  );
  return sequence(content, ECDSA_SHA256, element(3, [0], await sign(signer, content)));
}

async function sign(key: CryptoKey, data: Bytes): Promise<Bytes> {
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  return der(new Uint8Array(await crypto.subtle.sign(algorithm, key, data)));
}

const newKeys = () =>
  crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);

/** Creates a statement of the format `android-key` with its own root certificate. */
export async function attestAndroidKey(
  { authData, clientDataHash, keys }: Signed,
  lists: readonly string[],
): Promise<Map<string, Cbor>> {
  const root = await newKeys();
  const issuer = { CN: "Root of Eve" };
  const description = sequence(
    element(2, [3]),
    element(10, [1]),
    element(2, [3]),
    element(10, [1]),
    element(4, clientDataHash),
    element(4),
    sequence(),
    sequence(),
  );
  const signer = root.privateKey;
  const leaf = await issue({
    subject: { CN: "Key" },
    issuer,
    key: keys.publicKey,
    signer,
    lists,
    extensions: [extension("2b06010401d679020111", description)],
  });
  const anchor = await issue({ subject: issuer, issuer, key: root.publicKey, signer });
  return new Map<string, Cbor>([
    ["alg", -7],
    ["sig", await sign(keys.privateKey, bytesOf(authData, clientDataHash))],
    ["x5c", [leaf, anchor]],
  ]);
}

/** Creates a statement of the format `packed` with certificates of its own issuer. */
export async function attestPacked(
  { authData, clientDataHash }: Signed,
  { lists = [], more = [] }: { lists?: readonly string[]; more?: readonly Bytes[] } = {},
): Promise<Map<string, Cbor>> {
  const { publicKey: key, privateKey: signer } = await newKeys();
  const subject = { C: "SE", O: "Keys", OU: "Authenticator Attestation", CN: "Key" };
  // Basic constraints: not a certification authority.
  const extensions = [extension("551d13", sequence())];
  const leaf = await issue({ subject, issuer: subject, key, signer, lists, extensions });
  return new Map<string, Cbor>([
    ["alg", -7],
    ["sig", await sign(signer, bytesOf(authData, clientDataHash))],
    ["x5c", [leaf, ...more]],
  ]);
}

/**
 * Creates a statement of the format `fido-u2f` with its own certificate. The format covers the key, and not the
 * authenticator data.
 */
export async function attestU2f(
  { authData, clientDataHash, keys }: Signed,
  { isForged = false } = {},
): Promise<Map<string, Cbor>> {
  const { publicKey: key, privateKey: signer } = await newKeys();
  const subject = { CN: "U2F" };
  const leaf = await issue({ subject, issuer: subject, key, signer });
  const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", keys.publicKey);
  const point = [[4], ...[x, y].map((part) => Buffer.from(part, "base64url"))];
  const idAt = 55;
  const id = authData.slice(idAt, idAt + (authData[idAt - 1] ?? 0));
  const signed = bytesOf([0], authData.slice(0, 32), clientDataHash, id, ...point);
  return new Map<string, Cbor>([
    ["sig", await sign(isForged ? keys.privateKey : signer, signed)],
    ["x5c", [leaf]],
  ]);
}
