import type { Mutants } from "../_mutant.ts";

const NEXT = ["test/bindings/next.test.ts"];
const ASTRO = ["test/bindings/astro.test.ts"];
const KIT = ["test/bindings/sveltekit.test.ts", "test/bindings/bad-input.test.ts"];

export const BINDINGS: readonly Mutants[] = [
  {
    file: "plugins/bindings/_own-fetch.ts",
    tests: ["test/bindings/own-fetch.test.ts"],
    edits: [
      [
        "a page whose own fetch got a response that its event made private is cached for others",
        "[own, event.res.headers, event.res.errHeaders]",
        "[own]",
      ],
    ],
  },
  {
    file: "plugins/bindings/_route-rules.ts",
    tests: ["test/bindings/nitro.test.ts", "test/attack/route-rules.test.ts"],
    edits: [
      [
        "an exception from a rule holds for other spellings of its path",
        "if (isRequired) return readings",
        "if (isRequired || !isRequired) return readings",
      ],
      [
        "an exception from a rule applies to paths that dots lead out of",
        "readings.every((one) => fits",
        "readings.some((one) => fits",
      ],
      ["another spelling passes a rule", "decoded.toLowerCase()", "segment"],
      [
        "an encoded slash passes a rule for one segment",
        "if (named.length !== strict.length) readings.push(strict);",
        "",
      ],
      [
        "a path with many malformed escapes passes a rule",
        "if (!all) return sorted.some(({ isRequired }) => isRequired);",
        "if (!all) return false;",
      ],
      [
        "encoded dots pass a rule",
        'if (parts.includes("..")) readings.push(withoutDots(named), withoutDots(parts));',
        "",
      ],
    ],
  },
  {
    file: "plugins/bindings/_rule-lists.ts",
    tests: ["test/attack/route-rules.test.ts"],
    edits: [
      ["a rule with `auth` is accepted where Nitro proxies requests", '["proxy"]', "[]"],
      [
        "a rule with `auth` is accepted for a pattern that Nitro reads in another way",
        "if (exact === undefined) {",
        "if (false) {",
      ],
      [
        "a `*` of Nitro 3 is one segment",
        'segment === "*" && version === 3 ? "**" : segment',
        "segment",
      ],
      [
        "a rule with `auth` is accepted for a part of the paths of a cached response",
        'if (second === "**") return listCommon(other, one, length);',
        "",
      ],
      [
        "an exception from a rule counts for deeper paths of a cached response",
        "...(isOver ? [] : prepend(taken, listCommon(one, remaining, length - 1))),",
        "",
      ],
    ],
  },
  {
    file: "plugins/bindings/express.ts",
    tests: ["test/bindings/express-auth.test.ts"],
    edits: [
      ["a client chooses the base path by an encoded slash", "/%2f/i.test(one)", "false"],
      [
        "a client chooses the base path by repeating it",
        "[withoutSlashes(baseUrl), path]",
        "[path, withoutSlashes(baseUrl)]",
      ],
    ],
  },
  {
    file: "plugins/bindings/h3.ts",
    tests: ["test/bindings/middleware-headers.test.ts"],
    edits: [
      [
        "middleware in front lets every cache store a session",
        'dropCaching(headers, response.headers.get("cache-control"))',
        "return",
      ],
      ["h3 1: a CDN stores a session", "    yieldTo(response, res.headers);\n", ""],
      [
        "headers that are set after the routes let caches store a session",
        "  if (response.status !== 404) watchWrites(headers, () => yieldTo(response, headers));\n",
        "",
      ],
      [
        "a session that middleware has renewed survives its sign-out",
        "withoutSet(lines, getLineName, response.headers)",
        "lines",
      ],
      ["middleware in front makes a session response a page", "!KEPT.includes(name)", "false"],
      [
        "a route for all visitors is cached with the session that middleware has read",
        '["set-cookie", "cache-control"]',
        '["set-cookie"]',
      ],
    ],
  },
  {
    file: "plugins/bindings/nitro.ts",
    tests: ["test/bindings/nitro.test.ts"],
    edits: [
      [
        "a route that an event reads after its sign-out still has the session",
        ".filter(([name]) => !set.has(name))",
        "",
      ],
      ["a WebSocket passes a rule", "if (refused) throw", "if (refused && !request) throw"],
      [
        "a path that the router reads literally passes a rule",
        "[new URL(url).pathname, written]",
        "[new URL(url).pathname]",
      ],
      [
        "a path that the URL parser rewrites passes a rule",
        "[new URL(url).pathname, written]",
        "[written]",
      ],
      [
        "a path that begins with a host passes a rule",
        "below === undefined ? paths",
        "below !== null ? paths",
      ],
    ],
  },
  {
    file: "plugins/bindings/next/cookies.ts",
    tests: NEXT,
    edits: [
      ["unchanged cookies are rewritten", "decode(raw) === value", "raw === value"],
      ["a deleted cookie remains", `.filter(({ value }) => value !== "")`, ""],
      [
        "a changed cookie is appended to the original",
        "known.filter(([name]) => !names.has(name))",
        "known",
      ],
      ["values are not encoded", "encodeURIComponent(value)", "value"],
      ["the end of a name matches the name", "(`,${name}=`)", "(`${name}=`)"],
    ],
  },
  {
    file: "plugins/bindings/next/proxy.ts",
    tests: NEXT,
    edits: [
      [
        "shared caches store a response whose session the proxy has read",
        "      keepFromCaches(own.headers);\n",
        "",
      ],
      [
        "a rewrite within the application goes to another server",
        "      rewriteWithin(own.headers, request, given);\n",
        "",
      ],
      [
        "a rewrite to another server stays in the application",
        "if (target?.origin !== new URL(url).origin) return;",
        "if (!target || !url) return;",
      ],
      [
        "browsers store a response with cookies",
        "      if (due.length) forbidCaching(own.headers);\n",
        "",
      ],
      ["a redirect passes cookies to later code", "if (!isPassed(own)) return own;", ""],
      [
        "later code renews the session again",
        "own.headers.set(PROXY_COOKIES",
        'own.headers.set("x-none"',
      ],
      ["later code reads the old session", "      overrideCookie(own.headers, due);\n", ""],
      [
        "headers that the application removed return",
        "if (!own.headers.has(OVERRIDDEN)) {",
        "if (own.headers) {",
      ],
      [
        "cookies that the application removed return",
        `if (!names.some((name) => name.trim() === "cookie")) return;`,
        "",
      ],
    ],
  },
  {
    file: "plugins/bindings/next/app-events.ts",
    tests: NEXT,
    edits: [
      [
        "each read of a request is a separate one",
        "if (known?.cookie === cookie) return known.event;",
        "",
      ],
      ["the session stays as it was first read", "if (known?.cookie === cookie)", "if (known)"],
      [
        "the session is renewed after a proxy has renewed it",
        "if (!isSetByProxy(renewed, name)) set",
        "set",
      ],
      [
        "an update behind a proxy is lost",
        "change: { req, res: { cookies: { set } } }",
        "change: { req, res: { cookies: { set: renew } } }",
      ],
      ["a malformed Host fails the page", 'URL.canParse(url) ? url : "http://localhost/"', "url"],
    ],
  },
  {
    file: "plugins/bindings/next/page-events.ts",
    tests: NEXT,
    edits: [
      ["each read of a request is a separate one", "if (known) return known;", ""],
      [
        "the session is renewed after a proxy has renewed it",
        "            if (isSetByProxy(renewed, name)) return;\n",
        "",
      ],
      [
        "caches store the response",
        "forbidCaching: () => forbidCaching(headers),",
        "forbidCaching() {},",
      ],
    ],
  },
  {
    file: "plugins/bindings/next/url.ts",
    tests: NEXT,
    edits: [
      [
        "redirects use the address of the process",
        "if (!configured || configured.origin === origin) return request;",
        "if (configured !== null) return request;",
      ],
      [
        "the proxy's URL ignores next.config",
        '  return Object.defineProperty(made, "nextUrl", { value: nextUrl });',
        "  return nextUrl && made;",
      ],
      [
        "the routes ignore the base path of next.config",
        "parsed.pathname = base + parsed.pathname;",
        "",
      ],
      [
        "no route is found with trailingSlash of next.config",
        'parsed.pathname = parsed.pathname.replace(/\\/$/, "");',
        "",
      ],
    ],
  },
  {
    file: "plugins/bindings/next.ts",
    tests: NEXT,
    edits: [
      [
        "the handler of a guarded proxy runs without a session",
        "return send(verdict === passed ? response",
        "response ??= await handler?.(request as NextAuthRequest, context);\n    return send(verdict === passed ? response",
      ],
      [
        "shared caches store a response whose session a route handler has read",
        "  keepFromCaches(copy.headers);\n",
        "",
      ],
      [
        "an action gets 401 without the redirect that Next.js in the browser follows",
        "if (refused.status !== 401 || !isAction) return",
        "if (refused.status !== 401 || isAction || !isAction) return",
      ],
    ],
  },
  {
    file: "plugins/bindings/astro.ts",
    tests: ASTRO,
    edits: [
      [
        "a prerendered page has the session of the build",
        "(isPrerendered ? null : getSession(open(context).source))",
        "getSession(open(context).source)",
      ],
      [
        "a prerendered page is guarded in the build",
        "if (context.isPrerendered) return next();",
        "",
      ],
      [
        "server functions read a session for all visitors",
        "if (given.isPrerendered) {",
        "if (!given) {",
      ],
      ["each read of a request is a separate one", "    visits.set(request, visit);\n", ""],
      [
        "an adapter without an address fails every request",
        "// The adapter may not know the address.\n    return undefined;",
        "throw new Error();",
      ],
      [
        "an action runs through the sign-in page",
        "readAddress(context), callsFunction }",
        "readAddress(context), callsFunction: !callsFunction && false }",
      ],
      [
        "errors of the application redirect to the sign-in page",
        "if (isRefusal(error)) return",
        "if (error) return",
      ],
      ["a refused form is posted to the sign-in page", "isSafe ? 302 : 303", "isSafe ? 302 : 307"],
      ["the visitor returns to an action", "isSafe ? url.href : url.pathname", "url.href"],
      ["scripts are redirected", "!wantsPage(request)", "!request"],
      [
        "the guard passes every visitor",
        "return (await authorize(open(context).source)) ?? next();",
        "await authorize(open(context).source);\n      return next();",
      ],
    ],
  },
  {
    file: "plugins/bindings/_visit.ts",
    tests: [...ASTRO, ...KIT],
    edits: [
      [
        "shared caches store a page with a session",
        "    forbidSharedCaching(response.headers);\n",
        "",
      ],
      [
        "a page that was read late is cached for others",
        "if (!isStored && !isShared(sent.headers)) return;",
        "return;",
      ],
      [
        "a page that a route rule caches, and that was read late, is served to others",
        "if (!isStored && !isShared",
        "if (!isShared",
      ],
      [
        "a page without a session is private",
        "isPrivate ? makePrivate(response) : response",
        "makePrivate(response)",
      ],
      [
        "session cookies can be read by scripts",
        "setCookie(name, value, { ...attributes, path, httpOnly, secure });",
        "setCookie(name, value, { ...attributes, path, httpOnly: false, secure });",
      ],
    ],
  },
  {
    file: "plugins/bindings/sveltekit/visit.ts",
    tests: KIT,
    edits: [
      [
        "the client of a remote function chooses the path that the guard checks",
        "isRemoteRequest ? new URL(request.url) : url",
        "url",
      ],
      [
        "a remote form runs through the sign-in page",
        "isRemoteRequest || namesForm",
        "isRemoteRequest",
      ],
    ],
  },
  {
    file: "plugins/bindings/sveltekit/form.ts",
    tests: KIT,
    edits: [
      ["a form that was already read is read again", "isForm && !request.bodyUsed ?", "isForm ?"],
    ],
  },
  {
    file: "plugins/bindings/sveltekit.ts",
    tests: KIT,
    edits: [
      [
        "an error page shows the details for the developer",
        "if (!(error instanceof AuthError) || !error.public || error.status >= 500) throw error;",
        "if (!(error instanceof AuthError) || error.status >= 500) throw error;",
      ],
      [
        "a prerendered page has the session of the build",
        "(isBuilding ? null : getSession(open(event).source))",
        "getSession(open(event).source)",
      ],
      [
        "an action throws when a provider is down",
        "status >= 500 && status !== 503",
        "status >= 500",
      ],
      [
        "an action shows server errors to visitors",
        "if (status >= 500 && status !== 503) return undefined;",
        "",
      ],
    ],
  },
  {
    file: "plugins/bindings/nuxt.ts",
    tests: ["test/bindings/nuxt.test.ts"],
    edits: [
      [
        "the configuration of a layer takes precedence over the application's",
        "[options, ...options._layers.map(({ config }) => config)]",
        "[...options._layers.map(({ config }) => config).reverse(), options]",
      ],
    ],
  },
  {
    file: "plugins/bindings/_response-headers.ts",
    tests: ["test/bindings/middleware-headers.test.ts"],
    edits: [
      [
        "middleware that sets headers last lets caches store a session",
        "    else watchHeaders(res, keep);\n",
        "",
      ],
    ],
  },
  {
    file: "plugins/bindings/node.ts",
    tests: [
      "test/bindings/bad-input.test.ts",
      "test/bindings/middleware-headers.test.ts",
      "test/bindings/server-functions.test.ts",
      "test/bindings/wire.test.ts",
      "test/attack/guard-spellings.test.ts",
    ],
    edits: [
      ["middleware in front lets a CDN store a session", "dropCaching(own, caching ?? null);", ""],
      [
        "a Host header is part of the path",
        "(HOST.test(host) && URL.canParse(url))",
        "URL.canParse(url)",
      ],
      [
        "a target with another scheme has the path that a router reads from it",
        "if (isMalformed || !isHost)",
        "if (!isHost)",
      ],
      [
        "the last of several headers is used",
        "if (found !== null) return toHeaders(req).get(name);",
        "",
      ],
      ["nothing is aborted when a client disconnects", 'else res.once("close", onClose);', ""],
      [
        "a parsed body that cannot be serialized crashes the server",
        'throw new BadRequest("The parsed body could not be serialized.", { cause });',
        "throw cause;",
      ],
      [
        "a path of two slashes names a host",
        '${path.startsWith("/") ? path : `/${path}`}',
        "${path}",
      ],
      ["the body of other paths is read", "{ highWaterMark: 0 },", "{ highWaterMark: 1 },"],
      [
        "the Host header takes precedence over the host of the target",
        "targetHost ?? req",
        "req.headers.host ?? targetHost ?? req",
      ],
      [
        "the Host header takes precedence over the authority of HTTP/2",
        'req.headers[":authority"] ?? req.headers.host',
        'req.headers.host ?? req.headers[":authority"]',
      ],
      [
        "text that names another media type counts as a form",
        'type === "multipart/form-data"',
        'headers.get("content-type")?.includes("multipart/form-data")',
      ],
    ],
  },
];
