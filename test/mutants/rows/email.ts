import type { Mutants } from "../_mutant.ts";

export const EMAIL: readonly Mutants[] = [
  {
    file: "plugins/flows/email/token.ts",
    tests: ["test/flows/email.test.ts", "test/attack/loose-database.test.ts"],
    edits: [
      ["an expired token is redeemed", " && expires.getTime() > Date.now()", ""],
      ["tokens are stored in plain text", "return sha256Hex(token + secret);", "return token;"],
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
      ["a sender's name injects headers", " || /[\\p{Cc}\\p{Cs}]/u.test(text)", ""],
      ["an e-mail goes to an address that servers rewrite", " && !REWRITABLE.test(given)", ""],
      ["an e-mail goes to an address that only resembles another", " && isPlain(address)", ""],
      ["an e-mail goes to an address with an encoded word", "/[%!]|=\\?/", "/[%!]/"],
      [
        "an application's own identifier may contain line breaks",
        "/^[^\\p{C}]{1,254}$/u.test(given)",
        "true",
      ],
      [
        "an e-mail goes to any result of normalizeIdentifier",
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
        "a browser that requested another address signs in",
        " && timingSafeEqual(value, address)",
        "",
      ],
      [
        "a browser that requested a link from another provider signs in",
        "provider === ctx.provider.id && ",
        "",
      ],
      [
        "a link replaces any session without confirmation",
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
      ["the page sends its URL to other sites as referrer", "    secretUrl: true,\n", ""],
      [
        "a link is redeemed without confirmation although the provider requires one",
        ` || provider.confirm === "always"`,
        "",
      ],
      [
        "a browser does not record the session in which it requested a link",
        "{ value: address, session: await markSession(ctx) }",
        "{ value: address, session: undefined }",
      ],
    ],
  },
  {
    file: "plugins/flows/email/code.ts",
    tests: ["test/flows/email-code.test.ts"],
    edits: [
      ["an e-mail allows any number of code attempts", "PER_MAIL = 5", "PER_MAIL = 500"],
      ["an address allows any number of code attempts", "max: 100,", "max: 10_000,"],
      ["right codes use up the attempts of an address", "await ofAddress.refund();", ""],
      [
        "the right code is accepted after too many wrong ones",
        "!isAdmitted || !isRight",
        "!isRight",
      ],
      ["a wrong code is accepted", "!isAdmitted || !isRight", "!isAdmitted"],
      ["a code is tried at a provider without codes", "ctx.provider.code === true && ", ""],
      ["a code of another provider is accepted", "check.provider === id && ", ""],
      ["the hash in the database reveals the code", "createHmac(secret)", 'createHmac("x")'],
      ["spaces in a typed code are significant", "[\\s\\p{Cf}-]", "[\\p{Cf}-]"],
      ["full-width digits are not accepted", '.normalize("NFKC")', ""],
      ["a session that began since is ignored", "isOwnSession(ctx, session)", "true"],
      ["code attempts use up the e-mails of an address", '`code ${check?.token ?? ""}`', '"code"'],
      [
        "secrets from before the rotation are not tried",
        "secrets.map(",
        "secrets.slice(0, 1).map(",
      ],
      [
        "a code is compared with another secret than it is derived from",
        'deriveCode(token, getSecrets(ctx)[0] ?? "")',
        'deriveCode(token, [ctx.kernel.config.secret].flat()[0] ?? "")',
      ],
      ["leading zeros of a code are dropped", '.padStart(DIGITS, "0")', ""],
      ["a code may be any text", "given.length <= 64 ?", "given ?"],
    ],
  },
  {
    file: "plugins/flows/email/code-form.ts",
    tests: ["test/flows/email-code.test.ts"],
    edits: [
      [
        "a browser without a request is asked for the code",
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
      ["a code is logged in the form of the e-mail", "[code, spaceCode(code)]", "[code]"],
      ["a code is logged", "[code, spaceCode(code)]", "[spaceCode(code)]"],
    ],
  },
  {
    file: "plugins/flows/email/finish.ts",
    tests: ["test/flows/email.test.ts"],
    edits: [
      ["attempts are not limited", "isAdmitted ? await", "!isAdmitted || isAdmitted ? await"],
      [
        "a link is used up by a failed sign-in",
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
        "the token of an unsent e-mail is kept",
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
        "a link is sent with the host that the request names",
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
        "every configuration sets the hosts of links",
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
      ["a provider's secret may be weak", "    ...listSecretFaults(provider, kernel),\n", ""],
    ],
  },
  {
    file: "plugins/flows/email/mail.ts",
    tests: ["test/flows/email-mail.test.ts"],
    edits: [
      [
        "the text of an e-mail injects a header",
        `subject: texts.subject.replace(/[\\s\\p{Cc}\\p{Cs}]+/gu, " ").trim(),`,
        "subject: texts.subject,",
      ],
    ],
  },
];
