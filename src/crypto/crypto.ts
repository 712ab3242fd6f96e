import { andThen } from "../platform/awaitable.ts";
import { getBuiltin } from "../platform/builtin.ts";
import { joinBytes } from "../platform/join-bytes.ts";
import { isWorker } from "../platform/worker.ts";
import type { Awaitable } from "../types/models.ts";

/** Bytes in unshared memory, as WebCrypto requires them. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** A256CBC-HS512 (RFC 7518 section 5.2.5) under one key and one additional authenticated data. */
export interface CbcHmac {
  seal(iv: Bytes, plaintext: string): Awaitable<{ ciphertext: Bytes; tag: Bytes }>;
  /** Returns the plaintext, or `undefined` for anything that was not sealed under this key and data. */
  open(iv: Bytes, ciphertext: Bytes, tag: Bytes): Awaitable<Bytes | undefined>;
}

/**
 * The cryptography that differs between platforms. Results are values if the platform is synchronous, and otherwise
 * promises. Bytes may be a view of a larger buffer, so do not read their `buffer`.
 */
export interface Platform {
  /** Returns random bytes, 65536 at most. */
  randomBytes(bytes: number): Bytes;
  /** Returns the hash of the text's UTF-8 as base64url. */
  digest(algorithm: "SHA-256" | "SHA-512", text: string): Awaitable<string>;
  /** Returns a function that computes HMAC-SHA-256 of a text's UTF-8 as lower-case hex. The key is prepared once. */
  hmacSha256(key: Bytes): (text: string) => Awaitable<string>;
  /** HKDF (RFC 5869); `length` in bytes. */
  hkdfSha256(secret: Bytes, salt: Bytes, info: Bytes, length: number): Awaitable<Bytes>;
  /** Returns the cipher for a key of 64 bytes. */
  cbcHmac(key: Bytes, additionalData: Bytes): Awaitable<CbcHmac>;
  toBase64url(bytes: Bytes): string;
  /** Returns the bytes, or `undefined` unless `text` is exactly the result of `toBase64url`. */
  fromBase64url(text: string): Bytes | undefined;
}

const encoder = new TextEncoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true });

/** RFC 7518 section 5.2.2.1: the first half authenticates, the second encrypts. */
const HALF_KEY_BYTES = 32;
const IV_BYTES = 16;

/** Number of arguments that every engine accepts in one call. */
const SLICE_BYTES = 8192;

/** Number of random bytes that Node draws in one call. */
const DRAWN_BYTES = 1024;

const HEX_DIGITS = "0123456789abcdef";

/** Returns the platform of `node:crypto`, if it is available without an import: on Node, Bun and Deno. */
export function nodePlatform(): Platform | undefined {
  const found = getBuiltin("node:crypto");
  const Buffer = getBuiltin("node:buffer")?.Buffer;
  if (!Buffer || !found?.createDecipheriv || !found.createSecretKey || !found.hkdfSync) {
    return undefined;
  }
  const crypto = found as typeof import("node:crypto");
  return {
    // Not from WebCrypto, which Node loads on first use: that costs every starting process a millisecond.
    randomBytes: createRandomSource((bytes) => new Uint8Array(crypto.randomBytes(bytes))),
    // Converts text to text in one call if the runtime supports it; going through bytes takes four times as long.
    digest(algorithm, text) {
      const name = algorithm.replace("-", "");
      return (
        crypto.hash?.(name, text, "base64url") ??
        crypto.createHash(name).update(text).digest("base64url")
      );
    },
    hmacSha256(key) {
      // A KeyObject, because Node takes five times as long with plain bytes.
      const prepared = crypto.createSecretKey(key);
      return (text) => crypto.createHmac("sha256", prepared).update(text).digest("hex");
    },
    hkdfSha256: (secret, salt, info, length) =>
      new Uint8Array(crypto.hkdfSync("sha256", secret, salt, info, length)),
    cbcHmac(key, additionalData) {
      // KeyObjects, because OpenSSL then prepares them once, which makes every use several times cheaper.
      const macKey = crypto.createSecretKey(key.subarray(0, HALF_KEY_BYTES));
      const encKey = crypto.createSecretKey(key.subarray(HALF_KEY_BYTES));
      const bits = bitLength(additionalData);
      const computeTag = (iv: Bytes, ciphertext: Bytes) => {
        const data = Buffer.concat([additionalData, iv, ciphertext, bits]);
        return crypto
          .createHmac("sha512", macKey)
          .update(data)
          .digest()
          .subarray(0, HALF_KEY_BYTES);
      };
      return {
        seal(iv, plaintext) {
          const cipher = crypto.createCipheriv("aes-256-cbc", encKey, iv);
          const ciphertext = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final()]);
          return { ciphertext, tag: computeTag(iv, ciphertext) };
        },
        open(iv, ciphertext, tag) {
          if (!isShaped(iv, tag)) return undefined;
          // Checked before the padding: a padding error that an attacker can observe is an oracle.
          if (!crypto.timingSafeEqual(tag, computeTag(iv, ciphertext))) return undefined;
          const decipher = crypto.createDecipheriv("aes-256-cbc", encKey, iv);
          try {
            return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
          } catch {
            return undefined;
          }
        },
      };
    },
    toBase64url: (bytes) =>
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64url"),
    fromBase64url(text) {
      const bytes = Buffer.from(text, "base64url");
      // Node skips invalid characters, so only canonical text survives the round trip.
      return bytes.toString("base64url") === text ? bytes : undefined;
    },
  };
}

/**
 * Returns the WebCrypto platform, which every runtime has. It is asynchronous, and the only platform on most edge
 * runtimes.
 */
export function webPlatform(): Platform {
  const { subtle } = globalThis.crypto;
  const hmacKey = (key: Bytes, hash: string) =>
    subtle.importKey("raw", key, { name: "HMAC", hash }, false, ["sign"]);
  const sign = async (key: CryptoKey, data: Bytes) =>
    new Uint8Array(await subtle.sign("HMAC", key, data));
  return {
    randomBytes: (bytes) => globalThis.crypto.getRandomValues(new Uint8Array(bytes)),
    digest: async (algorithm, text) =>
      toBase64urlText(new Uint8Array(await subtle.digest(algorithm, encodeText(text)))),
    hmacSha256(key) {
      const prepared = hmacKey(key, "SHA-256");
      return async (text) => toHex(await sign(await prepared, encodeText(text)));
    },
    async hkdfSha256(secret, salt, info, length) {
      const key = await subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
      const algorithm = { name: "HKDF", hash: "SHA-256", salt, info };
      return new Uint8Array(await subtle.deriveBits(algorithm, key, length * 8));
    },
    async cbcHmac(key, additionalData) {
      const macKey = await hmacKey(key.subarray(0, HALF_KEY_BYTES), "SHA-512");
      const encKey = await subtle.importKey("raw", key.subarray(HALF_KEY_BYTES), "AES-CBC", false, [
        "encrypt",
        "decrypt",
      ]);
      const bits = bitLength(additionalData);
      const computeTag = async (iv: Bytes, ciphertext: Bytes) =>
        (await sign(macKey, joinBytes([additionalData, iv, ciphertext, bits]))).subarray(
          0,
          HALF_KEY_BYTES,
        );
      return {
        async seal(iv, plaintext) {
          const sealed = await subtle.encrypt(
            { name: "AES-CBC", iv },
            encKey,
            encodeText(plaintext),
          );
          const ciphertext = new Uint8Array(sealed);
          return { ciphertext, tag: await computeTag(iv, ciphertext) };
        },
        async open(iv, ciphertext, tag) {
          if (!isShaped(iv, tag)) return undefined;
          const expected = await computeTag(iv, ciphertext);
          let difference = 0;
          for (let at = 0; at < HALF_KEY_BYTES; at++)
            difference |= (tag[at] ?? 0) ^ (expected[at] ?? 0);
          if (difference !== 0) return undefined;
          try {
            return new Uint8Array(
              await subtle.decrypt({ name: "AES-CBC", iv }, encKey, ciphertext),
            );
          } catch {
            return undefined;
          }
        },
      };
    },
    toBase64url: toBase64urlText,
    fromBase64url(text) {
      try {
        const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
        const bytes = new Uint8Array(binary.length);
        for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
        return toBase64urlText(bytes) === text ? bytes : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

function findOnce(): () => Platform {
  let found: Platform | undefined;
  return () => (found ??= (isWorker() ? undefined : nodePlatform()) ?? webPlatform());
}

/**
 * Returns the fastest platform of this runtime, which is determined on first use; tests also use the other one. Workers
 * use WebCrypto, which is as fast there as `node:crypto` and does not have to be loaded.
 */
export const getPlatform: () => Platform = /* @__PURE__ */ findOnce();

// For Node, drawing 32 random bytes takes as long as drawing a thousand. No byte is used twice.
function createRandomSource(draw: Platform["randomBytes"]): Platform["randomBytes"] {
  let drawn: Bytes = new Uint8Array();
  let at = 0;
  return (bytes) => {
    if (at + bytes > drawn.length) {
      drawn = draw(Math.max(bytes, DRAWN_BYTES));
      at = 0;
    }
    return drawn.slice(at, (at += bytes));
  };
}

/** Returns random bytes as base64url text; 32 bytes give 43 characters. */
export function randomBase64url(bytes: number): string {
  return getPlatform().toBase64url(randomBytes(bytes));
}

/** Returns random bytes as lower-case hex text, two characters a byte. */
export function randomHex(bytes: number): string {
  return toHex(randomBytes(bytes));
}

/** Returns a random UUID (RFC 9562 version 4). */
export function randomUUID(): string {
  return globalThis.crypto.randomUUID();
}

/** Returns random bytes, 65536 at most. */
export function randomBytes(bytes: number): Bytes {
  return getPlatform().randomBytes(bytes);
}

/** Returns the SHA-256 of the text's UTF-8. */
export function sha256(text: string): Awaitable<Bytes> {
  return andThen(sha256Base64url(text), (digest) => decodeBase64url(digest) as Bytes);
}

/** Returns the SHA-256 of the text's UTF-8 as lower-case hex. */
export function sha256Hex(text: string): Awaitable<string> {
  return andThen(sha256(text), toHex);
}

/** Returns the SHA-256 of the text's UTF-8 as base64url: S256 of PKCE (RFC 7636). */
export function sha256Base64url(text: string): Awaitable<string> {
  return getPlatform().digest("SHA-256", text);
}

/**
 * Returns a function that computes the HMAC-SHA-256 of a text with one key, as lower-case hex.
 * @throws RangeError for an empty key, which would authenticate nothing.
 */
export function createHmac(key: string | Bytes): (text: string) => Awaitable<string> {
  const bytes = typeof key === "string" ? encodeText(key) : key;
  if (bytes.length === 0) throw new RangeError("An HMAC key must not be empty.");
  return getPlatform().hmacSha256(bytes);
}

/** Derives a key of `length` bytes for one purpose (RFC 5869). `info` has at most 1024 bytes. */
export function hkdfSha256(
  secret: string,
  salt: string,
  info: string,
  length: number,
): Awaitable<Bytes> {
  const platform = getPlatform();
  return platform.hkdfSha256(encodeText(secret), encodeText(salt), encodeText(info), length);
}

/** Returns the UUID that is derived from the text: version 8 of RFC 9562, from its SHA-256. */
export function uuidFrom(text: string): Awaitable<string> {
  return andThen(sha256(text), (digest) => {
    const bytes = digest.slice(0, 16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  });
}

/** Compares two secrets in a time that depends on their lengths only (SECURITY.md R15). */
export function timingSafeEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  // Past the end of `b`, `charCodeAt` returns NaN, which counts as 0: the lengths already differ.
  for (let at = 0; at < a.length; at++) difference |= a.charCodeAt(at) ^ b.charCodeAt(at);
  return difference === 0;
}

/** Returns the text as UTF-8. A lone surrogate becomes U+FFFD. */
export function encodeText(text: string): Bytes {
  return encoder.encode(text);
}

/** Returns UTF-8 as text without its byte order mark, or `undefined` when it is not valid. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns bytes, or the UTF-8 of a text, as base64url without padding (RFC 4648 section 5). */
export function encodeBase64url(data: string | Bytes): string {
  return getPlatform().toBase64url(typeof data === "string" ? encodeText(data) : data);
}

/** Returns the bytes of canonical, unpadded base64url; `undefined` for anything else. */
export function decodeBase64url(text: string): Bytes | undefined {
  const bytes = getPlatform().fromBase64url(text);
  return bytes && new Uint8Array(bytes);
}

/** Returns bytes as lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX_DIGITS.charAt(byte >> 4) + HEX_DIGITS.charAt(byte & 15);
  return text;
}

// The tag covers vector and ciphertext together, and only the vector's length determines their boundary.
function isShaped(iv: Bytes, tag: Bytes): boolean {
  return iv.length === IV_BYTES && tag.length === HALF_KEY_BYTES;
}

/** Returns the bit length of the additional data as 64 bits, big-endian (RFC 7518 section 5.2.2.1). */
function bitLength(data: Bytes): Bytes {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(data.length) * 8n);
  return bytes;
}

function toBase64urlText(bytes: Bytes): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  }
  return btoa(binary)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "");
}
