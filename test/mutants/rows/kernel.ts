import type { Mutants } from "../_mutant.ts";

/** The tests of the configuration and the environment. */
const CONFIG: readonly string[] = [
  "test/kernel/config.test.ts",
  "test/spec/configuration.test.ts",
  "test/kernel/origin.test.ts",
  "test/adapters/session-limit.test.ts",
  "test/kernel/environment.test.ts",
  "test/attack/careless-operator.test.ts",
  "test/kernel/store-space.test.ts",
];

export const KERNEL: readonly Mutants[] = [
  {
    file: "src/kernel/boot-warnings.ts",
    tests: ["test/kernel/config-function.test.ts"],
    edits: [
      [
        "each tenant's boot repeats the same warning",
        "if (isBooting() && known.has(warning)) return;",
        "",
      ],
      [
        "a warning for a request is omitted the second time",
        "if (isBooting() && known.has(warning)) return;\n      if (isBooting() &&",
        "if (known.has(warning)) return;\n      if (",
      ],
    ],
  },
  {
    file: "src/auth/auth.ts",
    tests: ["test/kernel/brought-plugins.test.ts", "test/bindings/plugin-server-functions.test.ts"],
    edits: [
      ["a plugin replaces the session reader", "expectNew(this, addition.name, added);", ""],
      [
        "cookies of a plugin's function are lost",
        "const converts = toRequestSource && isObject(given);",
        "const converts = undefined as typeof toRequestSource;",
      ],
    ],
  },
  {
    file: "src/auth/load-config.ts",
    tests: ["test/kernel/config.test.ts"],
    edits: [
      ["a request keeps the failure of its configuration function", "configs.delete(request);", ""],
      ["a failure of the configuration function is called a fault", "failures.add(error);", ""],
    ],
  },
  {
    file: "src/kernel/strategy.ts",
    tests: [
      "test/attack/tossed-cookies.test.ts",
      "test/attack/cross-site.test.ts",
      "test/kernel/csrf.test.ts",
      "test/kernel/session.test.ts",
      "test/kernel/authenticate.test.ts",
    ],
    edits: [
      [
        "a key next to a fresh cookie belongs to that cookie's user",
        "andThen(hasCredentials(ctx), (has) => (has ? undefined : ask()))",
        "ask()",
      ],
      [
        "a key may begin, change and end a session",
        "if (!(await hasCredentials(ctx))) return;",
        "return;",
      ],
      [
        "a wrong key keeps the session of the cookie",
        "found === undefined ? strategy.read(ctx) : found",
        "found ?? strategy.read(ctx)",
      ],
      [
        "one of several users' sessions is changed",
        "if (!(await strategy.isAmbiguous?.(ctx))) return;",
        "return;",
      ],
      [
        "a CSRF token survives the sign-in",
        "        await forgetting(ctx, setSession);\n        await renewCsrfToken(ctx);",
        "        await forgetting(ctx, setSession);",
      ],
      ["a CSRF token survives the sign-out", "if (ended) await renewCsrfToken(ctx);", ""],
    ],
  },
  {
    file: "src/kernel/config.ts",
    tests: CONFIG,
    edits: [
      [
        "any value of skipCSRFCheck turns off the check",
        "config.skipCSRFCheck === skipCSRFCheck",
        "Boolean(config.skipCSRFCheck)",
      ],
      [
        "a page with two slashes leads to another host",
        "/^\\/(?![/\\\\])/.test(page)",
        "/^\\//.test(page)",
      ],
    ],
  },
  {
    file: "src/kernel/read-number.ts",
    tests: CONFIG,
    edits: [
      [
        "a limit of sessions or characters may be any number",
        "Number.isInteger(value) && value >= least && value <= most",
        "Number.isInteger(value)",
      ],
      ["a lifetime of any length is accepted", " && value >= least && value <= MAX_S", ""],
    ],
  },
  {
    file: "src/kernel/trust-host.ts",
    tests: CONFIG,
    edits: [
      ["production trusts every host", "[!production, isOnVercel(env),", "[true, isOnVercel(env),"],
      [
        "an entry of trustHost that is not a host is accepted",
        "trust.filter((one) => !isHostEntry(one))",
        "trust.filter(() => false)",
      ],
    ],
  },
  {
    file: "src/kernel/secrets.ts",
    tests: CONFIG,
    edits: [
      [
        "production boots without a secret",
        "    if (production) {\n      report(\n        new MissingSecretError(",
        "    if (!named) {\n      report(\n        new MissingSecretError(",
      ],
      ["production accepts a short secret", "isRefused: length < MIN_LENGTH", "isRefused: false"],
      [
        "production accepts one character, repeated",
        "if (new Set(text).size < 2) {",
        `if (text === "") {`,
      ],
      [
        "secrets after the first may be weak",
        "for (const [name, secret] of named) {",
        "for (const [name, secret] of named.slice(0, 1)) {",
      ],
    ],
  },
  {
    file: "src/kernel/check-cookies.ts",
    tests: [
      "test/kernel/config.test.ts",
      "test/attack/careless-operator.test.ts",
      "test/attack/cookies.test.ts",
    ],
    edits: [
      [
        "a cookie that browsers refuse for the letter case of its prefix is accepted",
        "/^__Host-/i",
        "/^__Host-/",
      ],
      [
        "a script can read a cookie with a __Http- prefix",
        "HTTP_PREFIX.test(name) && !httpOnly",
        "false",
      ],
      ["a partitioned cookie that browsers refuse is accepted", "partitioned && !secure", "false"],
      [
        "the cookies of two purposes share a name",
        "other.name === name ? place < at :",
        "other.name === name ? false :",
      ],
      [
        "a script can read a session cookie",
        "if (!httpOnly && !isReadable) {",
        "if (!httpOnly && !name) {",
      ],
      [
        "production sends the session over plain http",
        'if (!secure && !isReadable && production && origin?.startsWith("https:")) {',
        "if (!name) {",
      ],
      [
        "a cookie has the name that the redirect proxy uses as salt",
        "if (reserved.includes(name)) {",
        "if (!name) {",
      ],
    ],
  },
  {
    file: "src/kernel/check-transport.ts",
    tests: ["test/kernel/config.test.ts", "test/attack/careless-operator.test.ts"],
    edits: [
      [
        "production boots with a public URL of plain http",
        "  if (!isPlainPublic(url)) return;\n",
        "  return;\n",
      ],
      [
        "codes pass a redirect proxy over plain http",
        "if (isPlainPublic(redirectProxyUrl)) {",
        "if (!logger) {",
      ],
    ],
  },
  {
    file: "src/kernel/check-trust.ts",
    tests: ["test/attack/careless-operator.test.ts"],
    edits: [
      [
        "hosts of strangers are trusted without a warning",
        "return isTopLevel || SHARED.has(domain);",
        "return isTopLevel;",
      ],
    ],
  },
  {
    file: "src/kernel/callbacks.ts",
    tests: [
      "test/kernel/hook-values.test.ts",
      "test/spec/callbacks.test.ts",
      "test/strategies/database.test.ts",
    ],
    edits: [
      [
        "a signIn callback that returns nothing allows",
        "if (result === true) return undefined;",
        "if (result === true || result === undefined) return undefined;",
      ],
      [
        "an authorized callback that returns a promise allows",
        "const result = await authorized(params);",
        "const result = authorized(params);",
      ],
      [
        "an authorized callback that returns nothing allows",
        "return result ? undefined : false;",
        "return result === false ? false : undefined;",
      ],
      [
        "the columns of a stored session are shown to the client",
        "Object.defineProperty(given, name, { value, writable: true, configurable: true });",
        "Object.defineProperty(given, name, { value, writable: true, configurable: true, enumerable: true });",
      ],
    ],
  },
  {
    file: "src/kernel/kernel.ts",
    tests: ["test/kernel/brought-plugins.test.ts", "test/kernel/config-function.test.ts"],
    edits: [
      [
        "the adapter of a plugin does not count for the default strategy",
        '(given.adapter ?? findByCapability(plugins, "adapter"))',
        "(given.adapter)",
      ],
      [
        "an application reuses cached values of another secret",
        "JSON.stringify([secret, storeNamespace, basePath])",
        "JSON.stringify([storeNamespace, basePath])",
      ],
      [
        "an application reuses cached values of another namespace",
        "JSON.stringify([secret, storeNamespace, basePath])",
        "JSON.stringify([secret, basePath])",
      ],
      [
        "an application reuses cached values of another base path",
        "JSON.stringify([secret, storeNamespace, basePath])",
        "JSON.stringify([secret, storeNamespace])",
      ],
    ],
  },
  {
    file: "src/kernel/memory.ts",
    tests: ["test/kernel/caches.test.ts", "test/kernel/config-function.test.ts"],
    edits: [
      [
        "applications of one Auth share cached values",
        "if (application === undefined) return own;",
        "return own;",
      ],
      [
        "cached values of an application are lost at once",
        "    applications.set(application, found);\n",
        "",
      ],
      [
        "Auths of different modules share cached values",
        "return all.get(name) as Applications;",
        "return [...all.values()][0] as Applications;",
      ],
      [
        "the Auths that a bundler creates from one module count separately",
        "name === undefined ? createApplications() : findShared(name)",
        "createApplications()",
      ],
    ],
  },
  {
    file: "src/kernel/owners.ts",
    tests: ["test/kernel/kernel.test.ts", "test/kernel/registration-faults.test.ts"],
    edits: [
      ["a plugin registers after the first request", "expectOpen(frozen,", "expectOpen(!what,"],
    ],
  },
  {
    file: "src/kernel/registry.ts",
    tests: [
      "test/kernel/kernel.test.ts",
      "test/kernel/registration-faults.test.ts",
      "test/kernel/registries.test.ts",
    ],
    edits: [
      [
        "a plugin replaces the flow of another",
        'owners.claim("register", `the flow "${type}"`, "Drop one.")',
        "registrar.plugin",
      ],
      [
        "a plugin replaces the adapter",
        'owners.claim("set", "an adapter", "Drop one.")',
        'owners.open("an adapter")',
      ],
      [
        "a plugin replaces the session transport",
        '      owners.claim("set", "a session transport", "Drop one.");\n',
        "",
      ],
      ["the id of a provider may be any text", "!PROVIDER_ID.test(provider.id) || ", ""],
    ],
  },
  {
    file: "src/hooks/run.ts",
    tests: [
      "test/kernel/hooks.test.ts",
      "test/kernel/hook-values.test.ts",
      "test/spec/callbacks.test.ts",
    ],
    edits: [
      [
        "a tap that throws does not refuse",
        "  watch?.done(undefined, annotated);\n  throw annotated;",
        "  watch?.done(undefined, annotated);",
      ],
      [
        "the result of a tap is not checked",
        "if (result && !result.accepts(value))",
        "if (result && !result.expected)",
      ],
      [
        "a tap that hangs is awaited forever",
        "withTimeout(proceed(run, pending), HOOK_TIMEOUT_MS, () => expire(run))",
        "withTimeout(proceed(run, pending), 2 ** 31 - 1, () => expire(run))",
      ],
      [
        "a tap that rejects with nothing allows",
        "value !== undefined || apply === fail || run.watch",
        "value !== undefined || run.watch",
      ],
      ["taps continue after their time limit", "  run.isOver = true;\n", ""],
    ],
  },
  {
    file: "src/hooks/events.ts",
    tests: ["test/attack/listeners.test.ts", "test/kernel/events.test.ts"],
    edits: [
      ["a listener changes what is stored", "copy ??= copyFrozen(message);", "copy ??= message;"],
      [
        "a listener that throws ends the request",
        "      } catch (error) {\n        report(error, info);",
        "      } catch (error) {\n        throw error;",
      ],
      [
        "a listener delays a request forever",
        "setTimeout(() => resolve(true), wait)",
        "setTimeout(() => resolve(true), 2 ** 31 - 1)",
      ],
    ],
  },
  {
    file: "src/platform/made-by.ts",
    tests: ["test/kernel/config-function.test.ts"],
    edits: [
      [
        "a configuration gets the plugin that was made with another's options",
        "[factory as MakeCall[0], ...args]",
        "[factory as MakeCall[0]]",
      ],
      [
        "a plugin of another factory counts as the same",
        "[factory as MakeCall[0], ...args]",
        "[recordCalls as MakeCall[0], ...args]",
      ],
      [
        "every request boots a kernel",
        "return Object.defineProperty(value, MADE_BY, { value: call, configurable: true });",
        "return call && value;",
      ],
      ["a factory cannot return the plugin of another one", ", configurable: true", ""],
      ["a frozen plugin ends the request", "if (!Object.isExtensible(value)) return value;", ""],
    ],
  },
  {
    file: "src/platform/cache.ts",
    tests: ["test/kernel/cache.test.ts"],
    edits: [
      ["a cache stays full forever", "    total -= entry.weight;\n", ""],
      ["a cleared cache counts as full", "      total = 0;\n    },", "    },"],
      ["keys are never fetched again after one failure", "() => delete known.next,", "() => {},"],
      ["a cache exceeds its weight", "total + weight <= maxWeight", "total <= maxWeight"],
    ],
  },
  {
    file: "src/platform/recent-loader.ts",
    tests: ["test/kernel/cache.test.ts"],
    edits: [
      ["a clock that was set back keeps an ended session", "age >= 0 && ", ""],
      [
        "the age of a session counts from the end of its look-up",
        "return { value: await entry.value, at: entry.at };",
        "return { value: await entry.value, at: Date.now() };",
      ],
      [
        "a look-up that fails late removes the result of a later one",
        "if (loads.get(key) === entry) loads.delete(key);",
        "loads.delete(key);",
      ],
    ],
  },
  {
    file: "src/platform/redact.ts",
    tests: ["test/attack/log-canaries.test.ts", "test/kernel/logger.test.ts"],
    edits: [
      [
        "known secrets are logged",
        `  for (const secret of known) redacted = redacted.replaceAll(secret, "...");\n`,
        "",
      ],
      ["known secrets are logged in escaped text", "[secret, json, json.", "[secret, json."],
      [
        "the end of a secret that has another secret as prefix is logged",
        "\n    .sort((one, other) => other.length - one.length)",
        "",
      ],
      ["addresses are logged", "isAddress(word) || word.split", "word.split"],
      [
        "values of secret fields are logged",
        "return isValue || isCredential || ",
        "return isCredential || ",
      ],
      [
        "credentials of headers are logged",
        "return isValue || isCredential || ",
        "return isValue || ",
      ],
    ],
  },
  {
    file: "src/errors/redact-error.ts",
    tests: ["test/attack/log-canaries.test.ts", "test/kernel/logger.test.ts"],
    edits: [
      [
        "a thrown text that is not an error is logged with what the request sent",
        "redactFact(err, secrets),",
        "redactFact(err),",
      ],
      [
        "details that a library attaches to its error are logged",
        "\n    .filter(([name, value]) => isAuthError(error) || isClassifier(name, value))",
        "",
      ],
      [
        "errors of adapters quote the arguments of the call",
        "return redactError(thrown, listTexts(args));",
        "return redactError(thrown, []);",
      ],
    ],
  },
  {
    file: "src/platform/email-address.ts",
    tests: ["test/kernel/email-address.test.ts", "test/flows/one-mailbox.test.ts"],
    edits: [
      ["an address may be a command-line option", "    /^(?!-)(?:", "    /^(?:"],
      [
        "a host may begin with a hyphen",
        `const LABEL = "[a-z0-9](?:`,
        `const LABEL = "[a-z0-9-](?:`,
      ],
      [
        "an address may have any length",
        "return email.length <= MAX_ADDRESS_LENGTH ? email : null;",
        "return email;",
      ],
      ["a text of any length is normalized", " || given.length > MAX_TEXT_LENGTH", ""],
      [
        "an address may contain invisible characters",
        "(?:(?!\\p{Default_Ignorable_Code_Point})[^\\s",
        "(?:[^\\s",
      ],
      [
        "an address may be followed by another one",
        "if (rest.length || host === undefined",
        "if (host === undefined",
      ],
      [
        "an ASCII host represents a different host",
        "return !HAS_PUNYCODE.test(host) || isPunycode(host) ? host : undefined;",
        "return host;",
      ],
      [
        "an address of a provider counts as the mailbox that it resembles",
        "return isSame && countAscii(canonical) <= countAscii(local) ? email : null;",
        "return email;",
      ],
    ],
  },
];
