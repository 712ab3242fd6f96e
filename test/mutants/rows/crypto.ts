import type { Mutants } from "../_mutant.ts";

export const CRYPTO: readonly Mutants[] = [
  {
    file: "src/crypto/jwe.ts",
    tests: ["test/kernel/token.test.ts"],
    edits: [
      ["any key algorithm is accepted", 'alg !== "dir" || ', ""],
      ["any content encryption is accepted", "!isKnown || ", ""],
      ["a critical extension is ignored", " || crit !== undefined", ""],
      ["compression is ignored", " || zip !== undefined", ""],
      ["an encrypted key is ignored", 'encryptedKey !== "" || ', ""],
      ["a sixth part is ignored", "rest.length !== 3", "rest.length < 3"],
      ["a vector of any length is accepted", "iv.length !== GCM_IV_BYTES || ", ""],
      ["a short tag is accepted", " || tag.length !== GCM_TAG_BYTES", ""],
      ["the header is not authenticated", "iv, additionalData }", "iv }"],
    ],
  },
  {
    file: "src/crypto/token.ts",
    tests: ["test/kernel/token.test.ts", "test/attack/sealed-tokens.test.ts"],
    edits: [
      [
        "an expired token is accepted",
        "if (exp !== undefined && exp <= now - CLOCK_TOLERANCE_S)",
        "if (exp === -1)",
      ],
      [
        "a token is accepted before it is valid",
        "if (nbf !== undefined && nbf > now + CLOCK_TOLERANCE_S)",
        "if (nbf === -1)",
      ],
      ["a token that was cached for another purpose is accepted", " && known.salt === salt", ""],
      ["a cached token under a removed secret is accepted", " && has(secret, known.secret)", ""],
      [
        "the purpose is not part of the key",
        "`Auth.js Generated Encryption Key (${salt})`",
        "`Auth.js Generated Encryption Key`",
      ],
      [
        "an empty secret is used",
        `(one) => typeof one === "string" && one !== ""`,
        `(one) => typeof one === "string"`,
      ],
      ["an unset secret is used", `typeof one === "string" && one !== ""`, `one !== ""`],
      [
        "a claim that is not a number is accepted",
        `if (value !== undefined && typeof value !== "number") {`,
        `if (value === "") {`,
      ],
      [
        "a token is written whose expiry is not a number",
        "if (!Number.isFinite(maxAge)) throw",
        "if (maxAge === null) throw",
      ],
      ["toJSON of the claims replaces the expiry", ` || typeof token.toJSON === "function"`, ""],
      [
        "the claims of the application replace the expiry",
        "{ ...token, iat, exp: iat + maxAge, jti: randomUUID() }",
        "{ iat, exp: iat + maxAge, jti: randomUUID(), ...token }",
      ],
      [
        "two tokens share the initialization vector",
        "const iv = randomBytes(16);",
        "const iv = new Uint8Array(16);",
      ],
      [
        "a different claim in the header is accepted",
        "if (!same) throw",
        "if (value === null) throw",
      ],
      ["the clock tolerance is an hour", "CLOCK_TOLERANCE_S = 15", "CLOCK_TOLERANCE_S = 3600"],
      [
        "a token in another format under the second secret is refused",
        "for (const secret of secrets) {",
        "for (const secret of secrets.slice(0, 1)) {",
      ],
    ],
  },
  {
    file: "src/crypto/crypto.ts",
    tests: ["test/kernel/crypto.test.ts", "test/kernel/token.test.ts", "test/house.test.ts"],
    edits: [
      ["bytes can move from the ciphertext into the vector", "iv.length === IV_BYTES && ", ""],
      ["a tag may be longer on the edge", " && tag.length === HALF_KEY_BYTES", ""],
      [
        "the tag is not checked on Node",
        "if (!crypto.timingSafeEqual(tag, computeTag(iv, ciphertext))) return undefined;",
        "",
      ],
      ["the tag is not checked on the edge", "if (difference !== 0) return undefined;", ""],
      [
        "the tag does not cover the initialization vector on Node",
        "Buffer.concat([additionalData, iv, ciphertext, bits])",
        "Buffer.concat([additionalData, ciphertext, bits])",
      ],
      [
        "the tag does not cover the header on the edge",
        "joinBytes([additionalData, iv, ciphertext, bits])",
        "joinBytes([iv, ciphertext, bits])",
      ],
      [
        "secrets of the same length are equal",
        "return difference === 0;\n}",
        "return a.length === b.length;\n}",
      ],
      [
        "secrets are compared up to the shorter one's end",
        "let difference = a.length ^ b.length;",
        "let difference = 0;",
      ],
      [
        "the comparison of secrets ends at the first difference",
        "difference |= a.charCodeAt(at) ^ b.charCodeAt(at);",
        "if ((difference |= a.charCodeAt(at) ^ b.charCodeAt(at))) return false;",
      ],
      [
        "the comparison of tags ends at the first difference",
        "difference |= (tag[at] ?? 0) ^ (expected[at] ?? 0);",
        "if ((difference |= (tag[at] ?? 0) ^ (expected[at] ?? 0))) return undefined;",
      ],
      [
        "non-canonical base64url is accepted on Node",
        `return bytes.toString("base64url") === text ? bytes : undefined;`,
        "return bytes;",
      ],
      [
        "non-canonical base64url is accepted on the edge",
        "return toBase64urlText(bytes) === text ? bytes : undefined;",
        "return bytes;",
      ],
      [
        "invalid UTF-8 is replaced",
        `new TextDecoder("utf-8", { fatal: true })`,
        `new TextDecoder("utf-8")`,
      ],
      [
        "an HMAC is computed with an empty key",
        "if (bytes.length === 0) throw",
        "if (bytes.length < 0) throw",
      ],
      [
        "random bytes are zeros",
        "new Uint8Array(crypto.randomBytes(bytes))",
        "new Uint8Array(bytes)",
      ],
      [
        "random bytes are returned twice",
        "drawn.slice(at, (at += bytes))",
        "drawn.slice(at, at + bytes)",
      ],
    ],
  },
  {
    file: "src/jwt/jwt.ts",
    tests: [
      "test/kernel/jwt.test.ts",
      "test/strategies/jwt.test.ts",
      "test/attack/tossed-cookies.test.ts",
    ],
    edits: [
      [
        "a token of another origin is returned",
        "if (claims && !foreign) opened.push(claims);",
        "if (claims) opened.push(claims);",
      ],
      [
        "a token of a tenant is returned to a caller without a tenant",
        "claims[NAMESPACE_CLAIM] === storeNamespace",
        "(storeNamespace ?? claims[NAMESPACE_CLAIM]) === claims[NAMESPACE_CLAIM]",
      ],
      [
        "of several sessions, the one that a sibling host set is returned",
        "opened.sort(compareStart)[0]",
        "opened.at(-1)",
      ],
    ],
  },
];
