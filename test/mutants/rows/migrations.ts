import type { Mutants } from "../_mutant.ts";

const tests = ["test/migrations/next-auth-4.test.ts"];

export const MIGRATIONS: readonly Mutants[] = [
  {
    file: "plugins/migrations/next-auth-4.ts",
    tests,
    edits: [
      [
        "a request in progress restores a session after its sign-out",
        "if (!ended.get(getOldToken(token))) return undefined;",
        "if (ended) return undefined;",
      ],
      [
        "an old cookie that the browser keeps restores the session",
        'if (!ctx || !senders.has(ctx) || key === "sessionToken") return;',
        "if (ctx || !ctx) return;",
      ],
      [
        "boot promises sessions of next-auth 4 to hybrid ones",
        '["jwt", "database"].includes(session.strategy)',
        "session.strategy",
      ],
    ],
  },
  {
    file: "plugins/migrations/next-auth-4/open-token.ts",
    tests,
    edits: [["a token of a sign-in attempt counts as a session", " || isCheck(claims as JWT)", ""]],
  },
  {
    file: "plugins/migrations/next-auth-4/move-session.ts",
    tests,
    edits: [
      [
        "a client sets the time of the sign-in and the verified address",
        "{ ...withoutReserved(claims), [OLD_TOKEN]: hash }",
        "{ ...claims, [OLD_TOKEN]: hash }",
      ],
      [
        "a session lasts as long as its token was sealed for",
        "Math.min(exp, iat + config.session.maxAge)",
        "exp",
      ],
      ["a token has no expiry", "if (!(ends > now())) return null;", ""],
      [
        "an old session replaces the current one",
        "cookies.getCandidates(own.name).length > 0 ||",
        "",
      ],
      [
        "a sibling host signs a visitor in as another user",
        "if (new Set(found.map(({ owner }) => owner)).size > 1) return;",
        "",
      ],
      [
        "the old cookie remains next to the new one",
        "if (!isShared) cookies.clearChunked(old.name, old.attributes);",
        "",
      ],
      [
        "nonsense of a sibling host signs the visitor out",
        "values.some((value) => isSealed(value) && !isOldToken(value))",
        "!values.every(isOldToken)",
      ],
    ],
  },
];
