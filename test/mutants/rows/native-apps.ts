import type { Mutants } from "../_mutant.ts";

const TESTS = [
  "test/security/native-apps.test.ts",
  "test/security/native-apps-devices.test.ts",
  "test/security/native-apps-boot.test.ts",
  "test/attack/native-apps.test.ts",
  "test/attack/native-apps-claims.test.ts",
  "test/attack/native-apps-grants.test.ts",
];

export const NATIVE_APPS: readonly Mutants[] = [
  {
    file: "plugins/security/native-apps.ts",
    tests: TESTS,
    edits: [
      [
        "the token endpoint reads and sets the cookies of a browser",
        "csrf: false, cookies: false, ",
        "csrf: false, ",
      ],
      [
        "a form that was open for too long loses what the app has asked for",
        "kernel.hooks.error.tap(NAME, askAgain);",
        "",
      ],
      ["an app has the id of a provider", "checkIds(it, apps);", ""],
      ["an Auth that reads no cookies shows pages", 'conflicts: ["security/bearer"],', ""],
    ],
  },
  {
    file: "plugins/security/native-apps/metadata.ts",
    tests: ["test/security/native-apps-client.test.ts"],
    edits: [
      [
        "clients learn that no response states its issuer",
        "authorization_response_iss_parameter_supported: true,",
        "authorization_response_iss_parameter_supported: false,",
      ],
      ["clients learn of a weaker challenge", '["S256"]', '["S256", "plain"]'],
    ],
  },
  {
    file: "plugins/security/native-apps/apps.ts",
    tests: TESTS,
    edits: [
      ["an app has a name that no session can be stored with", " || !isStorable(name)", ""],
      [
        "a program of another host is taken for one of this machine",
        String.raw`(?::\d{1,5})?(\/`,
        String.raw`(?::\d{1,5})?.*(\/`,
      ],
      [
        "a redirect URI that begins like one of the app leads there",
        "withoutPort(known) === withoutPort(uri)",
        "withoutPort(uri).startsWith(withoutPort(known))",
      ],
      [
        "a port that is none leads to an error of the server",
        "isKnown && URL.canParse(uri)",
        "isKnown",
      ],
      [
        "any app may claim the scheme of another",
        'url.protocol.includes(".")',
        'url.protocol.includes(":")',
      ],
      [
        "a code is sent over a network in the open",
        'url.protocol === "http:" && !LOOPBACK.test(text)',
        "false",
      ],
      ["a fragment hides a code from the app", 'text.includes("#")', "false"],
    ],
  },
  {
    file: "plugins/security/native-apps/authorize.ts",
    tests: TESTS,
    edits: [
      [
        "strangers' links to the site lead visitors on to an app",
        "  const request = readRequest(parts, ctx);\n  if (!wantsJson(ctx.request) &&",
        "  const request = readRequest(parts, ctx);\n  if (request.error !== undefined) return leadToApp(ctx, request, { error: request.error });\n  if (!wantsJson(ctx.request) &&",
      ],
      ["of two values of a parameter, the first counts", "values.length === 1", "values.length"],
      [
        "the browser is led to any URI",
        "redirectUri === undefined || !isRedirectUri(app, redirectUri)",
        "redirectUri === undefined",
      ],
      [
        "a challenge may be any text",
        '.test(readOne(params, "code_challenge") ?? "")',
        '.test("A".repeat(43))',
      ],
      ["a challenge may be the verifier itself", ' === "S256"', ' !== "none"'],
      ["a target that the browser forgets is accepted", "href.length <= MAX_URL_LENGTH &&", ""],
      [
        "who does not decide has allowed it",
        'deny !== undefined || allow !== "1"',
        "deny !== undefined",
      ],
      ["who denies it has allowed it", 'deny !== undefined || allow !== "1"', 'allow !== "1"'],
      ["apps cannot tell which server has responded", ", iss: ctx.base", ""],
      [
        "Chrome leads nowhere after the form",
        '"form-action": new URL(request.redirectUri).protocol',
        "",
      ],
      [
        "who is not signed in gets an error",
        "!wantsJson(ctx.request) && !(await ctx.session())",
        "false",
      ],
    ],
  },
  {
    file: "plugins/security/native-apps/consent.ts",
    tests: TESTS,
    edits: [
      [
        "the session of an app is fresher than the sign-in",
        "    authTime,\n    description",
        "    description",
      ],
      [
        "the session of an app is described by what the app sends",
        "    description,\n    outcome",
        "    outcome",
      ],
      [
        "a session that was ended in the browser lasts for an app",
        "if (session !== undefined) {",
        "if (false) {",
      ],
      [
        "the session of another user counts",
        "!lasts || String(found.user.id) !== id",
        "String(found?.user.id ?? id) !== id",
      ],
      [
        "who has ended all sessions has not ended the one of an app",
        '!adapter || (await kernel.use("storedUsers").endedLogins.hasEnded(id, ended))',
        "!adapter",
      ],
      [
        "a user allows any number of apps",
        'await admitOne(limiter(ALLOWED, "consent", id), "A user has allowed too many apps.");',
        "",
      ],
      [
        "`absoluteMaxAge` starts anew with an app",
        "time === undefined && absoluteMaxAge !== undefined",
        "false",
      ],
      ["another address is not noticed", "!user || (user.email ?? null) !== email", "!user"],
      [
        "who had claimed the address gets a session of its owner",
        "getVerifiedAt(user) === verifiedAt ? user : undefined",
        "user",
      ],
      [
        "a session from before the proof of the address counts",
        'throw new SessionRequired("The session began before the user\'s address was verified.");',
        "",
      ],
      ["a verified address is not one in the session", "...(stored && { emailVerified }),", ""],
      [
        "a claimed address is one of which nothing is known",
        "= opensUsers(ctx.kernel) ? false : undefined } = findAddressRow(user)",
        "} = { emailVerified: findAddressRow(user).emailVerified || undefined }",
      ],
      [
        "an address of which nothing is known may be proved without ending the session",
        "opensUsers(ctx.kernel) ? false : undefined",
        "undefined",
      ],
    ],
  },
  {
    file: "plugins/security/native-apps/grants.ts",
    tests: TESTS,
    edits: [
      ["any verifier redeems a code", "!isSame || grant.app !== app.id", "grant.app !== app.id"],
      ["another app redeems a code", "grant.app !== app.id ||", ""],
      ["a code is redeemed with another URI", " || grant.redirectUri !== redirectUri", ""],
      [
        "a code that leaked can be tried on",
        'if (kind === "code" && !grant.isUsed) await grants.compareAndSet(key, entry, used, KEPT);',
        "",
      ],
      [
        "a wrong verifier hides that a code was used twice",
        'if (kind === "code" && !grant.isUsed) await grants.compareAndSet(key, entry, used, KEPT);',
        'if (kind === "code") await grants.delete(key);',
      ],
      [
        "what a user has allowed is good for another grant",
        "opened?.grant === bind(key, grant) ? opened",
        "opened ? opened",
      ],
      ["a second use overlooks the session of the first", "tries < 3", "tries < 1"],
      [
        "a user code that is live is told from one that is not",
        "return unknown;\n      }",
        "return INVALID;\n      }",
      ],
      [
        "what ends while the session is created lasts for an app",
        "if (!(await toLogin(ctx, app, limited.has(ctx) ? rest : consent))) return undefined;",
        "",
      ],
      ["an app never takes the place of the browser's session", 'reason === "limit"', "false"],
      ["a session that no app gets lasts", "if (!session) await kernel.strategy.destroy(ctx);", ""],
      ["who knows a user code can end it", 'kind === "code" && !grant.isUsed', "!grant.isUsed"],
      ["a code is good twice", "if (grant.isUsed) return refuseSecond(ctx, key);", ""],
      [
        "a code is good for several requests at once",
        "if (!(await grants.compareAndSet(key, entry, used, KEPT))) return refuseSecond(ctx, key);",
        "await grants.compareAndSet(key, entry, used, KEPT);",
      ],
      [
        "a code that was used twice ends no session",
        "if (used) await endSession(",
        "if (!used) await endSession(",
      ],
      ["a denied device waits on", 'if (grant.isDenied) return { error: "access_denied" };', ""],
      [
        "a device may ask as often as it likes",
        'isInTime ? "authorization_pending" : "slow_down"',
        '"authorization_pending"',
      ],
      ["a decision can be changed", "!entry || entry.value.isDenied ||", "!entry ||"],
      [
        "of two decisions, both count",
        "return grants.compareAndSet(key, entry, { ...entry.value, ...decision });",
        "return grants.put(key, { ...entry.value, ...decision }, { ttl: 60_000 }).then(() => true);",
      ],
      [
        "the sign-in of an app is not reported",
        'await kernel.emit("signIn", { user, account }, ctx);',
        "",
      ],
    ],
  },
  {
    file: "plugins/security/native-apps/device.ts",
    tests: TESTS,
    edits: [
      [
        "another site fills in the code of its own device",
        "return isOpened ?",
        "return isOpened !== undefined ?",
      ],
      [
        "an app without devices gets codes",
        "if (!app.device) return",
        "if (app.device === undefined) return",
      ],
      [
        "a client starts any number of codes",
        'await admitOne(started, "A client has requested too many device codes.");',
        "",
      ],
      [
        "clients whose address is not known lock each other out",
        "client === undefined ? STARTED_BY_ALL : STARTED",
        "STARTED",
      ],
      ["codes can be guessed", "if (await admitAll(counters)) return undefined;", ""],
      [
        "right codes are counted too",
        "await Promise.all(counters.map((counter) => counter.refund()));",
        "",
      ],
      [
        "a user who denies a device has allowed it",
        "deny === undefined ? await takeConsent(parts.limiter, ctx) : null",
        "await takeConsent(parts.limiter, ctx)",
      ],
      ["a link allows a device", 'if (deny !== undefined || allow === "1") {', "if (true) {"],
    ],
  },
  {
    file: "plugins/security/native-apps/token.ts",
    tests: TESTS,
    edits: [
      ["a verifier may be short", "VERIFIER.test(verifier);", "true;"],
      [
        "an app without devices redeems the code of one",
        "if (!app.device)",
        "if (app.device === undefined)",
      ],
    ],
  },
];
