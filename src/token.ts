import { chain, isPromise } from "./awaitable.ts";
import { createCache } from "./cache.ts";
import type { BoundedCache } from "./cache.ts";
import {
  decodeText,
  encodeBase64url,
  encodeText,
  hkdfSha256,
  platform,
  randomBytes,
  randomUUID,
} from "./crypto.ts";
import type { Bytes, CbcHmac, Platform } from "./crypto.ts";
import { JWTSessionError, MissingSecretError } from "./errors.ts";
import type { ReadToken, Tokens } from "./types/kernel.ts";
import type { Awaitable, JWT } from "./types/models.ts";
import type { JWTDecodeParams, JWTEncodeParams } from "./types/options.ts";

/** Bounds of the memory of tokens already read, and the crypto to use. */
export interface TokensOptions {
  /** Most decoded tokens kept. Default 1000. */
  max?: number;
  /** Most characters kept, of tokens and their claims together. Default 4 million. */
  maxCharacters?: number;
  /** Default: the fastest the platform has. */
  platform?: Platform;
}

/** Lifetime of a token in seconds when nothing else is said: 30 days. */
export const DEFAULT_MAX_AGE = 2_592_000;

/** Seconds by which clocks may differ when `exp` and `nbf` are checked. */
const TOLERANCE = 15;

const WRITTEN = "A256CBC-HS512";
/** What is read though never written. */
const READ_ONLY = "A256GCM";

/** A derived key and its RFC 7638 thumbprint. */
interface Key {
  readonly bytes: Bytes;
  readonly kid: string;
}

/** A key of the kind we write with: its encoded protected header, and the cipher bound to that. */
interface WritingKey extends Key {
  readonly header: string;
  readonly cipher: CbcHmac;
}

interface Opened {
  readonly json: string;
  readonly secret: string;
}

/**
 * Makes an encoder and decoder with memories of its own, all bounded: of derived keys per secret
 * and salt, and of the tokens that it has decrypted.
 */
export function createTokens(options: TokensOptions = {}): Tokens {
  const { max = 1000, maxCharacters = 4_000_000, platform: on = platform } = options;

  const writingKey = perSecretAndSalt((secret, salt) =>
    chain(deriveKey(secret, salt, WRITTEN, on), (key): Awaitable<WritingKey> => {
      // The order of the members is part of the format: Auth.js writes these very bytes.
      const fields = JSON.stringify({ alg: "dir", enc: WRITTEN, kid: key.kid });
      const header = encodeBase64url(fields, on);
      const made = on.cbcHmac(key.bytes, encodeText(header));
      return chain(made, (cipher) => ({ ...key, header, cipher }));
    }),
  );
  const readingKey = perSecretAndSalt((secret, salt) => deriveKey(secret, salt, READ_ONLY, on));

  // Kept as text and parsed anew at each read, so that no caller can change what the next one sees.
  // By the authentication tag, since to hash a whole token takes longer than all the rest.
  const opened = createCache<Opened & { token: string; salt: string }>({
    max,
    maxWeight: maxCharacters,
    weigh: (entry) => entry.json.length + entry.token.length,
  });

  function encode(params: JWTEncodeParams): Awaitable<string> {
    const { token = {}, secret, salt, maxAge = DEFAULT_MAX_AGE } = params;
    // A `toJSON` would take the place of the claims below, `exp` among them.
    if (!isRecord(token) || typeof token.toJSON === "function") {
      throw new TypeError("a token's payload must be a plain object");
    }
    if (!Number.isFinite(maxAge)) throw new TypeError("maxAge must be a number of seconds");
    const [first] = secretsOf(secret);
    const iat = Math.floor(Date.now() / 1000);
    const json = JSON.stringify({ ...token, iat, exp: iat + maxAge, jti: randomUUID() });
    return chain(writingKey(first, salt), ({ header, cipher }) => {
      const iv = randomBytes(16);
      return chain(cipher.seal(iv, json), ({ ciphertext, tag }) => {
        const parts = [iv, ciphertext, tag].map((bytes) => on.toBase64url(bytes));
        return `${header}..${parts.join(".")}`;
      });
    });
  }

  function read({ token, secret, salt }: JWTDecodeParams): Awaitable<ReadToken | null> {
    if (!token) return null;
    if (typeof token !== "string") throw unreadable("is not a string");
    const secrets = secretsOf(secret);
    const tag = token.slice(token.lastIndexOf(".") + 1);
    const known = opened.get(tag);
    // R3: what was opened for one purpose, or under a secret since dropped, proves nothing here.
    if (known?.token === token && known.salt === salt && secrets.includes(known.secret)) {
      return { payload: checkClaims(known.json), json: known.json };
    }
    return chain(open(token, secrets, salt), (found) => {
      const payload = checkClaims(found.json);
      opened.set(tag, { ...found, token, salt });
      return { payload, json: found.json };
    });
  }

  /** Opens what we wrote ourselves; whatever else may be a valid token is left to jose. */
  function open(token: string, secrets: readonly string[], salt: string): Awaitable<Opened> {
    const [header, encryptedKey, ...rest] = token.split(".", 6);
    const [iv, ciphertext, tag] = rest.map((part) => on.fromBase64url(part));
    if (encryptedKey !== "" || rest.length !== 3 || !iv || !ciphertext || !tag) {
      return openForeign(token, secrets, salt);
    }
    const attempt = (at: number): Awaitable<Opened> => {
      const secret = secrets[at];
      if (secret === undefined) return openForeign(token, secrets, salt);
      return chain(writingKey(secret, salt), (key) => {
        if (key.header !== header) return attempt(at + 1);
        return chain(key.cipher.open(iv, ciphertext, tag), (bytes) => {
          if (!bytes) throw unreadable("was not sealed by us, or was changed");
          return { json: textOf(bytes), secret };
        });
      });
    };
    return attempt(0);
  }

  /** jose decides on every other shape: other headers, A256GCM, lenient base64url, no `kid`. */
  async function openForeign(
    token: string,
    secrets: readonly string[],
    salt: string,
  ): Promise<Opened> {
    const { compactDecrypt } = await import("jose/jwe/compact/decrypt");
    const algorithms = {
      keyManagementAlgorithms: ["dir"],
      contentEncryptionAlgorithms: [WRITTEN, READ_ONLY],
    };
    let code = "";
    for (const secret of secrets) {
      let matched = false;
      try {
        const { plaintext, protectedHeader } = await compactDecrypt(
          token,
          async ({ enc, kid }: { enc?: string; kid?: string }) => {
            const key = await (enc === WRITTEN ? writingKey : readingKey)(secret, salt);
            matched = kid === undefined || kid === key.kid;
            if (!matched) throw unreadable("names a key that is not ours");
            return key.bytes;
          },
          algorithms,
        );
        const json = textOf(plaintext);
        checkReplicated(protectedHeader, json);
        return { json, secret };
      } catch (error) {
        // Errors of jose may quote the token, so only their stable code goes on.
        if (error instanceof JWTSessionError) {
          if (matched) throw error;
        } else code = (error as { code?: string }).code ?? "";
      }
    }
    throw unreadable(`cannot be decrypted${code && ` (${code})`}`);
  }

  return {
    encode,
    read,
    decode: (params) => chain(read(params), (found) => found && found.payload),
  };
}

/** HKDF as Auth.js v5 does it, and the key's thumbprint by the hash of the key's own strength. */
function deriveKey(secret: string, salt: string, enc: string, on: Platform): Awaitable<Key> {
  if (typeof salt !== "string") throw new TypeError("salt must be a string");
  const length = enc === WRITTEN ? 64 : 32;
  const info = `Auth.js Generated Encryption Key (${salt})`;
  return chain(hkdfSha256(secret, salt, info, length, on), (bytes) => {
    // RFC 7638: the required members only, in lexicographic order, without white space.
    const jwk = JSON.stringify({ k: on.toBase64url(bytes), kty: "oct" });
    const hash = length === 64 ? "SHA-512" : "SHA-256";
    return chain(on.digest(hash, encodeText(jwk)), (digest) => ({
      bytes,
      kid: on.toBase64url(digest),
    }));
  });
}

/** Remembers what is derived from a secret and a salt: 16 secrets, 64 salts each. */
function perSecretAndSalt<V>(
  make: (secret: string, salt: string) => Awaitable<V>,
): (secret: string, salt: string) => Awaitable<V> {
  const bySecret = createCache<BoundedCache<Awaitable<V>>>({ max: 16 });
  return (secret, salt) => {
    const bySalt = bySecret.get(secret) ?? createCache<Awaitable<V>>({ max: 64 });
    const known = bySalt.get(salt);
    if (known !== undefined) return known;
    const made = make(secret, salt);
    bySecret.set(secret, bySalt);
    bySalt.set(salt, made);
    if (isPromise(made)) made.catch(() => bySalt.delete(salt));
    return made;
  };
}

function secretsOf(secret: string | readonly string[]): [string, ...string[]] {
  const [first, ...others] = (typeof secret === "string" ? [secret] : (secret ?? [])).filter(
    // An empty secret would be a key that everybody knows.
    (one) => typeof one === "string" && one !== "",
  );
  if (first === undefined) throw new MissingSecretError("a token needs a secret that is not empty");
  return [first, ...others];
}

/** RFC 7519 sections 4.1.4 to 4.1.6 and 7.2, as jose checks them. */
function checkClaims(json: string): JWT {
  const payload = parse(json);
  if (!isRecord(payload)) throw unreadable("does not hold a JSON object");
  for (const claim of ["iat", "nbf", "exp"]) {
    const value = payload[claim];
    if (value !== undefined && typeof value !== "number") {
      throw unreadable(`has no number as "${claim}"`);
    }
  }
  const { nbf, exp } = payload as { nbf?: number; exp?: number };
  const now = Math.floor(Date.now() / 1000);
  if (nbf !== undefined && nbf > now + TOLERANCE) throw unreadable("is not yet valid");
  if (exp !== undefined && exp <= now - TOLERANCE) throw unreadable("is expired");
  return payload;
}

/** RFC 7519 section 5.3: claims repeated in the header must be the same there. */
function checkReplicated(header: Record<string, unknown>, json: string): void {
  const payload = parse(json);
  if (!isRecord(payload)) return;
  for (const claim of ["iss", "sub", "aud"]) {
    const value = header[claim];
    if (value === undefined) continue;
    const same =
      claim === "aud"
        ? JSON.stringify(value) === JSON.stringify(payload.aud)
        : value === payload[claim];
    if (!same) throw unreadable(`has another "${claim}" in its header`);
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw unreadable("does not hold JSON");
  }
}

function textOf(bytes: Uint8Array): string {
  const text = decodeText(bytes);
  if (text === undefined) throw unreadable("does not hold UTF-8");
  return text;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unreadable(why: string): JWTSessionError {
  return new JWTSessionError(`the token ${why}`);
}
