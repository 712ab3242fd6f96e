import * as nodeCrypto from "node:crypto";
import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createHmac,
  decodeBase64url,
  decodeText,
  encodeBase64url,
  encodeText,
  timingSafeEqual,
  hkdfSha256,
  nodePlatform,
  getPlatform,
  randomBase64url,
  randomBytes,
  randomHex,
  randomUUID,
  sha256,
  sha256Hex,
  toHex,
  uuidFrom,
} from "../../src/crypto/crypto.ts";
import type { Bytes } from "../../src/crypto/crypto.ts";
import { rounds } from "../_scale.ts";

/** Imports another copy of the module, as it runs on a Worker, which uses WebCrypto. Later files keep the usual one. */
async function loadOnWorker(): Promise<typeof import("../../src/crypto/crypto.ts")> {
  const path = "../../src/crypto/crypto.ts?copy=worker";
  vi.stubGlobal("WebSocketPair", class {});
  const module = (await import(path)) as typeof import("../../src/crypto/crypto.ts");
  module.getPlatform();
  vi.unstubAllGlobals();
  return module;
}

const onNode = await import("../../src/crypto/crypto.ts");
const onWeb = await loadOnWorker();
const modules = { node: onNode, web: onWeb };
const node = onNode.getPlatform();
const web = onWeb.getPlatform();

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string());
const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes));
const runs = { numRuns: rounds(100) };

const plain = (bytes: Uint8Array | undefined) => bytes && toHex(bytes);

describe.each(Object.entries(modules))("crypto on the %s platform", (_, module) => {
  const on = module.getPlatform();
  it("SHA-256 and SHA-512 match FIPS 180-4", async () => {
    const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    expect(await module.sha256Hex("abc")).toBe(abc);
    expect(toHex(await module.sha256("abc"))).toBe(abc);
    expect(toHex(decodeBase64url(await on.digest("SHA-512", "abc"))!)).toMatch(
      /^ddaf35a193617abacc41/,
    );
  });

  it("sha256Base64url() computes the S256 challenge of PKCE (RFC 7636 appendix B)", async () => {
    const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    expect(await module.sha256Base64url(verifier)).toBe(
      "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    );
  });

  it("createHmac() matches RFC 4231", async () => {
    expect(await module.createHmac("Jefe")("what do ya want for nothing?")).toBe(
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
  });

  it("createHmac() also accepts a key as bytes", async () => {
    const key = encodeText("Jefe");
    const mac = await module.createHmac(key)("what do ya want for nothing?");
    expect(mac).toBe(await module.createHmac("Jefe")("what do ya want for nothing?"));
  });

  it("createHmac() throws a RangeError for an empty key", () => {
    expect(() => module.createHmac("")).toThrow(RangeError);
  });

  it("hkdfSha256() matches RFC 5869 (appendix A.3)", async () => {
    const secret = new Uint8Array(22).fill(0x0b);
    const none = new Uint8Array();
    expect(toHex(await on.hkdfSha256(secret, none, none, 42))).toBe(
      "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
    );
  });

  it("cbcHmac().seal() matches RFC 7518 (appendix B.3)", async () => {
    const key = Uint8Array.from({ length: 64 }, (_nothing, at) => at);
    const iv = decodeHex("1af38c2dc2b96ffdd86694092341bc04");
    const data = encodeText("The second principle of Auguste Kerckhoffs");
    const text =
      "A cipher system must not be required to be secret, and it must be able to fall into the " +
      "hands of the enemy without inconvenience";
    const cipher = await on.cbcHmac(key, data);
    const { ciphertext, tag } = await cipher.seal(iv, text);
    expect(toHex(ciphertext)).toMatch(/^4affaaadb78c31c5da4b1b590d10ffbd.*30806d0703b1f6$/);
    expect(toHex(tag)).toBe("4dd3b4c088a7f45c216839645b2012bf2e6269a8c56a816dbc1b267761955bc5");
    expect(decodeText((await cipher.open(iv, ciphertext, tag))!)).toBe(text);
  });

  it("cbcHmac().open() returns undefined for an input that was modified, truncated or extended", async () => {
    const cipher = await on.cbcHmac(randomBytes(64), encodeText("data"));
    const other = await on.cbcHmac(randomBytes(64), encodeText("data"));
    const iv = randomBytes(16);
    const { ciphertext, tag } = await cipher.seal(iv, "x".repeat(40));
    const touch = (bytes: Bytes, at: number) => {
      const touched = new Uint8Array(bytes);
      touched[at] = (touched[at] ?? 0) ^ 1;
      return touched;
    };
    for (let at = 0; at < 32; at++) {
      expect(await cipher.open(iv, ciphertext, touch(tag, at))).toBeUndefined();
      expect(await cipher.open(iv, touch(ciphertext, at), tag)).toBeUndefined();
      expect(await cipher.open(touch(iv, at % 16), ciphertext, tag)).toBeUndefined();
      expect(await cipher.open(iv, ciphertext.subarray(0, at), tag)).toBeUndefined();
      expect(await cipher.open(iv, ciphertext, tag.subarray(0, at))).toBeUndefined();
    }
    expect(await cipher.open(iv, ciphertext, randomBytes(33))).toBeUndefined();
    expect(await cipher.open(randomBytes(15), ciphertext, tag)).toBeUndefined();
    expect(await cipher.open(new Uint8Array(), new Uint8Array(), new Uint8Array())).toBeUndefined();
    expect(await other.open(iv, ciphertext, tag)).toBeUndefined();
  });

  it("fromBase64url() returns undefined for text that is not canonical base64url", () => {
    expect(on.fromBase64url("")).toHaveLength(0);
    const bad = [
      "=",
      "A",
      "AA=",
      "AA==",
      "AB",
      "AAB",
      "AA\n",
      " AA",
      "A A",
      "A+",
      "A/",
      "ä",
      "AA\0",
    ];
    for (const text of bad) expect(on.fromBase64url(text), text).toBeUndefined();
  });

  it("uuidFrom() derives a UUID of version 8 and variant 10 from a text", async () => {
    expect(await module.uuidFrom("abc")).toBe("ba7816bf-8f01-8fea-8141-40de5dae2223");
    const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (let at = 0; at < 50; at++) expect(await module.uuidFrom(`text ${at}`)).toMatch(shape);
  });
});

describe("node and web platforms", () => {
  it("the node and web platforms agree on hashes, HMAC and HKDF", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, fc.integer({ min: 1, max: 99 }), async (a, b, length) => {
        expect(await onWeb.sha256Hex(a)).toBe(onNode.sha256Hex(a));
        expect(await onWeb.sha256Base64url(a)).toBe(onNode.sha256Base64url(a));
        expect(await onWeb.uuidFrom(a)).toBe(onNode.uuidFrom(a));
        expect(await web.digest("SHA-512", a)).toBe(node.digest("SHA-512", a));
        expect(await onWeb.createHmac(`k${a}`)(b)).toBe(onNode.createHmac(`k${a}`)(b));
        expect(await onWeb.hkdfSha256(`s${a}`, b, a, length)).toEqual(
          onNode.hkdfSha256(`s${a}`, b, a, length),
        );
      }),
      runs,
    );
  });

  it("the node and web platforms hash a lone surrogate as U+FFFD, as UTF-8 encodes it", async () => {
    for (const text of ["\ud800", "a\udc00b"]) {
      const bytes = encodeText(text);
      const hash = nodeCrypto.createHash("sha256").update(bytes).digest("hex");
      const mac = nodeCrypto.createHmac("sha256", "key").update(bytes).digest("hex");
      for (const module of Object.values(modules)) {
        expect(await module.sha256Hex(text)).toBe(hash);
        expect(await module.sha256Base64url(text)).toBe(
          Buffer.from(hash, "hex").toString("base64url"),
        );
        expect(await module.createHmac("key")(text)).toBe(mac);
      }
    }
  });

  it("the node and web platforms agree on sealing and opening", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyBytes, async (text, data) => {
        const key = randomBytes(64);
        const iv = randomBytes(16);
        const [ours, theirs] = [await node.cbcHmac(key, data), await web.cbcHmac(key, data)];
        const { ciphertext, tag } = await ours.seal(iv, text);
        const other = await theirs.seal(iv, text);
        expect(plain(other.ciphertext)).toBe(plain(ciphertext));
        expect(plain(other.tag)).toBe(plain(tag));
        expect(plain(await theirs.open(iv, ciphertext, tag))).toBe(toHex(encodeText(text)));
        expect(plain(await ours.open(iv, ciphertext, tag))).toBe(toHex(encodeText(text)));
      }),
      runs,
    );
  });

  it("the node and web platforms agree on base64url, for bytes and for malformed text", () => {
    const nearly = fc.string({ unit: fc.constantFrom(..."AQgwz09-_=+/ .\n") });
    fc.assert(
      fc.property(anyBytes, fc.oneof(nearly, anyText), (bytes, text) => {
        const encoded = onWeb.encodeBase64url(bytes);
        expect(encoded).toBe(onNode.encodeBase64url(bytes));
        expect(onWeb.decodeBase64url(encoded)).toEqual(bytes);
        expect(onNode.decodeBase64url(encoded)).toEqual(bytes);
        expect(plain(web.fromBase64url(text))).toBe(plain(node.fromBase64url(text)));
      }),
      { numRuns: rounds(300) },
    );
    const long = randomBytes(65_536);
    expect(onWeb.encodeBase64url(long)).toBe(onNode.encodeBase64url(long));
  });
});

describe("crypto functions on Node", () => {
  it("crypto functions return synchronously on Node", () => {
    expect(sha256Hex("abc")).toBeTypeOf("string");
    expect(createHmac("key")("text")).toBeTypeOf("string");
    expect(hkdfSha256("secret", "salt", "info", 32)).toBeInstanceOf(Uint8Array);
    expect(uuidFrom("text")).toBeTypeOf("string");
  });

  it("crypto functions return bytes with their own memory", () => {
    expect(decodeBase64url("AAAA")?.buffer.byteLength).toBe(3);
    expect(decodeBase64url("AAA!")).toBeUndefined();
    expect((sha256("abc") as Bytes).buffer.byteLength).toBe(32);
  });
});

describe("nodePlatform()", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it("the default platform on Node is node:crypto", () => {
    expect(getPlatform().digest("SHA-256", "")).toMatch(/^47DEQpj8/);
  });

  it("the default platform of a Worker is WebCrypto, which is asynchronous", async () => {
    expect(web.digest("SHA-256", "")).toBeInstanceOf(Promise);
    expect(await onWeb.sha256Base64url("")).toMatch(/^47DEQpj8/);
  });

  it.each([
    ["no process", undefined],
    ["a process without built-in modules", {}],
    [
      "functions that throw, as those of the edge runtime of Next.js",
      {
        getBuiltinModule() {
          throw new Error("A Node.js API is used (process.getBuiltinModule)");
        },
      },
    ],
    ["built-in modules that lack crypto", { getBuiltinModule: () => undefined }],
    ["a crypto module that lacks parts", { getBuiltinModule: () => ({ Buffer, createHash: 1 }) }],
  ])("nodePlatform() returns undefined with %s", (_, process) => {
    vi.stubGlobal("process", process);
    const found = nodePlatform();
    vi.unstubAllGlobals();
    expect(found).toBeUndefined();
  });

  it.each(["createDecipheriv", "createSecretKey", "hkdfSync"])(
    "nodePlatform() returns undefined with a crypto module that only lacks %s",
    (name) => {
      const { process } = globalThis;
      const getBuiltinModule = (id: string) =>
        id === "node:crypto"
          ? { ...process.getBuiltinModule("node:crypto"), [name]: undefined }
          : process.getBuiltinModule(id);
      vi.stubGlobal("process", { getBuiltinModule });
      const found = nodePlatform();
      vi.unstubAllGlobals();
      expect(found).toBeUndefined();
    },
  );
});

describe("timingSafeEqual()", () => {
  it("timingSafeEqual() returns the same as ===", () => {
    fc.assert(
      fc.property(anyText, anyText, fc.nat(), (a, b, at) => {
        expect(timingSafeEqual(a, b)).toBe(a === b);
        expect(timingSafeEqual(a, `${a}`)).toBe(true);
        const index = at % (a.length + 1);
        const touched = `${a.slice(0, index)}\u0000${a.slice(index + 1)}`;
        expect(timingSafeEqual(a, touched)).toBe(a === touched);
        expect(timingSafeEqual(a, `${a}\u0000`)).toBe(false);
      }),
      { numRuns: rounds(300) },
    );
  });

  it("timingSafeEqual() distinguishes lone surrogates that are the same in UTF-8", () => {
    expect(timingSafeEqual("\ud800", "\ud801")).toBe(false);
  });
});

describe("randomHex(), randomBase64url() and randomUUID()", () => {
  it("random values have the requested length and do not repeat", () => {
    const makers = [() => randomHex(32), () => randomBase64url(32), () => randomUUID()];
    const shapes = [/^[0-9a-f]{64}$/, /^[\w-]{43}$/, /^[0-9a-f-]{14}4[0-9a-f-]{21}$/];
    makers.forEach((make, at) => {
      const made = Array.from({ length: 200 }, make);
      expect(new Set(made).size).toBe(200);
      for (const value of made) expect(value).toMatch(shapes[at]!);
    });
  });

  it.each([
    ["node", node],
    ["web", web],
  ])("the %s platform returns random bytes, which do not repeat", (_, on) => {
    const made = Array.from({ length: 200 }, () => on.randomBytes(16));
    expect(new Set(made.map(toHex)).size).toBe(200);
    for (const bytes of made) expect(bytes.buffer.byteLength).toBe(16);
    expect(on.randomBytes(65_536)).toHaveLength(65_536);
  });

  it("the node platform returns no random byte twice, whatever the lengths", () => {
    const lengths = Array.from({ length: 2000 }, (_, at) => (at * 7) % 200);
    const made = lengths.map((length) => node.randomBytes(length));
    expect(made.map(({ length }) => length)).toEqual(lengths);
    const all = toHex(new Uint8Array(made.flatMap((bytes) => [...bytes])));
    const words = all.match(/.{16}/g) ?? [];
    expect(new Set(words).size).toBe(words.length);
    // A caller that changes its bytes must not change the next ones.
    const [one, other] = [node.randomBytes(16), node.randomBytes(16)];
    const before = toHex(other);
    one.fill(0);
    expect(toHex(other)).toBe(before);
  });
});

describe("encodeText() and decodeText()", () => {
  it("text survives a round trip through UTF-8 and base64url", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(decodeText(encodeText(text))).toBe(text);
        expect(decodeText(decodeBase64url(encodeBase64url(text)) as Bytes)).toBe(text);
      }),
      runs,
    );
  });

  it("decodeText() returns undefined for bytes that are not UTF-8", () => {
    expect(decodeText(new Uint8Array([0xff]))).toBeUndefined();
    expect(decodeText(new Uint8Array([0xed, 0xa0, 0x80]))).toBeUndefined();
  });
});

function decodeHex(text: string): Bytes {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
