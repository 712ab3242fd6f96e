import { describe, expect, it } from "vitest";
import { createStoreAdapter, storeAdapter } from "../../plugins/adapters/store.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createTokens } from "../../src/crypto/token.ts";
import { defineStore } from "../../src/kernel.ts";
import { createCacheTable } from "../../src/kernel/memory.ts";
import { createStore } from "../../src/storage/store.ts";
import type { AdapterAccount, Kernel } from "../../src/types.ts";
import { createTestAuth } from "../_app.ts";
import { createClaimsApp } from "../kernel/_claims-app.ts";

const OLD = "the old secret, of at least 32 characters";
const NEW = "the new secret, of at least 32 characters";
const ADA = { id: "ada-1", email: "ada@example.com", emailVerified: null };
const KEY = { provider: "op", providerAccountId: "42" } as const;
const TOKENS = {
  ...{ access_token: "canary-access", refresh_token: "canary-refresh", id_token: "canary.id" },
  ...{ oauth_token: "canary-one", oauth_token_secret: "canary-two" },
};
const ACCOUNT: AdapterAccount = {
  ...{ ...KEY, type: "oidc", userId: ADA.id, scope: "openid", expires_at: 1_700_000_000 },
  ...{ token_type: "bearer", ...TOKENS },
};

interface Process {
  secret?: readonly string[];
  encryptTokens?: boolean;
  randomSecret?: boolean;
}

/** A store, and the processes that use it, each with its own secrets. */
function open() {
  const entries = new Map<string, unknown>();
  const backend = memoryBackend(entries);
  const warnings: string[] = [];
  const process = ({ secret = [OLD], encryptTokens, randomSecret = false }: Process = {}) =>
    createStoreAdapter(
      {
        createCache: createCacheTable().create,
        config: { secret, randomSecret } as unknown as Kernel["config"],
        tokens: createTokens(),
        logger: { error() {}, warn: (code) => void warnings.push(code), debug() {} },
        store: (namespace, { validate } = {}) =>
          createStore({ namespace, backend: () => backend, logger: console, validate }),
      },
      encryptTokens === undefined ? {} : { encryptTokens },
    );
  const text = () => JSON.stringify([...entries]);
  const accountRow = (at = 0) => {
    const keys = [...entries.keys()].filter((key) => key.startsWith("adapter-account."));
    return entries.get(keys[at] ?? "") as { value: string };
  };
  return { process, text, warnings, accountRow };
}

async function stored(first: Process = {}) {
  const world = open();
  const adapter = world.process(first);
  await adapter.createUser(ADA);
  await adapter.linkAccount(ACCOUNT);
  const read = (other: Process = {}) => world.process(other).getAccount("42", "op");
  return { ...world, adapter, read };
}

describe("provider tokens in the store", () => {
  it("are sealed, and every method returns them", async () => {
    const { adapter, text, accountRow } = await stored();
    expect(text()).not.toContain("canary");
    expect(JSON.parse(accountRow().value)).toMatchObject({
      d: { what: { data: { scope: "openid", expires_at: 1_700_000_000, token_type: "bearer" } } },
    });
    expect(await adapter.getAccount("42", "op")).toEqual(ACCOUNT);
    expect(await adapter.listAccountsByUserId(ADA.id)).toEqual([ACCOUNT]);
    expect(await adapter.linkAccount({ ...ACCOUNT, scope: "all" })).toMatchObject(TOKENS);
    const changed = { ...KEY, type: "oidc", userId: ADA.id, access_token: "canary-later" } as const;
    const merged = { ...ACCOUNT, scope: "all", access_token: "canary-later" };
    expect(await adapter.updateAccount(changed)).toEqual(merged);
    expect(await adapter.getAccount("42", "op")).toEqual(merged);
    expect(text()).not.toContain("canary");
    expect(await adapter.unlinkAccount(KEY)).toEqual(merged);
  });

  it("are sealed when their user is created together with the account", async () => {
    const { process, text } = open();
    await process().createUserWithAccount(ADA, ACCOUNT);
    expect(text()).not.toContain("canary");
    expect(await process().getAccount("42", "op")).toEqual(ACCOUNT);
  });

  it("are sealed in an application, in any flow", async () => {
    const entries = new Map<string, unknown>();
    const app = createClaimsApp({ store: memoryBackend(entries) });
    await app.signIn({ sub: "ada", email: ADA.email, access_token: "canary-first" });
    await app.signIn({ sub: "ada", email: ADA.email, access_token: "canary-second" });
    expect(JSON.stringify([...entries])).not.toContain("canary");
    expect((await app.adapter.getAccount?.("ada", "claims"))?.access_token).toBe("canary-second");
  });

  it("are readable while secrets rotate, and the next write seals them under the first secret", async () => {
    const { process, read } = await stored({ secret: [OLD] });
    expect(await read({ secret: [NEW, OLD] })).toEqual(ACCOUNT);
    const next = process({ secret: [NEW, OLD] });
    await next.updateAccount({ ...ACCOUNT, access_token: "canary-new" });
    expect(await read({ secret: [NEW] })).toEqual({ ...ACCOUNT, access_token: "canary-new" });
  });

  it("are omitted from an account when they cannot be opened, with one warning", async () => {
    const { process, warnings } = await stored({ secret: [OLD] });
    const other = process({ secret: [NEW] });
    const { access_token: _, refresh_token: __, id_token: ___, ...rest } = ACCOUNT;
    const { oauth_token: ____, oauth_token_secret: _____, ...bare } = rest;
    expect(await other.getAccount("42", "op")).toEqual(bare);
    expect(await other.listAccountsByUserId(ADA.id)).toEqual([bare]);
    expect(await other.getUserByAccount(KEY)).toMatchObject({ id: ADA.id });
    expect(warnings).toEqual(["account-tokens-lost"]);
    // The next sign-in stores new tokens.
    await other.updateAccount({ ...bare, access_token: "canary-new" } as AdapterAccount);
    expect(await other.getAccount("42", "op")).toEqual({ ...bare, access_token: "canary-new" });
  });

  it.each(["", "canary", "a.b.c.d.e", "null"])(
    "cause no error when their seal is broken: %j",
    async (text) => {
      const { accountRow, read, warnings } = await stored();
      const row = accountRow();
      const record = JSON.parse(row.value) as { d: { sealed: string } };
      row.value = JSON.stringify({ ...record, d: { ...record.d, sealed: text } });
      expect(await read()).toMatchObject({ ...KEY, scope: "openid" });
      expect(await read()).not.toHaveProperty("access_token");
      expect(warnings.length).toBeGreaterThan(0);
    },
  );

  it("that were copied to another account or user are not opened", async () => {
    const { adapter, accountRow, warnings } = await stored();
    await adapter.createUser({ ...ADA, id: "eve-1", email: "eve@example.com" });
    const hers = { ...KEY, providerAccountId: "66", type: "oidc", userId: "eve-1" } as const;
    await adapter.linkAccount({ ...hers, access_token: "hers" });
    const [mine, eves] = [accountRow(0), accountRow(1)];
    const seal = (JSON.parse(mine.value) as { d: { sealed: string } }).d.sealed;
    const record = JSON.parse(eves.value) as { d: object };
    eves.value = JSON.stringify({ ...record, d: { ...record.d, sealed: seal } });
    expect(await adapter.getAccount("66", "op")).toEqual(hers);
    expect(warnings).toEqual(["account-tokens-lost"]);
  });

  it("are stored unsealed with `encryptTokens: false`, and read with either setting", async () => {
    const clear = await stored({ encryptTokens: false });
    expect(clear.text()).toContain("canary-refresh");
    expect(await clear.read()).toEqual(ACCOUNT);
    await clear.process().updateAccount(ACCOUNT);
    expect(clear.text()).not.toContain("canary");
    expect(await clear.read({ encryptTokens: false })).toEqual(ACCOUNT);
    await clear.process({ encryptTokens: false }).updateAccount(ACCOUNT);
    expect(clear.warnings).toEqual([]);
    expect(clear.text()).toContain("canary-refresh");
    expect(clear.text()).not.toContain("sealed");
  });

  it("are stored unsealed under a random secret, which ends with the process", async () => {
    const { text, read } = await stored({ randomSecret: true });
    expect(text()).toContain("canary-refresh");
    expect(await read({ randomSecret: true })).toEqual(ACCOUNT);
  });

  it("are not sealed for an account without tokens", async () => {
    const { process, text } = open();
    await process().createUser(ADA);
    const account = { ...KEY, type: "oidc", userId: ADA.id, access_token: null } as never;
    await process().linkAccount(account);
    expect(text()).not.toContain("sealed");
    expect(await process().getAccount("42", "op")).toEqual(account);
  });

  it("require a boolean `encryptTokens`, which boot checks", () => {
    const { auth } = createTestAuth({
      errors: "allowed",
      plugins: [
        defineStore(memoryBackend()),
        storeAdapter({ encryptTokens: "no" as unknown as boolean }),
      ],
    });
    expect(() => auth.inspect()).toThrow("`encryptTokens` of storeAdapter must be true or false");
  });
});

describe("a random secret", () => {
  it.each([
    [{}, true],
    [{ secret: OLD }, false],
    [{ env: { NODE_ENV: "test", AUTH_SECRET: OLD } }, false],
  ])("with the options %j, config.randomSecret is %j", (config, expected) => {
    let found: boolean | undefined;
    const look = {
      name: "look",
      setup: (kernel: Kernel) => void (found = kernel.config.randomSecret),
    };
    createTestAuth({ secret: undefined, ...config, plugins: [look] } as never).auth.inspect();
    expect(found).toBe(expected);
  });
});
