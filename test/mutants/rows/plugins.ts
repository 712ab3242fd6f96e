import type { Mutants } from "../_mutant.ts";

export const PLUGINS: readonly Mutants[] = [
  {
    file: "plugins/security/second-factor/attempts.ts",
    tests: ["test/security/second-factor-limits.test.ts"],
    edits: [
      [
        "code attempts of another client lock the user out",
        'limiter(CLIENT, "client", ...subject)',
        'limiter(CLIENT, "client", userId)',
      ],
      [
        "a client uses up the attempts of all clients",
        '[short, limiter(CLIENT_DAY, "client-day", ...subject)]',
        "[short]",
      ],
      [
        "there is no limit for all clients together",
        'kind === "code" ? [ofUser(userId)] : []',
        "[]",
      ],
      ["a sign-in resets the attempts of others", "one.refund()", "one.reset()"],
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
      ["a code is accepted next to a newer one", "text.length >= LONG", "text.length > 0"],
      [
        "several concurrently requested codes are accepted",
        "if (isDone) return",
        "if (isDone || before) return",
      ],
      ["a code that is generated twice is withdrawn", "before.delete(token);", ""],
      ["a guessable token remains next to the newer one", "LONG = 22", "LONG = 21"],
      [
        "a code is sent although its predecessor is still accepted",
        "if (!(error instanceof StoreError)) throw error;",
        "if (!(error instanceof Error)) throw error;",
      ],
      ["the newest code expires with the first", "before, token, { ttl }", "before, token"],
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
        "true counts as a user",
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
        "        { perApplication: true },\n",
        "",
      ],
    ],
  },
  {
    file: "plugins/flows/email/requests.ts",
    tests: ["test/kernel/config-function.test.ts"],
    edits: [
      [
        "an application sends no e-mail if another has sent one",
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
        "`absoluteMaxAge` counts from the start of the app's session",
        "authTime + absoluteMaxAge",
        "Date.now() / 1000 + absoluteMaxAge",
      ],
      [
        "the token is exposed to scripts",
        "if (shaped.sessionToken !== token) return shaped;",
        "if (token) return shaped;",
      ],
      ["a claim of a hybrid session works as a credential", " && !isSealedToken(token)", ""],
      [
        "a user has any number of sessions",
        "        await limit(ctx, row.userId, kept, created);\n",
        "",
      ],
      [
        "a session that was planted before the sign-in continues",
        "for (const one of old) await endSession(ctx, one, memory);",
        "",
      ],
      [
        "of several sessions, the one that a sibling host set is used",
        "getStart(one) - getStart(other)",
        "getStart(other) - getStart(one)",
      ],
      [
        "an expired session is accepted",
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
        "a session in an app's web view is described as a browser",
        '  ["", /; wv',
        '  ["Chrome", /; wv',
      ],
      ["a header of any length is parsed", "header?.slice(0, MAX_LENGTH)", "header"],
      [
        "a session of an unknown client is described by its header",
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
        "the stored session of an app starts at its creation",
        "authTime ?? Date.now() / 1000",
        "Date.now() / 1000",
      ],
      [
        "an adapter without extendSession extends a session only once in a process",
        ".finally(() => extensions.delete(token))",
        "",
      ],
      [
        "an Auth.js adapter gets a description of the browser",
        "if (adapter.listSessionsByUserId) {",
        "if (adapter) {",
      ],
      [
        "the whole User-Agent is stored with a session",
        'return describeUserAgent(request.headers.get("user-agent"));',
        'return describeUserAgent("") ?? request.headers.get("user-agent") ?? undefined;',
      ],
      [
        "a session is accepted beyond its absolute lifetime",
        "const end = getAbsoluteEnd(token, ctx.kernel.config) ?? Infinity;",
        "const end = Infinity;",
      ],
      [
        "a session is extended beyond its absolute lifetime",
        "Math.min(Date.now() + maxAge * 1000, getAbsoluteEnd(token, config) ?? expires)",
        "Date.now() + maxAge * 1000",
      ],
      [
        "an Auth.js adapter limits sessions by a number that it has not counted",
        "adapter.limitSessions && most <= maxPerUser",
        "most <= maxPerUser",
      ],
      [
        "a session that ended here is read from a replica",
        "ended.get(hash) ? null : find(ctx, token)",
        "find(ctx, hash && token)",
      ],
      ["a token of few characters is accepted", "/^[ -~]{16,2000}$/", "/^[ -~]{1,2000}$/"],
      ["a session token may be any text", "/^[ -~]{1,2048}$/", "/^[^]*$/"],
      [
        "a user who had only claimed an address stays signed in after its proof",
        "const expires = isSuperseded(token, found.user)\n      ? 0\n      :",
        "const expires =",
      ],
    ],
  },
  {
    file: "plugins/strategies/hybrid/ended.ts",
    tests: ["test/strategies/hybrid.test.ts"],
    edits: [
      ["deleted sessions of a user continue", "users.set(String(first), Date.now())", "undefined"],
      ["a session that is deleted by its token continues", "tokens.set(hash, true);", "void hash;"],
      ["a session that a sign-in ended continues", "if (endedCount) users", "if (!users) users"],
    ],
  },
  {
    file: "plugins/strategies/hybrid/strategy.ts",
    tests: ["test/strategies/hybrid.test.ts"],
    edits: [
      [
        "a stored session of another user is accepted for the cookie",
        "return String(found.user.id) === claims.sub ? { ...found, claims } : null;",
        "return { ...found, claims };",
      ],
      [
        "an expired stored session gives access",
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
        "a session that ended here continues until the check",
        "if (ended.tokens.get(hash)) return null;",
        "",
      ],
      [
        "the sessions of a user that ended here continue until the check",
        "return Math.min(kernel.config.session.checkAge * 1000, sinceEnd);",
        "return kernel.config.session.checkAge * 1000;",
      ],
      ["a session is never looked up", "if (age >= 0 && age < maxAge)", "if (age < Infinity)"],
      ["a clock that was ahead delays the check", "age >= 0 && age < maxAge", "age < maxAge"],
      [
        "a session that is no longer stored continues",
        "if (expires === null || expires <= Date.now()) return null;",
        "",
      ],
      [
        "a session that was planted before the sign-in continues",
        "const done = async () => void (await endAll(ctx, old));",
        "const done = async () => {};",
      ],
      [
        "a user has any number of sessions",
        "          await limit(ctx, userId, stored, created);\n",
        "",
      ],
      [
        "a sign-out keeps the stored session",
        "const ended = await endAll(ctx, own);",
        "const ended: Ended[] = [];",
      ],
      [
        "the cookie of a session that has ended makes the others ambiguous",
        "if (found && found.expires > Date.now()) live.push(one);",
        "live.push(one);",
      ],
      [
        "of several sessions, one that cannot be changed is read",
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
      ["a claim that a tap removes returns", " && Object.keys(before).every(isEqual)", ""],
      ["a signed-out session is extended", "if (session.hasEnded()) return live;", ""],
      [
        "a cookie from before the sign-out is sent",
        "    clearToken(ctx);\n    return null;\n  });",
        "    return session;\n  });",
      ],
      [
        "an object that a tap mutates is not stored",
        "if (names.some((name) => Object(token[name]) === token[name]))",
        "if (!names.length)",
      ],
      [
        "a client changes the user of its session",
        "isOfClient ? withOwner(token, before) : token",
        "token",
      ],
      [
        "a client changes the user of its session if a tap mutates the token",
        "jwt.isUsed() ? { ...own } : own",
        "own",
      ],
      [
        "a user who had only claimed an address stays signed in after its proof",
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
        "a read from before the last renewal restores the session after the sign-out",
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
      ["the token of an app starts at its creation", "authTime ?? Math.max(", "Math.max("],
      [
        "a session from before the proof of its address counts as later",
        "authTime ?? Math.max(now(), getVerifiedAt(user))",
        "Math.max(authTime ?? now(), getVerifiedAt(user))",
      ],
      [
        "a callback sets the time of the sign-in",
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
        "an expired session is accepted",
        "isLive(stored.token, ctx.kernel) && isOwn(ctx, stored.token)",
        "isOwn(ctx, stored.token)",
      ],
      [
        "a token of another origin is accepted",
        "if (stored && jwt.bindOrigin && stored.token[ORIGIN] !== ctx.origin) {",
        "if (stored === undefined) {",
      ],
      [
        "a token of another tenant is accepted",
        "if (stored && stored.token[NAMESPACE] !== storeNamespace) {",
        "if (stored === undefined) {",
      ],
      [
        "of several sessions, the one that a sibling host set is used",
        "return opened.sort((one, other) => compareStart(one.token, other.token));",
        "return opened.reverse();",
      ],
      [
        "a token of any size is set as a cookie",
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
        "a session has no absolute expiry",
        "Math.min(exp, extended + session.maxAge, last ?? Infinity)",
        "Math.min(exp, extended + session.maxAge)",
      ],
      [
        "a session is extended beyond its absolute expiry",
        "return Math.min(idle, getAbsoluteEnd(token, kernel) ?? Infinity);",
        "return idle;",
      ],
      [
        "a session with an unknown start is extended",
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
        "`absoluteMaxAge` restarts with an app when its cookie has expired",
        "(await openCookie(ctx, token)) ?? readToken(token)",
        "openCookie(ctx, token)",
      ],
      ["the age of another session is used", "kept?.session === session && ", ""],
      ["a future time counts as that of a sign-in", " && began <= Date.now() / 1000", ""],
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
        "the session of a user who had only claimed an address continues after its proof",
        "return Boolean(emailVerified) && (token.startsWith(MARK) || MARKED_UUID.test(token));",
        "return false;",
      ],
      [
        "a session of generateSessionToken continues after the proof",
        "(token.startsWith(MARK) || MARKED_UUID.test(token))",
        "MARKED_UUID.test(token)",
      ],
      [
        "a provider that reports nothing proves the address",
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
      ["a failed change is not reported", "if (failed !== null) return", "if (failed) return"],
      [
        "no event reports that other sessions were ended",
        `  await ctx.kernel.emit("endSession", message, ctx);\n`,
        "",
      ],
      ["an event reports that no session was ended", "  if (count === 0) return true;\n", ""],
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
      ["the inspector responds to another host", "hosts.every(isLoopbackHost) &&\n    ", ""],
      [
        "the inspector responds to another machine",
        "ips.every((one) => LOOPBACK_IP.test(one)) &&\n    ",
        "",
      ],
      [
        "a host that begins with localhost counts as this machine",
        "127(?:\\.\\d{1,3}){3}|\\[::1\\])$/;",
        "127(?:\\.\\d{1,3}){3}|\\[::1\\])/;",
      ],
    ],
  },
];
