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
        "a form that was open for too long loses the app's request",
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
        "clients are not told that responses contain the issuer",
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
      ["an app has a name with which no session can be stored", " || !isStorable(name)", ""],
      [
        "a program on another host counts as one on this machine",
        String.raw`(?::\d{1,5})?(\/`,
        String.raw`(?::\d{1,5})?.*(\/`,
      ],
      [
        "a redirect URI that has one of the app's as prefix is accepted",
        "withoutPort(known) === withoutPort(uri)",
        "withoutPort(uri).startsWith(withoutPort(known))",
      ],
      ["an invalid port causes a server error", "isKnown && URL.canParse(uri)", "isKnown"],
      [
        "any app may use the scheme of another",
        'url.protocol.includes(".")',
        'url.protocol.includes(":")',
      ],
      [
        "a code is sent over an unencrypted network",
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
        "links of strangers to the site redirect visitors to an app",
        "  const request = readRequest(parts, ctx);\n  if (!wantsJson(ctx.request) &&",
        "  const request = readRequest(parts, ctx);\n  if (request.error !== undefined) return leadToApp(ctx, request, { error: request.error });\n  if (!wantsJson(ctx.request) &&",
      ],
      ["of two values of a parameter, the first is used", "values.length === 1", "values.length"],
      [
        "the browser is redirected to any URI",
        "redirectUri === undefined || !isRedirectUri(app, redirectUri)",
        "redirectUri === undefined",
      ],
      [
        "a challenge may be any text",
        '.test(readOne(params, "code_challenge") ?? "")',
        '.test("A".repeat(43))',
      ],
      ["a challenge may be the verifier itself", ' === "S256"', ' !== "none"'],
      ["a target that the browser drops is accepted", "href.length <= MAX_URL_LENGTH &&", ""],
      [
        "a form without a decision allows the app",
        'deny !== undefined || allow !== "1"',
        "deny !== undefined",
      ],
      ["a refusal allows the app", 'deny !== undefined || allow !== "1"', 'allow !== "1"'],
      ["apps cannot tell which server has responded", ", iss: ctx.base", ""],
      [
        "Chrome blocks the redirect after the form",
        '"form-action": new URL(request.redirectUri).protocol',
        "",
      ],
      [
        "a visitor without a session gets an error",
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
        "the description of an app's session comes from the app's request",
        "    description,\n    outcome",
        "    outcome",
      ],
      [
        "a session that was ended in the browser continues for an app",
        "if (session !== undefined) {",
        "if (false) {",
      ],
      [
        "the session of another user is accepted",
        "!lasts || String(found.user.id) !== id",
        "String(found?.user.id ?? id) !== id",
      ],
      [
        "ending all sessions does not end the app's",
        '!adapter || (await kernel.use("storedUsers").endedLogins.hasEnded(id, ended))',
        "!adapter",
      ],
      [
        "a user allows any number of apps",
        'await admitOne(limiter(ALLOWED, "consent", id), "A user has allowed too many apps.");',
        "",
      ],
      [
        "`absoluteMaxAge` restarts with an app",
        "time === undefined && absoluteMaxAge !== undefined",
        "false",
      ],
      ["a changed address is not noticed", "!user || (user.email ?? null) !== email", "!user"],
      [
        "a user who had only claimed the address gets a session of its owner",
        "getVerifiedAt(user) === verifiedAt ? user : undefined",
        "user",
      ],
      [
        "a session from before the proof of the address is accepted",
        'throw new SessionRequired("The session began before the user\'s address was verified.");',
        "",
      ],
      ["the session does not contain a verified address", "...(stored && { emailVerified }),", ""],
      [
        "a claimed address counts as unreported",
        "= opensUsers(ctx.kernel) ? false : undefined } = findAddressRow(user)",
        "} = { emailVerified: findAddressRow(user).emailVerified || undefined }",
      ],
      [
        "an unreported address can be proved without ending the session",
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
        "a leaked code can be tried repeatedly",
        'if (kind === "code" && !grant.isUsed) await grants.compareAndSet(key, entry, used, KEPT);',
        "",
      ],
      [
        "a wrong verifier hides a second use of the code",
        'if (kind === "code" && !grant.isUsed) await grants.compareAndSet(key, entry, used, KEPT);',
        'if (kind === "code") await grants.delete(key);',
      ],
      [
        "a user's consent applies to another grant",
        "opened?.grant === bind(key, grant) ? opened",
        "opened ? opened",
      ],
      ["a second use misses the session of the first", "tries < 3", "tries < 1"],
      [
        "a valid user code is distinguishable from an invalid one",
        "return unknown;\n      }",
        "return INVALID;\n      }",
      ],
      [
        "an end during the creation of the session does not affect the app",
        "if (!(await toLogin(ctx, app, limited.has(ctx) ? rest : consent))) return undefined;",
        "",
      ],
      [
        "the session of an app never replaces the browser's at the limit",
        'reason === "limit"',
        "false",
      ],
      [
        "a session that no app receives is kept",
        "if (!session) await kernel.strategy.destroy(ctx);",
        "",
      ],
      [
        "knowledge of a user code suffices to end it",
        'kind === "code" && !grant.isUsed',
        "!grant.isUsed",
      ],
      ["a code works twice", "if (grant.isUsed) return refuseSecond(ctx, key);", ""],
      [
        "a code works for several concurrent requests",
        "if (!(await grants.compareAndSet(key, entry, used, KEPT))) return refuseSecond(ctx, key);",
        "await grants.compareAndSet(key, entry, used, KEPT);",
      ],
      [
        "a second use of a code ends no session",
        "if (used) await endSession(",
        "if (!used) await endSession(",
      ],
      [
        "a denied device keeps waiting",
        'if (grant.isDenied) return { error: "access_denied" };',
        "",
      ],
      [
        "a device may poll as often as it likes",
        'isInTime ? "authorization_pending" : "slow_down"',
        '"authorization_pending"',
      ],
      ["a decision can be changed", "!entry || entry.value.isDenied ||", "!entry ||"],
      [
        "two decisions on one code both count",
        "return grants.compareAndSet(key, entry, { ...entry.value, ...decision });",
        "return grants.put(key, { ...entry.value, ...decision }, { ttl: 60_000 }).then(() => true);",
      ],
      [
        "the sign-in of an app emits no event",
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
