import { hkdfSync } from "node:crypto";
import fc from "fast-check";
import * as jose from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import { nodePlatform, webPlatform } from "../../src/crypto/crypto.ts";
import { createTokens } from "../../src/crypto/token.ts";
import { JWTSessionError, MissingSecretError } from "../../src/errors/errors.ts";
import { createClock } from "../../src/testing/testing.ts";
import type { JWT } from "../../src/types/models.ts";
import { rounds } from "../_scale.ts";

const secret = "keyhook-test-secret-0123456789abcdef";
const salt = "authjs.session-token";
const WRITTEN = "A256CBC-HS512";

/** Created with Auth.js 5. */
const vectors = [
  {
    salt,
    key: "4c6e60636b26220e134242afc65a81ee98468e6461381f43ec0961fdcce3a8c668e8026247c782266561e9270701c8c9b45a6dab3e40387e141d372493c09b9f",
    kid: "HrN2R8uq-mnAGcLofjnqQz-Rlx_ue6xNUiXQFTIu-R5LNrQAQEzqzkZ3wsPebQ7PJ0BpzOFWEAiFlOx-QtwjXQ",
  },
  {
    salt: "__Secure-authjs.session-token",
    key: "5fdbe9aa91447988c8a0593c9d566dcb177e628bbd9604a68cb560df34662825a739a474165e2aa432a0e4a8807972708c4265b38fecbadd0344050380803cb5",
    kid: "Le-vcZ1EEFnlF9IOe4ma6nCHsmx4bPfaSkBiYhv5sZD_PAHNyLiit6d14AcZ7oq14HtQiuQpAbblH5Waai5QFw",
  },
  {
    salt: "authjs.pkce.code_verifier",
    key: "af015ebdf74dbd76cf2f4a5d3924d187238b6d35e2cc467554ea7c40945bf2ae9dd4cb9e4e5dbfb0b9cf1a3382c7f8fc488bc5498e404f40cbfb2ab9ba2dfd37",
    kid: "pK__WqQ1cQldom8iu9AUL-SM5fqVMsYvZl6HvE2DZkKoxoU4wyWwJ4IF-7Mw2YET6AE14sJYEFHkWNIBqrVNyg",
  },
  {
    salt: "encodedState",
    key: "f2cc4f9d3dcd4d33487e8a70ad94df6d39c20a45fc50171caf13a946b87eb19fbb2d856adb147ba1e5289ec0482b9fe879c572ed5a1f4f9bf526c51c77a944e5",
    kid: "WJ4z4TwDqBEuJNXH7j2fpN15QCnJi5YIPISCdioyTlGkoqs-Py41tSF3j_UtBU57qIk0XkzAvvtclIvjnzkcxA",
  },
];
const gcmKid = "QdHcZ-sqgxrqrGstneS7YKeuL4IGovAHlCk2uA29Nik";
const theirs =
  "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2Q0JDLUhTNTEyIiwia2lkIjoiSHJOMlI4dXEtbW5BR2NMb2ZqbnFRei1SbHhfdWU2eE5VaVhRRlRJdS1SNUxOclFBUUV6cXprWjN3c1BlYlE3UEowQnB6T0ZXRUFpRmxPeC1RdHdqWFEifQ..gODjF_E4QPvO9h3cZB8rPw.0mXPQ1n8kBuQKc_qkKKg8-A4QexaNz2eRsa8bBXEJV64pw1VtaLSFEqi_Y8EFrkk1TqUcJE1fTPhCVMmXSPCpnycg6hG6y9IThV3wS7xKof4KND9BB6KA9QNrNDBIfSaQFcrlzJlmxtCZ2LCueTqWbc0BQb5FtG6vKd4LEY7R-M-pT9m2UGLzWJyH5J48TMawX7KpLMXwjnBPTzfSpQ64w.glvV_bej-X9izKABfnkt3I8Q6Y2KNAJPfeVqeu8Z3sg";
const theirClaims = {
  sub: "42",
  name: "Ada",
  email: "ada@example.com",
  picture: null,
  iat: 1795218002,
  exp: 4948818002,
  jti: "b257bac8-034d-4828-8979-e8ae2ff0d157",
};

const platforms = { node: nodePlatform()!, web: webPlatform() };
const now = () => Math.floor(Date.now() / 1000);

afterEach(() => {
  vi.useRealTimers();
});

/** Derives the key of a secret without Keyhook's code. */
function deriveKey(from: string, forSalt: string, enc = WRITTEN): Uint8Array {
  const info = `Auth.js Generated Encryption Key (${forSalt})`;
  return new Uint8Array(hkdfSync("sha256", from, forSalt, info, enc === WRITTEN ? 64 : 32));
}

async function thumbprint(key: Uint8Array): Promise<string> {
  const jwk = { kty: "oct", k: jose.base64url.encode(key) };
  return jose.calculateJwkThumbprint(jwk, key.length === 64 ? "sha512" : "sha256");
}

interface EncryptOptions {
  from?: string;
  forSalt?: string;
  header?: Record<string, unknown>;
  /** The plaintext, if it is not the JSON of the claims. */
  text?: string | Uint8Array;
}

/** Creates a token with jose alone. `header: { kid: undefined }` leaves the key's id out. */
async function encryptWithJose(claims: object, options: EncryptOptions = {}): Promise<string> {
  const { from = secret, forSalt = salt, header = {}, text } = options;
  const enc = (header.enc as string | undefined) ?? WRITTEN;
  const key = deriveKey(from, forSalt, enc);
  const plain = typeof text === "string" || !text ? (text ?? JSON.stringify(claims)) : text;
  const bytes = typeof plain === "string" ? new TextEncoder().encode(plain) : plain;
  return new jose.CompactEncrypt(bytes)
    .setProtectedHeader({ alg: "dir", enc, kid: await thumbprint(key), ...header })
    .encrypt(key);
}

/** Decodes a token as Auth.js does, with jose. Without `kid`, it tries every secret. */
async function reference(token: string, secrets: string[], forSalt: string): Promise<JWT> {
  let failure: unknown;
  for (const one of secrets) {
    try {
      const { payload } = await jose.jwtDecrypt(
        token,
        async ({ enc, kid }) => {
          const key = deriveKey(one, forSalt, enc);
          if (kid !== undefined && kid !== (await thumbprint(key))) throw new Error("another key");
          return key;
        },
        {
          clockTolerance: 15,
          keyManagementAlgorithms: ["dir"],
          contentEncryptionAlgorithms: [WRITTEN, "A256GCM"],
        },
      );
      return payload;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

async function verdict(answer: () => unknown): Promise<unknown> {
  try {
    return { accepted: await answer() };
  } catch {
    return "refused";
  }
}

// A canonical text is the only one for its bytes. jose also accepts others.
const isCanonical = (token: string): boolean =>
  token.split(".").every((part) => jose.base64url.encode(Buffer.from(part, "base64url")) === part);

/**
 * Asserts that both platforms and jose give the same result for the token, with and without the cache. Only
 * non-canonical tokens differ: Keyhook refuses them.
 */
async function expectAgreement(
  token: string,
  secrets = [secret],
  forSalt = salt,
): Promise<unknown> {
  const expected = isCanonical(token)
    ? await verdict(() => reference(token, secrets, forSalt))
    : "refused";
  for (const platform of Object.values(platforms)) {
    const { decode } = createTokens({ platform });
    for (const _ of ["first", "from memory"]) {
      const params = { token, secret: secrets, salt: forSalt };
      const answer = await verdict(() => decode(params));
      expect(answer, token).toEqual(expected);
    }
  }
  return expected;
}

describe.each(Object.entries(platforms))("createTokens() on the %s platform", (name, platform) => {
  // Another codec seals, because a codec opens its own tokens from its cache.
  const { encode } = createTokens({ platform });
  const tokens = { ...createTokens({ platform }), encode };

  it.each(vectors)("encode() uses the key of Auth.js for $salt", async (vector) => {
    const token = await tokens.encode({ token: { sub: "42" }, secret, salt: vector.salt });
    const key = Buffer.from(vector.key, "hex");
    const { payload, protectedHeader } = await jose.jwtDecrypt(token, key);
    expect(payload.sub).toBe("42");
    expect(JSON.stringify(protectedHeader)).toBe(
      JSON.stringify({ alg: "dir", enc: WRITTEN, kid: vector.kid }),
    );
    expect(token.split(".")[0]).toBe(jose.base64url.encode(JSON.stringify(protectedHeader)));
    expect(deriveKey(secret, vector.salt)).toEqual(new Uint8Array(key));
  });

  it("decode() accepts a token of Auth.js", async () => {
    expect(await tokens.decode({ token: theirs, secret, salt })).toEqual(theirClaims);
  });

  it("decode() accepts a token of Auth.js that uses A256GCM", async () => {
    const token = await encryptWithJose(theirClaims, { header: { enc: "A256GCM" } });
    expect(jose.decodeProtectedHeader(token).kid).toBe(gcmKid);
    expect(await tokens.decode({ token, secret, salt })).toEqual(theirClaims);
    const rotated = createTokens({ platform });
    for (const all of [
      ["new", secret],
      [secret, "new"],
      ["new", "newer", secret],
    ])
      expect(await rotated.decode({ token, secret: all, salt })).toEqual(theirClaims);
  });

  it("encode() sets iat, exp and jti, which the payload cannot override", async () => {
    const token = { sub: "1", iat: 1, exp: 2, jti: "mine", other: "kept" };
    const before = now();
    const claims = await tokens.decode({
      token: await tokens.encode({ token, secret, salt, maxAge: 60 }),
      secret,
      salt,
    });
    expect(claims).toEqual({
      sub: "1",
      other: "kept",
      iat: expect.toSatisfy((iat: number) => iat >= before && iat <= now()),
      exp: (claims?.iat ?? 0) + 60,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(token).toEqual({ sub: "1", iat: 1, exp: 2, jti: "mine", other: "kept" });
  });

  it("encode() works without a payload, and a token lives 30 days by default", async () => {
    const claims = await tokens.decode({
      token: await tokens.encode({ secret, salt }),
      secret,
      salt,
    });
    expect((claims?.exp ?? 0) - (claims?.iat ?? 0)).toBe(2_592_000);
    expect(Object.keys(claims ?? {})).toEqual(["iat", "exp", "jti"]);
  });

  it("encode() never returns the same token twice", async () => {
    const made = new Set<string>();
    for (let at = 0; at < 20; at++) made.add(await tokens.encode({ token: {}, secret, salt }));
    expect(made.size).toBe(20);
  });

  it("encode() never uses an initialization vector twice", async () => {
    const made = Array.from({ length: 200 }, () => tokens.encode({ secret, salt }));
    const vectors = (await Promise.all(made)).map((token) => token.split(".")[2]);
    expect(new Set(vectors).size).toBe(200);
    for (const vector of vectors) expect(Buffer.from(`${vector}`, "base64url")).toHaveLength(16);
  });

  it("read() returns the payload's text together with the claims", async () => {
    const token = await tokens.encode({ token: { b: 1, a: 2 }, secret, salt });
    for (const _ of ["first", "from memory"]) {
      const read = await tokens.read({ token, secret, salt });
      expect(read?.json).toBe(JSON.stringify(read?.payload));
      expect(read?.json).toMatch(/^\{"b":1,"a":2,"iat":/);
    }
  });

  it("decode() and read() return null without a token", async () => {
    expect(await tokens.decode({ secret, salt })).toBeNull();
    expect(await tokens.decode({ token: "", secret, salt })).toBeNull();
    expect(await tokens.read({ token: undefined, secret, salt })).toBeNull();
  });

  it.each([
    ["no secret", ""],
    ["an empty list", []],
    ["a list of empty strings", ["", ""]],
  ])("encode() and decode() reject with MissingSecretError for %s", async (_, none) => {
    await expect(async () => tokens.encode({ secret: none, salt })).rejects.toThrow(
      MissingSecretError,
    );
    await expect(async () => tokens.decode({ token: theirs, secret: none, salt })).rejects.toThrow(
      MissingSecretError,
    );
  });

  it("encode() and decode() skip an unset secret in a list", async () => {
    const unset = [undefined as unknown as string, secret];
    const token = await tokens.encode({ token: { sub: "1" }, secret: unset, salt });
    expect(await reference(token, [secret], salt)).toMatchObject({ sub: "1" });
    const forged = await encryptWithJose(theirClaims, { from: "", header: { kid: undefined } });
    expect(await verdict(() => tokens.decode({ token: forged, secret: unset, salt }))).toBe(
      "refused",
    );
  });

  it("decode() refuses a token in which the border between vector and ciphertext has moved, which the tag does not detect", async () => {
    const [header, , ...rest] = (await tokens.encode({ secret, salt })).split(".");
    const [iv, ciphertext, tag] = rest.map((part) => Buffer.from(part, "base64url")) as [
      Buffer,
      Buffer,
      Buffer,
    ];
    const row = Buffer.concat([iv, ciphertext]);
    for (const at of [0, 15, 17, 32]) {
      const parts = [row.subarray(0, at), row.subarray(at), tag];
      const token = [header, "", ...parts.map((part) => part.toString("base64url"))].join(".");
      await expect(async () => tokens.decode({ token, secret, salt })).rejects.toThrow(
        JWTSessionError,
      );
    }
  });

  it("decode() refuses a vector of another length under A256GCM, although AES-GCM accepts any", async () => {
    const key = deriveKey(secret, salt, "A256GCM") as Uint8Array<ArrayBuffer>;
    const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
    const header = jose.base64url.encode('{"alg":"dir","enc":"A256GCM"}');
    const additionalData = new TextEncoder().encode(header);
    const seal = async (length: number) => {
      const iv = new Uint8Array(length);
      const plain = new TextEncoder().encode('{"sub":"1"}');
      const sealed = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv, additionalData },
        aes,
        plain,
      );
      const parts = [
        iv,
        new Uint8Array(sealed, 0, plain.length),
        new Uint8Array(sealed, plain.length),
      ];
      return [header, "", ...parts.map((part) => jose.base64url.encode(part))].join(".");
    };
    expect(await tokens.decode({ token: await seal(12), secret, salt })).toEqual({ sub: "1" });
    const other = await seal(16);
    await expect(async () => tokens.decode({ token: other, secret, salt })).rejects.toThrow(
      JWTSessionError,
    );
  });

  it("encode() and decode() throw a TypeError without a salt", async () => {
    const none = undefined as unknown as string;
    await expect(async () => tokens.encode({ secret, salt: none })).rejects.toThrow(TypeError);
    await expect(async () => tokens.decode({ token: theirs, secret, salt: none })).rejects.toThrow(
      TypeError,
    );
  });

  it("decode() refuses a tag of another length", async () => {
    const sealed = await tokens.encode({ secret, salt });
    const start = sealed.lastIndexOf(".") + 1;
    const tag = Buffer.from(sealed.slice(start), "base64url");
    for (const other of [
      Buffer.concat([tag, Buffer.from([0])]),
      tag.subarray(0, 31),
      tag.subarray(0, 0),
    ]) {
      const token = sealed.slice(0, start) + other.toString("base64url");
      await expect(async () => tokens.decode({ token, secret, salt })).rejects.toThrow(
        JWTSessionError,
      );
    }
  });

  it("decode() refuses anything that is not a token, or contains no claims, with JWTSessionError", async () => {
    const parts = (await tokens.encode({ secret, salt })).split(".");
    const broken = [0, 2, 3, 4].map((place) => parts.with(place, "!").join("."));
    const headers = ["null", "1", "[]", "{", "\xff"].map((text) =>
      parts.with(0, Buffer.from(text, "latin1").toString("base64url")).join("."),
    );
    const texts = ["", "{", "null", "[]", new Uint8Array([0xff])];
    const contents = texts.flatMap((text) =>
      [{}, { kid: undefined, sub: "1" }].map(async (header) =>
        encryptWithJose({}, { text, header }),
      ),
    );
    const all = [...broken, ...headers, ...(await Promise.all(contents)), 5 as unknown as string];
    for (const token of all) {
      await expect(async () => tokens.decode({ token, secret, salt })).rejects.toThrow(
        JWTSessionError,
      );
    }
  });

  it("encode() and decode() never use an empty secret in a list", async () => {
    const token = await tokens.encode({ secret: ["", secret], salt });
    expect(await verdict(() => reference(token, [secret], salt))).not.toBe("refused");
    const forged = await encryptWithJose(theirClaims, { from: "", header: { kid: undefined } });
    expect(await verdict(() => tokens.decode({ token: forged, secret: ["", secret], salt }))).toBe(
      "refused",
    );
  });

  it("encode() throws a TypeError for payloads and lifetimes that no token can carry", async () => {
    const refused = [[], "text", 1, null, { toJSON: () => ({}) }] as unknown as JWT[];
    for (const token of refused) {
      await expect(async () => tokens.encode({ token, secret, salt })).rejects.toThrow(TypeError);
    }
    for (const maxAge of [Number.NaN, Infinity]) {
      await expect(async () => tokens.encode({ secret, salt, maxAge })).rejects.toThrow(TypeError);
    }
  });

  it("the errors of decode() contain neither token nor claims nor secret", async () => {
    const good = await encryptWithJose(theirClaims);
    const refused = [
      good.slice(0, -3),
      `${good}.`,
      `x${good}`,
      await encryptWithJose({ ...theirClaims, exp: 1 }),
      await encryptWithJose({ ...theirClaims, nbf: 9e9 }),
      await encryptWithJose({ ...theirClaims, iat: "no number" }),
      await encryptWithJose({}, { text: "ada@example.com is no JSON" }),
      await sealToken({ alg: "dir", enc: WRITTEN, zip: "ada@example.com" }, "{}"),
      await sealToken({ alg: "dir", enc: "ada@example.com" }, "{}"),
      await encryptWithJose(theirClaims, { from: "another" }),
    ];
    for (const token of refused) {
      const error = await Promise.resolve()
        .then(() => tokens.decode({ token, secret, salt }))
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(JWTSessionError);
      const { message, cause } = error as JWTSessionError;
      expect(cause).toBeUndefined();
      expect(message).toMatch(/^The token [a-z]/);
      expect(message).not.toMatch(/ada|eyJ|keyhook-test/);
    }
  });

  it("secret rotation: the first secret encrypts, all decrypt, a removed one decrypts nothing", async () => {
    const old = await tokens.encode({ token: { sub: "old" }, secret: "old", salt });
    const fresh = await tokens.encode({ token: { sub: "new" }, secret: ["new", "old"], salt });
    for (const token of [old, fresh]) {
      for (const _ of ["first", "from memory"]) {
        expect(await tokens.decode({ token, secret: ["new", "old"], salt })).not.toBeNull();
        expect(await tokens.decode({ token, secret: ["old", "new"], salt })).not.toBeNull();
      }
    }
    const decode = (token: string, one: string) => () =>
      tokens.decode({ token, secret: one, salt });
    expect(await verdict(decode(old, "new"))).toBe("refused");
    expect(await verdict(decode(fresh, "old"))).toBe("refused");
    expect(await verdict(decode(fresh, "new"))).not.toBe("refused");
  });

  it("a token is valid for one salt only, even when it is cached (R3)", async () => {
    const token = await tokens.encode({ secret, salt: "authjs.state" });
    for (const _ of ["first", "from memory"]) {
      expect(await tokens.decode({ token, secret, salt: "authjs.state" })).not.toBeNull();
      for (const foreign of ["authjs.nonce", "authjs.state ", ""]) {
        expect(await verdict(() => tokens.decode({ token, secret, salt: foreign }))).toBe(
          "refused",
        );
      }
    }
  });

  it("a token expires while it is cached", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const token = await tokens.encode({ token: {}, secret, salt, maxAge: 100 });
    expect(await tokens.decode({ token, secret, salt })).not.toBeNull();
    vi.setSystemTime(Date.now() + 114_000);
    expect(await tokens.decode({ token, secret, salt })).not.toBeNull();
    vi.setSystemTime(Date.now() + 1000);
    await expect(async () => tokens.decode({ token, secret, salt })).rejects.toThrow("is expired");
  });

  it("changes to the claims that decode() returned do not affect the cache", async () => {
    const token = await tokens.encode({ token: { sub: "1", deep: { list: [1] } }, secret, salt });
    const expected = structuredClone(await tokens.decode({ token, secret, salt }));
    for (let at = 0; at < 3; at++) {
      const claims = (await tokens.decode({ token, secret, salt })) as JWT & {
        deep: { list: number[] };
      };
      expect(claims).toEqual(expected);
      claims.sub = "another";
      claims.deep.list.push(2);
      Object.setPrototypeOf(claims, { admin: true });
    }
  });

  it(`encode() and decode() are ${name === "node" ? "synchronous" : "asynchronous"}, and synchronous from the cache`, async () => {
    const fresh = createTokens({ platform });
    const token = createTokens({ platform }).encode({ secret, salt });
    const first = fresh.decode({ token: await token, secret, salt });
    expect([token instanceof Promise, first instanceof Promise]).toEqual(
      name === "node" ? [false, false] : [true, true],
    );
    await first;
    expect(fresh.decode({ token: await token, secret, salt })).not.toBeInstanceOf(Promise);
  });
});

describe("the token cache", () => {
  const spied = (options: { max?: number; maxCharacters?: number }) => {
    const digest = vi.fn();
    const platform = {
      ...platforms.node,
      cbcHmac: (...args: Parameters<(typeof platforms.node)["cbcHmac"]>) => {
        const cipher = platforms.node.cbcHmac(...args);
        if ("then" in cipher) throw new Error("synchronous on Node");
        const open: typeof cipher.open = (...parts) => {
          digest();
          return cipher.open(...parts);
        };
        return { ...cipher, open };
      },
    };
    // Another codec seals, except in tests of the sealing codec's cache.
    const own = createTokens({ ...options, platform });
    return { own, tokens: { ...own, encode: createTokens().encode }, opened: digest };
  };

  it("a codec opens its own tokens without decrypting, for the same secret and salt only", async () => {
    const { own, opened } = spied({});
    const token = own.encode({
      token: { text: "\ud800 \u2028 __proto__" },
      secret,
      salt,
    }) as string;
    const claims = own.decode({ token, secret: ["another", secret], salt });
    expect(opened).not.toHaveBeenCalled();
    expect(claims).toEqual(createTokens().decode({ token, secret, salt }));
    const end = token.endsWith("A") ? "B" : "A";
    for (const other of [
      { secret: "another" },
      // The blank is part of the secret. It does not separate a list.
      { secret: `${secret} ` },
      { salt: "another" },
      { token: token.slice(0, -1) + end },
      { token: `${token.slice(0, 5)}${token}` },
    ])
      expect(await verdict(() => own.decode({ token, secret, salt, ...other }))).toBe("refused");
  });

  it("a codec's own tokens also expire in its cache", () => {
    using clock = createClock();
    const { own } = spied({});
    const token = own.encode({ secret, salt, maxAge: 60 }) as string;
    expect(own.decode({ token, secret, salt })).not.toBeNull();
    clock.advance("2 minutes");
    expect(() => own.decode({ token, secret, salt })).toThrow("is expired");
  });

  it("the token cache is bounded by count", () => {
    const { tokens, opened } = spied({ max: 2 });
    const made = [1, 2, 3].map((n) => tokens.encode({ token: { n }, secret, salt }) as string);
    for (const token of [...made, ...made.slice(1)]) void tokens.decode({ token, secret, salt });
    expect(opened).toHaveBeenCalledTimes(3);
    void tokens.decode({ token: made[0], secret, salt });
    expect(opened).toHaveBeenCalledTimes(4);
  });

  it("the token cache is bounded by characters, and does not store a token above the bound", () => {
    const { tokens, opened } = spied({ maxCharacters: 3000 });
    const encode = (length: number) =>
      tokens.encode({ token: { text: "x".repeat(length) }, secret, salt }) as string;
    const small = encode(10);
    const giant = encode(3000);
    for (const token of [small, giant, giant, small]) void tokens.decode({ token, secret, salt });
    expect(opened).toHaveBeenCalledTimes(3);
    // A token that was read is dropped later than one that was not.
    for (const token of [encode(500), encode(500), encode(500), small])
      void tokens.decode({ token, secret, salt });
    expect(opened).toHaveBeenCalledTimes(7);
  });

  it("the token cache does not store refused tokens", () => {
    const { tokens, opened } = spied({});
    const token = tokens.encode({ secret, salt, maxAge: -60 }) as string;
    for (let at = 0; at < 3; at++) expect(() => tokens.decode({ token, secret, salt })).toThrow();
    expect(opened).toHaveBeenCalledTimes(3);
  });

  it("a key is derived once per secret and salt, in a bounded cache", async () => {
    for (const [, platform] of Object.entries(platforms)) {
      const hkdfSha256 = vi.fn(platform.hkdfSha256);
      const tokens = createTokens({ platform: { ...platform, hkdfSha256 } });
      await Promise.all([1, 2, 3].map(() => tokens.encode({ secret, salt })));
      await tokens.decode({ token: theirs, secret, salt });
      expect(hkdfSha256).toHaveBeenCalledTimes(1);
      for (let at = 0; at < 300; at++) await tokens.encode({ secret, salt: `salt ${at}` });
      expect(hkdfSha256).toHaveBeenCalledTimes(301);
      await tokens.encode({ secret, salt: "salt 299" });
      expect(hkdfSha256).toHaveBeenCalledTimes(301);
      await tokens.encode({ secret, salt: "salt 0" });
      expect(hkdfSha256).toHaveBeenCalledTimes(302);
    }
  });

  it("a failed key derivation is tried again", async () => {
    const hkdfSha256 = vi.fn(platforms.web.hkdfSha256);
    hkdfSha256.mockRejectedValueOnce(new Error("not now"));
    const tokens = createTokens({ platform: { ...platforms.web, hkdfSha256 } });
    await expect(tokens.encode({ secret, salt })).rejects.toThrow("not now");
    await expect(tokens.encode({ secret, salt })).resolves.toBeTypeOf("string");
  });
});

/** Claims of unusual kinds: Unicode, `__proto__`, nesting, numbers that JSON writes differently. */
const claims = fc
  .dictionary(
    fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "toString", "then", "exp ")),
    fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.string({ unit: "binary" }),
      fc.string({ unit: "grapheme", maxLength: 3000 }),
    ),
    { maxKeys: 8 },
  )
  .filter((object) => !["iat", "nbf", "exp"].some((claim) => Object.hasOwn(object, claim)));

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Every way to corrupt a token that keeps it a string. */
const spoil = fc.oneof(
  fc.tuple(fc.nat(), fc.constantFrom(...`${ALPHABET}.=+/ %~ä`)).map(
    ([at, character]) =>
      (token: string) =>
        replaceAt(token, at % token.length, character),
  ),
  fc.tuple(fc.nat(), fc.nat({ max: 5 })).map(
    ([at, length]) =>
      (token: string) =>
        token.slice(0, at % token.length) + token.slice((at % token.length) + length),
  ),
  fc.tuple(fc.nat(), fc.constantFrom("A", "=", "==", ".", "..", " ", "\n", "%")).map(
    ([at, text]) =>
      (token: string) =>
        token.slice(0, at % (token.length + 1)) + text + token.slice(at % (token.length + 1)),
  ),
  fc
    .shuffledSubarray([0, 1, 2, 3, 4], { minLength: 3 })
    .map((order) => (token: string) => order.map((at) => token.split(".")[at]).join(".")),
  // The unused bits at the end of a base64url segment: another text for the same bytes.
  fc
    .tuple(fc.constantFrom(0, 2, 3, 4), fc.integer({ min: 1, max: 3 }))
    .map(([segment, bits]) => (token: string) => {
      const parts = token.split(".");
      const part = parts[segment] ?? "";
      const last = ALPHABET.indexOf(part.at(-1) ?? "A");
      parts[segment] = part.slice(0, -1) + ALPHABET[last ^ bits];
      return parts.join(".");
    }),
  fc.constantFrom("=", "==", "A", "\t").chain((text) =>
    fc.constantFrom(0, 2, 3, 4).map((segment) => (token: string) => {
      const parts = token.split(".");
      parts[segment] += text;
      return parts.join(".");
    }),
  ),
);

function replaceAt(text: string, at: number, character: string): string {
  return text.slice(0, at) + character + text.slice(at + 1);
}

describe("agreement of decode() with jose", () => {
  it("decode() agrees with jose on any payload, encrypted by either", async () => {
    const { encode } = createTokens();
    const ours = { ...createTokens(), encode };
    await fc.assert(
      fc.asyncProperty(claims, async (payload) => {
        const token = await ours.encode({ token: payload, secret, salt });
        await expectAgreement(token);
        const known = await verdict(() => reference(token, [secret], salt));
        const { iat: _1, exp: _2, jti: _3, ...kept } = (known as { accepted: JWT }).accepted;
        const { jti: _4, ...given } = JSON.parse(JSON.stringify(payload));
        expect(JSON.stringify(kept)).toBe(JSON.stringify(given));
        expect(await expectAgreement(await encryptWithJose(payload))).not.toBe("refused");
      }),
      { numRuns: rounds(150) },
    );
  });

  it("decode() agrees with jose on every corrupted token", async () => {
    const bases = [
      await createTokens().encode({ token: { sub: "42" }, secret, salt }),
      await encryptWithJose({ sub: "42" }, { header: { enc: "A256GCM" } }),
      await encryptWithJose({ sub: "42" }, { header: { kid: undefined } }),
      // 15 bytes of text become 16 of ciphertext, so that every length of the last quantum occurs.
      await encryptWithJose({}, { text: '{"sub":"4242"}' }),
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...bases), spoil, async (base, change) => {
        await expectAgreement(change(base));
      }),
      { numRuns: rounds(300) },
    );
  });

  it("decode() agrees with jose when the lowest bit of any character is flipped", async () => {
    const { decode } = createTokens();
    const base = await createTokens().encode({ token: { sub: "42" }, secret, salt });
    for (let at = 0; at < base.length; at++) {
      const letter = ALPHABET.indexOf(base.charAt(at));
      const token = replaceAt(base, at, ALPHABET[letter ^ 1] ?? "A");
      const expected = isCanonical(token)
        ? await verdict(() => reference(token, [secret], salt))
        : "refused";
      expect(await verdict(() => decode({ token, secret, salt }))).toEqual(expected);
    }
  });

  it("decode() and jose refuse text that only looks like a token", async () => {
    const part = fc.oneof(
      fc.string({ unit: fc.constantFrom(...ALPHABET) }),
      fc.constantFrom("", "null", theirs.split(".")[0]!, jose.base64url.encode('{"alg":"none"}')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 7 }), async (parts) => {
        const token = parts.join(".");
        if (token) expect(await expectAgreement(token)).toBe("refused");
      }),
      { numRuns: rounds(100) },
    );
  });

  it.each([
    ["another order", { enc: WRITTEN, alg: "dir" }],
    ["no kid", { kid: undefined }],
    ["a kid that is null", { kid: null }],
    ["a kid that is empty", { kid: "" }],
    ["a kid that is a list", { kid: ["HrN2R8uq"] }],
    ["the kid of the other algorithm", { kid: gcmKid }],
    ["a type", { typ: "JWT" }],
    ["an unknown critical member", { crit: ["b64"], b64: true }],
    ["a foreign algorithm", { enc: "A128GCM" }],
    ["a replicated claim", { sub: "42" }],
    ["a replicated claim that differs", { sub: "43" }],
    ["a replicated audience", { aud: ["a"] }],
    ["a replicated audience that differs", { aud: ["b"] }],
    ["a replicated issuer that the claims lack", { iss: "https://a.example" }],
  ])("decode() agrees with jose on headers with %s", async (_, header: Record<string, unknown>) => {
    const key = deriveKey(secret, salt).slice(0, header.enc === "A128GCM" ? 16 : 64);
    const kid = await thumbprint(deriveKey(secret, salt));
    const fields: Record<string, unknown> = { alg: "dir", enc: WRITTEN, kid, ...header };
    const plain = new TextEncoder().encode(JSON.stringify({ sub: "42", aud: ["a"] }));
    const ordered = _ === "another order" ? { ...header, kid } : fields;
    const token = await new jose.CompactEncrypt(plain)
      .setProtectedHeader(ordered as unknown as jose.CompactJWEHeaderParameters)
      .encrypt(key, { crit: { b64: true } })
      // jose itself refuses to write some of these.
      .catch(() => sealToken(fields, '{"sub":"42","aud":["a"]}'));
    await expectAgreement(token);
  });

  it.each(["A256GCM", "A192GCM", "none"])(
    "decode() opens tokens of AES-GCM only if the header contains A256GCM: %s",
    async (enc) => {
      const raw = Uint8Array.from(deriveKey(secret, salt, "A256GCM"));
      const header = jose.base64url.encode(JSON.stringify({ alg: "dir", enc }));
      const aes = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt"]);
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const additionalData = new TextEncoder().encode(header);
      const text = new TextEncoder().encode('{"sub":"42"}');
      const sealed = Buffer.from(
        await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, aes, text),
      );
      const build = (tagLength: number) => {
        const [ciphertext, tag] = [sealed.subarray(0, -tagLength), sealed.subarray(-tagLength)];
        return [
          header,
          "",
          ...[iv, ciphertext, tag].map((part) => jose.base64url.encode(part)),
        ].join(".");
      };
      const tokens = createTokens();
      const whole = await verdict(() => tokens.decode({ token: build(16), secret, salt }));
      expect(whole).toEqual(enc === "A256GCM" ? { accepted: { sub: "42" } } : "refused");
      // The same bytes, divided elsewhere.
      for (const length of [12, 17])
        expect(await verdict(() => tokens.decode({ token: build(length), secret, salt }))).toBe(
          "refused",
        );
    },
  );

  it("decode() refuses compression, which Auth.js does not use, because a small token could take much memory", async () => {
    const kid = await thumbprint(deriveKey(secret, salt));
    const header = { alg: "dir", enc: WRITTEN, kid, zip: "DEF" };
    const token = await new jose.CompactEncrypt(new TextEncoder().encode('{"sub":"42"}'))
      .setProtectedHeader(header)
      .encrypt(deriveKey(secret, salt));
    await expect(createTokens().decode({ token, secret, salt })).rejects.toThrow("not accepted");
  });

  it.each(
    [
      { alg: "none" },
      { alg: "none", enc: WRITTEN },
      { alg: "A256KW", enc: WRITTEN },
      { alg: "RSA-OAEP", enc: WRITTEN },
      { alg: "PBES2-HS256+A128KW", enc: WRITTEN, p2c: 1e9, p2s: "AAAA" },
      { alg: "dir" },
      { enc: WRITTEN },
      { alg: "dir", enc: "none" },
      { alg: "dir", enc: "A256GCM" },
      { alg: "dir", enc: 1 },
      { alg: ["dir"], enc: [WRITTEN] },
      { alg: "DIR", enc: WRITTEN },
      { alg: "dir", enc: WRITTEN, crit: ["exp"], exp: 1 },
      [],
      null,
      "dir",
    ].map((header) => [header]),
  )("decode() and jose refuse forged headers, even with the right key: %j", async (header) => {
    expect(await expectAgreement(await sealToken(header, "{}"))).toBe("refused");
  });

  it.each(["A128CBC-HS256", "A256GCM"])(
    "decode() agrees with jose on an algorithm that would fit the key: %s",
    async (enc) => {
      const token = await encryptWithJose({}, { header: { enc, kid: undefined } });
      expect((await expectAgreement(token)) === "refused").toBe(enc !== "A256GCM");
      const wrapped = await encryptWithJose({}, { header: { alg: "A256KW", enc, kid: undefined } });
      expect(await expectAgreement(wrapped)).toBe("refused");
    },
  );

  it("decode() and jose refuse a token with an encrypted key, which `dir` does not have", async () => {
    const [header, , ...rest] = (await encryptWithJose({})).split(".");
    for (const key of ["A", "AA", "AAAA", "=", " "]) {
      expect(await expectAgreement([header, key, ...rest].join("."))).toBe("refused");
    }
  });

  it("decode() and jose accept a header of Keyhook with white space", async () => {
    const key = deriveKey(secret, salt);
    const header = `{ "alg": "dir", "enc": "${WRITTEN}", "kid": "${await thumbprint(key)}" }`;
    const token = await sealToken(header, '{"sub":"42"}');
    expect(await expectAgreement(token)).toEqual({ accepted: { sub: "42" } });
  });

  it.each([
    ["a list", "[]"],
    ["null", "null"],
    ["a number", "1"],
    ["a string", '"text"'],
    ["empty", ""],
    ["not JSON", "{"],
    ["a byte order mark", '\ufeff{"sub":"42"}'],
    ["not UTF-8", new Uint8Array([123, 34, 255, 34, 58, 49, 125])],
    ["half a surrogate", new Uint8Array([123, 34, 0xed, 0xa0, 0x80, 34, 58, 49, 125])],
    ["an object with a repeated claim", '{"exp":9e9,"exp":1}'],
    ["an object with white space", ' { "sub" : "42" } '],
    [
      "an object with numbers that JSON writes differently",
      '{"a":1e999,"b":-0,"c":1.0,"exp":1e999}',
    ],
    ["an object with __proto__", '{"__proto__":{"exp":1,"admin":true}}'],
    ["a deep nest", `{"a":${"[".repeat(500)}${"]".repeat(500)}}`],
    ["a megabyte", `{"a":"${"x".repeat(1_000_000)}"}`],
  ])("decode() agrees with jose on a payload that is %s", async (_, text) => {
    await expectAgreement(await encryptWithJose({}, { text }));
    await expectAgreement(await encryptWithJose({}, { text, header: { enc: "A256GCM" } }));
  });

  it.each(["iat", "nbf", "exp"])(
    "decode() agrees with jose on a claim %s of any type",
    async (claim) => {
      for (const value of [null, "1", true, [], {}, "9e9", 0, -1, 1e20, 1.5, now() + 0.5]) {
        await expectAgreement(await encryptWithJose({ [claim]: value }));
      }
    },
  );

  it("decode() agrees with jose on times around the clock tolerance", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = 1_800_000_000_000;
    for (const fraction of [0, 1, 500, 999]) {
      vi.setSystemTime(start + fraction);
      for (let off = -17; off <= 17; off += Math.abs(off) > 12 ? 0.5 : 5) {
        await expectAgreement(await encryptWithJose({ exp: now() + off }));
        await expectAgreement(await encryptWithJose({ nbf: now() + off }));
      }
    }
    const { decode } = createTokens();
    const at = async (payload: object) => {
      const token = await encryptWithJose(payload);
      return verdict(() => decode({ token, secret, salt }));
    };
    expect(await at({ exp: now() - 14 })).not.toBe("refused");
    expect(await at({ exp: now() - 15 })).toBe("refused");
    expect(await at({ nbf: now() + 15 })).not.toBe("refused");
    expect(await at({ nbf: now() + 16 })).toBe("refused");
  });

  it("decode() agrees with jose on any combination of secrets and salts", async () => {
    const names = fc.constantFrom("a", "b", "c");
    await fc.assert(
      fc.asyncProperty(
        names,
        names,
        fc.array(names, { minLength: 1, maxLength: 4 }),
        names,
        fc.constantFrom(
          {},
          { kid: undefined },
          { enc: "A256GCM" },
          { enc: "A256GCM", kid: undefined },
        ),
        async (from, forSalt, secrets, readSalt, header) => {
          const token = await encryptWithJose({ sub: "42" }, { from, forSalt, header });
          const answer = await expectAgreement(token, secrets, readSalt);
          expect(answer !== "refused").toBe(secrets.includes(from) && forSalt === readSalt);
        },
      ),
      { numRuns: rounds(150) },
    );
  });
});

/** Seals a token with an arbitrary header, which is written exactly as given. */
async function sealToken(header: unknown, text: string): Promise<string> {
  const fields = typeof header === "string" ? header : JSON.stringify(header);
  const encoded = jose.base64url.encode(fields);
  const iv = crypto.getRandomValues(new Uint8Array(16));
  const key = new Uint8Array(deriveKey(secret, salt));
  const cipher = await platforms.web.cbcHmac(key, new TextEncoder().encode(encoded));
  const { ciphertext, tag } = await cipher.seal(iv, text);
  return [encoded, "", ...[iv, ciphertext, tag].map((part) => jose.base64url.encode(part))].join(
    ".",
  );
}
