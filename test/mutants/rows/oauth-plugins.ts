import type { Mutants } from "../_mutant.ts";

const TOKENS = ["test/oauth/access-tokens.test.ts"];
const KILLS = [...TOKENS, "test/oauth/access-tokens-kills.test.ts"];
const LOGOUT = ["test/oauth/provider-logout.test.ts", "test/oauth/provider-faults.test.ts"];
const BACKCHANNEL = [
  "test/attack/ended-sessions.test.ts",
  "test/oauth/backchannel-logout.test.ts",
  "test/oauth/backchannel-logout-requests.test.ts",
  "test/attack/provider-logout-races.test.ts",
  "test/attack/native-apps-logout.test.ts",
];

export const OAUTH_PLUGINS: readonly Mutants[] = [
  {
    file: "plugins/oauth/access-tokens/get-access-token.ts",
    tests: [...KILLS, ...LOGOUT],
    edits: [
      [
        "an access token that has expired during its refresh is returned",
        "const isStillValid = () => request.minValidity === undefined && suits(sent.tokens, 0);",
        "const kept = suits(sent.tokens, 0);\n    const isStillValid = () => request.minValidity === undefined && kept;",
      ],
      [
        "a refresh token that was used up is sent again",
        "        !hasSameRefreshToken(known.tokens, sent.tokens) ||\n",
        "",
      ],
      ["any of several accounts is used", "if (found.length > 1) {", "if (found.length > 9) {"],
      [
        "an expired token is returned while the provider is down",
        "request.minValidity === undefined && suits(sent.tokens, 0)",
        "request.minValidity === undefined",
      ],
      ["a refused refresh token is sent again", `outcome.failure === "rejected" && isOwn`, "false"],
      [
        "a refusal removes the tokens of a later sign-in",
        `if (hasSameToken(await readAgain(parts, ctx, sent), sent))\n          await`,
        "await",
      ],
      [
        "tokens of a process that has ended are not stored",
        "isOwn || !hasSameRefreshToken(outcome.tokens, sent.tokens)",
        "isOwn",
      ],
      [
        "a refresh replaces the tokens of a later sign-in",
        "if (!hasSameToken(await readAgain(parts, ctx, sent), sent)) return;",
        "",
      ],
      [
        "every process emits the event of a refresh",
        `if (isOwn) await ctx.kernel.emit("tokensRefreshed"`,
        `await ctx.kernel.emit("tokensRefreshed"`,
      ],
      ["revoked tokens are kept", `await place.forget(ctx, account, "all");`, "void account;"],
      [
        "the latest tokens of a cookie are not used",
        "if (parts.place.isPerRequest && !isKnown) await parts.place.write(ctx, account);",
        "",
      ],
      [
        "a short-lived token is refreshed at each call",
        "outcome.at >= began || isInFirstHalf(outcome, tokens, shortLife)",
        "outcome.at >= began",
      ],
      [
        "a call that requires a longer life gets the old token",
        "request.minValidity ?? 2 * minValidity",
        "2 * minValidity",
      ],
      [
        "a token that the API has rejected is returned again while the provider is down",
        "request.minValidity === undefined && suits(sent.tokens, 0)",
        "request.minValidity === undefined && isValidFor(sent.tokens, 0)",
      ],
      [
        "a rejected token that the provider returns again is requested again and again",
        "if (isRejected(outcome.tokens)) return isRefreshed;",
        "if (isRejected(outcome.tokens)) return false;",
      ],
      [
        "an earlier outcome is used, although the API has rejected its token",
        "if (isRejected(outcome.tokens)) return isRefreshed;",
        "",
      ],
    ],
  },
  {
    file: "plugins/oauth/_id-token.ts",
    tests: TOKENS,
    edits: [
      [
        "a refresh by another issuer is accepted",
        "JSON.stringify([iss, sub])",
        "JSON.stringify([sub])",
      ],
      [
        "a refresh for another user is accepted",
        "JSON.stringify([iss, sub])",
        "JSON.stringify([iss])",
      ],
    ],
  },
  {
    file: "plugins/oauth/access-tokens/account-place.ts",
    tests: TOKENS,
    edits: [
      [
        "the tokens of one provider are used for another",
        ".filter((row) => row.provider === provider)",
        ".filter(() => true)",
      ],
    ],
  },
  {
    file: "plugins/oauth/access-tokens/outcomes.ts",
    tests: KILLS,
    edits: [
      ["the outcome of another account is used", "claims?.sub !== toSubject(account) || ", ""],
      ["an outcome lasts forever in a process", " || Number(claims.until) < Date.now()", ""],
      ["a lock survives its process", "const LOCK_TTL_MS = 30_000;", "const LOCK_TTL_MS = 1e12;"],
      [
        "a process treats another's lock as its own",
        "return entry?.value.owner === owner ? entry : undefined;",
        "return entry;",
      ],
      [
        "a lock is not released",
        "if (entry) await locks.compareAndDelete",
        "if (!entry) await locks.compareAndDelete",
      ],
      [
        "a process sends a request although another has the lock",
        "{ ttl: LOCK_TTL_MS }))) return undefined;",
        "{ ttl: LOCK_TTL_MS }))) owner.trim();",
      ],
    ],
  },
  {
    file: "plugins/oauth/access-tokens/refresher.ts",
    tests: KILLS,
    edits: [
      [
        "each call of a process sends a refresh",
        "let work = running.get(key);",
        "let work = running.get(key + Math.random());",
      ],
      [
        "a suspended process replaces the outcome of another",
        "(await lock.isHeld()) ? undefined : await find()",
        "undefined",
      ],
      ["an outcome is not stored", "await outcomes.keep(account, outcome);", ""],
      [
        "tokens of another user are stored",
        "if (subject !== undefined && idToken !== undefined && readSubject(idToken) !== subject) {",
        "if (idToken === null) {",
      ],
      [
        "the account is stored before the outcome",
        `await outcomes.keep(account, outcome);
        await settle(outcome, true);`,
        `await settle(outcome, true);
        await outcomes.keep(account, outcome);`,
      ],
      ["a lock remains after a failure", "await lock.release();", ""],
      [
        "the outcome of an earlier refresh is returned although it has expired",
        "if (!known || !isUsable(known)) return undefined;",
        "if (!known) return undefined;",
      ],
    ],
  },
  {
    file: "plugins/oauth/access-tokens/cookie-place.ts",
    tests: [...TOKENS, "test/oauth/provider-logout.test.ts"],
    edits: [
      ["tokens that do not fit are stored", "if (hasRoom(ctx)) return;", "if (ctx) return;"],
      [
        "a token of an unlinked account is returned",
        "owner !== null && String(owner.id) === account.ownerId",
        "owner === null || String(owner.id) === account.ownerId",
      ],
      [
        "a token of another user's account is returned",
        "owner !== null && String(owner.id) === account.ownerId",
        "owner !== null",
      ],
      ["a user gets the tokens of the previous user", " && one.userId === userId", ""],
      ["a provider gets the tokens of another", " && one.provider === provider,", ","],
      [
        "cookies may have any size",
        "if (value.length > MAX_LENGTH) {",
        "if (value.length > 1e9) {",
      ],
      [
        "tokens stay in the browser after the sign-out",
        "if (provider !== except) ctx.cookies.clearChunked(name, attributes);",
        "",
      ],
    ],
  },
  {
    file: "plugins/oauth/access-tokens/kept-tokens.ts",
    tests: TOKENS,
    edits: [
      [
        "a token that expires at once is returned",
        "Date.now() / 1000 + seconds",
        "Date.now() / 1000",
      ],
      [
        "a new token has the expiry of the old one",
        "const { expires_at: _, ...rest } = known;",
        "const rest = known;",
      ],
    ],
  },
  {
    file: "plugins/oauth/provider-logout.ts",
    tests: LOGOUT,
    edits: [
      [
        "tokens are revoked for a session that has expired",
        "const isRevoked = current !== null && isListed(revoke, provider.id);",
        "const isRevoked = isListed(revoke, provider.id);",
      ],
      [
        "the provider is requested before the session has ended",
        `let response: Response;
          try {`,
        `if (ending) await logFaults(ctx, "", async () => void (await leadAway(ctx, ending)));
          let response: Response;
          try {`,
      ],
      [
        "the session at the provider is kept after the sign-out",
        "forgetProviderSession(ctx);\n          if (!ending)",
        "if (!ending)",
      ],
      [
        "a sign-in by another method keeps the provider of the previous one",
        "else forgetProviderSession(ctx);",
        "",
      ],
      [
        "an unlisted provider is used for the logout",
        "if (!isListed(listed, provider.id)) return undefined;",
        "",
      ],
      [
        "tokens are not revoked",
        "if (ending?.tokens.length) ctx",
        "if (ending && !ending.tokens) ctx",
      ],
    ],
  },
  {
    file: "plugins/oauth/provider-logout/pending-logout.ts",
    tests: LOGOUT,
    edits: [
      ["a forged state is accepted as the browser's", "timingSafeEqual(state, given)", "true"],
      ["a missing state is accepted", "given === null ? !isEchoed :", "given === null ? true :"],
      ["a state is accepted twice", "ctx.cookies.clear(name, attributes);", ""],
      ["a logout never expires", "LOGOUT_MAX_AGE_S = 900", "LOGOUT_MAX_AGE_S = 90_000"],
    ],
  },
  {
    file: "plugins/oauth/provider-logout/provider-session.ts",
    tests: LOGOUT,
    edits: [
      [
        "a user signs another one out at the provider",
        "userId === undefined || one.userId === userId",
        "true",
      ],
      [
        "the provider's session is forgotten before the application's session ends",
        "if (!isExtended || ctx.cookies",
        "if (isExtended || ctx.cookies",
      ],
      ["a hint of any size is stored", "if (whole.length > MAX_LENGTH) return bare;", ""],
      ["a hint that does not fit is stored", "if (!hasRoom(ctx, reserved)) set(ctx, bare);", ""],
      [
        "a hint that does not fit next to the session is stored",
        "if (!hasRoom(ctx)) set(ctx, bare);",
        "",
      ],
    ],
  },
  {
    file: "plugins/oauth/backchannel-logout.ts",
    tests: BACKCHANNEL,
    edits: [
      ["a logout token is accepted twice", "if (!isNew) throw", "if (false) throw"],
      [
        "the session of a native app does not end with a logout of its user under `jwt`",
        "setLogins(ctx, given);",
        "",
      ],
      [
        "the session of a native app does not end with a logout of its user in an adapter that cannot end all sessions",
        "kept.set(ctx, given);",
        "",
      ],
      [
        "the session of a native app ends with the browser's session at the provider",
        "all.map(({ sid: _, ...login }) => login)",
        "all",
      ],
      ["a failed logout cannot be retried", "await received.delete(key);", ""],
      [
        "a logout token may arrive in any format",
        "if (!/^application",
        "if (false && !/^application",
      ],
      [
        "a token is verified for plain OAuth",
        `if (provider?.type === "oidc") return`,
        "if (provider) return",
      ],
      [
        "the front channel accepts another issuer",
        "if (!issuer || !timingSafeEqual(iss, issuer)) {",
        "if (!issuer) {",
      ],
      [
        "the front channel stores data of any sender",
        "if (await index.has(provider.id, sid))",
        "if (true)",
      ],
      [
        "the front channel accepts a session id of any length",
        `sid === "" || sid.length > MAX_SID_LENGTH`,
        `sid === ""`,
      ],
      [
        "a paused login survives the logout of its user",
        `if (user) await kernel.use("storedUsers").endedLogins.end(String(user.id));`,
        "",
      ],
      [
        "a failed logout forgets the sessions",
        "const { sessions, forget } = await index.find(ended);",
        "const { sessions, forget } = await index.find(ended);\n          await forget();",
      ],
      [
        "the session of the browser's next user ends with the previous user's",
        `const isKept = outcome === "link" && isStored(kernel);`,
        "const isKept = isStored(kernel);",
      ],
      [
        "a failure of the front channel is not reported",
        "report(ctx, error);\n                return toFrame(400);",
        "return toFrame(400);",
      ],
      ["any page may frame the sign-out", "frame-ancestors ${ancestors}", "frame-ancestors *"],
      ["an unknown session ends nothing", " || !sessions.length)", ")"],
      [
        "a logout of the user misses the sessions that the index has forgotten",
        "(sid === undefined || !sessions.length)",
        "!sessions.length",
      ],
      [
        "stored sessions are not ended",
        `if (adapter && token !== undefined) await callAdapter(adapter, "deleteSession", token);`,
        "void token;",
      ],
      [
        "a session with a linked account survives the provider's session",
        `outcome === "link" && isStored(kernel)`,
        "false",
      ],
      [
        "a sign-in in progress survives the provider's session",
        "if (!ended.includes(true)) return;",
        "return;",
      ],
      [
        "a session that is linked during the logout survives the provider's session",
        "all.map((one) => logouts.isEndedByNow(one))",
        "all.slice(-1).map((one) => logouts.isEndedByNow(one))",
      ],
    ],
  },
  {
    file: "plugins/oauth/backchannel-logout/provider-login.ts",
    tests: BACKCHANNEL,
    edits: [
      [
        "a logout during a sign-in counts as earlier",
        "if (account) await describe(ctx, account, profile);",
        "void account;",
      ],
      [
        "a logout during a paused sign-in counts as earlier",
        "known ? undefined : notes.logout",
        "undefined",
      ],
      [
        "a logout from before a paused sign-in ends it",
        "last > 0 && { after: last }",
        "noted === undefined && last > 0 && { after: last }",
      ],
    ],
  },
  {
    file: "plugins/oauth/backchannel-logout/logouts.ts",
    tests: BACKCHANNEL,
    edits: [
      ["a logout ends later sign-ins", "({ at }) => at > after", "() => true"],
      [
        "a logout has no effect in a process whose clock is behind",
        "Math.max(Date.now(), last + 1)",
        "Date.now()",
      ],
      [
        "a process ignores the logouts that it received itself",
        "read.set(JSON.stringify(key), { logout, at: Date.now() });",
        "",
      ],
      [
        "other processes never read the store again",
        "age >= 0 && age < maxReadAge * 1000",
        "known",
      ],
      [
        "a clock that was set back delays the next read",
        "age >= 0 && age < maxReadAge",
        "known && age < maxReadAge",
      ],
      [
        "an earlier logout of the user hides a later one",
        "if (known?.logout && includes(known.logout)) return true;",
        "if (known?.logout) return includes(known.logout);",
      ],
      [
        "a logout by session ends nothing",
        "sid !== undefined && isRecorded(",
        "false && isRecorded(",
      ],
      [
        "a sign-in in progress uses outdated data",
        "isEndedWithin(login, 0)",
        "isEndedWithin(login, checkAge)",
      ],
    ],
  },
  {
    file: "plugins/oauth/backchannel-logout/token-claim.ts",
    tests: BACKCHANNEL,
    edits: [
      [
        "sessions in cookies do not end",
        "return ended.includes(true) ? null : undefined;",
        "return undefined;",
      ],
      [
        "the session of the browser's next user ends with the previous user's",
        "else known.delete(ctx);",
        "",
      ],
      [
        "the client's data replace the provider's sessions",
        "if (token[CLAIM] === undefined && !logins.length) return undefined;",
        "if (token[CLAIM] !== undefined || !logins.length) return undefined;",
      ],
    ],
  },
  {
    file: "plugins/oauth/backchannel-logout/session-index.ts",
    tests: BACKCHANNEL,
    edits: [
      [
        "a session that is used for longer than its cookie lives is forgotten",
        "Math.max(kernel.config.session.maxAge, MIN_AGE_S)",
        "kernel.config.session.maxAge",
      ],
      [
        "a token for one session ends all of them",
        `...(sid === undefined ? [] : [[provider, \`sid \${sid}\`] as const]),
    ...(sub === undefined ? [] : [[provider, \`sub \${sub}\`] as const]),`,
        `...(sub === undefined ? [] : [[provider, \`sub \${sub}\`] as const]),
    ...(sid === undefined ? [] : [[provider, \`sid \${sid}\`] as const]),`,
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/logout-token.ts",
    tests: BACKCHANNEL,
    edits: [
      ["a logout token of any length is parsed", "token.length > MAX_LENGTH", "false"],
      [
        "a token of another type counts as a logout token",
        "typ !== undefined && !/",
        "false && !/",
      ],
      ["a token for another client is accepted", 'audience: ctx.provider.clientId ?? "",', ""],
      ["an old logout token is accepted", "maxTokenAge: MAX_AGE_S,", ""],
      [
        "a token of another issuer is accepted",
        `expectIssuer(claims, exchange, "logout token");`,
        "",
      ],
      [
        "a token of another event counts as a logout token",
        "!isObject(claims.events) || !isObject(claims.events[EVENT])",
        "!claims.events",
      ],
      [
        "an ID token counts as a logout token",
        `if (Object.hasOwn(claims, "nonce"))`,
        "if (claims.nonce)",
      ],
      [
        "a token without an audience is accepted",
        "sub === undefined && sid === undefined",
        "false",
      ],
    ],
  },
  {
    file: "plugins/oauth/provider-logout/check-fields.ts",
    tests: ["test/oauth/provider-logout.test.ts"],
    edits: [
      [
        "a misspelled field of the logout is ignored",
        "    if (!member) {\n",
        "    if (!member) return [];\n    if (!member) {\n",
      ],
      [
        "an unusable field of the logout is used",
        "if (value === undefined || member.isValid(value)) return [];",
        "if (member) return [];",
      ],
    ],
  },
];
