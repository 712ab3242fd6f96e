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
        "an address is released although its user still has it",
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
        "the number of reads reveals whether an address is known",
        `const record = await users.get(claim?.userId ?? "");`,
        "const record = claim && (await users.get(claim.userId));",
      ],
      [
        "a registration that failed keeps its account and passkey claimed",
        "for (const release of releases) await release();",
        "",
      ],
      [
        "a first verification keeps accounts and passkeys",
        "generation: record.generation + 1",
        "generation: record.generation",
      ],
      [
        "a first verification keeps sessions",
        "epoch: record.epoch + 1,\n",
        "epoch: record.epoch,\n",
      ],
      [
        "the former address of a user stays claimed",
        "if (isAddress(email) && email !== after.data.email) await releaseEmail",
        "if (!id) await releaseEmail",
      ],
      [
        "a user changes to the address of another",
        "if (moves && !(await claimEmail(stores, email, id))) {",
        "if (!id) {",
      ],
      [
        "the session that ended the others survives the end of all sessions",
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
        "an account keeps its previous owner",
        "claim.userId === known ? cached :",
        "known !== undefined ? cached :",
      ],
      [
        "an address with a lost claim stays free although its user is known",
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
        "the application's session object contains its description",
        "what: pack(session) }",
        "what: pack({ ...session, description }) }",
      ],
      [
        "a session from before a reset is accepted",
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
        "an ended session is restored when the others are ended",
        "record?.userId === userId && isSessionValid(entry.value, hash, record.epoch)",
        "record?.userId === userId",
      ],
      [
        "a session is extended from another expiry than the known one",
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
      ["refresh tokens are stored in plain text", '"refresh_token",', ""],
      ["unsealed tokens are dropped", "if (sealed === undefined) return account;", ""],
      [
        "the tokens of providers are stored in plain text",
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
        "a session beyond the limit continues",
        "await dropRecords(stores, userId, [...stale, ...excess]);",
        "await dropRecords(stores, userId, stale);",
      ],
      ["an ended session counts", "if (until > Date.now()) return entry;", "return entry;"],
      ["leftovers of revoked sessions are kept forever", "[...revoked, ...excess]", "excess"],
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
        "a token can be used any number of times",
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
        "tokens are stored in plain text",
        "return sha256Base64url(JSON.stringify(token));",
        "return token;",
      ],
      [
        "a record in any format is accepted",
        "openStore<T>(name, (value) => fits(value, shape))",
        "openStore<T>(name, () => true)",
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
      ["sessions of a deleted user remain", "await dropSessions(stores, userId);", ""],
      [
        "tokens of a deleted user remain",
        "for (const { hash } of await collect(tokens.scan(email))) await tokens.delete([email, hash]);",
        "",
      ],
      [
        "the address of a deleted user stays claimed",
        "if (claim?.value.userId === userId) await emails.compareAndDelete(email, claim);",
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
        "concurrent removals remove both of the last two sign-in methods",
        "if (!(await users.compareAndSet(userId, entry, value))) return undefined;",
        "await users.compareAndSet(userId, entry, value);",
      ],
      [
        "an interrupted removal removes an account of another user",
        "entry?.value.userId !== userId || entry.value.at !== at",
        "entry?.value.at !== at",
      ],
      [
        "an interrupted removal removes an account that was linked since",
        "entry?.value.userId !== userId || entry.value.at !== at",
        "entry?.value.userId !== userId",
      ],
      ["the last sign-in method is removed", `if (!isEnough(rest)) return "last";`, ""],
    ],
  },
];
