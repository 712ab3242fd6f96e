import type { Mutants } from "../_mutant.ts";

export const STORAGE: readonly Mutants[] = [
  {
    file: "src/storage/ephemeral-records.ts",
    tests: [
      "test/attack/ended-sessions.test.ts",
      "test/kernel/config-function.test.ts",
      "test/oauth/access-tokens.test.ts",
      "test/kernel/ephemeral-records.test.ts",
    ],
    edits: [
      ["records of another application are found", "    { perApplication: true },\n", ""],
      ["other processes do not find the records", "? store.get(key)", "? undefined"],
      ["nothing is found without a store", ": local.get(key))", ": undefined)"],
      ["a record remains after it was taken", "      local.delete(key);\n", ""],
    ],
  },
  {
    file: "src/storage/single-use.ts",
    tests: ["test/kernel/single-use.test.ts", "test/kernel/config-function.test.ts"],
    edits: [
      ["a value of another application is used", "    { perApplication: true },\n", ""],
      [
        "a value counts as unused while the store is down",
        "store.putIfAbsent(key, true, { ttl: TTL_MS })",
        "store.putIfAbsent(key, true, { ttl: TTL_MS }).catch(() => true)",
      ],
      ["a used value is forgotten after 40 seconds", "40 * 60_000", "40 * 1000"],
      ["a clock that is behind admits a used value again", "40 * 60_000", "20 * 60_000"],
      [
        "values for two purposes are the same",
        "const key = `${purpose} ${value}`;",
        "const key = value;",
      ],
      ["without a store, every use counts as the first", "if (local.get(key)) return false;", ""],
      [
        "processes that share a store disagree",
        "return !store.isAvailable || store.putIfAbsent(key, true, { ttl: TTL_MS });",
        "return true;",
      ],
    ],
  },
  {
    file: "src/storage/store.ts",
    tests: ["test/kernel/store.test.ts"],
    edits: [
      [
        "an unreadable record is removed before its copy is stored",
        '    await write("move", (on) => on.put(getQuarantineKey(key), raw, kept));\n',
        "",
      ],
      [
        "a change without a lifetime loses the expiry",
        "ttl === undefined ? expected.expires : getExpiry(ttl)",
        "getExpiry(ttl)",
      ],
      [
        "an expired record is returned",
        "if (expires !== undefined && expires <= Date.now()) return undefined;",
        "",
      ],
      ["a record in another format is accepted", "if (validate(value))", "if (validate)"],
      [
        "a record that one process deletes is unreadable for a process whose clock is behind",
        "const ended = Date.now() - DAY_MS;",
        "const ended = Date.now();",
      ],
      [
        "a record is taken any number of times from a backend without take",
        "return won ? found.value : undefined;",
        "return found.value;",
      ],
      [
        "two records of one value are the same",
        "backend().take ? undefined : randomHex(8)",
        "undefined",
      ],
      [
        "a backend that hangs is awaited forever",
        "isPromise(result) ? withTimeout(result, timeout, explain) : result",
        "result",
      ],
      [
        "a record of a newer version is moved aside",
        '      return undefined;\n    }\n    if (opened.kind === "value") {',
        '    }\n    if (opened.kind === "value") {',
      ],
    ],
  },
  {
    file: "src/storage/record.ts",
    tests: ["test/kernel/store.test.ts"],
    edits: [
      [
        "keys contain external values",
        "space ? space.hash(namespace, at, part) : sha256Hex(toHashed(namespace, at, part)),",
        "part,",
      ],
      [
        "parts of a key are the same at any position",
        '["keyhook record", namespace, at, part]',
        '["keyhook record", namespace, part]',
      ],
      ["a counter may be any text", "/^-?\\d{1,16}$/", "/^-?\\d{1,16}/"],
    ],
  },
  {
    file: "src/storage/space.ts",
    tests: ["test/kernel/store-space.test.ts"],
    edits: [
      [
        "an unreadable keyring makes the application empty",
        '    throw new StoreError(\n      "The record of a secret',
        '    if (raw) return undefined;\n    throw new StoreError(\n      "The record of a secret',
      ],
      [
        "the new secret does not give access to the records",
        "for (const { secret, key } of missing) await",
        "for (const { secret, key } of missing.slice(1)) await",
      ],
      [
        "a hash of one namespace is found in another",
        "`${tag} ${namespace} ${at} ${part}`",
        "`${tag} ${at} ${part}`",
      ],
      [
        "a hash of one position is found at another",
        "`${tag} ${namespace} ${at} ${part}`",
        "`${tag} ${namespace} ${part}`",
      ],
      ["of two spaces, the later one is used", "one.at - other.at", "other.at - one.at"],
      [
        "second factors are absent after the secret is replaced",
        "options.storeNamespace === undefined ? undefined : findOnce",
        "findOnce",
      ],
    ],
  },
  {
    file: "src/storage/adapter.ts",
    tests: [
      "test/kernel/adapter.test.ts",
      "test/kernel/get-adapter.test.ts",
      "test/attack/loose-database.test.ts",
    ],
    edits: [
      [
        "an adapter with a limit of its calls loses its own methods",
        "return Object.assign(limited, { [TIMEOUT]: milliseconds });",
        "return Object.assign(Object.fromEntries(listAdapterMethods(limited).map((name) => [name, limited[name]])), { [TIMEOUT]: milliseconds }) as Adapter;",
      ],
      [
        "an adapter that hangs is awaited forever",
        "isPromise(result) ? withTimeout(result, timeout, explain) : result",
        "result",
      ],
      [
        "the limit of an adapter's calls cannot be set",
        "if (milliseconds === TIMEOUT_MS) return adapter;",
        "if (milliseconds) return adapter;",
      ],
      [
        "a value that databases cannot store reaches the database",
        "if (!args.every((value) => isStorable(value))) {",
        "if (!isStorable(args[0])) {",
      ],
      [
        "a row with another key is used",
        "if (hasKey(method, row, args)) return row;",
        "return row;",
      ],
      [
        "the user of another account is used",
        "return user && account && String(account.userId) === String(user.id) ? user : null;",
        "return user ?? null;",
      ],
    ],
  },
  {
    file: "src/platform/storable.ts",
    tests: ["test/kernel/adapter.test.ts"],
    edits: [
      [
        "a value that databases cannot store reaches the database in a list",
        "Array.isArray(value) || ",
        "!Array.isArray(value) && ",
      ],
      [
        "a value that contains itself is traversed forever",
        "(seen.has(value) || !isPlain(value))",
        "!isPlain(value)",
      ],
    ],
  },
  {
    file: "plugins/stores/postgres.ts",
    tests: ["test/stores/postgres.test.ts"],
    edits: [
      ["the end of a pool's idle connection ends the process", "survive(client as Pool);", ""],
    ],
  },
  {
    file: "src/storage/returned-row.ts",
    tests: ["test/attack/loose-database.test.ts", "test/kernel/adapter.test.ts"],
    edits: [
      [
        "a user with another id is used",
        "getUser: (user, id) => isSameKey(user.id, id),",
        "getUser: () => true,",
      ],
      [
        "a user with another address is used",
        "getUserByEmail: (user, email) => isSameEmail(user.email, email),",
        "getUserByEmail: () => true,",
      ],
      [
        "a new session of another user is used",
        'hasSameKeys(session, given, ["sessionToken", "userId"])',
        'hasSameKeys(session, given, ["sessionToken"])',
      ],
      [
        "an account with another id is used",
        "isSameKey(account.providerAccountId, providerAccountId) && account.provider === provider",
        "account.provider === provider",
      ],
      [
        "an account of another provider is used",
        "isSameKey(account.providerAccountId, providerAccountId) && account.provider === provider",
        "isSameKey(account.providerAccountId, providerAccountId)",
      ],
      [
        "a session with another token is used",
        "isSameKey(session.sessionToken, sessionToken) && isSameKey(session.userId, user.id)",
        "isSameKey(session.userId, user.id)",
      ],
      [
        "a session is returned with another user",
        "isSameKey(session.sessionToken, sessionToken) && isSameKey(session.userId, user.id)",
        "isSameKey(session.sessionToken, sessionToken)",
      ],
      [
        "a passkey with another id is used",
        "getAuthenticator: (passkey, credentialID) => passkey.credentialID === credentialID,",
        "getAuthenticator: () => true,",
      ],
      [
        "accounts of other users are listed",
        "    accounts.every((one) => isSameKey(one.userId, userId)),",
        "    accounts.length >= 0,",
      ],
      [
        "passkeys of other users are listed",
        "    passkeys.every((one) => isSameKey(one.userId, userId)),",
        "    passkeys.length >= 0,",
      ],
      [
        "the access of another user is revoked",
        "revokeUserAccess: (user, id) => isSameKey(user.id, id),",
        "revokeUserAccess: () => true,",
      ],
    ],
  },
  {
    file: "src/storage/sessions.ts",
    tests: [
      "test/strategies/database.test.ts",
      "test/adapters/session-limit.test.ts",
      "test/pages/account.test.ts",
    ],
    edits: [
      [
        "there is no limit of sessions under an adapter without its own limit",
        "if (page?.next === undefined) return 0;",
        "if (page) return 0;",
      ],
      [
        "the session that ends the others also ends",
        "const others = listed.filter(({ id, isCurrent }) => !isCurrent && !ended.has(id));",
        "const others = listed.filter(({ id }) => !ended.has(id));",
      ],
    ],
  },
];
