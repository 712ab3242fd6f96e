import type { Mutants } from "../_mutant.ts";

export const EMAIL: readonly Mutants[] = [
  {
    file: "plugins/flows/email/token.ts",
    tests: ["test/flows/email.test.ts"],
    edits: [
      ["an expired token is redeemed", " && expires.getTime() > Date.now()", ""],
      ["tokens are stored as they are", "return sha256Hex(token + secret);", "return token;"],
      [
        "the secret is not part of the hash",
        "return sha256Hex(token + secret);",
        "return sha256Hex(token);",
      ],
      ["a token has 16 random bits", "randomHex(32)", "randomHex(2)"],
    ],
  },
  {
    file: "plugins/flows/email/confirm.ts",
    tests: ["test/flows/email.test.ts", "test/attack/combined.test.ts"],
    edits: [
      [
        "any browser signs in without a confirmation",
        "provider === ctx.provider.id && timingSafeEqual(value, address)",
        "true",
      ],
      [
        "a browser that asked for another address signs in",
        " && timingSafeEqual(value, address)",
        "",
      ],
      ["a browser that asked another provider signs in", "provider === ctx.provider.id && ", ""],
      [
        "a link replaces any session without a question",
        "own.map(({ session }) => isOwnSession(ctx, session))",
        "own.map(() => true)",
      ],
      [
        "a prefetch redeems a link",
        `if (/prefetch|prerender|preview/i.test(purpose ?? "")) return false;`,
        "",
      ],
      ["an image redeems a link", `return target === "document" || isOwnScript;`, "return true;"],
      [
        "a script of another site redeems a link",
        ` && headers.get("sec-fetch-site") === "same-origin"`,
        "",
      ],
      ["the page sends its URL to other sites", "    secretUrl: true,\n", ""],
    ],
  },
  {
    file: "plugins/flows/email/finish.ts",
    tests: ["test/flows/email.test.ts"],
    edits: [
      ["attempts are not limited", "isAdmitted ? await", "!isAdmitted || isAdmitted ? await"],
      [
        "a link whose sign-in failed is lost",
        "if (row && (await restoreToken(ctx, row))) return error;",
        "if (row) return error;",
      ],
    ],
  },
  {
    file: "plugins/flows/email/address.ts",
    tests: ["test/flows/email.test.ts"],
    edits: [
      ["an address may be an option of a program", "/^(?!-)", "/^"],
      [
        "an address of any length is accepted",
        "if (text.length > MAX_ADDRESS_LENGTH) return false;",
        "",
      ],
      ["a host may begin with a hyphen", '"[\\\\p{L}\\\\p{N}](?:', '"[\\\\p{L}\\\\p{N}-](?:'],
    ],
  },
];
