import { JWTSessionError } from "../errors/errors.ts";
import { isObject } from "../platform/is-object.ts";
import { type Bytes, decodeText, encodeText, type Platform } from "./crypto.ts";

/** The parts of a token: a JWE in compact form (RFC 7516 section 3.1) whose key is used directly (`dir`). */
export interface Jwe {
  /** The protected header as it was sent, which is authenticated with the content. */
  readonly header: string;
  readonly iv: Bytes;
  readonly ciphertext: Bytes;
  readonly tag: Bytes;
}

/** The protected header of a token. */
export interface JweHeader extends Readonly<Record<string, unknown>> {
  readonly enc: typeof WRITE_ENC | typeof READ_ONLY_ENC;
}

/** The content encryption of tokens that are written. */
export const WRITE_ENC = "A256CBC-HS512";
/** A content encryption that is accepted, but never used for writing. */
export const READ_ONLY_ENC = "A256GCM";

/** RFC 7518 section 5.3. */
const GCM_IV_BYTES = 12;
const GCM_TAG_BYTES = 16;

/** Creates the error of a token that cannot be read. */
export function unreadable(why: string): JWTSessionError {
  return new JWTSessionError(`The token ${why}.`);
}

/** Parses JSON; returns `undefined` for any other text. */
export function tryParseJson(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? "");
  } catch {
    return undefined;
  }
}

/**
 * Splits a token into its parts.
 * @throws JWTSessionError unless it has five parts, of which the second is empty, since with `dir` there is no encrypted
 * key (RFC 7518 section 4.5), and the last three are base64url. `readHeader` checks the first.
 */
export function splitJwe(token: string, on: Platform): Jwe {
  const [header = "", encryptedKey, ...rest] = token.split(".", 6);
  const [iv, ciphertext, tag] = rest.map((part) => on.fromBase64url(part));
  if (encryptedKey !== "" || rest.length !== 3 || !iv || !ciphertext || !tag) {
    throw unreadable("is not a compact JWE with a direct key");
  }
  return { header, iv, ciphertext, tag };
}

/**
 * Reads the protected header.
 * @throws JWTSessionError for any algorithm other than `dir` with the two content encryptions, and for extensions that
 * must be understood (`crit`) or compression (`zip`), which no Auth.js token has.
 */
export function readHeader({ header }: Jwe, on: Platform): JweHeader {
  const bytes = on.fromBase64url(header);
  const fields = bytes && tryParseJson(decodeText(bytes));
  if (!isObject(fields)) throw unreadable("has no header");
  const { alg, enc, crit, zip } = fields;
  const isKnown = enc === WRITE_ENC || enc === READ_ONLY_ENC;
  if (alg !== "dir" || !isKnown || crit !== undefined || zip !== undefined) {
    throw unreadable("has a header that is not accepted");
  }
  return fields as JweHeader;
}

/** Decrypts a token. Resolves to `undefined` unless it was sealed with the key, including the header. */
export async function openJwe(
  enc: JweHeader["enc"],
  key: Bytes,
  { header, iv, ciphertext, tag }: Jwe,
  on: Platform,
): Promise<Uint8Array | undefined> {
  const additionalData = encodeText(header);
  if (enc === WRITE_ENC) return (await on.cbcHmac(key, additionalData)).open(iv, ciphertext, tag);
  if (iv.length !== GCM_IV_BYTES || tag.length !== GCM_TAG_BYTES) return undefined;
  const { subtle } = crypto;
  const aes = await subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  const sealed = new Uint8Array([...ciphertext, ...tag]);
  try {
    return new Uint8Array(
      await subtle.decrypt({ name: "AES-GCM", iv, additionalData }, aes, sealed),
    );
  } catch {
    return undefined;
  }
}
