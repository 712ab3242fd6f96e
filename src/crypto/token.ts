import { MissingSecretError } from "../errors/errors.ts";
import { andThen, isPromise } from "../platform/awaitable.ts";
import { createCache as createPlainCache, type BoundedCache } from "../platform/cache.ts";
import { isObject } from "../platform/is-object.ts";
import type { CreateCache } from "../types/cache.ts";
import type { Awaitable, JWT } from "../types/models.ts";
import {
  type ReadToken,
  type Tokens,
  type DecodeParams,
  type EncodeParams,
} from "../types/token.ts";
import {
  decodeText,
  encodeText,
  getPlatform,
  randomBytes,
  randomUUID,
  type Bytes,
  type CbcHmac,
  type Platform,
} from "./crypto.ts";
import {
  type Jwe,
  openJwe,
  tryParseJson,
  READ_ONLY_ENC,
  readHeader,
  splitJwe,
  unreadable,
  WRITE_ENC,
} from "./jwe.ts";

/** Options of `createTokens`: the bounds of its cache of opened tokens, and the cryptography to use. */
export interface TokensOptions {
  /** Maximum number of opened tokens in the cache. Default 1000. */
  max?: number;
  /** Maximum number of characters in the cache: of the tokens, plus twice those of their claims. Default 4 million. */
  maxCharacters?: number;
  /** Default: the fastest platform of the runtime. */
  platform?: Platform;
  /** Creates the caches. */
  createCache?: CreateCache;
}

/** Default lifetime of a token in seconds: 30 days. */
const DEFAULT_MAX_AGE_S = 2_592_000;

/** Clock difference in seconds that is tolerated when `exp` and `nbf` are checked. */
const CLOCK_TOLERANCE_S = 15;

/** Maximum number of cached keys, one for each secret and salt. */
const MAX_KEYS = 256;

/** A derived key and its RFC 7638 thumbprint. */
interface Key {
  readonly bytes: Bytes;
  readonly kid: string;
}

/** A key for writing, with its encoded protected header and the cipher that is bound to the header. */
interface WritingKey extends Key {
  readonly header: string;
  readonly cipher: CbcHmac;
}

interface OpenedToken {
  readonly json: string;
  readonly secret: string;
}

/** An opened token as it is cached. */
interface CachedToken extends OpenedToken {
  readonly token: string;
  readonly salt: string;
  /**
   * The claims, if none of them is an object, so that a shallow copy is independent. Set on the first read from the
   * cache.
   */
  flat?: JWT | false;
}

/** Creates a token codec with its own bounded caches: of derived keys per secret and salt, and of decrypted tokens. */
export function createTokens(options: TokensOptions = {}): Tokens {
  const { max = 1000, maxCharacters = 4_000_000, platform } = options;
  const { createCache = (_, bounds) => createPlainCache(bounds) } = options;
  const on = () => platform ?? getPlatform();

  const writingKeys = createCache<Awaitable<WritingKey>>("tokens/keys", { max: MAX_KEYS });
  const writingKey = perSecretAndSalt(writingKeys, (secret, salt) =>
    andThen(deriveKey(secret, salt, WRITE_ENC, on()), (key): Awaitable<WritingKey> => {
      // The order of the members is part of the format: Auth.js writes exactly these bytes.
      const fields = JSON.stringify({ alg: "dir", enc: WRITE_ENC, kid: key.kid });
      const header = on().toBase64url(encodeText(fields));
      const made = on().cbcHmac(key.bytes, encodeText(header));
      return andThen(made, (cipher) => ({ ...key, header, cipher }));
    }),
  );
  const readingKeys = createCache<Awaitable<Key>>("tokens/read-only keys", { max: MAX_KEYS });
  const readingKey = perSecretAndSalt(readingKeys, (secret, salt) =>
    deriveKey(secret, salt, READ_ONLY_ENC, on()),
  );

  // Claims are copied or parsed on each read, so that no caller can change those of the next one. The key is the
  // authentication tag, because hashing a whole token takes longer than everything else.
  const opened = createCache<CachedToken>("tokens/opened", {
    max,
    maxWeight: maxCharacters,
    weigh: ({ json, token }) => 2 * json.length + token.length,
  });

  function encode(params: EncodeParams): Awaitable<string> {
    const { token = {}, secret, salt, maxAge = DEFAULT_MAX_AGE_S } = params;
    // A `toJSON` would replace the claims below, including `exp`.
    if (!isObject(token) || typeof token.toJSON === "function") {
      throw new TypeError("The `token` to encode must be a plain object.");
    }
    if (!Number.isFinite(maxAge)) throw new TypeError("`maxAge` must be a number of seconds.");
    const [first] = toSecrets(secret);
    const iat = Math.floor(Date.now() / 1000);
    const json = JSON.stringify({ ...token, iat, exp: iat + maxAge, jti: randomUUID() });
    return andThen(writingKey(first, salt), ({ header, cipher }) => {
      const iv = randomBytes(16);
      return andThen(cipher.seal(iv, json), ({ ciphertext, tag }) => {
        const { toBase64url } = on();
        const encodedTag = toBase64url(tag);
        const sealed = `${header}..${toBase64url(iv)}.${toBase64url(ciphertext)}.${encodedTag}`;
        opened.set(encodedTag, { json, secret: first, token: sealed, salt });
        return sealed;
      });
    });
  }

  function read({ token, secret, salt }: DecodeParams): Awaitable<ReadToken | null> {
    if (!token) return null;
    if (typeof token !== "string") throw unreadable("is not a string");
    const tag = token.slice(token.lastIndexOf(".") + 1);
    const known = opened.get(tag);
    // A token that was opened for another purpose, or with a secret that is no longer configured, must not be accepted
    // from the cache (SECURITY.md R3).
    if (known?.token === token && known.salt === salt && has(secret, known.secret)) {
      const claims = known.flat ? { ...known.flat } : toClaims(known.json);
      known.flat ??= isFlat(claims) && { ...claims };
      return { payload: checkTimes(claims), json: known.json };
    }
    return andThen(open(token, toSecrets(secret), salt), (found) => {
      const payload = checkTimes(toClaims(found.json));
      opened.set(tag, { ...found, token, salt });
      return { payload, json: found.json };
    });
  }

  /** Opens tokens that `encode` writes with the first secret, and passes on all others. */
  function open(
    token: string,
    secrets: readonly [string, ...string[]],
    salt: string,
  ): Awaitable<OpenedToken> {
    const jwe = splitJwe(token, on());
    const [secret] = secrets;
    return andThen(writingKey(secret, salt), (key): Awaitable<OpenedToken> => {
      if (key.header !== jwe.header) return openForeign(jwe, secrets, salt);
      return andThen(key.cipher.open(jwe.iv, jwe.ciphertext, jwe.tag), (bytes) => {
        if (!bytes) throw unreadable("was not sealed under this secret and salt, or was changed");
        return { json: decodeText(bytes) ?? "", secret };
      });
    });
  }

  /** Opens tokens with another secret or another header: with A256GCM, without `kid`, or with further members. */
  async function openForeign(
    jwe: Jwe,
    secrets: readonly string[],
    salt: string,
  ): Promise<OpenedToken> {
    const fields = readHeader(jwe, on());
    const { enc, kid } = fields;
    for (const secret of secrets) {
      const key = await (enc === WRITE_ENC ? writingKey : readingKey)(secret, salt);
      if (kid !== undefined && kid !== key.kid) continue;
      const bytes = await openJwe(enc, key.bytes, jwe, on());
      if (!bytes) continue;
      const json = decodeText(bytes) ?? "";
      checkReplicated(fields, json);
      return { json, secret };
    }
    throw unreadable("was not sealed under a configured secret and this salt, or was changed");
  }

  return {
    encode,
    read,
    decode: (params) => andThen(read(params), (found) => found && found.payload),
  };
}

/** Derives a key by HKDF as Auth.js v5 does, and its thumbprint with a hash of the key's own strength. */
function deriveKey(secret: string, salt: string, enc: string, on: Platform): Awaitable<Key> {
  if (typeof salt !== "string") throw new TypeError("`salt` must be a string.");
  const length = enc === WRITE_ENC ? 64 : 32;
  const info = encodeText(`Auth.js Generated Encryption Key (${salt})`);
  const derived = on.hkdfSha256(encodeText(secret), encodeText(salt), info, length);
  return andThen(derived, (bytes) => {
    // RFC 7638: the required members only, in lexicographic order, without white space.
    const jwk = JSON.stringify({ k: on.toBase64url(bytes), kty: "oct" });
    const hash = length === 64 ? "SHA-512" : "SHA-256";
    return andThen(on.digest(hash, jwk), (kid) => ({ bytes, kid }));
  });
}

/** Caches values that are derived from a secret and a salt. */
function perSecretAndSalt<V>(
  cached: BoundedCache<Awaitable<V>>,
  make: (secret: string, salt: string) => Awaitable<V>,
): (secret: string, salt: string) => Awaitable<V> {
  return (secret, salt) => {
    // Includes the length, because two concatenations could be split differently. A salt that is not a text is refused
    // by `make`.
    const key = `${(salt as string | undefined)?.length} ${salt}${secret}`;
    const known = cached.get(key);
    if (known !== undefined) return known;
    const made = make(secret, salt);
    cached.set(key, made);
    if (isPromise(made)) made.then(undefined, () => cached.delete(key));
    return made;
  };
}

// Does not use `toSecrets`, which filters: this runs on each read of a session.
function has(secret: string | readonly string[], one: string): boolean {
  return (typeof secret === "string" ? [secret] : (secret ?? [])).includes(one);
}

function toSecrets(secret: string | readonly string[]): [string, ...string[]] {
  const [first, ...others] = [secret].flat().filter(
    // An empty secret would be a key that every attacker knows.
    (one) => typeof one === "string" && one !== "",
  );
  if (first === undefined) {
    throw new MissingSecretError("A token needs a secret that is not empty. Set AUTH_SECRET.");
  }
  return [first, ...others];
}

function toClaims(json: string): JWT {
  const claims = tryParseJson(json);
  if (!isObject(claims)) throw unreadable("does not contain a JSON object");
  return claims;
}

function isFlat(claims: JWT): boolean {
  return !Object.values(claims).some((value) => typeof value === "object" && value !== null);
}

const TIMES = ["iat", "nbf", "exp"];

/** Checks `exp`, `nbf` and `iat` (RFC 7519 sections 4.1.4 to 4.1.6 and 7.2), as jose does. */
function checkTimes(payload: JWT): JWT {
  for (const claim of TIMES) {
    const value = payload[claim];
    if (value !== undefined && typeof value !== "number") {
      throw unreadable(`has a claim "${claim}" that is not a number`);
    }
  }
  const { nbf, exp } = payload as { nbf?: number; exp?: number };
  const now = Math.floor(Date.now() / 1000);
  if (nbf !== undefined && nbf > now + CLOCK_TOLERANCE_S) throw unreadable("is not yet valid");
  if (exp !== undefined && exp <= now - CLOCK_TOLERANCE_S) throw unreadable("is expired");
  return payload;
}

/** Checks that claims replicated in the header have the same values there (RFC 7519 section 5.3). */
function checkReplicated(header: Record<string, unknown>, json: string): void {
  const payload = toClaims(json);
  for (const claim of ["iss", "sub", "aud"]) {
    const value = header[claim];
    if (value === undefined) continue;
    const same =
      claim === "aud"
        ? JSON.stringify(value) === JSON.stringify(payload.aud)
        : value === payload[claim];
    if (!same) throw unreadable(`has a different "${claim}" in its header`);
  }
}
