import type { Mutants } from "../_mutant.ts";

export const HTTP: readonly Mutants[] = [
  {
    file: "src/http/target.ts",
    tests: ["test/attack/guard-spellings.test.ts", "test/bindings/next.test.ts"],
    edits: [
      [
        "a sign-in page with a trailing slash redirects to itself forever",
        "withoutEndSlash(page.pathname) === withoutEndSlash(here.pathname)",
        "page.pathname === here.pathname",
      ],
      [
        "an escaped letter hides a path from `authorized`",
        ".replaceAll(NEEDLESS, (escape) => decodeURIComponent(escape))",
        "",
      ],
      [
        "a page with the path of the sign-in page and another query needs no session",
        "list(page, name) === list(here, name)",
        "list(page, name) !== name",
      ],
      [
        "escapes in lower case hide a path from `authorized`",
        ".replaceAll(BEYOND_ASCII, (escape) => escape.toUpperCase())",
        "",
      ],
    ],
  },
  {
    file: "src/http/request-url.ts",
    tests: ["test/kernel/request-url.test.ts"],
    edits: [
      ["a path with dot segments differs from the one that servers in front saw", "(?![.%])", ""],
      ["the origin is that of an earlier request", "!server || given !== start", "!server"],
      ["a host that the URL parser refuses is accepted", "[\\w.:[\\]-]+)", "[^/?#@\\\\\\s]+)"],
      [
        "a path contains characters that the parser escapes",
        "!$&'()*+,;=:@%-]*",
        "!$&'()*+,;=:@%|^`-]*",
      ],
    ],
  },
  {
    file: "src/http/known-response.ts",
    tests: ["test/kernel/known-response.test.ts", "test/bindings/one-write.test.ts"],
    edits: [
      [
        "a body that was already read is sent",
        "if (response?.bodyUsed || response?.body?.locked) return undefined;",
        "",
      ],
      [
        "headers of plugins are not checked",
        "isValid ? undefined : new Response(text, init)",
        "isValid || true ? undefined : new Response(text, init)",
      ],
      [
        "changes to headers are lost",
        "response ? undefined : given.#init.headers",
        "given.#init.headers",
      ],
      [
        "each access creates another Response",
        "this.#response ??= new Response",
        "return new Response",
      ],
    ],
  },
  {
    file: "src/http/cookies.ts",
    tests: [
      "test/kernel/cookies.test.ts",
      "test/attack/cookies.test.ts",
      "test/kernel/config.test.ts",
    ],
    edits: [
      ["cookies can be read by scripts", "      httpOnly: true,", "      httpOnly: false,"],
      [
        "cookies are sent with requests from other sites",
        `      sameSite: "lax",`,
        `      sameSite: "none",`,
      ],
      [
        "cookies of https origins are sent over http",
        '      path: "/",\n      secure,',
        '      path: "/",\n      secure: false,',
      ],
      ["cookie names have no prefix", "override.name ?? prefix + name", "override.name ?? name"],
      [
        "over http, cookies have names that browsers only accept over https",
        "toPlainName(override.name ?? name)",
        "(override.name ?? name)",
      ],
      [
        "whitespace that browsers keep is trimmed from names",
        "trimBlanks(pair.slice(0, at))",
        "pair.slice(0, at).trim()",
      ],
      [
        "a cookie whose name is not a token is accepted",
        "if (COOKIE_NAME.test(name)) found.push",
        "found.push",
      ],
      ["any number of cookies is cleared", "/\\.\\d$/", "/\\.\\d+$/"],
      [
        "a larger session is split into any number of cookies",
        "if (chunks.length > MAX_CHUNKS) {",
        "if (chunks.length > 1000) {",
      ],
      [
        "chunks of an earlier session remain",
        "    this.clearChunked(name, attributes);\n    if (chunks",
        "    if (chunks",
      ],
      [
        "the name of a cookie may contain a header",
        "if (!COOKIE_NAME.test(name)) {",
        "if (!name) {",
      ],
      [
        "the path or domain of a cookie may contain a header",
        "if (/[;\\u0000-\\u001f\\u007f-\\uffff]/.test(value)) {",
        "if (!value) {",
      ],
      ["cookie values are not encoded", "=${encodeURIComponent(value)}`", "=${value}`"],
      [
        "a broken escape in a cookie throws",
        "    return decodeURIComponent(value);\n  } catch {\n    return value;",
        "    return decodeURIComponent(value);\n  } catch (error) {\n    throw error;",
      ],
    ],
  },
  {
    file: "src/http/body.ts",
    tests: ["test/kernel/body.test.ts", "test/attack/http.test.ts"],
    edits: [
      [
        "a body of any announced size is read",
        "if (isAnnounced) throw tooLarge();",
        "if (isAnnounced) await null;",
      ],
      [
        "a body of any size is buffered",
        "if (!bytes) throw tooLarge();",
        "bytes ??= new Uint8Array();",
      ],
      ["the limit of a body is 64 MB", "64 * 1024;", "64 * 1024 * 1024;"],
      [
        "bytes that are not UTF-8 are replaced",
        `new TextDecoder("utf-8", { fatal: true })`,
        `new TextDecoder("utf-8")`,
      ],
      [
        "a JSON array counts as posted fields",
        "if (isObject(value)) return value;",
        "if (Object(value) === value) return value as Body;",
      ],
      [
        "a body that was already read counts as empty",
        "if (request.bodyUsed) {",
        "if (request.bodyUsed && !request.body) {",
      ],
      ["posted files become fields", `.filter(([, value]) => typeof value === "string")`, ""],
    ],
  },
  {
    file: "src/http/bytes.ts",
    tests: ["test/kernel/body.test.ts", "test/kernel/fetch.test.ts"],
    edits: [
      [
        "a stream is read beyond its limit",
        "if (size > maxBytes) return undefined;",
        "if (size > 100 * maxBytes) return undefined;",
      ],
      [
        "a stream that stalls is awaited forever",
        "await raceSignal(readChunks(reader, maxBytes), signal)",
        "await readChunks(reader, maxBytes)",
      ],
      ["a stream that is too large is not canceled", "    if (!chunks) stop();\n", ""],
    ],
  },
  {
    file: "src/http/json.ts",
    tests: ["test/kernel/json.test.ts", "test/attack/http.test.ts"],
    edits: [
      ["JSON nests to any depth", "if (++open > depth) return true;", "++open;"],
      [
        "brackets inside strings count as nesting",
        "    if (quoted) {\n      if (code",
        "    if (open < 0) {\n      if (code",
      ],
      ["a member __proto__ is kept", `if (name === "__proto__") return undefined;`, ""],
      ["two long numeric ids are equal", "exact ? toExact(value, ...context) : value", "value"],
      ["an escaped __proto__ is kept", ' && !text.includes("\\\\u")', ""],
      [
        "the error quotes the JSON",
        `throw new BadRequest("The JSON is malformed.");`,
        "throw new BadRequest(`The JSON is malformed: ${text}`);",
      ],
    ],
  },
  {
    file: "src/platform/timeout.ts",
    tests: ["test/kernel/fetch.test.ts", "test/kernel/handler.test.ts"],
    edits: [
      [
        "a response is awaited forever",
        "const timer = setTimeout(() => controller.abort(explain()), milliseconds);",
        "const timer = undefined;",
      ],
      [
        "a call starts for a request that has ended",
        'if (signal.aborted) abort();\n    signal.addEventListener("abort", abort);',
        'signal.addEventListener("abort", abort);',
      ],
      [
        "the signal of a request retains each of its calls",
        'releases.push(() => signal.removeEventListener("abort", abort));',
        "",
      ],
    ],
  },
  {
    file: "src/http/fetch.ts",
    tests: ["test/kernel/fetch.test.ts"],
    edits: [
      [
        "plain http is fetched from anywhere",
        "if (!isSecureUrl(url)) throw",
        `if (url.protocol === "ftp:") throw`,
      ],
      ["redirects are followed", `redirect: "manual"`, `redirect: "follow"`],
      ["the response of a redirect is used", "(status >= 300 && status < 400)", "status === 399"],
      [
        "a response of any size is kept",
        "await readBytes(response.body, maxBytes, signal)",
        "await readBytes(response.body, 1e9, signal)",
      ],
      [
        "the end of a request does not abort its calls",
        "[bounds.signal, init?.signal, request?.signal]",
        "[init?.signal, request?.signal]",
      ],
      ["long segments of a path are logged", `.replace(/[^/]{33,}/g, "...")`, ""],
      [
        "queries are logged",
        "return url.host + url.pathname",
        "return url.host + url.search + url.pathname",
      ],
    ],
  },
  {
    file: "src/http/caching.ts",
    tests: ["test/kernel/handler.test.ts", "test/kernel/caching.test.ts"],
    edits: [
      [
        "a CDN caches what Cache-Control forbids",
        'if (!isPrivate(headers.get("cache-control"))) headers.set("cache-control", PRIVATE);\n  for (const name of SHARED_CACHE_HEADERS) headers.delete(name);',
        'if (!isPrivate(headers.get("cache-control"))) headers.set("cache-control", PRIVATE);',
      ],
      [
        "a directive inside another one matches",
        `directives.includes("private") && directives.includes("no-store")`,
        `value.includes("private") && value.includes("no-store")`,
      ],
      [
        "a later header lets every cache store a private response",
        'if (!isForOneVisitor(headers.get("cache-control"))) headers.set("cache-control", PRIVATE);',
        "",
      ],
      [
        "a later header lets a CDN store a private response",
        'if (!isForOneVisitor(headers.get("cache-control"))) headers.set("cache-control", PRIVATE);\n  for (const name of SHARED_CACHE_HEADERS) headers.delete(name);',
        'if (!isForOneVisitor(headers.get("cache-control"))) headers.set("cache-control", PRIVATE);',
      ],
      ["headers that are set later are ignored", "      listener();\n", ""],
      [
        "`private` with a list of fields counts",
        'const directives = listDirectives(value ?? "");',
        'const directives = (value ?? "").split(/[=,] ?/);',
      ],
    ],
  },
  {
    file: "src/http/ip.ts",
    tests: ["test/kernel/ip.test.ts"],
    edits: [
      [
        "the client chooses its address: the list is read from the left",
        ".slice(-trustProxy)",
        ".slice(0, trustProxy)",
      ],
      [
        "a header is trusted although no proxy is trusted",
        "if (trustProxy === 0) return connection === undefined ? undefined : parseIp(connection);",
        "",
      ],
      [
        "a request that passed fewer proxies is trusted",
        "entries.length < trustProxy) return undefined;",
        "entries.length < 0) return undefined;",
      ],
      [
        "IPv4 in IPv6 is another address",
        "high !== undefined && low !== undefined ? toIpv4(high, low) : normal",
        "normal",
      ],
    ],
  },
  {
    file: "src/http/origin.ts",
    tests: [
      "test/kernel/origin.test.ts",
      "test/attack/hosts.test.ts",
      "test/kernel/fetch.test.ts",
      "test/flows/oauth-oidc.test.ts",
    ],
    edits: [
      ["a host may contain characters that end a host", "!HOST.test(host) || ", ""],
      ["AUTH_URL does not take precedence", "if (config.origin) return config.origin;", ""],
      [
        "the last of several forwarded hosts is used",
        `header?.split(",", 1)[0]`,
        `header?.split(",").at(-1)`,
      ],
      [
        "a private address written as IPv6 counts as public",
        "const address = findIpv4(ip) ?? ip;",
        "const address = ip;",
      ],
      ["a name of the internal network counts as public", " && !PRIVATE_NAME.test(name)", ""],
      ["a private address counts as public", "!isLocalIp(address) && ", ""],
      [
        "a visitor causes e-mail links over plain http",
        `if (origin === undefined && !isLoopback(url)) url.protocol = "https:";`,
        "",
      ],
      [
        "a pattern of trustHost matches every host with the same end",
        "url.hostname.endsWith(`.${hostname}`) : url.hostname === hostname",
        "url.hostname.endsWith(hostname) : url.hostname === hostname",
      ],
      [
        "an entry of trustHost matches every port",
        "hostname === undefined || port !== url.port",
        "hostname === undefined",
      ],
    ],
  },
  {
    file: "src/platform/loopback.ts",
    tests: ["test/kernel/origin.test.ts", "test/attack/hosts.test.ts", "test/kernel/fetch.test.ts"],
    edits: [
      [
        "a name that begins with localhost counts as the local machine",
        "127(?:\\.\\d{1,3}){3}|\\[::1\\])$/",
        "127(?:\\.\\d{1,3}){3}|\\[::1\\])/",
      ],
    ],
  },
  {
    file: "src/http/namesakes.ts",
    tests: [
      "test/kernel/cookies.test.ts",
      "test/attack/tossed-cookies.test.ts",
      "test/attack/cookies.test.ts",
    ],
    edits: [
      [
        "cookies of a sibling host take precedence over the application's",
        "return [...likely, ...others].slice(0, MAX_CANDIDATES);",
        "return [...found].slice(0, MAX_CANDIDATES);",
      ],
      [
        "any number of cookies is opened",
        "return [...likely, ...others].slice(0, MAX_CANDIDATES);",
        "return [...likely, ...others];",
      ],
      ["any number of parts is joined", "if (characters > MAX_JOINED_CHARACTERS) break;", ""],
      ["short parts multiply", "if (isFull(chunk)) yield* joinParts", "yield* joinParts"],
      [
        "a part that a sibling host added ends the session",
        "at < chunks.length - 1 && isFull",
        "at < 0 && isFull",
      ],
    ],
  },
];
