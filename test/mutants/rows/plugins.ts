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
    tests: ["test/flows/email-codes.test.ts"],
    edits: [
      ["a code is accepted beside a newer one", "text.length >= LONG", "text.length > 0"],
      [
        "of codes that are requested at once several are accepted",
        "if (isDone) return",
        "if (isDone || before) return",
      ],
      ["a code that is generated twice is withdrawn", "before.delete(token);", ""],
    ],
  },
  {
    file: "plugins/flows/credentials.ts",
    tests: ["test/flows/credentials.test.ts", "test/attack/credentials.test.ts"],
    edits: [
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
    file: "plugins/strategies/database/stored.ts",
    tests: ["test/strategies/database.test.ts"],
    edits: [
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
        "a session that ended here is read from a replica",
        "if (ended.size && ended.get(await hashToken(token))) return null;",
        "",
      ],
      [
        "the token is shown to scripts",
        "if (!shaped || shaped.sessionToken !== token) return shaped ?? null;",
        "if (shaped !== undefined) return shaped;",
      ],
    ],
  },
  {
    file: "plugins/strategies/jwt.ts",
    tests: ["test/strategies/jwt.test.ts", "test/strategies/database.test.ts"],
    edits: [
      [
        "a client writes whose session it is",
        "isOfClient ? withOwner(token, known) : token",
        "token",
      ],
      [
        "a client writes whose session it is, where a tap changes the token in place",
        "const known = { ...stored.token };",
        "const known = stored.token;",
      ],
    ],
  },
  {
    file: "plugins/strategies/jwt/claims.ts",
    tests: ["test/strategies/jwt.test.ts", "test/kernel/fresh-session.test.ts"],
    edits: [
      [
        "a client writes when it signed in",
        "const { auth_time: _, [VERIFIED]: __, [ORIGIN]: ___, ...rest } = token;",
        "const { [VERIFIED]: __, [ORIGIN]: ___, ...rest } = token;",
      ],
    ],
  },
  {
    file: "plugins/strategies/jwt/cookie.ts",
    tests: ["test/strategies/jwt.test.ts"],
    edits: [
      [
        "an expired session is read",
        "return stored && isLive(stored.token, ctx.kernel) ? stored : null;",
        "return stored;",
      ],
      [
        "a client fills the log with updates that are too large",
        'defineError("SessionTooLarge", SessionTooLarge, 413, "public", "debug")',
        'defineError("SessionTooLarge", SessionTooLarge, 413, "public", "error")',
      ],
    ],
  },
  {
    file: "plugins/strategies/jwt/times.ts",
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
        " && last !== undefined && (ends < last || exp > last)",
        "",
      ],
    ],
  },
];
