import type { Mutants } from "../_mutant.ts";

export const EMAIL: readonly Mutants[] = [
  {
    file: "plugins/flows/email/token.ts",
    tests: ["test/flows/email.test.ts", "test/attack/loose-database.test.ts"],
    edits: [
      ["an expired token is redeemed", " && expires.getTime() > Date.now()", ""],
      ["tokens are stored as they are", "return sha256Hex(token + secret);", "return token;"],
      [
        "the secret is not part of the hash",
        "return sha256Hex(token + secret);",
        "return sha256Hex(token);",
      ],
      ["a token has 16 random bits", "randomHex(32)", "randomHex(2)"],
      ["a link signs in for another address", "row.identifier === key.identifier && ", ""],
    ],
  },
  {
    file: "plugins/flows/email/address.ts",
    tests: [
      "test/flows/email.test.ts",
      "test/flows/email-mail.test.ts",
      "test/flows/email-smtp.test.ts",
    ],
    edits: [
      ["a sender's name adds headers", " || /[\\p{Cc}\\p{Cs}]/u.test(text)", ""],
      ["an address that servers rewrite is mailed to", " && !REWRITABLE.test(given)", ""],
      ["an address that only resembles another is mailed to", " && isPlain(address)", ""],
      ["an address with an encoded word is mailed to", "/[%!]|=\\?/", "/[%!]/"],
      [
        "an identifier of an application's own may have line breaks",
        "/^[^\\p{C}]{1,254}$/u.test(given)",
        "true",
      ],
      [
        "a provider mails to whatever normalizeIdentifier returns",
        "normalizeIdentifier !== undefined && sendVerificationRequest !== undefined",
        "normalizeIdentifier !== undefined",
      ],
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
        "if (/prefetch|prerender|preview/i.test(purposes)) return false;",
        "",
      ],
      ["an image redeems a link", `return target === "document" || isOwnScript;`, "return true;"],
      [
        "a script of another site redeems a link",
        ` && headers.get("sec-fetch-site") === "same-origin"`,
        "",
      ],
      ["the page sends its URL to other sites", "    secretUrl: true,\n", ""],
      ["a link redeems itself although each asks", ` || provider.confirm === "always"`, ""],
      [
        "a browser does not note in which session it asked",
        "{ value: address, session: await markSession(ctx) }",
        "{ value: address, session: undefined }",
      ],
    ],
  },
  {
    file: "plugins/flows/email/code.ts",
    tests: ["test/flows/email-code.test.ts"],
    edits: [
      ["any number of codes may be tried for an e-mail", "PER_MAIL = 5", "PER_MAIL = 500"],
      ["any number of codes may be tried for an address", "max: 100,", "max: 10_000,"],
      ["codes that are right use up those of an address", "await ofAddress.refund();", ""],
      [
        "the right code is accepted after too many wrong ones",
        "!isAdmitted || !isRight",
        "!isRight",
      ],
      ["a wrong code is accepted", "!isAdmitted || !isRight", "!isAdmitted"],
      ["a code is tried at a provider that has none", "ctx.provider.code === true && ", ""],
      ["a code of another provider is accepted", "check.provider === id && ", ""],
      ["the hash in the database gives the code away", "createHmac(secret)", 'createHmac("x")'],
      ["spaces are no part of a code", "[\\s\\p{Cf}-]", "[\\p{Cf}-]"],
      ["digits of full width are no digits", '.normalize("NFKC")', ""],
      ["a session since is not looked at", "isOwnSession(ctx, session)", "true"],
      ["codes use up the e-mails of an address", '`code ${check?.token ?? ""}`', '"code"'],
      ["secrets before the rotation are not tried", "secrets.map(", "secrets.slice(0, 1).map("],
      [
        "a code is derived from another secret than it is compared with",
        'deriveCode(token, getSecrets(ctx)[0] ?? "")',
        'deriveCode(token, [ctx.kernel.config.secret].flat()[0] ?? "")',
      ],
      ["a code that begins with zeros is shorter", '.padStart(DIGITS, "0")', ""],
      ["a code is a text of any length", "given.length <= 64 ?", "given ?"],
    ],
  },
  {
    file: "plugins/flows/email/code-form.ts",
    tests: ["test/flows/email-code.test.ts"],
    edits: [
      [
        "the code is asked for in a browser that has none",
        "if (!(await listCodeChecks(ctx, provider)).length) return page;",
        "",
      ],
    ],
  },
  {
    file: "plugins/flows/email/send.ts",
    tests: ["test/flows/email.test.ts", "test/flows/email-code.test.ts"],
    edits: [
      ["a token is logged", "token, identifier, provider.apiKey,", "identifier, provider.apiKey,"],
      ["a telephone number is logged", "identifier, provider.apiKey,", "provider.apiKey,"],
      ["a code is logged as the e-mail shows it", "[code, spaceCode(code)]", "[code]"],
      ["a code is logged", "[code, spaceCode(code)]", "[spaceCode(code)]"],
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
    file: "plugins/flows/email/attempts.ts",
    tests: [
      "test/flows/email.test.ts",
      "test/security/rate-limit-mails.test.ts",
      "test/security/rate-limit.test.ts",
    ],
    edits: [
      ["short tokens can be guessed", "attempts = isGuessable(ctx) && DEFAULT", "attempts = false"],
      [
        "short tokens of another provider can be guessed",
        `(provider) => provider.type === "email" && "generateVerificationToken" in provider`,
        `(provider) => provider.type === "email" && "generateVerificationToken" in provider && "attempts" in provider`,
      ],
      ["the limit of attempts refuses nothing", "return !lock;", "return true;"],
    ],
  },
  {
    file: "plugins/flows/email/start.ts",
    tests: ["test/flows/email.test.ts", "test/attack/hosts.test.ts"],
    edits: [
      ["a request chooses the host of the link", "  checkLinkOrigin(ctx);\n", ""],
      [
        "the token of a mail that was not sent stays",
        "    await withdrawToken(ctx, address, issued.stored.token);\n",
        "",
      ],
    ],
  },
  {
    file: "plugins/flows/email/origin.ts",
    tests: [
      "test/flows/email.test.ts",
      "test/attack/hosts.test.ts",
      "test/flows/email-boot.test.ts",
    ],
    edits: [
      [
        "a link is mailed with the host that the request states",
        "if (isOriginConfigured(kernel) || isLoopback(new URL(origin))) return;",
        "if (isOriginConfigured(kernel) || origin) return;",
      ],
    ],
  },
  {
    file: "plugins/flows/_origin.ts",
    tests: ["test/flows/email-boot.test.ts", "test/flows/webauthn-boot.test.ts"],
    edits: [
      [
        "every configuration decides the hosts of links",
        "return config.origin !== undefined || ",
        "return config.origin !== null || ",
      ],
    ],
  },
  {
    file: "plugins/flows/email/resolve.ts",
    tests: ["test/flows/email-boot.test.ts"],
    edits: [
      [
        "production boots although requests choose the hosts of links",
        "if (!kernel.config.production || isOriginConfigured(kernel)) return undefined;",
        "return undefined;",
      ],
      ["a secret of a provider may be weak", "    ...listSecretFaults(provider, kernel),\n", ""],
    ],
  },
  {
    file: "plugins/flows/email/mail.ts",
    tests: ["test/flows/email-mail.test.ts"],
    edits: [
      [
        "a text of a mail begins another header",
        `subject: texts.subject.replace(/[\\s\\p{Cc}\\p{Cs}]+/gu, " ").trim(),`,
        "subject: texts.subject,",
      ],
    ],
  },
];
