import type { Mutants } from "../_mutant.ts";

export const HTTP: readonly Mutants[] = [
  {
    file: "src/http/request-url.ts",
    tests: ["test/kernel/request-url.test.ts"],
    edits: [
      ["a path with dot segments is not the one that servers in front saw", "(?![.%])", ""],
      ["the origin is that of an earlier request", "!server || given !== start", "!server"],
      ["a host is read that the URL parser refuses", "[\\w.:[\\]-]+)", "[^/?#@\\\\\\s]+)"],
      [
        "a path has characters that the parser escapes",
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
        "a body that was read is sent",
        "if (response?.bodyUsed || response?.body?.locked) return undefined;",
        "",
      ],
      [
        "headers of plugins are not checked",
        "isValid ? undefined : new Response(text, init)",
        "isValid || true ? undefined : new Response(text, init)",
      ],
      [
        "changes of headers are lost",
        "response ? undefined : given.#init.headers",
        "given.#init.headers",
      ],
      [
        "each look makes another Response",
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
        "cookies are sent with requests of other sites",
        `      sameSite: "lax",`,
        `      sameSite: "none",`,
      ],
      [
        "cookies of https origins are sent over http",
        '      path: "/",\n      secure,',
        '      path: "/",\n      secure: false,',
      ],
      [
        "names of cookies are without their prefix",
        "override.name ?? prefix + name",
        "override.name ?? name",
      ],
      [
        "over http, cookies have names that browsers accept over https alone",
        "toPlainName(override.name ?? name)",
        "(override.name ?? name)",
      ],
      [
        "blanks that browsers keep are trimmed from names",
        "trimBlanks(pair.slice(0, at))",
        "pair.slice(0, at).trim()",
      ],
      [
        "a cookie whose name is no token is read",
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
        "chunks of a former session are left",
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
      ["the value of a cookie is not encoded", "=${encodeURIComponent(value)}`", "=${value}`"],
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
        "a body of any size is kept",
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
        "a JSON array is taken for the posted fields",
        "if (isObject(value)) return value;",
        "if (Object(value) === value) return value as Body;",
      ],
      [
        "a body that was read before counts as empty",
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
        "a stream that stalls is awaited for ever",
        "await raceSignal(readChunks(reader, maxBytes), signal)",
        "await readChunks(reader, maxBytes)",
      ],
      ["a stream that is too large goes on", "    if (!chunks) stop();\n", ""],
    ],
  },
  {
    file: "src/http/json.ts",
    tests: ["test/kernel/json.test.ts", "test/attack/http.test.ts"],
    edits: [
      ["JSON nests to any depth", "if (++open > depth) return true;", "++open;"],
      [
        "brackets within texts count as nesting",
        "    if (quoted) {\n      if (code",
        "    if (open < 0) {\n      if (code",
      ],
      ["a member __proto__ is kept", `if (name === "__proto__") return undefined;`, ""],
      ["two long ids of numbers are one", "exact ? toExact(value, ...context) : value", "value"],
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
        "a response is awaited for ever",
        "const timer = setTimeout(() => controller.abort(explain()), milliseconds);",
        "const timer = undefined;",
      ],
      [
        "a call begins for a request that has ended",
        'if (signal.aborted) abort();\n    signal.addEventListener("abort", abort);',
        'signal.addEventListener("abort", abort);',
      ],
      [
        "the signal of a request keeps each of its calls",
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
        "the request that ends does not end its calls",
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
        "a CDN stores what Cache-Control forbids",
        'if (!isPrivate(headers.get("cache-control"))) headers.set("cache-control", PRIVATE);\n  for (const name of SHARED_CACHE_HEADERS) headers.delete(name);',
        'if (!isPrivate(headers.get("cache-control"))) headers.set("cache-control", PRIVATE);',
      ],
      [
        "a directive within another one counts",
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
      ["headers that are set later are not looked at", "      listener();\n", ""],
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
        "a header is believed although no proxy is trusted",
        "if (trustProxy === 0) return connection === undefined ? undefined : parseIp(connection);",
        "",
      ],
      [
        "a request that passed fewer proxies is believed",
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
      ["a host may contain what ends a host", "!HOST.test(host) || ", ""],
      ["AUTH_URL does not decide", "if (config.origin) return config.origin;", ""],
      [
        "the last of several forwarded hosts counts",
        `header?.split(",", 1)[0]`,
        `header?.split(",").at(-1)`,
      ],
      [
        "a name that begins with localhost is the local machine",
        "127(?:\\.\\d{1,3}){3}|\\[::1\\])$/",
        "127(?:\\.\\d{1,3}){3}|\\[::1\\])/",
      ],
      [
        "a private address written as IPv6 is public",
        "const host = (address && findIpv4(address)) ?? name;",
        "const host = name;",
      ],
      ["a name of the internal network is public", " && !PRIVATE_NAME.test(host)", ""],
      ["a private address is public", " && !PRIVATE_ADDRESS.test(host)", ""],
      [
        "a visitor has links mailed with plain http",
        `if (origin === undefined && !isLoopback(url)) url.protocol = "https:";`,
        "",
      ],
      [
        "a pattern of trustHost fits every host that ends alike",
        "url.hostname.endsWith(`.${hostname}`) : url.hostname === hostname",
        "url.hostname.endsWith(hostname) : url.hostname === hostname",
      ],
      [
        "an entry of trustHost fits every port",
        "hostname === undefined || port !== url.port",
        "hostname === undefined",
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
        "cookies of a sibling host come before the application's",
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
