import { hkdfSync } from "node:crypto";
import fc from "fast-check";
import * as jose from "jose";
import { afterEach, describe, expect, it, vi } from "vitest";
import { nodePlatform, webPlatform } from "../../src/crypto.ts";
import { JWTSessionError, MissingSecretError } from "../../src/errors.ts";
import { createTokens } from "../../src/token.ts";
import type { JWT } from "../../src/types/models.ts";

const secret = "keyhook-test-secret-0123456789abcdef";
const salt = "authjs.session-token";
const WRITTEN = "A256CBC-HS512";

/** BEHAVIOUR.md section 21: made with the real library. */
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

/** The key that a secret gives, by a hand other than ours. */
function derived(from: string, forSalt: string, enc = WRITTEN): Uint8Array {
  const info = `Auth.js Generated Encryption Key (${forSalt})`;
  return new Uint8Array(hkdfSync("sha256", from, forSalt, info, enc === WRITTEN ? 64 : 32));
}

async function thumbprint(key: Uint8Array): Promise<string> {
  const jwk = { kty: "oct", k: jose.base64url.encode(key) };
  return jose.calculateJwkThumbprint(jwk, key.length === 64 ? "sha512" : "sha256");
}

interface Making {
  from?: string;
  forSalt?: string;
  header?: Record<string, unknown>;
  /** Plaintext, when it is not to be the JSON of the claims. */
  text?: string | Uint8Array;
}

/** A token made by jose alone; `header: { kid: undefined }` leaves the key's id out. */
async function made(claims: object, making: Making = {}): Promise<string> {
  const { from = secret, forSalt = salt, header = {}, text } = making;
  const enc = (header.enc as string | undefined) ?? WRITTEN;
  const key = derived(from, forSalt, enc);
  const plain = typeof text === "string" || !text ? (text ?? JSON.stringify(claims)) : text;
  const bytes = typeof plain === "string" ? new TextEncoder().encode(plain) : plain;
  return new jose.CompactEncrypt(bytes)
    .setProtectedHeader({ alg: "dir", enc, kid: await thumbprint(key), ...header })
    .encrypt(key);
}

/** What Auth.js does, in jose's words; without `kid` it tries every secret. */
async function reference(token: string, secrets: string[], forSalt: string): Promise<JWT> {
  let failure: unknown;
  for (const one of secrets) {
    try {
      const { payload } = await jose.jwtDecrypt(
        token,
        async ({ enc, kid }) => {
          const key = derived(one, forSalt, enc);
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

/** Both platforms and jose say the same of the token, the second time too. */
async function expectAgreement(
  token: string,
  secrets = [secret],
  forSalt = salt,
): Promise<unknown> {
  const expected = await verdict(() => reference(token, secrets, forSalt));
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

describe.each(Object.entries(platforms))("tokens on the %s platform", (name, platform) => {
  const tokens = createTokens({ platform });

  it.each(vectors)("are made with Auth.js's key for $salt", async (vector) => {
    const token = await tokens.encode({ token: { sub: "42" }, secret, salt: vector.salt });
    const key = Buffer.from(vector.key, "hex");
    const { payload, protectedHeader } = await jose.jwtDecrypt(token, key);
    expect(payload.sub).toBe("42");
    expect(JSON.stringify(protectedHeader)).toBe(
      JSON.stringify({ alg: "dir", enc: WRITTEN, kid: vector.kid }),
    );
    expect(token.split(".")[0]).toBe(jose.base64url.encode(JSON.stringify(protectedHeader)));
    expect(derived(secret, vector.salt)).toEqual(new Uint8Array(key));
  });

  it("are read when Auth.js made them", async () => {
    expect(await tokens.decode({ token: theirs, secret, salt })).toEqual(theirClaims);
  });

  it("are read in its A256GCM form too", async () => {
    const token = await made(theirClaims, { header: { enc: "A256GCM" } });
    expect(jose.decodeProtectedHeader(token).kid).toBe(gcmKid);
    expect(await tokens.decode({ token, secret, salt })).toEqual(theirClaims);
  });

  it("have claims of their own that nobody can set", async () => {
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

  it("live 30 days by default, and may be empty", async () => {
    const claims = await tokens.decode({
      token: await tokens.encode({ secret, salt }),
      secret,
      salt,
    });
    expect((claims?.exp ?? 0) - (claims?.iat ?? 0)).toBe(2_592_000);
    expect(Object.keys(claims ?? {})).toEqual(["iat", "exp", "jti"]);
  });

  it("never come out the same twice", async () => {
    const made = new Set<string>();
    for (let at = 0; at < 20; at++) made.add(await tokens.encode({ token: {}, secret, salt }));
    expect(made.size).toBe(20);
  });

  it("give the text beside the claims", async () => {
    const token = await tokens.encode({ token: { b: 1, a: 2 }, secret, salt });
    for (const _ of ["first", "from memory"]) {
      const read = await tokens.read({ token, secret, salt });
      expect(read?.json).toBe(JSON.stringify(read?.payload));
      expect(read?.json).toMatch(/^\{"b":1,"a":2,"iat":/);
    }
  });

  it("are null without a token", async () => {
    expect(await tokens.decode({ secret, salt })).toBeNull();
    expect(await tokens.decode({ token: "", secret, salt })).toBeNull();
    expect(await tokens.read({ token: undefined, secret, salt })).toBeNull();
  });

  it.each([
    ["none", ""],
    ["an empty list", []],
    ["a list of nothing", ["", ""]],
  ])("need a secret: %s", async (_, none) => {
    await expect(async () => tokens.encode({ secret: none, salt })).rejects.toThrow(
      MissingSecretError,
    );
    await expect(async () => tokens.decode({ token: theirs, secret: none, salt })).rejects.toThrow(
      MissingSecretError,
    );
  });

  it("never use an empty secret of a list", async () => {
    const token = await tokens.encode({ secret: ["", secret], salt });
    expect(await verdict(() => reference(token, [secret], salt))).not.toBe("refused");
    const forged = await made(theirClaims, { from: "", header: { kid: undefined } });
    expect(await verdict(() => tokens.decode({ token: forged, secret: ["", secret], salt }))).toBe(
      "refused",
    );
  });

  it("refuse payloads and lifetimes that would make a token nobody can read", async () => {
    const refused = [[], "text", 1, null, { toJSON: () => ({}) }] as unknown as JWT[];
    for (const token of refused) {
      await expect(async () => tokens.encode({ token, secret, salt })).rejects.toThrow(TypeError);
    }
    for (const maxAge of [Number.NaN, Infinity]) {
      await expect(async () => tokens.encode({ secret, salt, maxAge })).rejects.toThrow(TypeError);
    }
  });

  it("refuse with an error that quotes neither token nor claims nor secret", async () => {
    const good = await made(theirClaims);
    const refused = [
      good.slice(0, -3),
      `${good}.`,
      `x${good}`,
      await made({ ...theirClaims, exp: 1 }),
      await made({ ...theirClaims, nbf: 9e9 }),
      await made({ ...theirClaims, iat: "no number" }),
      await made({}, { text: "ada@example.com is no JSON" }),
      await sealed({ alg: "dir", enc: WRITTEN, zip: "ada@example.com" }, "{}"),
      await sealed({ alg: "dir", enc: "ada@example.com" }, "{}"),
      await made(theirClaims, { from: "another" }),
    ];
    for (const token of refused) {
      const error = await Promise.resolve()
        .then(() => tokens.decode({ token, secret, salt }))
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(JWTSessionError);
      const { message, cause } = error as JWTSessionError;
      expect(cause).toBeUndefined();
      expect(message).toMatch(/^the token [a-z]/);
      expect(message).not.toMatch(/ada|eyJ|keyhook-test/);
    }
  });

  it("rotate: the first secret seals, all open, a dropped one opens nothing", async () => {
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

  it("are good for one salt only, also when they were read before (R3)", async () => {
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

  it("expire while they are remembered", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const token = await tokens.encode({ token: {}, secret, salt, maxAge: 100 });
    expect(await tokens.decode({ token, secret, salt })).not.toBeNull();
    vi.setSystemTime(Date.now() + 114_000);
    expect(await tokens.decode({ token, secret, salt })).not.toBeNull();
    vi.setSystemTime(Date.now() + 1000);
    await expect(async () => tokens.decode({ token, secret, salt })).rejects.toThrow("is expired");
  });

  it("are remembered as text: what a caller changes, the next one does not see", async () => {
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

  it(`answer ${name === "node" ? "at once" : "by promise"}, from memory always at once`, async () => {
    const fresh = createTokens({ platform });
    const token = fresh.encode({ secret, salt });
    const first = fresh.decode({ token: await token, secret, salt });
    expect([token instanceof Promise, first instanceof Promise]).toEqual(
      name === "node" ? [false, false] : [true, true],
    );
    await first;
    expect(fresh.decode({ token: await token, secret, salt })).not.toBeInstanceOf(Promise);
  });
});

it("jose is loaded for foreign tokens only", async () => {
  const load = vi.fn();
  vi.resetModules();
  vi.doMock("jose/jwe/compact/decrypt", (original) => {
    load();
    return original();
  });
  const fresh = (await import("../../src/token.ts")).createTokens();
  const token = await fresh.encode({ token: { sub: "42" }, secret, salt });
  expect(await fresh.decode({ token, secret, salt })).toMatchObject({ sub: "42" });
  await verdict(() => fresh.decode({ token: token.replace("..", "..A"), secret, salt }));
  await verdict(() => fresh.decode({ token: theirs.slice(0, -4), secret, salt }));
  expect(load).not.toHaveBeenCalled();
  const foreign = await made({}, { header: { enc: "A256GCM" } });
  expect(await fresh.decode({ token: foreign, secret, salt })).toEqual({});
  expect(load).toHaveBeenCalledTimes(1);
  vi.doUnmock("jose/jwe/compact/decrypt");
});

describe("the memory of tokens", () => {
  const spied = (options: { max?: number; maxCharacters?: number }) => {
    const digest = vi.fn();
    const platform = {
      ...platforms.node,
      cbcHmac: (...args: Parameters<(typeof platforms.node)["cbcHmac"]>) => {
        const cipher = platforms.node.cbcHmac(...args);
        if (cipher instanceof Promise) throw new Error("synchronous on Node");
        const open: typeof cipher.open = (...parts) => {
          digest();
          return cipher.open(...parts);
        };
        return { ...cipher, open };
      },
    };
    return { tokens: createTokens({ ...options, platform }), opened: digest };
  };

  it("is bounded by count", () => {
    const { tokens, opened } = spied({ max: 2 });
    const made = [1, 2, 3].map((n) => tokens.encode({ token: { n }, secret, salt }) as string);
    for (const token of [...made, ...made.slice(1)]) void tokens.decode({ token, secret, salt });
    expect(opened).toHaveBeenCalledTimes(3);
    void tokens.decode({ token: made[0], secret, salt });
    expect(opened).toHaveBeenCalledTimes(4);
  });

  it("is bounded by characters, and keeps no giant at all", () => {
    const { tokens, opened } = spied({ maxCharacters: 3000 });
    const encode = (length: number) =>
      tokens.encode({ token: { text: "x".repeat(length) }, secret, salt }) as string;
    const small = encode(10);
    const giant = encode(3000);
    for (const token of [small, giant, giant, small]) void tokens.decode({ token, secret, salt });
    expect(opened).toHaveBeenCalledTimes(3);
    for (const token of [encode(500), encode(500), small])
      void tokens.decode({ token, secret, salt });
    expect(opened).toHaveBeenCalledTimes(6);
  });

  it("holds no token that was refused", () => {
    const { tokens, opened } = spied({});
    const token = tokens.encode({ secret, salt, maxAge: -60 }) as string;
    for (let at = 0; at < 3; at++) expect(() => tokens.decode({ token, secret, salt })).toThrow();
    expect(opened).toHaveBeenCalledTimes(3);
  });

  it("derives a key once per secret and salt", async () => {
    for (const [, platform] of Object.entries(platforms)) {
      const hkdfSha256 = vi.fn(platform.hkdfSha256);
      const tokens = createTokens({ platform: { ...platform, hkdfSha256 } });
      await Promise.all([1, 2, 3].map(() => tokens.encode({ secret, salt })));
      await tokens.decode({ token: theirs, secret, salt });
      expect(hkdfSha256).toHaveBeenCalledTimes(1);
      for (let at = 0; at < 200; at++) await tokens.encode({ secret, salt: `salt ${at}` });
      expect(hkdfSha256).toHaveBeenCalledTimes(201);
      await tokens.encode({ secret, salt: "salt 199" });
      expect(hkdfSha256).toHaveBeenCalledTimes(201);
      await tokens.encode({ secret, salt: "salt 0" });
      expect(hkdfSha256).toHaveBeenCalledTimes(202);
    }
  });

  it("tries a derivation that failed again", async () => {
    const hkdfSha256 = vi.fn(platforms.web.hkdfSha256);
    hkdfSha256.mockRejectedValueOnce(new Error("not now"));
    const tokens = createTokens({ platform: { ...platforms.web, hkdfSha256 } });
    await expect(tokens.encode({ secret, salt })).rejects.toThrow("not now");
    await expect(tokens.encode({ secret, salt })).resolves.toBeTypeOf("string");
  });
});

/** Claims of every odd kind: Unicode, `__proto__`, nesting, numbers JSON spells differently. */
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

/** Every way to spoil a token that keeps it a string. */
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
  // Bits that base64url leaves over at the end of a segment: another text for the same bytes.
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

describe("jose and we agree on", () => {
  it("whatever payload, made by either", async () => {
    const ours = createTokens();
    await fc.assert(
      fc.asyncProperty(claims, async (payload) => {
        const token = await ours.encode({ token: payload, secret, salt });
        await expectAgreement(token);
        const known = await verdict(() => reference(token, [secret], salt));
        const { iat: _1, exp: _2, jti: _3, ...kept } = (known as { accepted: JWT }).accepted;
        const { jti: _4, ...given } = JSON.parse(JSON.stringify(payload));
        expect(JSON.stringify(kept)).toBe(JSON.stringify(given));
        expect(await expectAgreement(await made(payload))).not.toBe("refused");
      }),
      { numRuns: 150 },
    );
  });

  it("every spoilt token", async () => {
    const bases = [
      await createTokens().encode({ token: { sub: "42" }, secret, salt }),
      await made({ sub: "42" }, { header: { enc: "A256GCM" } }),
      await made({ sub: "42" }, { header: { kid: undefined } }),
      // 15 bytes of text make 16 of ciphertext: every length of the last quantum occurs.
      await made({}, { text: '{"sub":"4242"}' }),
    ];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...bases), spoil, async (base, change) => {
        await expectAgreement(change(base));
      }),
      { numRuns: 300 },
    );
  });

  it("every character of a token, changed by its lowest bit", async () => {
    const { decode } = createTokens();
    const base = await createTokens().encode({ token: { sub: "42" }, secret, salt });
    for (let at = 0; at < base.length; at++) {
      const letter = ALPHABET.indexOf(base.charAt(at));
      const token = replaceAt(base, at, ALPHABET[letter ^ 1] ?? "A");
      const expected = await verdict(() => reference(token, [secret], salt));
      expect(await verdict(() => decode({ token, secret, salt }))).toEqual(expected);
    }
  });

  it("texts that only look like tokens", async () => {
    const part = fc.oneof(
      fc.string({ unit: fc.constantFrom(...ALPHABET) }),
      fc.constantFrom("", "null", theirs.split(".")[0]!, jose.base64url.encode('{"alg":"none"}')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 7 }), async (parts) => {
        const token = parts.join(".");
        if (token) expect(await expectAgreement(token)).toBe("refused");
      }),
      { numRuns: 100 },
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
    ["compression", { zip: "DEF" }],
    ["an unknown critical member", { crit: ["b64"], b64: true }],
    ["a foreign algorithm", { enc: "A128GCM" }],
    ["a replicated claim", { sub: "42" }],
    ["a replicated claim that differs", { sub: "43" }],
    ["a replicated audience", { aud: ["a"] }],
  ])("headers with %s", async (_, header: Record<string, unknown>) => {
    const key = derived(secret, salt).slice(0, header.enc === "A128GCM" ? 16 : 64);
    const kid = await thumbprint(derived(secret, salt));
    const fields: Record<string, unknown> = { alg: "dir", enc: WRITTEN, kid, ...header };
    const plain = new TextEncoder().encode(JSON.stringify({ sub: "42", aud: ["a"] }));
    const ordered = _ === "another order" ? { ...header, kid } : fields;
    const token = await new jose.CompactEncrypt(plain)
      .setProtectedHeader(ordered as unknown as jose.CompactJWEHeaderParameters)
      .encrypt(key, { crit: { b64: true } })
      // Some of these jose itself refuses to write.
      .catch(() => sealed(fields, '{"sub":"42","aud":["a"]}'));
    await expectAgreement(token);
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
  )("forged headers, even over the right key: %j", async (header) => {
    expect(await expectAgreement(await sealed(header, "{}"))).toBe("refused");
  });

  it.each(["A128CBC-HS256", "A256GCM"])("algorithms that would fit the key: %s", async (enc) => {
    const token = await made({}, { header: { enc, kid: undefined } });
    expect((await expectAgreement(token)) === "refused").toBe(enc !== "A256GCM");
    const wrapped = await made({}, { header: { alg: "A256KW", enc, kid: undefined } });
    expect(await expectAgreement(wrapped)).toBe("refused");
  });

  it("a token with an encrypted key, which `dir` has none of", async () => {
    const [header, , ...rest] = (await made({})).split(".");
    for (const key of ["A", "AA", "AAAA", "=", " "]) {
      expect(await expectAgreement([header, key, ...rest].join("."))).toBe("refused");
    }
  });

  it("a header of ours with white space in it", async () => {
    const key = derived(secret, salt);
    const header = `{ "alg": "dir", "enc": "${WRITTEN}", "kid": "${await thumbprint(key)}" }`;
    const token = await sealed(header, '{"sub":"42"}');
    expect(await expectAgreement(token)).toEqual({ accepted: { sub: "42" } });
  });

  it.each([
    ["a list", "[]"],
    ["null", "null"],
    ["a number", "1"],
    ["a text", '"text"'],
    ["nothing", ""],
    ["no JSON", "{"],
    ["a byte order mark", '\ufeff{"sub":"42"}'],
    ["no UTF-8", new Uint8Array([123, 34, 255, 34, 58, 49, 125])],
    ["half a surrogate", new Uint8Array([123, 34, 0xed, 0xa0, 0x80, 34, 58, 49, 125])],
    ["claims said twice", '{"exp":9e9,"exp":1}'],
    ["white space", ' { "sub" : "42" } '],
    ["numbers that JSON writes otherwise", '{"a":1e999,"b":-0,"c":1.0,"exp":1e999}'],
    ["a prototype", '{"__proto__":{"exp":1,"admin":true}}'],
    ["a deep nest", `{"a":${"[".repeat(500)}${"]".repeat(500)}}`],
    ["a megabyte", `{"a":"${"x".repeat(1_000_000)}"}`],
  ])("a payload that is %s", async (_, text) => {
    await expectAgreement(await made({}, { text }));
    await expectAgreement(await made({}, { text, header: { enc: "A256GCM" } }));
  });

  it.each(["iat", "nbf", "exp"])("a claim %s of any kind", async (claim) => {
    for (const value of [null, "1", true, [], {}, "9e9", 0, -1, 1e20, 1.5, now() + 0.5]) {
      await expectAgreement(await made({ [claim]: value }));
    }
  });

  it("times around the edge of the tolerance", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const start = 1_800_000_000_000;
    for (const fraction of [0, 1, 500, 999]) {
      vi.setSystemTime(start + fraction);
      for (let off = -17; off <= 17; off += Math.abs(off) > 12 ? 0.5 : 5) {
        await expectAgreement(await made({ exp: now() + off }));
        await expectAgreement(await made({ nbf: now() + off }));
      }
    }
    const { decode } = createTokens();
    const at = async (payload: object) => {
      const token = await made(payload);
      return verdict(() => decode({ token, secret, salt }));
    };
    expect(await at({ exp: now() - 14 })).not.toBe("refused");
    expect(await at({ exp: now() - 15 })).toBe("refused");
    expect(await at({ nbf: now() + 15 })).not.toBe("refused");
    expect(await at({ nbf: now() + 16 })).toBe("refused");
  });

  it("secrets and salts: one's own, a foreign one, several, in any order", async () => {
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
          const token = await made({ sub: "42" }, { from, forSalt, header });
          const answer = await expectAgreement(token, secrets, readSalt);
          expect(answer !== "refused").toBe(secrets.includes(from) && forSalt === readSalt);
        },
      ),
      { numRuns: 150 },
    );
  });
});

/** A token under whatever header, as it is written here letter by letter. */
async function sealed(header: unknown, text: string): Promise<string> {
  const fields = typeof header === "string" ? header : JSON.stringify(header);
  const encoded = jose.base64url.encode(fields);
  const iv = crypto.getRandomValues(new Uint8Array(16));
  const key = new Uint8Array(derived(secret, salt));
  const cipher = await platforms.web.cbcHmac(key, new TextEncoder().encode(encoded));
  const { ciphertext, tag } = await cipher.seal(iv, text);
  return [encoded, "", ...[iv, ciphertext, tag].map((part) => jose.base64url.encode(part))].join(
    ".",
  );
}
