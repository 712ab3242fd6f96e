import type { Mutants } from "../_mutant.ts";

export const SIGNIN: readonly Mutants[] = [
  {
    file: "src/signin/browser.ts",
    tests: ["test/attack/planted-attempts.test.ts"],
    edits: [
      [
        "all browsers without cookies have the same mark",
        "if (csrf === undefined) return",
        `if (csrf === "") return`,
      ],
      [
        "any text counts as the mark of a browser",
        "values.filter((value) => VALUE.test(value))",
        "values",
      ],
      ["an attempt that is posted back removes the mark of the others", "`${name}.post`", "name"],
    ],
  },
  {
    file: "src/signin/owner.ts",
    tests: ["test/attack/claimed-address.test.ts", "test/kernel/owner.test.ts"],
    edits: [
      [
        "a removed account belongs to the user with its id",
        `owner === null && links === "none"`,
        "owner === null",
      ],
      [
        "credentials are not matched to their user after the first proof of the address",
        `if (links === "email") return true;`,
        `if (links !== "account") return true;`,
      ],
      [
        "unowned credentials match any user",
        "return providerAccountId === String(user.id);",
        "return true;",
      ],
    ],
  },
  {
    file: "src/signin/linking.ts",
    tests: [
      "test/flows/credentials-address.test.ts",
      "test/flows/webauthn-store.test.ts",
      "test/spec/linking.test.ts",
      "test/kernel/link.test.ts",
      "test/spec/addresses.test.ts",
      "test/kernel/fresh-session.test.ts",
    ],
    edits: [
      [
        "a credentials user takes over the user of an unverified address",
        "if (known && findAddressRow(known).emailVerified)",
        "if (known)",
      ],
      [
        "a credentials user takes over the user of any address",
        "facts.userByAccount || identity.emailVerified !== true || !email",
        "facts.userByAccount || !email",
      ],
      [
        "an account of another user is linked",
        `account: "taken", outcome: "refuse"`,
        `account: "taken", outcome: "signIn"`,
      ],
      [
        "a link is made for a user who has signed out",
        `intent: "broken", outcome: "refuse"`,
        `intent: "broken", outcome: "create"`,
      ],
      [
        "the requesting user is not compared",
        "timingSafeEqual(await getUserFingerprint(current), identity.linkTo)",
        `identity.linkTo !== ""`,
      ],
      [
        "the expectations of an identity are not checked",
        "return row && isExpected(row, identity.expects) ? row : undefined;",
        "return row;",
      ],
      [
        "an unverified address links",
        `  { row: "O5", links: "account", address: KNOWN, stated: "unverified", outcome: "refuse" },\n`,
        "",
      ],
      [
        "an address on which the provider reports nothing links to the user who claimed it",
        `  { row: "O5c", links: "account", address: ["claimed"], stated: "nothing", outcome: "refuse" },\n`,
        "",
      ],
      [
        "every provider links by address alone",
        "flag: provider.allowDangerousEmailAccountLinking === true,",
        "flag: true,",
      ],
      [
        "the first proof of a claimed address removes nothing",
        `address: ["claimed", "unknown"], outcome: "verifyEmail"`,
        `address: ["claimed", "unknown"], outcome: "signIn"`,
      ],
    ],
  },
  {
    file: "src/signin/link-request.ts",
    tests: ["test/spec/linking.test.ts", "test/kernel/link.test.ts"],
    edits: [
      [
        "a link needs no fresh session",
        "  await checkFreshness(ctx);\n  return getUserFingerprint(current);",
        "  return getUserFingerprint(current);",
      ],
      [
        "any text in the field link requests a link",
        "YES.has((await ctx.body()).link)",
        "(await ctx.body()).link !== undefined",
      ],
      ["users without an id are the same user", "one?.id !== undefined && ", ""],
    ],
  },
  {
    file: "src/signin/resolve-user.ts",
    tests: [
      "test/spec/linking.test.ts",
      "test/spec/providers.test.ts",
      "test/kernel/link.test.ts",
      "test/strategies/database.test.ts",
      "test/spec/addresses.test.ts",
      "test/adapters/races.test.ts",
      "test/flows/credentials-address.test.ts",
      "test/attack/removed-methods.test.ts",
    ],
    edits: [
      [
        "an account that its user removes during the sign-in still signs in",
        'const canBeRemoved = login.outcome === "signIn" && adapter.unlinkAccount !== undefined;',
        "const canBeRemoved = false as boolean;",
      ],
      [
        "a credentials user with an unverified address keeps access after its owner has proved it",
        "email && emailVerified === false && isLasting",
        "email && emailVerified && isLasting",
      ],
      [
        "a profile mapping sets whether the application verified the address",
        "{ ...identity.user, id, emailVerified: null }",
        "{ emailVerified: null, ...identity.user, id }",
      ],
      [
        "a first verification keeps earlier accounts",
        "if (adapter.revokeUserAccess) {",
        "if (!adapter.revokeUserAccess) {",
      ],
      [
        "other fields that authorize returned are stored",
        "{ name, email, image } as User",
        "{ ...user, email } as User",
      ],
      [
        "an account that was removed during the sign-in signs in",
        "if (!(await isOwner(adapter, login, links))) throw refusal(login.account);",
        "",
      ],
      [
        "a link that races with the first proof of the address remains",
        "if (!canBeReset(ctx, user) || isSameUser(user, await ctx.kernel.strategy.current(ctx))) {",
        "if (user) {",
      ],
      [
        "passkeys of the user who had only claimed the address remain",
        "await unlinkPasskeys(ctx, adapter, String(id));",
        "",
      ],
      [
        "a partial result of an adapter's update replaces the whole user",
        "if (changed?.email === known.email) return",
        "if (changed) return",
      ],
      [
        "an adapter's failure is reported as another user's account",
        "next === row || isOwnUser",
        "next === row",
      ],
    ],
  },
  {
    file: "src/signin/create-user.ts",
    tests: [
      "test/spec/providers.test.ts",
      "test/flows/webauthn-store.test.ts",
      "test/kernel/link.test.ts",
    ],
    edits: [
      [
        "a user without an account remains",
        "if (adapter.deleteUser) await undo",
        "if (!id) await undo",
      ],
      [
        "an account without its passkey remains",
        "if (adapter.unlinkAccount) await undo",
        "if (!userId) await undo",
      ],
      [
        "the account of a passkey that could not be stored remains in adapters whose methods only accept the key",
        `"unlinkAccount", { provider, providerAccountId }`,
        `"unlinkAccount", { ...account, provider, providerAccountId }`,
      ],
      [
        "the tokens of a provider are stored although `account` did not select them",
        "return { ...tokens, provider",
        "return { ...account, ...tokens, provider",
      ],
    ],
  },
  {
    file: "src/signin/identity.ts",
    tests: ["test/attack/hostile-provider.test.ts", "test/kernel/identity.test.ts"],
    edits: [
      [
        "a claim attests an address",
        "withCanonicalEmail(withoutFacts(identity.user))",
        "withCanonicalEmail(identity.user)",
      ],
      ["a name may be an object", ` && typeof name !== "string" && { name: null }`, " && {}"],
      ["an empty account id is accepted", ` && id.trim() !== ""`, ""],
      [
        "a flow sets the account of another provider",
        "{ ...account, provider: id, type }",
        "{ provider: id, type, ...account }",
      ],
    ],
  },
  {
    file: "src/signin/checks.ts",
    tests: [
      "test/flows/checks.test.ts",
      "test/kernel/context.test.ts",
      "test/flows/define-flow.test.ts",
      "test/flows/define-flow-state.test.ts",
      "test/attack/planted-attempts.test.ts",
      "test/attack/tossed-cookies.test.ts",
    ],
    edits: [
      [
        "cookies of attempts may have any length",
        "attempts && size <= length) break;",
        "attempts) break;",
      ],
      [
        "all checks share a key",
        "    salt: name,\n    attributes:",
        '    salt: "",\n    attributes:',
      ],
      [
        "an attempt of another browser is accepted",
        "browser === undefined || known.includes(browser)",
        "browser === undefined || known.length > 0",
      ],
      [
        "an attempt is bound to no browser",
        "provider: ctx.provider.id, browser }",
        "provider: ctx.provider.id }",
      ],
      [
        "the check of another provider is opened",
        "const check = opened.find(({ provider }) => provider === ctx.provider.id);",
        "const check = opened[0];",
      ],
      [
        "a sibling host makes the application check any number of attempts",
        ".slice(0, MAX_HANDLES)",
        "",
      ],
    ],
  },
  {
    file: "src/signin/check-sign-in.ts",
    tests: ["test/kernel/login.test.ts", "test/spec/callbacks.test.ts"],
    edits: [
      ["the signIn callback cannot refuse", "if (value === false) {", "if (value === 0) {"],
      ["the signIn callback redirects to any URL", "return allowed;", "return url;"],
    ],
  },
  {
    file: "src/signin/pending-login.ts",
    tests: [
      "test/attack/claimed-address.test.ts",
      "test/kernel/login.test.ts",
      "test/security/second-factor.test.ts",
      "test/attack/combined.test.ts",
      "test/attack/ended-sessions.test.ts",
      "test/attack/planted-attempts.test.ts",
      "test/attack/provider-logout-races.test.ts",
    ],
    edits: [
      [
        "a login that is paused again counts from the second pause only",
        "stored && begun.ended === undefined",
        "stored",
      ],
      [
        "a paused login of another user without an id is resumed",
        "user.id === undefined ? [account.provider, account.providerAccountId] : user.id",
        "user.id",
      ],
      ["a row is sealed with all its columns", "const user = stored ?", "const user = !stored ?"],
      [
        "the first of several paused logins is used",
        "new Set(own.map(getOwner)).size > 1",
        "own.length < 0",
      ],
      [
        "a paused login survives its user",
        "if (!user || (user.email",
        "if (!user) return login;\n  if ((user.email",
      ],
      [
        "a paused login survives the address that it reports as verified",
        "if (!user || (user.email ?? null) !== login.user.email) return undefined;",
        "if (!user) return undefined;",
      ],
      [
        "a paused login survives its account",
        "return isOwn ? { ...login, user } : undefined;",
        "return { ...login, user };",
      ],
      [
        "a paused login survives the end of its user's sessions",
        `if (await use("storedUsers").endedLogins.hasEnded(id, begun?.ended)) return undefined;`,
        "",
      ],
      [
        "a plugin resumes a login that another has paused",
        "opened.filter((sealed) => sealed.tap === tap)",
        "opened",
      ],
      [
        "a paused login survives the record of its use",
        "const maxAge = Math.min(attributes.maxAge ?? CHECK_MAX_AGE_S, CHECK_MAX_AGE_S);",
        "const maxAge = attributes.maxAge ?? CHECK_MAX_AGE_S;",
      ],
    ],
  },
  {
    file: "plugins/routes/signout.ts",
    tests: ["test/attack/ended-sessions.test.ts"],
    edits: [
      [
        "a paused login survives a sign-out",
        "ctx.cookies.clearChunked(name, attributes);",
        "void [name, attributes];",
      ],
    ],
  },
  {
    file: "src/signin/listener-verification.ts",
    tests: ["test/kernel/verified-by-listener.test.ts"],
    edits: [
      [
        "a verification by a listener is not read",
        "{ ...user, emailVerified: stored.emailVerified }",
        "user",
      ],
      [
        "the verification of another user is used",
        "await findUserByAccount(adapter, { provider, providerAccountId })",
        "await adapter.getUserByEmail?.(user.email) as AdapterUser | null",
      ],
    ],
  },
  {
    file: "src/signin/ended-logins.ts",
    tests: ["test/attack/ended-sessions.test.ts", "test/kernel/config-function.test.ts"],
    edits: [
      [
        "an end of sessions also ends a login that was paused later",
        "now !== 0 && now !== last",
        "now !== 0",
      ],
      ["clocks decide whether a login was paused later", "now !== last;", "now > Number(last);"],
      ["nothing ends a paused login", "now !== 0 && now !== last", "now === -1"],
    ],
  },
  {
    file: "src/signin/own-session.ts",
    tests: ["test/attack/planted-attempts.test.ts", "test/flows/checks.test.ts"],
    edits: [
      [
        "the attempt of another browser replaces any session",
        "mark === undefined || (await isOwnSession(ctx, mark))",
        "mark !== ctx.origin",
      ],
      ["a second tab is refused", "(await getStart(ctx)) >= time", "time < 0"],
      [
        "a session of any age counts as another tab's",
        "if (time > Date.now() / 1000 || (await getStart(ctx)) >= time) return;",
        "return;",
      ],
    ],
  },
  {
    file: "src/request/sealed-cookie.ts",
    tests: ["test/attack/combined.test.ts", "test/attack/sealed-tokens.test.ts"],
    edits: [
      [
        "a cookie that another stage has sealed is accepted",
        "content && sealedAt === origin &&",
        "content &&",
      ],
      [
        "a cookie that another tenant has sealed is accepted",
        "namespace === storeNamespace",
        "true",
      ],
      [
        "a sealed cookie does not contain its stage",
        "[ORIGIN_CLAIM]: origin, [NAMESPACE_CLAIM]: storeNamespace",
        "",
      ],
    ],
  },
  {
    file: "src/signin/resume-login.ts",
    tests: ["test/kernel/login.test.ts", "test/security/second-factor.test.ts"],
    edits: [
      [
        "no event reports that a resumed sign-in was refused",
        "await reportFailure(ctx, account.provider, error,",
        "void (ctx, account.provider, error,",
      ],
      [
        "a paused login is resumed any number of times",
        `await ctx.kernel.useOnce("pending-login", sealed.id)`,
        "true",
      ],
      [
        "HEAD resumes a login",
        `if (ctx.request.method === "HEAD") {`,
        `if (ctx.request.method === "BREW") {`,
      ],
    ],
  },
  {
    file: "src/signin/define-flow.ts",
    tests: [
      "test/flows/define-flow.test.ts",
      "test/flows/define-flow-tries.test.ts",
      "test/flows/define-flow-posted.test.ts",
      "test/flows/define-flow-state.test.ts",
    ],
    edits: [
      [
        "an attempt is accepted any number of times",
        "if (await kernel.useOnce(type, nameTry(value, at))) return tries - at - 1;",
        'if (value !== "") return tries - at - 1;',
      ],
      [
        "there is no limit of attempts",
        "useOnce(type, nameTry(value, at))) return",
        "useOnce(type, `${value} ${Math.random()}`)) return",
      ],
      [
        "two concurrent attempts both sign in",
        "if (!(await kernel.useOnce(type, `${value} end`))) {",
        "if (from > to) {",
      ],
      [
        "an attempt that has signed in is accepted again",
        "for (let at = from; at < to; at++)",
        "for (let at = to; at < to; at++)",
      ],
      ["an attempt remains in the browser", "if (left === 0) clearCheck(ctx, cookie, place);", ""],
      [
        "any number of attempts is stored",
        "if (state !== undefined) await makeRoom(ctx, [cookie], ROOM);",
        "",
      ],
      [
        "a callback opens another attempt than the one it names",
        "if (timingSafeEqual(check.value, stated)) return",
        "if (check.value) return",
      ],
      [
        "the page of the oldest attempt is shown",
        "findHandles(ctx, [cookie]).toReversed()",
        "findHandles(ctx, [cookie])",
      ],
      [
        "the page of another provider's attempt is shown",
        "opened.find(({ provider }) => provider === ctx.provider.id)",
        "opened[0]",
      ],
      [
        "a callback by GET is accepted although the flow only accepts POST",
        '!methods.includes("GET")',
        "methods.length > 2",
      ],
    ],
  },
  {
    file: "src/signin/run-flow.ts",
    tests: [
      "test/flows/oauth-once.test.ts",
      "test/kernel/login.test.ts",
      "test/attack/combined.test.ts",
      "test/attack/planted-attempts.test.ts",
    ],
    edits: [
      [
        "HEAD signs in",
        `if (ctx.request.method === "HEAD" && !isTrusted(ctx)) {`,
        `if (ctx.request.method === "BREW") {`,
      ],
      [
        "the attempt of another browser replaces the session",
        "if (identity.linkTo === undefined) {",
        "if (identity.linkTo === null) {",
      ],
    ],
  },
  {
    file: "src/signin/sign-in-methods.ts",
    tests: [
      "test/flows/webauthn-store.test.ts",
      "test/kernel/registries.test.ts",
      "test/observability/audit-log.test.ts",
      "test/flows/webauthn-account.test.ts",
    ],
    edits: [
      [
        "no event reports a removed sign-in method",
        'if (result === "removed") await',
        'if (result === "last") await',
      ],
      [
        "an event reports a sign-in method that was not removed",
        'if (result === "removed") await',
        "await",
      ],
      [
        "an account that moved to another user is unlinked",
        "if (isSameUser(owner, user)) await",
        "if (owner) await",
      ],
      ["the last sign-in method is removed", `if (!isEnough(rest)) return "last";`, ""],
      [
        "an unverified address counts as a sign-in method",
        "emailVerified && hasEmailSignIn(kernel) ?",
        "hasEmailSignIn(kernel) ?",
      ],
      [
        "an account of a removed provider counts as a sign-in method",
        "kernel.providers.has(one.provider) && ",
        "",
      ],
      [
        "an account without its passkey counts as a sign-in method",
        "    !isPasskeyAccount(kernel, account) ||\n",
        "    account !== undefined ||\n",
      ],
    ],
  },
  {
    file: "src/signin/address.ts",
    tests: [
      "test/spec/addresses.test.ts",
      "test/spec/linking.test.ts",
      "test/kernel/login.test.ts",
    ],
    edits: [
      [
        "an address that was only claimed counts as attested",
        "fits: ({ emailAttested }) => emailAttested === true,",
        "fits: ({ emailAttested }) => emailAttested !== undefined,",
      ],
      [
        "a provider that reports nothing counts as verifying the address",
        "    emailVerified === true &&\n    typeof",
        "    emailVerified !== false &&\n    typeof",
      ],
      [
        "a provider's report on another address is used",
        " &&\n    (user.email === stated.email || normalizeEmail(user.email) === normalizeEmail(stated.email))",
        "",
      ],
      [
        "an invalid date proves an address",
        "return Boolean(date) && !Number.isNaN(new Date(date as Date).getTime());",
        "return Boolean(date);",
      ],
      [
        "a claimed address is stored as attested",
        "user: { emailAttested: emailVerified },",
        "user: { emailAttested: true },",
      ],
      [
        "a stranger's address is used although access cannot be revoked",
        "  if (adapter.revokeUserAccess) return true;\n",
        "  if (adapter) return true;\n",
      ],
    ],
  },
  {
    file: "src/signin/complete-login.ts",
    tests: [
      "test/kernel/login.test.ts",
      "test/security/second-factor.test.ts",
      "test/kernel/link.test.ts",
      "test/spec/linking.test.ts",
    ],
    edits: [
      [
        "a session is set although its account was removed",
        "await getStoredUsers(kernel)?.confirm(ctx, login);",
        "",
      ],
      [
        "no tap of login pauses",
        "if (!hook.isUsed()) return undefined;",
        "if (hook) return undefined;",
      ],
      [
        "a resumed login repeats the taps that ran before",
        "callHookAfter(hook, after, login, ctx)",
        "callHookAfter(hook, undefined, login, ctx)",
      ],
      [
        "a tap of login redirects to any URL",
        `ctx.redirect(await allowRedirect(ctx, "login", value))`,
        "ctx.redirect(value)",
      ],
    ],
  },
  {
    file: "src/signin/token-owner.ts",
    tests: [
      "test/strategies/jwt.test.ts",
      "test/strategies/database.test.ts",
      "test/spec/addresses.test.ts",
      "test/kernel/fresh-session.test.ts",
      "test/attack/claimed-address.test.ts",
      "test/kernel/link.test.ts",
    ],
    edits: [
      [
        "a session from before the proof belongs to the user",
        "return user && Number(began) >= getVerifiedAt(user) ? user : null;",
        "return user;",
      ],
      [
        "a session survives the transfer of its address to the owner, if no address signs in its user",
        "if (verified !== false && !opensUsers(kernel)) return token;",
        "if (!opensUsers(kernel)) return token;",
      ],
      [
        "a session with a verified address stays valid for another address that the user has since",
        "return Number(began ?? iat) < provedAt && verified !== user.email ? null : token;",
        "return token;",
      ],
      [
        "a session ends when its address is proved again",
        " && verified !== user.email ? null",
        " ? null",
      ],
      [
        "a user whose address was given to its owner stays signed in as that user",
        "if (email && !user.email) return null;",
        "",
      ],
      [
        "a renewed session of Auth.js survives the first proof of the address",
        "return isForeign ? { ...token, [VERIFIED]: provedAt > 0 && (user.email ?? true) } : token;",
        "return token;",
      ],
      [
        "a session of Auth.js from before the first proof of the address stays valid",
        "(!isForeign || Number(iat) < provedAt - 1)",
        "!isForeign",
      ],
    ],
  },
];
