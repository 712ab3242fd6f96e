import type { Mutants } from "../_mutant.ts";

export const STORE_ADAPTER: readonly Mutants[] = [
  {
    file: "plugins/adapters/store/claims.ts",
    tests: [
      "test/adapters/records.test.ts",
      "test/adapters/races.test.ts",
      "test/stores/memory.test.ts",
    ],
    edits: [
      [
        "an address is given up although its user still has it",
        "if (await isHeld(stores, withoutWait, hasEmail(email))) return;",
        "",
      ],
      [
        "an address of another user is claimed",
        "if (!isOwn && (await isHeld(stores, entry.value, hasEmail(email)))) return false;",
        "",
      ],
      [
        "an account of another user is claimed",
        "if (!isOwn && (await isHeld(stores, entry.value, isOfGeneration(entry.value)))) {",
        "if (!entry.value) {",
      ],
      [
        "a record of another user is released",
        "const isOwn = entry?.value.userId === userId && entry.value.generation === generation;\n  if (isOwn)",
        "if (entry)",
      ],
    ],
  },
  {
    file: "plugins/adapters/store/users.ts",
    tests: [
      "test/flows/email.test.ts",
      "test/adapters/records.test.ts",
      "test/adapters/races.test.ts",
      "test/stores/memory.test.ts",
    ],
    edits: [
      [
        "the number of reads tells whose address is known",
        `const record = await users.get(claim?.userId ?? "");`,
        "const record = claim && (await users.get(claim.userId));",
      ],
      [
        "a registration that failed keeps its account and passkey claimed",
        "for (const release of releases) await release();",
        "",
      ],
      [
        "a first verification leaves accounts and passkeys",
        "generation: record.generation + 1",
        "generation: record.generation",
      ],
      [
        "a first verification leaves sessions",
        "epoch: record.epoch + 1,\n",
        "epoch: record.epoch,\n",
      ],
      [
        "the former address of a user stays taken",
        "if (isAddress(email) && email !== after.data.email) await releaseEmail",
        "if (!id) await releaseEmail",
      ],
      [
        "a user moves to the address of another",
        "if (moves && !(await claimEmail(stores, email, id))) {",
        "if (!id) {",
      ],
      [
        "the session that ended the others survives the end of all",
        "({ epoch: epoch + 1, spared: undefined })",
        "({ epoch: epoch + 1 })",
      ],
      [
        "the session that ended the others survives a first verification",
        "        spared: undefined,\n",
        "",
      ],
      [
        "a stale claim finds a user",
        "isLive(record) && hasEmail(email)(record)\n",
        "isLive(record)\n",
      ],
    ],
  },
  {
    file: "plugins/adapters/store/passkeys.ts",
    tests: [
      "test/adapters/records.test.ts",
      "test/adapters/races.test.ts",
      "test/stores/memory.test.ts",
    ],
    edits: [
      [
        "a passkey from before a reset is returned",
        "isOfGeneration(claim)(owner) ? unpack",
        "claim ? unpack",
      ],
      [
        "a passkey from before a reset is listed",
        "claim?.userId === userId && isOfGeneration(claim)(owner)",
        "claim?.userId === userId",
      ],
      [
        "a passkey of another user is listed",
        "claim?.userId === userId && isOfGeneration(claim)(owner)",
        "claim && isOfGeneration(claim)(owner)",
      ],
      ["a passkey is registered twice", "if (!claimed || !isNew) throw", "if (!claimed) throw"],
      [
        "a passkey of another user is deleted",
        "if (entry?.value.userId !== userId) return null;",
        "if (!entry) return null;",
      ],
    ],
  },
  {
    file: "plugins/adapters/store/accounts.ts",
    tests: [
      "test/adapters/records.test.ts",
      "test/adapters/races.test.ts",
      "test/stores/memory.test.ts",
    ],
    edits: [
      [
        "an account from before a reset signs in",
        "if (!isLive(owner) || !isOfGeneration(claim)(owner)) return null;",
        "if (!isLive(owner)) return null;",
      ],
      [
        "the owner of an account is the one it had before",
        "claim.userId === known ? cached :",
        "known !== undefined ? cached :",
      ],
      [
        "an address whose claim is lost stays free, where its user is known",
        "const isClaimed = claimed && user.email === email;",
        "const isClaimed = email !== undefined;",
      ],
      [
        "an account of another user is listed",
        "found.filter((entry) => entry?.claim.userId === userId)",
        "found.filter((entry) => entry !== null)",
      ],
      ["the account of another user is updated", " || entry.value.userId !== account.userId", ""],
    ],
  },
  {
    file: "plugins/adapters/store/sessions.ts",
    tests: [
      "test/adapters/records.test.ts",
      "test/adapters/session-limit.test.ts",
      "test/adapters/races.test.ts",
      "test/stores/memory.test.ts",
    ],
    edits: [
      [
        "the session that the application sees has its description",
        "what: pack(session) }",
        "what: pack({ ...session, description }) }",
      ],
      [
        "a session from before a reset is read",
        "if (!isLive(user) || !isSessionValid(user, hash, record.epoch)) return null;",
        "if (!isLive(user)) return null;",
      ],
      [
        "another user's session is ended by its id",
        "if (entry?.value.userId !== userId) return false;",
        "if (!entry) return false;",
      ],
      [
        "a session of another user is listed",
        "if (record?.userId !== userId) return undefined;",
        "if (!record) return undefined;",
      ],
      [
        "a session that was ended is brought back by being spared",
        "record?.userId === userId && isSessionValid(entry.value, hash, record.epoch)",
        "record?.userId === userId",
      ],
      [
        "a session is extended from another end than the known one",
        "expires.getTime() === from.getTime() ?",
        "from ?",
      ],
    ],
  },
  {
    file: "plugins/adapters/store/sealed-tokens.ts",
    tests: ["test/adapters/sealed-tokens.test.ts"],
    edits: [
      [
        "tokens of another account are opened",
        "if (claims?.sub === getSubject(account)) return",
        "if (claims) return",
      ],
      ["refresh tokens are stored as they are", '"refresh_token",', ""],
      [
        "tokens that are not sealed are a reason to lose them",
        "if (sealed === undefined) return account;",
        "",
      ],
      [
        "the tokens of providers are stored as they are",
        "if (!encryptTokens || config.randomSecret) return { what: packed };",
        "return { what: packed };",
      ],
    ],
  },
  {
    file: "plugins/adapters/store/session-list.ts",
    tests: ["test/adapters/session-limit.test.ts"],
    edits: [
      [
        "the limit ends a session of another user",
        "if ((await records.get(hash))?.userId === userId) await",
        "if (await records.get(hash)) await",
      ],
      [
        "a session beyond the limit goes on",
        "await dropRecords(stores, userId, [...stale, ...excess]);",
        "await dropRecords(stores, userId, stale);",
      ],
      ["a session that has ended counts", "if (until > Date.now()) return entry;", "return entry;"],
      ["what is left of revoked sessions stays for ever", "[...revoked, ...excess]", "excess"],
      [
        "the session that ended the others is removed by the next sign-in",
        "begun < epoch && owner.spared !== one",
        "begun < epoch",
      ],
    ],
  },
  {
    file: "plugins/adapters/store/tokens.ts",
    tests: [
      "test/adapters/records.test.ts",
      "test/adapters/races.test.ts",
      "test/stores/memory.test.ts",
    ],
    edits: [
      [
        "a token is used any number of times",
        "await tokens.take([identifier, hash])",
        "await tokens.get([identifier, hash])",
      ],
    ],
  },
  {
    file: "plugins/adapters/store/records.ts",
    tests: [
      "test/oauth/backchannel-logout.test.ts",
      "test/adapters/records.test.ts",
      "test/adapters/races.test.ts",
      "test/stores/memory.test.ts",
    ],
    edits: [
      [
        "tokens are stored as they are",
        "return sha256Base64url(JSON.stringify(token));",
        "return token;",
      ],
      [
        "a record of any shape is read",
        "openStore<T>(name, (value) => fits(value, shape))",
        "openStore<T>(name, () => true)",
      ],
      [
        "what a process has deleted is unreadable for one whose clock is behind",
        "{ ttl: -DAY_MS }",
        "{ ttl: 0 }",
      ],
    ],
  },
  {
    file: "plugins/adapters/store/deletion.ts",
    tests: [
      "test/adapters/records.test.ts",
      "test/adapters/races.test.ts",
      "test/stores/memory.test.ts",
    ],
    edits: [
      ["sessions of a deleted user are left", "await dropSessions(stores, userId);", ""],
      [
        "tokens of a deleted user are left",
        "for (const { hash } of await collect(tokens.scan(email))) await tokens.delete([email, hash]);",
        "",
      ],
      [
        "the address of a deleted user stays taken",
        "if (claim?.value.userId === userId) await deleteIfUnchanged(emails, email, claim);",
        "",
      ],
    ],
  },
  {
    file: "plugins/adapters/store/sign-in-methods.ts",
    tests: [
      "test/adapters/records.test.ts",
      "test/adapters/races.test.ts",
      "test/stores/memory.test.ts",
      "test/flows/webauthn-store.test.ts",
    ],
    edits: [
      [
        "both of two last ways are removed concurrently",
        "if (!(await users.compareAndSet(userId, entry, value))) return undefined;",
        "await users.compareAndSet(userId, entry, value);",
      ],
      [
        "a removal that was cut short removes an account of another user",
        "entry?.value.userId !== userId || entry.value.at !== at",
        "entry?.value.at !== at",
      ],
      [
        "a removal that was cut short removes an account that was linked since",
        "entry?.value.userId !== userId || entry.value.at !== at",
        "entry?.value.userId !== userId",
      ],
      ["the last way is removed", `if (!isEnough(rest)) return "last";`, ""],
    ],
  },
];
