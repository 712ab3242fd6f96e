import type { Mutants } from "../_mutant.ts";

/** The tests of calls of server code. */
const CALLS = [
  "test/kernel/request-event.test.ts",
  "test/kernel/auth.test.ts",
  "test/attack/cross-site.test.ts",
  "test/kernel/server-functions.test.ts",
  "test/attack/tossed-cookies.test.ts",
  "test/attack/combined.test.ts",
  "test/bindings/node.test.ts",
  "test/spec/operations.test.ts",
  "test/attack/guard-spellings.test.ts",
];

/** The tests of what happens to each request before and after its route. */
const REQUESTS = [
  "test/kernel/auth.test.ts",
  "test/kernel/handler.test.ts",
  "test/kernel/session.test.ts",
  "test/attack/cross-site.test.ts",
  "test/attack/http.test.ts",
  "test/kernel/fresh-session.test.ts",
  "test/attack/tossed-cookies.test.ts",
  "test/security/bearer.test.ts",
];

export const REQUEST: readonly Mutants[] = [
  {
    file: "src/request/csrf.ts",
    tests: [
      "test/kernel/csrf.test.ts",
      "test/attack/cross-site.test.ts",
      "test/kernel/server-functions.test.ts",
      "test/security/bearer.test.ts",
    ],
    edits: [
      [
        "a token and a cookie in other formats are accepted",
        "if (!TOKEN.test(token) || !TOKEN.test(signature) || rest.length) return undefined;",
        "",
      ],
      [
        "the signature equals other hashes of the secret",
        `const SIGNING_PREFIX = "keyhook csrf ";`,
        `const SIGNING_PREFIX = "";`,
      ],
      ["a request from another site is accepted", `if (site === "cross-site") return name;`, ""],
      [
        "a request from another origin is accepted",
        "return origin === ctx.origin ? undefined : name;",
        "return undefined;",
      ],
      [
        "a request from a sibling host without Origin is accepted",
        `return site === null || site === "same-origin" || site === "none" ? undefined : name;`,
        "return undefined;",
      ],
      [
        "skipCSRFCheck is the default",
        "if (!needsCsrfTokens(ctx.kernel)) return;",
        "if (needsCsrfTokens(ctx.kernel)) return;",
      ],
      [
        "a token has 16 random bits",
        "const random = randomHex(TOKEN_LENGTH / 2);",
        "const random = randomHex(2).repeat(TOKEN_LENGTH / 4);",
      ],
      [
        "any token is accepted with the cookie",
        `typeof given === "string" && timingSafeEqual(given, token)`,
        `typeof given === "string"`,
      ],
      [
        "an unsigned cookie is accepted",
        "if (includes(await signAll(SIGNING_PREFIX + token), signature)) {",
        "if (signature) {",
      ],
      [
        "the token of another session is accepted",
        "if (session === undefined || (await getCookies(ctx).isBound(known.token, session))) return true;",
        "return true;",
      ],
      [
        "a session keeps the previous token",
        "isLegacy || session === undefined || (await getCookies(ctx).isBound(token, session));",
        "true;",
      ],
      [
        "a token of Auth.js is valid for any number of posts",
        `return ctx.kernel.useOnce("csrf", token);`,
        "return true;",
      ],
      [
        "a client without cookies needs a CSRF token",
        "return !config.skipCSRFCheck && !sessionTransport;",
        "return !config.skipCSRFCheck;",
      ],
    ],
  },
  {
    file: "src/request/redirect.ts",
    tests: ["test/kernel/redirect.test.ts", "test/attack/redirects.test.ts"],
    edits: [
      [
        "a path of two slashes names a host",
        `url.startsWith("/") ? origin + url : url`,
        `url.startsWith("/") && url[1] !== "/" ? origin + url : url`,
      ],
      ["characters that browsers drop are accepted", "if (CONTROL.test(url)) return origin;", ""],
      [
        "another origin is accepted",
        "if (!href?.startsWith(`${origin}/`)) return origin;",
        "if (!href) return origin;",
      ],
      [
        "an origin with the application's as prefix is accepted",
        "startsWith(`${origin}/`)",
        "startsWith(origin)",
      ],
      ["a tap may redirect to blob:", "|blob|file", "|file"],
      ["a tap may redirect to file:", "|file|about", "|about"],
      ["a tap may redirect to about:", "|file|about", "|file"],
      ["a tap may redirect to vbscript:", "|vbscript|", "|"],
      ["a tap may redirect to data:", "|data|vb", "|vb"],
      [
        "a path that a tap returns may name a host",
        '|| target.startsWith("\\\\")) return toSameOrigin(target, origin);',
        ") return target;",
      ],
    ],
  },
  {
    file: "src/request/callback-url.ts",
    tests: ["test/kernel/redirect.test.ts", "test/attack/redirects.test.ts"],
    edits: [
      [
        "a stored target is not checked",
        "return await safeRedirect(ctx, target);",
        "return target;",
      ],
      ["a posted target is not checked", ": await safeRedirect(ctx, given);", ": given;"],
      [
        "an invalid stored target is kept",
        "if (all.length) ctx.cookies.clear(name, attributes);",
        "",
      ],
      ["a target of any length is used", " || given.length > MAX_URL_LENGTH", ""],
    ],
  },
  {
    file: "src/request/handler.ts",
    tests: REQUESTS,
    edits: [
      ["an error undoes a sign-out", "return finishFailed(ctx);", "return plainFailure(500);"],
      [
        "a path that the parser rewrites matches a route",
        `hasOtherPath ? { action: "" } : router`,
        `!url ? { action: "" } : router`,
      ],
    ],
  },
  {
    file: "src/request/guard.ts",
    tests: [...REQUESTS, "test/flows/email-code.test.ts"],
    edits: [
      [
        "a post with an `Authorization` header takes partial effect before it is refused",
        "if (route?.csrf !== false && isMutation(ctx)) await expectNoCredentials(ctx);",
        "",
      ],
      ["a POST needs no CSRF token", "await checkCsrf(ctx);", "await null;"],
      [
        "every route may omit the token",
        `if (route.csrf !== "flow" || !ctx.provider) return true;`,
        "if (!ctx.provider) return false;",
      ],
      [
        "a route that requires a session runs without one",
        "return route?.auth ? requireSession(ctx, route) : undefined;",
        "return undefined;",
      ],
      [
        "a route that requires a fresh session accepts any",
        `route.auth === "fresh" ? ctx.requireFreshSession() : ctx.requireSession()`,
        "ctx.requireSession()",
      ],
      [
        "a GET that writes is applied to one of several users",
        " || ctx.route?.writes === true",
        "",
      ],
    ],
  },
  {
    file: "src/request/call-route.ts",
    tests: REQUESTS,
    edits: [
      [
        "a route that never responds keeps its request open",
        "seconds * 1000, () => {",
        "2 ** 31 - 1, () => {",
      ],
    ],
  },
  {
    file: "src/request/finish.ts",
    tests: REQUESTS,
    edits: [
      ["a route for apps sets cookies", "if (route?.cookies === false) return false;", ""],
      [
        "a session that the handler has signed out of is renewed",
        "own === response ? pending : withoutSet(pending, ({ name }) => name, own.headers)",
        "pending",
      ],
      [
        "a pending token renewal follows the end of its session",
        ".filter(([name]) => !headers.has(name))",
        "",
      ],
      ["an error ends a session that has fewer parts", " && !set.includes(toWholeName(name))", ""],
      [
        "a response with cookies may be cached",
        "  if (hasCookies) forbidCaching(own.headers);",
        "  if (!hasCookies) forbidCaching(own.headers);",
      ],
      [
        "a response that depends on the session may be cached",
        "const isPersonal = ctx.route?.auth || hasReadSession(ctx);",
        "const isPersonal = false;",
      ],
      [
        "cookies are added to a shared response",
        "if (isOwn(ctx, response)) return response;",
        "if (response) return response;",
      ],
      [
        "cookies are set in addition to bearer tokens",
        "sessionTransport?.send(pending).filter(([name]) => !headers.has(name)) ??",
        "",
      ],
    ],
  },
  {
    file: "src/request/router.ts",
    tests: ["test/kernel/handler.test.ts", "test/kernel/routes.test.ts"],
    edits: [
      ["an encoded slash is part of a parameter", "/^$|%2f|%5c/i", "/^$/"],
      ["empty segments are parameters", "/^$|%2f|%5c/i", "/%2f|%5c/i"],
      ["a path below a longer word counts as below the base path", ` || !rest.startsWith("/")`, ""],
    ],
  },
  {
    file: "src/request/fresh-session.ts",
    tests: ["test/kernel/fresh-session.test.ts"],
    edits: [
      [
        "a sign-in at an unknown time counts as fresh",
        "return time !== undefined && ",
        "return time === undefined || ",
      ],
      [
        "a sign-in at any time counts as fresh",
        "return time !== undefined && Date.now() / 1000 - time < freshAge;",
        "return time !== undefined;",
      ],
    ],
  },
  {
    file: "src/request/context.ts",
    tests: [
      "test/kernel/context.test.ts",
      "test/kernel/fresh-session.test.ts",
      "test/attack/cross-site.test.ts",
      "test/kernel/handler.test.ts",
      "test/security/bearer.test.ts",
    ],
    edits: [
      [
        "a route for apps reads a browser's cookies",
        "if (target.route?.cookies === false) return null;",
        "",
      ],
      [
        "every request counts as the application's own",
        `this[TRUSTED] = operation !== "request";`,
        "this[TRUSTED] = true;",
      ],
      ["a fresh session may be old", "    await checkFreshness(this);\n", ""],
      [
        "a page after a callback gets its code",
        `this.action === "callback" && {`,
        `this.action === "" && {`,
      ],
      [
        "cookies are read in addition to bearer tokens",
        "return token === undefined ? null : `",
        'return token === undefined ? headers.get("cookie") : `',
      ],
    ],
  },
  {
    file: "src/request/sign-in-redirect.ts",
    tests: [
      "test/kernel/fresh-session.test.ts",
      "test/attack/redirects.test.ts",
      "test/bindings/next.test.ts",
      "test/security/bearer.test.ts",
      "test/kernel/refuse-visitor.test.ts",
    ],
    edits: [
      [
        "the path of a sign-in page of another site passes the guard",
        "page.origin === origin && ",
        "",
      ],
      [
        "a sign-in redirects to the site that the request came from",
        "if (toSameOrigin(referer, origin) !== referer) return undefined;",
        "if (!URL.canParse(referer)) return undefined;",
      ],
    ],
  },
  {
    file: "src/request/refuse-visitor.ts",
    tests: ["test/kernel/refuse-visitor.test.ts"],
    edits: [
      [
        "a client of bearer tokens is redirected to the sign-in page",
        "  if (kernel.sessionTransport) return kernel.sessionTransport.refuse(ctx);\n",
        "",
      ],
      [
        "a script receives a page instead of its data",
        "isNavigation: boolean = wantsPage(ctx.request)",
        "isNavigation: boolean = true",
      ],
      [
        "a cache stores a refusal for one visitor",
        "{ status: error.status, headers: NO_STORE }",
        "{ status: error.status }",
      ],
      [
        "a visitor who posts a form returns to the target of the form",
        "findReferringPage(ctx) ?? ctx.origin + pathname",
        "ctx.origin + pathname",
      ],
    ],
  },
  {
    file: "src/request/failure.ts",
    tests: ["test/kernel/failure.test.ts", "test/attack/http.test.ts"],
    edits: [
      [
        "an error of a visitor who has disconnected hides all others",
        `cause === signal.reason || String(cause.name).startsWith("AbortError")`,
        "true",
      ],
      [
        "the class of a private error is shown",
        `if (!(error instanceof AuthError) || !error.public) return { error: "Configuration" };`,
        `if (!(error instanceof AuthError)) return { error: "Configuration" };`,
      ],
    ],
  },
  {
    file: "src/request/log.ts",
    tests: [
      "test/attack/log-canaries.test.ts",
      "test/kernel/logger.test.ts",
      "test/kernel/failure.test.ts",
      "test/security/bearer.test.ts",
      "test/attack/http.test.ts",
    ],
    edits: [
      [
        "an error of a request with an unpaired surrogate is not logged and gets no response",
        'text.replace(/\\p{Surrogate}/gu, "")',
        "text",
      ],
      [
        "errors quote the cookies of the request",
        `    listCookies(headers.get("cookie")).flatMap(([, raw]) => [raw, ...raw.split(/%7C|\\|/i)]),\n`,
        "",
      ],
      ["errors quote the posted fields", "    listTexts(body),\n", ""],
      [
        "errors quote the request if it has many cookies",
        "].flatMap((texts) => [...new Set(texts)].slice(0, MAX_SENT));",
        "].flatMap((texts) => [...new Set(texts)]).slice(0, MAX_SENT);",
      ],
      [
        "errors are logged exactly as they are thrown",
        "error instanceof Error ? redactError(error, listSent(ctx, getBody())) : error",
        "error",
      ],
      [
        "an error may quote the bearer token",
        "?.split(/[\\s,]+/) ?? []",
        ' ? [headers.get("authorization") as string] : []',
      ],
    ],
  },
  {
    file: "src/auth/server-actions.ts",
    tests: CALLS,
    edits: [
      [
        "a visitor's form links without the CSRF token",
        "isPosted && fields.link !== undefined ? checkCsrf : undefined",
        "undefined",
      ],
      [
        "a refused update changes the session",
        "refusal ? null : await ctx.kernel.strategy.update(ctx, data)",
        "await ctx.kernel.strategy.update(ctx, data)",
      ],
      [
        "fields that the application has read link without the CSRF token",
        `isForm || typeof fields.link === "string"`,
        "isForm",
      ],
    ],
  },
  {
    file: "src/auth/authorize.ts",
    tests: [...CALLS, "test/kernel/refuse-visitor.test.ts"],
    edits: [
      [
        "another spelling of its path reaches a guarded page",
        "if (other) return other;",
        "void other;",
      ],
      [
        "a path that the router reads literally reaches a guarded page",
        "const isOther = target !== undefined && isRewritten(target);",
        "const isOther = false as boolean;",
      ],
      [
        "the application's route applies a change to one of several users",
        "const ambiguous = await refuseAmbiguous(ctx);",
        "const ambiguous = undefined;",
      ],
      [
        "the application's route applies a change to one of several users if reading writes the session's cookie",
        "const ambiguous = await refuseAmbiguous(ctx);",
        "await readOnce(handler, call, ctx);\n    const ambiguous = await refuseAmbiguous(ctx);",
      ],
      [
        "another spelling of the sign-in page passes the guard",
        "if (callsFunction || isRewritten(target)) return false;",
        "if (callsFunction) return false;",
      ],
      [
        "every path below the base path passes the authorized hook",
        "hasRoute(withoutEndSlash(new URL(ctx.request.url).pathname))",
        "hasRoute",
      ],
    ],
  },
  {
    file: "src/auth/read-session.ts",
    tests: [...CALLS, "test/kernel/csrf.test.ts"],
    edits: [
      [
        "a post to the application's own code needs no CSRF token",
        "checkCsrf(ctx).finally(",
        "Promise.resolve().finally(",
      ],
      [
        "requireSession returns one of several users to a POST",
        "if (isMutation(ctx)) await expectOneUser(ctx, ctx.kernel.strategy);",
        "",
      ],
      [
        "a read that renews one of several users' sessions hides the others from later calls",
        "response, read.cookies, read.isOneOfSeveral)",
        "response, read.cookies)",
      ],
      [
        "requireSession does not check a session that the request has already read",
        "check || !getResponse(call) ? undefined",
        "!getResponse(call) ? undefined",
      ],
      [
        "a held session restores cookies that a sign-out has removed",
        "isCurrent ? done : { ...done, cookies: [] }",
        "done",
      ],
      [
        "a long connection keeps the session that it began with",
        "if (!getResponse(call)) return readSession(ctx);",
        "",
      ],
    ],
  },
  {
    file: "src/auth/call.ts",
    tests: CALLS,
    edits: [
      [
        "the session of a request survives its sign-out",
        ".finally(() => memory.forgetSession(getRequest(call)))",
        "",
      ],
      [
        "a response that shows a session is cached in frameworks that accept cookies one by one",
        'if ("cookies" in response) response.cookies.forbidCaching?.();\n  else keepPrivate(response.headers);',
        'if (!("cookies" in response)) keepPrivate(response.headers);',
      ],
      [
        "a sign-in whose cookie was refused succeeds",
        "  memory.deliver(getRequest(call), response, cookies);",
        "  try {\n    memory.deliver(getRequest(call), response, cookies);\n  } catch {}",
      ],
    ],
  },
];
