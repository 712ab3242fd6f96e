import type { Mutants } from "../_mutant.ts";

export const OAUTH: readonly Mutants[] = [
  {
    file: "plugins/flows/oauth/identity.ts",
    tests: [
      "test/attack/hostile-provider.test.ts",
      "test/spec/providers.test.ts",
      "test/flows/oauth-identity.test.ts",
      "test/flows/oauth-plain.test.ts",
      "test/spec/fixed.test.ts",
    ],
    edits: [
      ["an account without an id is accepted", ` && text.trim() !== ""`, ""],
      ["rounded numbers are used as ids", "Number.isSafeInteger(id)", "Number.isInteger(id)"],
      [
        "a token response sets the user of the application",
        "const { userId: _, ...rest } = tokens;",
        "const rest = tokens;",
      ],
      [
        "every member of a token response is stored",
        "STORED.filter(isPlain)",
        "Object.keys(tokens)",
      ],
      [
        "an address is verified although the provider reports nothing",
        `return claim === false || claim === "false" ? false : undefined;`,
        `return claim !== false && claim !== "false";`,
      ],
      [
        "the claim of another address verifies the one that the mapping chose",
        "return isSameEmail(profile.email, email) || undefined;",
        "return true;",
      ],
      [
        "an address is verified although emailVerified reports nothing",
        `return typeof stated === "boolean" ? stated : undefined;`,
        "return stated !== false;",
      ],
      [
        "accounts of two providers are one user without an adapter",
        "await uuidFrom(JSON.stringify([provider.id, providerAccountId]))",
        "await uuidFrom(providerAccountId)",
      ],
      ["an id of any length is stored", " && text.length <= MAX_ID_LENGTH", ""],
    ],
  },
  {
    file: "plugins/flows/oauth/attempt.ts",
    tests: [
      "test/flows/checks.test.ts",
      "test/flows/oauth-once.test.ts",
      "test/attack/planted-attempts.test.ts",
      "test/attack/combined.test.ts",
      "test/attack/tossed-cookies.test.ts",
    ],
    edits: [
      [
        "only the start of the state is compared",
        `timingSafeEqual(sent ?? "", state);`,
        `(sent ?? "").startsWith(state);`,
      ],
      [
        "a callback without the original state is accepted",
        "state === undefined ? sent === undefined :",
        "state === undefined ||",
      ],
      [
        "an attempt at another provider is accepted",
        "if (!isOfProvider) return new InvalidCheck",
        "if (all.length > 99) return new InvalidCheck",
      ],
      [
        "an attempt with a missing check is accepted",
        "if (all.length === 0 || missing !== undefined) {",
        "if (all.length === 0) {",
      ],
      [
        "an attempt is accepted any number of times",
        "if (!(await isFirstUse(ctx, opened)))",
        "if (!opened)",
      ],
      [
        "an attempt is not cleared",
        "for (const key of opened.keys()) clearCheck(ctx, key, location);",
        "",
      ],
      [
        "an attacker's callback ends the visitor's attempt",
        "if (isConcurrent || (matches && (state !== undefined || isOfProvider))) {",
        "if (ctx) {",
      ],
      [
        "any number of attempts is stored",
        "if (isConcurrent) await makeRoom(ctx, KEYS, ROOM);",
        "",
      ],
      [
        "an attempt does not contain the session it began in",
        "{ session, callbackUrl }",
        "{ callbackUrl }",
      ],
      [
        "the cookies of two attempts are mixed",
        "const check = lead ? checks.find(({ attempt }) => attempt === lead.attempt) : checks[0];",
        "const check = checks[0];",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/authorization-response.ts",
    tests: [
      "test/flows/checks.test.ts",
      "test/flows/oauth-oidc.test.ts",
      "test/flows/oauth-plain.test.ts",
    ],
    edits: [
      [
        "a repeated parameter is accepted",
        "params.getAll(name).length > 1",
        "params.getAll(name).length > 9",
      ],
      ["any callback may be posted", "if (!isFormPost(ctx.provider)) {", "if (!ctx.provider) {"],
      [
        "the issuer of a response is not compared",
        "if (!server.issuer || isIssuerInIdToken) given",
        "if (server) given",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/checks.ts",
    tests: [
      "test/attack/combined.test.ts",
      "test/flows/oauth-plain.test.ts",
      "test/flows/oauth-request.test.ts",
      "test/flows/checks.test.ts",
      "test/flows/oauth-oidc.test.ts",
    ],
    edits: [
      [
        "a link relies only on the server's check of PKCE",
        "if (isLinking || provider",
        "if (provider",
      ],
      [
        "the verifier is sent as its challenge",
        `method === "plain" ? verifier : await sha256Base64url(verifier)`,
        "verifier",
      ],
      [
        "a verifier has 16 random bits",
        "pkceCodeVerifier: randomBase64url(32)",
        "pkceCodeVerifier: randomBase64url(2).repeat(16)",
      ],
      [
        "a server without PKCE gets no other check",
        `if (!checks.has("pkce") || isStated || (isDiscovered && methods?.includes("S256"))) return checks;`,
        "return checks;",
      ],
      ["a code of a public client is bound to nothing", " && !isPublic", ""],
      [
        "an attempt without a check needs no cookie",
        "if (checks.size === 0) return { oauthAttempt: randomBase64url(32) };",
        "if (checks.size === 0) return {};",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/discovery.ts",
    tests: ["test/flows/oauth-oidc.test.ts", "test/flows/oauth-resolve.test.ts"],
    edits: [
      [
        "outdated metadata stays in use",
        "if (age >= RETRY_AFTER_MS) loadedAt.set(url, 0);",
        "if (age < 0) loadedAt.set(url, 0);",
      ],
      [
        "metadata of another issuer is used",
        "!isSameIssuer(provider.issuer, issuer)",
        "!provider.issuer",
      ],
      [
        "the metadata of an error response is used",
        "if (response.status !== 200) {",
        "if (!response) {",
      ],
      [
        "metadata from the internet points to the internal network",
        "if (isPublicHost(from)) return isPublicHost(url);",
        "",
      ],
      [
        "metadata of another machine points to this one",
        "return isLoopback(from) || !isLoopback(url);",
        "return true;",
      ],
      [
        "metadata points to plain http",
        "if (!url || !isSecureUrl(url)) return false;",
        "if (!url) return false;",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/id-token.ts",
    tests: [
      "test/attack/hostile-provider.test.ts",
      "test/flows/oauth-oidc.test.ts",
      "test/flows/oauth-plain.test.ts",
      "test/providers/microsoft-entra-id.test.ts",
    ],
    edits: [
      [
        "the hash of an access token uses another algorithm's digest",
        '[, size = "512"]',
        '[, size = "256"]',
      ],
      ["two ids of an ID token are equal after rounding", "{ exact: true }", "{}"],
      [
        "the `max_age` of a call is not compared",
        "asked ?? getAuthorizationParam",
        "getAuthorizationParam",
      ],
      [
        "alg none or HS256 is accepted from the metadata",
        `typeof alg === "string" && ASYMMETRIC.test(alg)`,
        `typeof alg === "string"`,
      ],
      [
        "the hash of an access token is not compared",
        "!timingSafeEqual(given, expected)",
        "!given",
      ],
      ["the nonce is not compared", "!timingSafeEqual(given, nonce)", `given === ""`],
      [
        "a nonce that was not sent is accepted",
        `if (given === undefined || (isLenient && given === "")) return;`,
        `if (given !== "") return;`,
      ],
      ["the audience is not compared", "    audience: clientId,\n", ""],
      ["the issuer is not compared", "if (!issuer || claims.iss !== issuer) {", "if (!issuer) {"],
      [
        "a token for another party is accepted",
        "azp === undefined ? isShared : azp !== clientId",
        "isShared && azp === undefined",
      ],
      [
        "a token for several parties is accepted",
        "azp === undefined ? isShared :",
        "azp !== undefined &&",
      ],
      [
        "a token without an expiry is accepted",
        `["iss", "sub", "aud", "exp", "iat"]`,
        `["iss", "sub", "aud", "iat"]`,
      ],
      ["an old token is accepted", "    maxTokenAge: MAX_AGE_S,\n", ""],
      [
        "the claims of a token that the client secret verifies are not checked",
        `encodeText(clientSecret ?? ""), options);`,
        `encodeText(clientSecret ?? ""));`,
      ],
      [
        "the claims of a token that one of several keys verifies are not checked",
        "await jwtVerify(token, key, options);",
        "await jwtVerify(token, key);",
      ],
      [
        "an access token is accepted as an ID token",
        "/^(?:application\\/)?(?:at|logout)\\+jwt$/i",
        "/^logout$/i",
      ],
      [
        "max_age is not checked",
        "if (isLimited && time + maxAge + CLOCK_SKEW_S < Date.now() / 1000) {",
        "if (time < 0) {",
      ],
      [
        "auth_time may be missing",
        `if (typeof time !== "number") throw`,
        "if (time === null) throw",
      ],
      ["clocks may differ by an hour", "CLOCK_SKEW_S = 60", "CLOCK_SKEW_S = 3600"],
      ["a claim inserts a path into the issuer", "/^[A-Za-z0-9-]{1,64}$/", "/^.{1,640}$/"],
      [
        "a token without a subject is accepted",
        `if (typeof sub !== "string" || sub === "") throw`,
        "if (sub === null) throw",
      ],
      [
        "a callback with another issuer than the token's is accepted",
        `if (template !== undefined && callbackParams.has("iss") && callbackParams.get("iss") !== iss) {`,
        `if (template === "") {`,
      ],
      [
        "another algorithm than the registered one is accepted",
        "if (registered !== undefined) return [registered];",
        "if (registered !== undefined) return [registered, ...(offered as string[])];",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/jwks.ts",
    tests: ["test/flows/oauth-oidc.test.ts"],
    edits: [
      [
        "newly fetched keys are not used",
        "const next = current === known ? sets.refresh(uri, fetchKeys) : current;",
        "const next = current === known ? (sets.refresh(uri, fetchKeys), current) : current;",
      ],
      [
        "rotated keys are not fetched",
        "if (!isKeyError(error) || failedRefreshes.get(uri)) throw error;",
        "throw error;",
      ],
      [
        "keys are fetched for each token without a matching key",
        "failedRefreshes.set(uri, true);",
        "",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/finish.ts",
    tests: [
      "test/spec/providers.test.ts",
      "test/flows/oauth-oidc.test.ts",
      "test/flows/oauth-plain.test.ts",
      "test/flows/oauth-request.test.ts",
    ],
    edits: [
      [
        "the userinfo of another subject is used",
        "if (isOidc(provider) && profile.sub !== claims?.sub) {",
        "if (profile.sub === null) {",
      ],
      [
        "userinfo is requested from a provider without an ID token",
        "if (isOidc(provider) && idToken === undefined)",
        "if (idToken === null)",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/openid.ts",
    tests: ["test/flows/oauth-oidc.test.ts", "test/flows/oauth-plain.test.ts"],
    edits: [
      ["userinfo for another client is read", "!audience.includes(clientId) || ", ""],
      [
        "userinfo of another issuer is read",
        "(claims.iss ?? server.issuer) !== server.issuer",
        "!server",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/userinfo.ts",
    tests: ["test/flows/oauth-oidc.test.ts", "test/flows/oauth-plain.test.ts"],
    edits: [
      [
        "the JSON of an error response is used as a profile",
        "if (!response.ok) {",
        "if (!response) {",
      ],
      [
        "unsigned userinfo is accepted although a signature is required",
        "if (isSigned !== expectsSigned) {",
        "if (isSigned && !expectsSigned) {",
      ],
      [
        "an error with status 200 is used as a profile",
        "if (errorMember && valueAt(response, errorMember)) {",
        'if (errorMember && valueAt(response, errorMember) === "") {',
      ],
      [
        "the profile contains the tokens",
        "const { access_token: _, refresh_token: __, id_token: ___, ...profile } = tokens;",
        "const profile = { ...tokens };",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/tokens.ts",
    tests: ["test/flows/oauth-plain.test.ts", "test/flows/oauth-faults.test.ts"],
    edits: [
      [
        "an error with status 200 is used as a token response",
        "if (!error && status >= 200 && status < 300) return undefined;",
        "if (status >= 200 && status < 300) return undefined;",
      ],
      [
        "servers that accept assertions only for their token endpoint refuse the client",
        "assertionAudience ?? (server.issuer || (server.token_endpoint ?? url))",
        "server.issuer || (server.token_endpoint ?? url)",
      ],
      [
        "secrets that the server quotes are logged",
        `return redact(text, [callbackParams.get("code"), clientSecret, secrets.pkceCodeVerifier]);`,
        "return text;",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/oauth-flow.ts",
    tests: ["test/attack/careless-operator.test.ts"],
    edits: [
      [
        "boot does not warn about cookies that browsers withhold after a provider's page",
        "        warnOfStrictCookies(kernel);\n",
        "",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/redirect-proxy.ts",
    tests: ["test/flows/oauth-proxy.test.ts"],
    edits: [
      [
        "a code is forwarded to an untrusted host",
        "return isPlain && isListed && ",
        "return isPlain && ",
      ],
      ["a code is forwarded over plain http", " && isSecureUrl(url) && ", " && "],
      [
        "a code is forwarded to another path",
        " && pathname.endsWith(`/callback/${provider.id}`)",
        "",
      ],
      ["production forwards a code to any sealed host", "? !production :", "? true :"],
    ],
  },
  {
    file: "plugins/flows/oauth/posted-response.ts",
    tests: ["test/flows/oauth-once.test.ts", "test/flows/webauthn-store.test.ts"],
    edits: [
      [
        "the posted response of another provider is accepted",
        "opened.find(({ provider }) => provider === ctx.provider.id)?.params",
        "opened[0]?.params",
      ],
      [
        "a posted response remains in the browser",
        "  ctx.cookies.clearChunked(name, attributes);\n  const kept",
        "  const kept",
      ],
      ["a posted response of any length is stored", "text.length > MAX_LENGTH || ", ""],
    ],
  },
  {
    file: "plugins/flows/_response-json.ts",
    tests: ["test/flows/oauth-faults.test.ts", "test/flows/oauth-plain.test.ts"],
    edits: [
      [
        "an array counts as an object",
        "if (isObject(value)) return value;",
        "if (Object(value) === value) return value as Record<string, unknown>;",
      ],
      ["a web page counts as JSON", "if (/html|xml/i.test(type)) throw", `if (type === "?") throw`],
    ],
  },
  {
    file: "plugins/flows/oauth/urls.ts",
    tests: ["test/flows/oauth-resolve.test.ts"],
    edits: [
      [
        "credentials in a URL are accepted",
        "if (url.username || url.password) return",
        "if (!url) return",
      ],
      [
        "plain http endpoints are accepted",
        "if (isSecureUrl(url)) return undefined;",
        "if (url) return undefined;",
      ],
      [
        "endpoints of a private network need no TLS",
        `if (isProxy && url.protocol === "http:" && !isPublicHost(url)) return undefined;`,
        `if (url.protocol === "http:" && !isPublicHost(url)) return undefined;`,
      ],
      [
        "an issuer of ID tokens needs no TLS",
        `return typeof given === "function" ? undefined : given;`,
        "return undefined;",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/authorization-url.ts",
    tests: ["test/flows/oauth-request.test.ts", "test/flows/oauth-plain.test.ts"],
    edits: [
      [
        "a visitor sets parameters of the protocol",
        "      !PROTOCOL_PARAMS.has(name) &&\n      value",
        "      value",
      ],
      [
        "a visitor chooses the scopes",
        "[...BROWSER_PARAMS, ...allow]",
        `[...BROWSER_PARAMS, ...allow, "scope"]`,
      ],
      ["a visitor adds any parameter", "      (isTrusted(ctx) || allowed.has(name)) &&\n", ""],
    ],
  },
  {
    file: "plugins/flows/oauth/template.ts",
    tests: [
      "test/flows/oauth-request.test.ts",
      "test/flows/oauth-plain.test.ts",
      "test/flows/oauth-identity.test.ts",
      "test/attack/hostile-provider.test.ts",
    ],
    edits: [
      [
        "a value in a URL changes the path",
        `return /^\\.+$/.test(value) ? value.replaceAll(".", "%252E") : encodeURIComponent(value);`,
        "return value;",
      ],
      [
        "a value of dots leads to a parent path",
        `return /^\\.+$/.test(value) ? value.replaceAll(".", "%252E") : encodeURIComponent(value);`,
        "return encodeURIComponent(value);",
      ],
      [
        "a URL is requested with an unset placeholder",
        "return isComplete ? filled : undefined;",
        "return filled;",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/resolve.ts",
    tests: ["test/flows/oauth-resolve.test.ts", "test/flows/oauth-proxy.test.ts"],
    edits: [
      [
        "a service that has ended is accepted",
        "if (retired !== undefined) {",
        'if (retired === "") {',
      ],
      [
        "an empty list of checks turns them off",
        "if (provider.checks?.length !== 0) return [];",
        "return [];",
      ],
    ],
  },
  {
    file: "plugins/flows/oauth/enrich.ts",
    tests: [
      "test/flows/oauth-identity.test.ts",
      "test/flows/oauth-plain.test.ts",
      "test/providers/apple.test.ts",
      "test/attack/hostile-provider.test.ts",
    ],
    edits: [["the browser replaces the provider's data", " || Object.hasOwn(profile, name)", ""]],
  },
  {
    file: "plugins/flows/openid2/verify.ts",
    tests: ["test/flows/openid2.test.ts"],
    edits: [
      [
        "an assertion need not sign the required fields",
        "SIGNED.every((name) => signed.includes(name))",
        "SIGNED.some((name) => signed.includes(name))",
      ],
      [
        "an assertion of another endpoint is accepted",
        `read("op_endpoint") !== provider.endpoint`,
        `read("op_endpoint") === ""`,
      ],
      [
        "an assertion for another attempt is accepted",
        `!timingSafeEqual(read("return_to"), getReturnUrl(ctx, attempt))`,
        `read("return_to") === ""`,
      ],
      [
        "an identifier of another host is accepted",
        "!claimed.startsWith(before) || !claimed.endsWith(after)",
        "!claimed.endsWith(after)",
      ],
      ["an old assertion is accepted", "< NONCE_WINDOW_MS", "< Infinity"],
      [
        "an assertion is accepted twice",
        "if (!(await ctx.kernel.useOnce(",
        "if (!nonce && !(await ctx.kernel.useOnce(",
      ],
      [
        "the last of two verdicts is used",
        `named("is_valid").join() === "is_valid:true"`,
        `named("is_valid").at(-1) === "is_valid:true"`,
      ],
      [
        "the verdict of an error response is used",
        "!response.ok || !isValid(text)",
        "!isValid(text)",
      ],
      [
        "a repeated parameter is accepted",
        `if (seen.has(spelling) || /\\W/.test(spelling)) refuse(ctx, "a parameter is repeated");`,
        "",
      ],
      [
        "a parameter is accepted that a server reads as another",
        `name.toLowerCase().replaceAll(".", "_")`,
        `name.replaceAll(".", "_".repeat(fields.size + 1))`,
      ],
    ],
  },
];
