import type { Mutants } from "../_mutant.ts";

export const SECURITY: readonly Mutants[] = [
  {
    file: "plugins/security/rate-limit/guard.ts",
    tests: [
      "test/security/rate-limit.test.ts",
      "test/security/rate-limit-rules.test.ts",
      "test/security/rate-limit-storage.test.ts",
    ],
    edits: [
      ["an attempt beyond the limit is allowed", "    if (lock) return refuse(ctx, lock);\n", ""],
      [
        "failures are not counted",
        `failures: { success: "refund", outage: "refund" },`,
        `failures: { success: "refund", failure: "refund", outage: "refund" },`,
      ],
      [
        "a refused attempt uses up the limit of others",
        "await Promise.all(applied.slice(0, at).map((before) => before.counter.refund()));",
        "",
      ],
      [
        "an outage of the store locks accounts",
        "error instanceof AdapterError || error instanceof StoreError",
        "error instanceof AdapterError",
      ],
      [
        "the count is settled after the response, when the process may have ended",
        `await settle(applied, isSuccess ? "success" : "failure");`,
        `void settle(applied, isSuccess ? "success" : "failure");`,
      ],
    ],
  },
  {
    file: "plugins/security/rate-limit/limiter.ts",
    tests: ["test/security/rate-limit.test.ts", "test/security/rate-limit-storage.test.ts"],
    edits: [
      [
        "one attempt more than the limit is allowed",
        "<= max) return undefined;",
        "<= max + 1) return undefined;",
      ],
      [
        "a refund allows more than the limit",
        "(await records.increment(count, -1, { ttl })) < 0",
        "(await records.increment(count, -1, { ttl })) < -99",
      ],
      [
        "a refund starts a count that never expires",
        "(await records.increment(count, -1, { ttl })) < 0",
        "(await records.increment(count, -1)) < 0",
      ],
    ],
  },
  {
    file: "plugins/security/rate-limit/subject.ts",
    tests: [
      "test/security/rate-limit-rules.test.ts",
      "test/security/rate-limit.test.ts",
      "test/attack/combined.test.ts",
    ],
    edits: [
      [
        "each spelling of an address counts as another account",
        "fold(normalizeEmail(name) ?? name)",
        "fold(name)",
      ],
    ],
  },
  {
    file: "plugins/security/rate-limit/fold.ts",
    tests: ["test/security/rate-limit.test.ts", "test/attack/combined.test.ts"],
    edits: [
      [
        "each letter that a database treats as another counts as another account",
        "return lookUp(character);",
        "return character;",
      ],
      ["invisible characters create another account", `ascii.replaceAll(ignored, "")`, "ascii"],
      [
        "capital letters create another account",
        ".toUpperCase().toLowerCase().trim();",
        ".trim();",
      ],
      ["a sharp s creates another account", `seen.replaceAll(/s+/g, "s")`, "seen"],
    ],
  },
  {
    file: "plugins/security/rate-limit/client.ts",
    tests: ["test/security/rate-limit-clients.test.ts"],
    edits: [
      [
        "each address of an IPv6 network counts as another client",
        "return toNetwork(ctx.ip)",
        "return ctx.ip",
      ],
      ["all visitors behind a proxy count as one client", " && !isProxy(ctx)", ""],
      [
        "a header lifts the limit of a client",
        "if (kernel.config.trustProxy !== 0 || !isLocalIp(ip)) return false;",
        "",
      ],
    ],
  },
  {
    file: "plugins/security/rate-limit/records.ts",
    tests: [
      "test/security/rate-limit-storage.test.ts",
      "test/security/rate-limit.test.ts",
      "test/kernel/config-function.test.ts",
    ],
    edits: [
      [
        "a failing store lifts the limits",
        "kernel.logger.error(error as Error);\n      return work(local);",
        "kernel.logger.error(error as Error);\n      return work(createLocalRecords());",
      ],
      ["applications in one process use up each other's limits", "    perApplication: true,\n", ""],
      ["a clock that was set back extends a lock", "age >= 0 && ", ""],
    ],
  },
  {
    file: "plugins/flows/email.ts",
    tests: ["test/security/rate-limit-mails.test.ts"],
    edits: [
      [
        "an address gets any number of e-mails",
        `by: "account", max: 10, counts: "successes"`,
        `by: "account", max: 500_000, counts: "successes"`,
      ],
    ],
  },
  {
    file: "plugins/security/rate-limit/rules.ts",
    tests: ["test/security/rate-limit-rules.test.ts"],
    edits: [
      [
        "the limit of one flow replaces that of another",
        "if (other !== undefined) {",
        "if (false) {",
      ],
      ["limits of a flow apply to providers of every type", "{ ...limit, type }", "{ ...limit }"],
    ],
  },
  {
    file: "plugins/security/second-factor.ts",
    tests: [
      "test/security/second-factor.test.ts",
      "test/security/second-factor-setup.test.ts",
      "test/security/second-factor-required.test.ts",
      "test/kernel/fresh-session.test.ts",
    ],
    edits: [
      ["a second factor is turned off in an old session", `turnOff, "fresh"]`, "turnOff]"],
      ["a second factor is set up in an old session", `turnOn, "fresh"]`, "turnOn]"],
      [
        "recovery codes are renewed in an old session",
        `renewRecoveryCodes, "fresh"]`,
        "renewRecoveryCodes]",
      ],
      ["the pages of other plugins precede the second factor", `stage: "first"`, `stage: "late"`],
      ["a new user has the second factor of a deleted one", "await remove(user, ctx);", ""],
    ],
  },
  {
    file: "plugins/security/second-factor/challenge.ts",
    tests: [
      "test/security/second-factor.test.ts",
      "test/security/second-factor-required.test.ts",
      "test/security/second-factor-providers.test.ts",
    ],
    edits: [
      [
        "no user is asked for the second factor",
        "if (!demand) return undefined;",
        "return undefined;",
      ],
      ["a script is not told that a second factor is required", "secondFactor: demand.kind", ""],
      [
        "a script that passes is redirected to a page",
        "target === null || !wantsJson(ctx.request)",
        "target",
      ],
      [
        "any code is accepted",
        "const isPassed = await parts.factors.redeem(user.id, code, getClient(ctx));",
        "const isPassed = code;",
      ],
      [
        "a used recovery code is reported as an ordinary code",
        "parseRecoveryCode(code) === undefined",
        "code",
      ],
      [
        "a session without the second factor skips it for another sign-in",
        `outcome === "link" && `,
        "",
      ],
      [
        "the factor of a user who had only claimed an address locks its owner out",
        `if (login.outcome === "verifyEmail") await parts.remove(login.user, ctx);`,
        "",
      ],
      [
        "a required factor is not asked for",
        "if (!(await settings.isRequired(stored))) return undefined;",
        "if (stored) return undefined;",
      ],
      [
        "a user who must set up a factor passes without it",
        "if (confirmed instanceof Response) return confirmed;",
        "if (confirmed instanceof Response) return resumeLogin(ctx, TAP);",
      ],
    ],
  },
  {
    file: "plugins/security/second-factor/factors.ts",
    tests: [
      "test/security/second-factor.test.ts",
      "test/security/second-factor-limits.test.ts",
      "test/security/second-factor-setup.test.ts",
      "test/attack/second-factor-races.test.ts",
    ],
    edits: [
      [
        "an attacker's factor remains after its set-up was refused, if it was used",
        "(await keys.open(userId, entry.value.key)) !== offer.key",
        "entry.value.step !== 0",
      ],
      [
        "a code that turns off a second factor does not remove it",
        "(await redeem(userId, code, client, { remove: true })) !== undefined",
        "(await redeem(userId, code, client)) !== undefined",
      ],
      ["a broken record skips the second factor", " && Array.isArray(recoveryCodes)", ""],
      ["an earlier code is accepted after a later one", " || step < factor.step", ""],
      [
        "a code is used twice",
        "step > factor.step || areSame(renewed, factor.recoveryCodes) ? { step } : undefined",
        "{ step }",
      ],
      [
        "a used code renews the recovery codes in another form",
        "areSame(renewed, factor.recoveryCodes)",
        "renewed",
      ],
      [
        "a second setup shows recovery codes that are not stored",
        "factor?.step === step && areSame(recoveryCodes, factor.recoveryCodes)",
        "factor?.step === step && recoveryCodes.length > 0",
      ],
      [
        "a recovery code is used twice",
        "factor.recoveryCodes.length ? { recoveryCodes } : undefined",
        "factor.recoveryCodes.length ? {} : undefined",
      ],
      [
        "any number of codes is tried",
        "if (!used || !attempt.isAdmitted) return undefined;",
        "if (!used) return undefined;",
      ],
      ["two requests use one code", "if (isWritten) {", "if (isWritten || entry) {"],
      ["an unreadable factor counts as missing", `    unreadable: "error",\n`, ""],
      [
        "a second setup replaces the factor",
        "return factors.putIfAbsent(userId, { key, step, recoveryCodes });",
        "await factors.put(userId, { key, step, recoveryCodes });\n      return true;",
      ],
      [
        "new recovery codes do not replace the earlier ones",
        "redeem(userId, code, client, { recoveryCodes })",
        "redeem(userId, code, client)",
      ],
      [
        "a double click renews recovery codes twice",
        `? "repeated" : "renewed"`,
        `? "renewed" : "renewed"`,
      ],
    ],
  },
  {
    file: "plugins/security/second-factor/management.ts",
    tests: [
      "test/security/second-factor.test.ts",
      "test/security/second-factor-setup.test.ts",
      "test/security/second-factor-pages.test.ts",
    ],
    edits: [
      [
        "a second factor is turned off without a code",
        "if (!(await factors.turnOff(user.id, code, getClient(ctx))))",
        "if (!user.id)",
      ],
    ],
  },
  {
    file: "plugins/security/second-factor/sealed-texts.ts",
    tests: ["test/security/second-factor.test.ts", "test/security/second-factor-setup.test.ts"],
    edits: [
      [
        "a text that was sealed for another user is opened",
        "claims?.sub === userId && typeof claims.text",
        "typeof claims?.text",
      ],
    ],
  },
  {
    file: "plugins/security/second-factor/user.ts",
    tests: ["test/security/second-factor.test.ts", "test/security/second-factor-setup.test.ts"],
    edits: [
      [
        "a user who had only claimed an address sets up a factor for its owner",
        `if (adapter && (await callAdapter(adapter, "getUser", id))) {`,
        "if (adapter === null) {",
      ],
    ],
  },
  {
    file: "plugins/security/second-factor/recovery-codes.ts",
    tests: ["test/security/second-factor.test.ts", "test/security/second-factor-setup.test.ts"],
    edits: [
      [
        "recovery codes are stored in plain text",
        "return sha256Hex(`keyhook recovery code ${code}`);",
        "return code;",
      ],
      [
        "recovery codes are not random",
        "crypto.getRandomValues(new Uint8Array(LENGTH))",
        "new Uint8Array(LENGTH)",
      ],
    ],
  },
  {
    file: "plugins/security/second-factor/totp.ts",
    tests: ["test/security/second-factor.test.ts", "test/security/second-factor-setup.test.ts"],
    edits: [
      [
        "a code is valid for an hour",
        "secret: Secret.fromBase32(key), window, ...time",
        "secret: Secret.fromBase32(key), window: 60, ...time",
      ],
      ["a key has 16 random bits", "new Secret({ size: 20 })", "new Secret({ size: 2 })"],
    ],
  },
  {
    file: "plugins/security/second-factor/setup.ts",
    tests: ["test/security/second-factor-setup.test.ts", "test/attack/second-factor-races.test.ts"],
    edits: [
      [
        "an attacker's second factor remains when the user proves the address during the set-up",
        "    await parts.factors.withdraw(user.id, offer);\n",
        "",
      ],
      [
        "the refused set-up of an attacker removes the owner's factor",
        "await parts.factors.withdraw(user.id, offer);",
        "await parts.factors.remove(user.id);",
      ],
    ],
  },
  {
    file: "plugins/security/second-factor/settings.ts",
    tests: [
      "test/security/second-factor-boot.test.ts",
      "test/security/second-factor-required.test.ts",
      "test/security/second-factor-providers.test.ts",
      "test/security/second-factor.test.ts",
    ],
    edits: [
      [
        "a passkey that was registered without user verification counts as two factors",
        "[verifyAuthenticationOptions, verifyRegistrationOptions].",
        "[verifyAuthenticationOptions].",
      ],
      [
        "a missing decision allows the sign-in",
        `if (typeof decided === "boolean") return decided;`,
        "return Boolean(decided);",
      ],
      [
        "every sign-in skips the second factor",
        `if (provider?.type !== "webauthn") return false;`,
        "if (!provider) return false;",
      ],
      [
        "a passkey without user verification skips the second factor",
        "requireUserVerification !== false",
        "requireUserVerification !== 0",
      ],
    ],
  },
  {
    file: "src/auth/request-memory.ts",
    tests: ["test/security/bearer.test.ts"],
    edits: [
      [
        "a later call of the same request does not send the new token",
        "if (sessionTransport) sessionTransport.forward(headers, [...known.values()]);",
        'if (sessionTransport) headers.delete("x-none");',
      ],
      [
        "a framework that sets cookies one by one gets the session in addition to bearer tokens",
        'if ("cookies" in response) return;\n        for',
        'if ("cookies" in response) for (const { name, value, attributes } of cookies) response.cookies.set(name, value, attributes);\n        else for',
      ],
    ],
  },
  {
    file: "plugins/security/bearer/credentials.ts",
    tests: ["test/security/bearer.test.ts"],
    edits: [
      ["a bearer token may be any text", "[\\w.~+/%-]{1,65536}=*", ".+"],
      ["a bearer token may have any length", "{1,65536}", "+"],
      ["the authorization scheme is not checked", "/^Bearer +(", "/^\\w+ +("],
      [
        "a cleared cookie counts as a token",
        "if (whole && isSet(whole)) return",
        "if (whole) return",
      ],
      [
        "only the first part of a token is sent",
        "    value += part.value;",
        "    value ||= part.value;",
      ],
      [
        "the response does not report the end of a token",
        "return at > 0 || isCleared ?",
        "return at > 0 ?",
      ],
    ],
  },
  {
    file: "plugins/security/bearer.ts",
    tests: ["test/security/bearer.test.ts"],
    edits: [
      [
        "a provider that needs cookies is accepted",
        "kernel.hooks.ready.tap(NAME, () => checkProviders(kernel));",
        "",
      ],
      [
        "a sign-in over https gets no token",
        "return [toPlainName(secure), secure];",
        "return [name];",
      ],
      [
        "a sign-in over http gets no token if its cookie name has a prefix",
        "return [toPlainName(secure), secure];",
        "return [secure];",
      ],
      [
        "a token in the application's own format is refused",
        "return encodeURIComponent(token);",
        "return token;",
      ],
      ["the second factor is accepted", 'conflicts: ["security/second-factor", ', "conflicts: ["],
      ["a refused token has no challenge of its own", 'SessionRequired: "invalid_token",', ""],
      [
        "every 401 blames the token",
        "CHALLENGES[type] : undefined",
        'CHALLENGES[type] ?? "invalid_token" : undefined',
      ],
      [
        "a response is shared by different tokens",
        'own.headers.append("vary", "authorization");',
        "",
      ],
      [
        "a refusal of a plugin's route has no challenge",
        'status === 401 && !own.headers.has("www-authenticate") ? challenge(ctx, own) : own',
        "own",
      ],
      [
        "a redirect is returned as one",
        "if (target === null || !isRedirect) return response;",
        "return response;",
      ],
      ["an error redirects to a page", "toJsonError(ctx, error),", "undefined,"],
    ],
  },
];
