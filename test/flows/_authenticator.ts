type Bytes = Uint8Array<ArrayBuffer>;

/** The subset of CBOR (RFC 8949) that this authenticator writes. */
export type Cbor =
  | number
  | string
  | Bytes
  | boolean
  | readonly Cbor[]
  | ReadonlyMap<number | string, Cbor>;

const text = (value: string): Bytes => new TextEncoder().encode(value);
export const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
export const fromBase64url = (value: string): Bytes =>
  new Uint8Array(Buffer.from(value, "base64url"));
export const base64 = (value: string): string => Buffer.from(value, "base64url").toString("base64");

function join(...parts: readonly Uint8Array[]): Bytes {
  return new Uint8Array(Buffer.concat(parts));
}

function head(major: number, value: number): Bytes {
  const start = major << 5;
  if (value < 24) return new Uint8Array([start | value]);
  if (value < 256) return new Uint8Array([start | 24, value]);
  return new Uint8Array([start | 25, value >> 8, value & 255]);
}

/** Encodes CBOR with definite lengths, up to 64 kB each. */
export function cbor(value: Cbor): Bytes {
  if (typeof value === "boolean") return new Uint8Array([value ? 0xf5 : 0xf4]);
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return join(head(3, text(value).length), text(value));
  if (value instanceof Uint8Array) return join(head(2, value.length), value);
  if (value instanceof Map) {
    const entries = [...value].flatMap(([key, member]) => [cbor(key), cbor(member)]);
    return join(head(5, value.size), ...entries);
  }
  const list = value as readonly Cbor[];
  return join(head(4, list.length), ...list.map(cbor));
}

/** Encodes an ECDSA signature as ASN.1 DER, as authenticators do. */
export function der(signature: Uint8Array): Bytes {
  const integer = (bytes: Uint8Array): Bytes => {
    let start = 0;
    while (start < bytes.length - 1 && bytes[start] === 0) start++;
    const lean = bytes.subarray(start);
    const signed = (lean[0] ?? 0) & 0x80 ? join(new Uint8Array([0]), lean) : lean;
    return join(new Uint8Array([2, signed.length]), signed);
  };
  const pair = join(integer(signature.subarray(0, 32)), integer(signature.subarray(32)));
  return join(new Uint8Array([0x30, pair.length]), pair);
}

export const UP = 0x01;
export const UV = 0x04;
export const BE = 0x08;
export const BS = 0x10;
export const AT = 0x40;

async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

const newKeys = () =>
  crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);

/** The bytes that an attestation covers. */
export interface Signed {
  authData: Bytes;
  clientDataHash: Bytes;
  keys: CryptoKeyPair;
}

/** Deviations of one response from the specification. */
export interface Change {
  /** Members merged over the client data; `undefined` removes one. */
  clientData?: Record<string, unknown>;
  /** Replaces the bytes of the client data. */
  clientBytes?(json: string): Uint8Array;
  flags?(flags: number): number;
  rpId?: string;
  counter?: number;
  /** Replaces the algorithm in the key. */
  algorithm?: number;
  format?: string;
  statement?: Map<string, Cbor>;
  /** Creates the statement from the bytes that an authenticator signs. */
  attest?(signed: Signed): Promise<Map<string, Cbor>>;
  /** Replaces the COSE key. */
  publicKey?: Map<number, Cbor>;
  /** Replaces the bytes of the attestation object. */
  attestationObject?(bytes: Bytes): Uint8Array;
  /** Replaces the bytes of the credential id. */
  credentialId?: Uint8Array;
  authData?(bytes: Bytes): Bytes;
  signature?(bytes: Bytes): Bytes;
  userHandle?: string | null;
  /** Replaces the whole response, after all other changes. */
  json?(answer: Answer): unknown;
}

/** The JSON form of a credential from `navigator.credentials`. */
export interface Answer {
  id: string;
  rawId: string;
  type: string;
  clientExtensionResults: object;
  response: Record<string, unknown>;
}

/** A credential that the authenticator holds. */
export interface Credential {
  id: Bytes;
  keys: CryptoKeyPair;
  userHandle: string;
  counter: number;
}

interface CreationOptions {
  challenge: string;
  rp: { id: string };
  user: { id: string };
}

interface RequestOptions {
  challenge: string;
  rpId: string;
  allowCredentials?: { id: string }[];
}

/** How a script in the browser converts user handles, which authenticators keep as bytes. */
export interface Script {
  toCreation<T extends CreationOptions>(options: T): T;
  /** Returns the handle as the script posts it. `handle` is its bytes as base64url. */
  toPosted(handle: string): string;
}

/** The scripts of Keyhook and others that follow WebAuthn level 3, and the scripts of Auth.js. */
export const SCRIPTS: Readonly<Record<"keyhook" | "next-auth", Script>> = {
  keyhook: { toCreation: (options) => options, toPosted: (handle) => handle },
  // `next-auth/webauthn` and the page of Auth.js use `@simplewebauthn/browser` 9, which treats a handle as text.
  "next-auth": {
    toCreation: (options) => ({
      ...options,
      user: { ...options.user, id: base64url(text(options.user.id)) },
    }),
    toPosted: (handle) => new TextDecoder().decode(fromBase64url(handle)),
  },
};

/** Options of `createAuthenticator`. */
export interface AuthenticatorOptions {
  origin?: string;
  flags?: number;
  /** Counts its uses. By default it does not, like synced passkeys. */
  counts?: boolean;
  /**
   * Whether an integer of a signature may be shorter than 32 bytes. One in 128 is, and version 9 of
   * `@simplewebauthn/server` refuses it. Default `true`.
   */
  shortIntegers?: boolean;
  /** `packed` adds a self attestation. Default `none`. */
  attestation?: "none" | "packed";
}

/**
 * Creates an authenticator with its browser. It follows WebAuthn level 3 unless a `Change` is
 * given.
 */
export function createAuthenticator(options: AuthenticatorOptions = {}) {
  const { origin = "http://localhost:3000", attestation = "none", counts = false } = options;
  const { shortIntegers = true } = options;
  const held: Credential[] = [];
  let flags = options.flags ?? UP | UV | BE | BS;

  const buildClientData = (type: string, challenge: string, change: Change): Bytes => {
    const seen = { type, challenge, origin, crossOrigin: false, ...change.clientData };
    const json = JSON.stringify(seen);
    return new Uint8Array(change.clientBytes?.(json) ?? text(json));
  };

  const sign = async (keys: CryptoKeyPair, data: Bytes): Promise<Bytes> => {
    const algorithm = { name: "ECDSA", hash: "SHA-256" };
    const pair = new Uint8Array(await crypto.subtle.sign(algorithm, keys.privateKey, data));
    return shortIntegers || (pair[0] && pair[32]) ? der(pair) : sign(keys, data);
  };

  const buildAuthData = async (
    rpId: string,
    credential: Credential,
    change: Change,
    attested?: Bytes,
  ): Promise<Bytes> => {
    const own = flags | (attested ? AT : 0);
    const count = new Uint8Array(4);
    new DataView(count.buffer).setUint32(0, change.counter ?? credential.counter);
    const bytes = join(
      await sha256(text(change.rpId ?? rpId)),
      new Uint8Array([change.flags?.(own) ?? own]),
      count,
      attested ?? new Uint8Array(),
    );
    return change.authData?.(bytes) ?? bytes;
  };

  const buildAttestedData = async ({ keys, id }: Credential, change: Change): Promise<Bytes> => {
    const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", keys.publicKey);
    const key =
      change.publicKey ??
      new Map<number, Cbor>([
        [1, 2],
        [3, change.algorithm ?? -7],
        [-1, 1],
        [-2, fromBase64url(x)],
        [-3, fromBase64url(y)],
      ]);
    const used = change.credentialId ?? id;
    return join(
      new Uint8Array(16),
      new Uint8Array([used.length >> 8, used.length & 255]),
      used,
      cbor(key),
    );
  };

  return {
    held,
    /** Sets the flags of later responses. */
    setFlags(next: number) {
      flags = next;
    },
    async create(given: CreationOptions, change: Change = {}): Promise<Answer> {
      const { length } = fromBase64url(given.user.id);
      // WebAuthn level 3, section 5.1.3, step 5.
      if (length < 1 || length > 64) throw new TypeError(`A user handle has ${length} bytes.`);
      const credential: Credential = {
        id: crypto.getRandomValues(new Uint8Array(16)),
        keys: await newKeys(),
        userHandle: given.user.id,
        counter: 0,
      };
      const clientData = buildClientData("webauthn.create", given.challenge, change);
      const attested = await buildAttestedData(credential, change);
      const authData = await buildAuthData(given.rp.id, credential, change, attested);
      const clientDataHash = await sha256(clientData);
      const signed = join(authData, clientDataHash);
      const { keys } = credential;
      const made = await change.attest?.({ authData, clientDataHash, keys });
      const proof = async () => {
        const sig = await sign(credential.keys, signed);
        return new Map<string, Cbor>([
          ["alg", -7],
          ["sig", change.signature?.(sig) ?? sig],
        ]);
      };
      const own = attestation === "packed" ? await proof() : new Map<string, Cbor>();
      const object = new Map<string, Cbor>([
        ["fmt", change.format ?? attestation],
        ["attStmt", change.statement ?? made ?? own],
        ["authData", authData],
      ]);
      if (change.credentialId) credential.id = new Uint8Array(change.credentialId);
      held.push(credential);
      const id = base64url(credential.id);
      const bytes = cbor(object);
      const answer: Answer = {
        id,
        rawId: id,
        type: "public-key",
        clientExtensionResults: {},
        response: {
          attestationObject: base64url(change.attestationObject?.(bytes) ?? bytes),
          clientDataJSON: base64url(clientData),
          transports: ["internal", "hybrid"],
        },
      };
      return (change.json?.(answer) ?? answer) as Answer;
    },
    async get(
      given: RequestOptions,
      change: Change = {},
      credential: Credential = held.at(-1) as Credential,
    ): Promise<Answer> {
      if (counts) credential.counter++;
      const clientData = buildClientData("webauthn.get", given.challenge, change);
      const authData = await buildAuthData(given.rpId, credential, change);
      const sig = await sign(credential.keys, join(authData, await sha256(clientData)));
      const id = base64url(credential.id);
      const { userHandle = credential.userHandle } = change;
      const answer: Answer = {
        id,
        rawId: id,
        type: "public-key",
        clientExtensionResults: {},
        response: {
          authenticatorData: base64url(authData),
          clientDataJSON: base64url(clientData),
          signature: base64url(change.signature?.(sig) ?? sig),
          ...(userHandle !== null && { userHandle }),
        },
      };
      return (change.json?.(answer) ?? answer) as Answer;
    },
  };
}

export type Authenticator = ReturnType<typeof createAuthenticator>;
