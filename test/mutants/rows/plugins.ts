import type { Mutants } from "../_mutant.ts";

export const PLUGINS: readonly Mutants[] = [
  {
    file: "plugins/security/second-factor/attempts.ts",
    tests: ["test/security/second-factor-limits.test.ts"],
    edits: [
      [
        "codes of another client lock the user out",
        'limiter(CLIENT, "client", ...subject)',
        'limiter(CLIENT, "client", userId)',
      ],
      [
        "a client uses up what all have",
        '[short, limiter(CLIENT_DAY, "client-day", ...subject)]',
        "[short]",
      ],
      ["all clients together have no limit", 'kind === "code" ? [ofUser(userId)] : []', "[]"],
      ["a sign-in gives others more guesses", "one.refund()", "one.reset()"],
      [
        "wrong codes lock recovery codes too",
        'limiter(CLIENT, "recovery", ...subject)',
        'limiter(CLIENT, "client", ...subject)',
      ],
    ],
  },
  {
    file: "plugins/flows/email/newest.ts",
    tests: ["test/flows/email-short-tokens.test.ts"],
    edits: [
      ["a code is accepted beside a newer one", "text.length >= LONG", "text.length > 0"],
      [
        "of codes that are requested at once several are accepted",
        "if (isDone) return",
        "if (isDone || before) return",
      ],
      ["a code that is generated twice is withdrawn", "before.delete(token);", ""],
      ["a token that could be guessed stays beside the next one", "LONG = 22", "LONG = 21"],
      [
        "a code is mailed whose predecessor is accepted still",
        "else if (!(error instanceof PluginError)) throw error;",
        "",
      ],
      ["the newest code is forgotten with the first", "before, token, { ttl }", "before, token"],
    ],
  },
  {
    file: "plugins/flows/credentials.ts",
    tests: [
      "test/flows/credentials.test.ts",
      "test/attack/credentials.test.ts",
      "test/security/rate-limit.test.ts",
    ],
    edits: [
      [
        "a client tries any number of passwords of an account",
        `by: "account+client", max: 5`,
        `by: "account+client", max: 500_000`,
      ],
      [
        "all clients together try any number of passwords of an account",
        `{ ...WRONG, by: "account", max: 20 }`,
        `{ ...WRONG, by: "account", max: 500_000 }`,
      ],
      [
        "objects reach authorize",
        `if (typeof value !== "string") {`,
        `if (typeof value === "symbol") {`,
      ],
      [
        "undeclared fields reach authorize",
        "names.length ? names : Object.keys(body)",
        "Object.keys(body)",
      ],
      [
        "inherited fields reach authorize",
        "if (Object.hasOwn(body, name)) picked",
        "if (name in body) picked",
      ],
      [
        "true is a user",
        `if (typeof user !== "object" || Array.isArray(user)) {`,
        `if (typeof user === "number") {`,
      ],
      [
        "users without an id share an account",
        "if (isId) return String(id);",
        "return String(id);",
      ],
    ],
  },
  {
    file: "plugins/strategies/database.ts",
    tests: ["test/kernel/config-function.test.ts"],
    edits: [
      [
        "a session ends with that of another application",
        "          { perApplication: true },\n",
        "",
      ],
    ],
  },
  {
    file: "plugins/flows/email/requests.ts",
    tests: ["test/kernel/config-function.test.ts"],
    edits: [
      [
        "an application sends no e-mail where another one has",
        "    { perApplication: true },\n",
        "",
      ],
    ],
  },
  {
    file: "plugins/strategies/database/stored.ts",
    tests: [
      "test/security/native-apps.test.ts",
      "test/strategies/database.test.ts",
      "test/strategies/hybrid.test.ts",
      "test/attack/tossed-cookies.test.ts",
      "test/adapters/session-limit.test.ts",
      "test/spec/addresses.test.ts",
    ],
    edits: [
      [
        "`absoluteMaxAge` counts from the session of an app",
        "authTime + absoluteMaxAge",
        "Date.now() / 1000 + absoluteMaxAge",
      ],
      [
        "the token is shown to scripts",
        "if (shaped.sessionToken !== token) return shaped;",
        "if (token) return shaped;",
      ],
      ["a claim of a hybrid session is a credential", " && !isSealedToken(token)", ""],
      [
        "a user has any number of sessions",
        "        await limit(ctx, row.userId, kept, made);\n",
        "",
      ],
      [
        "a session that was planted before the sign-in goes on",
        "for (const one of old) await endSession(ctx, one, memory);",
        "",
      ],
      [
        "of several sessions the one that a sibling host has set counts",
        "getStart(one) - getStart(other)",
        "getStart(other) - getStart(one)",
      ],
      [
        "an expired session is read",
        "found.filter(({ expires }) => expires > Date.now())",
        "[...found]",
      ],
      [
        "the sessions of several users are not noticed",
        "return new Set(owners).size > 1;",
        "return owners.length < 0;",
      ],
    ],
  },
  {
    file: "plugins/strategies/_database/user-agent.ts",
    tests: ["test/strategies/user-agent.test.ts"],
    edits: [
      [
        "a session in the web view of an app is called by a browser",
        '  ["", /; wv',
        '  ["Chrome", /; wv',
      ],
      [
        "all of a header is looked at, however long it is",
        "header?.slice(0, MAX_LENGTH)",
        "header",
      ],
      [
        "a session of a client that is not known is called by its header",
        'names.join(", ") || undefined',
        'names.join(", ") || (header ?? undefined)',
      ],
    ],
  },
  {
    file: "plugins/strategies/_database/rows.ts",
    tests: [
      "test/strategies/session-descriptions.test.ts",
      "test/security/native-apps.test.ts",
      "test/strategies/database.test.ts",
      "test/strategies/hybrid.test.ts",
      "test/attack/tossed-cookies.test.ts",
      "test/adapters/session-limit.test.ts",
      "test/spec/addresses.test.ts",
    ],
    edits: [
      [
        "a stored session of an app begins when it is created",
        "authTime ?? Date.now() / 1000",
        "Date.now() / 1000",
      ],
      [
        "a session is extended once in a process, by an adapter without extendSession",
        ".finally(() => extensions.delete(token))",
        "",
      ],
      [
        "an adapter of Auth.js gets a description of the browser",
        "if (adapter.listSessionsByUserId) {",
        "if (adapter) {",
      ],
      [
        "the whole header of the browser is stored with a session",
        'return describeUserAgent(request.headers.get("user-agent"));',
        'return describeUserAgent("") ?? request.headers.get("user-agent") ?? undefined;',
      ],
      [
        "a session is read beyond its absolute lifetime",
        "const end = getAbsoluteEnd(token, ctx.kernel.config) ?? Infinity;",
        "const end = Infinity;",
      ],
      [
        "a session is extended beyond its absolute lifetime",
        "Math.min(Date.now() + maxAge * 1000, getAbsoluteEnd(token, config) ?? expires)",
        "Date.now() + maxAge * 1000",
      ],
      [
        "an adapter of Auth.js bounds sessions by a number that it has not counted",
        "adapter.limitSessions && most <= maxPerUser",
        "most <= maxPerUser",
      ],
      [
        "a session that ended here is read from a replica",
        "ended.get(hash) ? null : find(ctx, token)",
        "find(ctx, hash && token)",
      ],
      ["a token of few characters is a session", "/^[ -~]{16,2000}$/", "/^[ -~]{1,2000}$/"],
      ["a session token may be any text", "/^[ -~]{1,2048}$/", "/^[^]*$/"],
      [
        "who claimed an address stays signed in after its proof",
        "const expires = isSuperseded(token, found.user)\n      ? 0\n      :",
        "const expires =",
      ],
    ],
  },
  {
    file: "plugins/strategies/hybrid/ended.ts",
    tests: ["test/strategies/hybrid.test.ts"],
    edits: [
      [
        "the sessions of a user that are deleted go on",
        "users.set(String(first), Date.now())",
        "undefined",
      ],
      ["a session that is deleted by its token goes on", "tokens.set(hash, true);", "void hash;"],
      ["what a sign-in has ended goes on", "if (endedCount) users", "if (!users) users"],
    ],
  },
  {
    file: "plugins/strategies/hybrid/strategy.ts",
    tests: ["test/strategies/hybrid.test.ts"],
    edits: [
      [
        "a stored session of another user is the session of the cookie",
        "return String(found.user.id) === claims.sub ? { ...found, claims } : null;",
        "return { ...found, claims };",
      ],
      [
        "a stored session that has expired gives access",
        "if (!claims || !found || found.expires <= Date.now()) return null;",
        "if (!claims || !found) return null;",
      ],
      [
        "a sign-out with the cookies of two sessions ends neither",
        "if (found && found.expires > Date.now()) live.push(one);",
        "",
      ],
      [
        "a session is stored for less time than its cookie lasts",
        "maxAge + updateAge + checkAge",
        "maxAge",
      ],
      [
        "a session that ended here goes on until the check",
        "if (ended.tokens.get(hash)) return null;",
        "",
      ],
      [
        "the sessions of a user that ended here go on until the check",
        "return Math.min(kernel.config.session.checkAge * 1000, sinceEnd);",
        "return kernel.config.session.checkAge * 1000;",
      ],
      ["a session is never looked up", "if (age >= 0 && age < maxAge)", "if (age < Infinity)"],
      ["a clock that was ahead delays the check", "age >= 0 && age < maxAge", "age < maxAge"],
      [
        "a session that is not stored any more goes on",
        "if (expires === null || expires <= Date.now()) return null;",
        "",
      ],
      [
        "a session that was planted before the sign-in goes on",
        "const done = async () => void (await endAll(ctx, old));",
        "const done = async () => {};",
      ],
      [
        "a user has any number of sessions",
        "          await limit(ctx, userId, stored, made);\n",
        "",
      ],
      [
        "a sign-out leaves the stored session",
        "const ended = await endAll(ctx, own);",
        "const ended: Ended[] = [];",
      ],
      [
        "the cookie of a session that has ended makes the others ambiguous",
        "if (found && found.expires > Date.now()) live.push(one);",
        "live.push(one);",
      ],
      [
        "what is read of several sessions is not what may be changed",
        "    if (cookies.isRepeated(name)) return 0;\n",
        "",
      ],
    ],
  },
  {
    file: "plugins/strategies/_jwt/strategy.ts",
    tests: [
      "test/strategies/jwt.test.ts",
      "test/strategies/database.test.ts",
      "test/spec/addresses.test.ts",
      "test/attack/tossed-cookies.test.ts",
      "test/attack/sealed-tokens.test.ts",
      "test/kernel/link.test.ts",
    ],
    edits: [
      ["a claim that a tap removes comes back", " && Object.keys(before).every(isEqual)", ""],
      ["a session that was signed out of is extended", "if (session.hasEnded()) return live;", ""],
      [
        "a cookie that was written before the sign-out arrives",
        "    clearToken(ctx);\n    return null;\n  });",
        "    return session;\n  });",
      ],
      [
        "an object that a tap changes in place is not stored",
        "if (names.some((name) => Object(token[name]) === token[name]))",
        "if (!names.length)",
      ],
      [
        "a client writes whose session it is",
        "isOfClient ? withOwner(token, before) : token",
        "token",
      ],
      [
        "a client writes whose session it is, where a tap changes the token in place",
        "jwt.isUsed() ? { ...own } : own",
        "own",
      ],
      [
        "who claimed an address stays signed in after its proof",
        "if (!users) return checked;",
        "return checked;",
      ],
      [
        "the sessions of several users are not noticed",
        "new Set(owners).size > 1",
        "new Set(owners).size > 99",
      ],
      [
        "a tossed cookie of a session that the application ends signs the visitor out",
        "if (ctx.cookies.isRepeated(name)) return passOther(ctx, ended, pass);",
        "",
      ],
    ],
  },
  {
    file: "plugins/strategies/_jwt/ended.ts",
    tests: ["test/strategies/jwt.test.ts"],
    edits: [
      [
        "a read that began before the last renewal brings the session back after the sign-out",
        "renewed.get(hash) ?? hash",
        "hash",
      ],
    ],
  },
  {
    file: "plugins/strategies/_jwt/claims.ts",
    tests: [
      "test/security/native-apps.test.ts",
      "test/strategies/jwt.test.ts",
      "test/strategies/database.test.ts",
      "test/spec/addresses.test.ts",
      "test/kernel/fresh-session.test.ts",
      "test/attack/claimed-address.test.ts",
      "test/attack/native-apps-claims.test.ts",
    ],
    edits: [
      ["a token of an app begins when it is created", "authTime ?? Math.max(", "Math.max("],
      [
        "a session that began before the proof of its address is lifted over it",
        "authTime ?? Math.max(now(), getVerifiedAt(user))",
        "Math.max(authTime ?? now(), getVerifiedAt(user))",
      ],
      [
        "a callback states when the user signed in",
        '["auth_time", VERIFIED, ORIGIN, NAMESPACE, STORED, CHECKED]',
        "[VERIFIED, ORIGIN, NAMESPACE, STORED, CHECKED]",
      ],
    ],
  },
  {
    file: "plugins/strategies/_jwt/cookie.ts",
    tests: [
      "test/strategies/jwt.test.ts",
      "test/strategies/database.test.ts",
      "test/spec/addresses.test.ts",
      "test/attack/tossed-cookies.test.ts",
      "test/attack/sealed-tokens.test.ts",
      "test/kernel/link.test.ts",
    ],
    edits: [
      [
        "an expired session is read",
        "isLive(stored.token, ctx.kernel) && isOwn(ctx, stored.token)",
        "isOwn(ctx, stored.token)",
      ],
      [
        "a token of another origin is a session",
        "if (stored && jwt.bindOrigin && stored.token[ORIGIN] !== ctx.origin) {",
        "if (stored === undefined) {",
      ],
      [
        "a token of another tenant is a session",
        "if (stored && stored.token[NAMESPACE] !== storeNamespace) {",
        "if (stored === undefined) {",
      ],
      [
        "of several sessions the one that a sibling host has set counts",
        "return opened.sort((one, other) => compareStart(one.token, other.token));",
        "return opened.reverse();",
      ],
      [
        "a token of any size is a cookie",
        "if (length > maxSize && length >",
        "if (length > 1e9 && length >",
      ],
      [
        "a client fills the log with updates that are too large",
        'defineError("SessionTooLarge", SessionTooLarge, 413, "public", "debug")',
        'defineError("SessionTooLarge", SessionTooLarge, 413, "public", "error")',
      ],
    ],
  },
  {
    file: "plugins/strategies/_jwt/times.ts",
    tests: ["test/strategies/jwt.test.ts", "test/strategies/database.test.ts"],
    edits: [
      [
        "a session has no absolute end",
        "Math.min(exp, extended + session.maxAge, last ?? Infinity)",
        "Math.min(exp, extended + session.maxAge)",
      ],
      [
        "a session is extended beyond its absolute end",
        "return Math.min(idle, getAbsoluteEnd(token, kernel) ?? Infinity);",
        "return idle;",
      ],
      [
        "a session whose start is unknown is extended",
        `return typeof began === "number" ? Math.floor(began) + absoluteMaxAge : undefined;`,
        `return typeof began === "number" ? Math.floor(began) + absoluteMaxAge : Infinity;`,
      ],
    ],
  },
  {
    file: "plugins/strategies/database/auth-time.ts",
    tests: [
      "test/security/native-apps.test.ts",
      "test/kernel/fresh-session.test.ts",
      "test/strategies/database.test.ts",
      "test/security/bearer.test.ts",
    ],
    edits: [
      ["the session of an app is as fresh as its row", "readToken(token) ?? Infinity", "Infinity"],
      [
        "`absoluteMaxAge` starts anew with an app when its cookie has ended",
        "(await openCookie(ctx, token)) ?? readToken(token)",
        "openCookie(ctx, token)",
      ],
      ["the age of another session counts", "kept?.session === session && ", ""],
      ["a time of the future is one of a sign-in", " && began <= Date.now() / 1000", ""],
    ],
  },
  {
    file: "plugins/strategies/_database/unverified-session.ts",
    tests: [
      "test/strategies/database.test.ts",
      "test/spec/addresses.test.ts",
      "test/spec/session.test.ts",
    ],
    edits: [
      [
        "the session of who claimed an address goes on after its proof",
        "return Boolean(emailVerified) && (token.startsWith(MARK) || MARKED_UUID.test(token));",
        "return false;",
      ],
      [
        "a session of generateSessionToken goes on after the proof",
        "(token.startsWith(MARK) || MARKED_UUID.test(token))",
        "MARKED_UUID.test(token)",
      ],
      [
        "a provider that says nothing proves the address",
        "emailVerified !== true && Boolean",
        "emailVerified === false && Boolean",
      ],
    ],
  },
  {
    file: "plugins/pages/account/page.ts",
    tests: [
      "test/kernel/fresh-session.test.ts",
      "test/pages/account.test.ts",
      "test/flows/webauthn-account.test.ts",
    ],
    edits: [
      ["an account is changed in an old session", "  await checkFreshness(ctx);\n", ""],
      [
        "the account of a passkey is unlinked without it",
        "if (isPasskeyAccount(kernel, found))",
        "if (!kernel)",
      ],
      ["the account page of a deleted user fails", "current && user ? {", "current ? {"],
      ["a change that failed says nothing", "if (failed !== null) return", "if (failed) return"],
      [
        "nobody learns that other sessions were ended",
        `  await ctx.kernel.emit("endSession", message, ctx);\n`,
        "",
      ],
      ["an end of no session is told", "  if (count === 0) return true;\n", ""],
    ],
  },
  {
    file: "plugins/observability/inspector/local.ts",
    tests: [
      "test/observability/inspector.test.ts",
      "test/observability/inspector-sign-in-as.test.ts",
    ],
    edits: [
      [
        "a client without an address signs in as any user",
        "ctx.ip !== undefined && isLocal(ctx)",
        "isLocal(ctx)",
      ],
      ["the inspector answers another host", "hosts.every(isLoopbackHost) &&\n    ", ""],
      [
        "the inspector answers another machine",
        "ips.every((one) => LOOPBACK_IP.test(one)) &&\n    ",
        "",
      ],
      [
        "a host that begins with localhost is this machine",
        "127(?:\\.\\d{1,3}){3}|\\[::1\\])$/;",
        "127(?:\\.\\d{1,3}){3}|\\[::1\\])/;",
      ],
    ],
  },
];
