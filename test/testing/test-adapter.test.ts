import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import type { Adapter } from "../../src/adapters.ts";
import { type AdapterTrait, testAdapter } from "../../src/testing.ts";
import { adapterOn } from "../adapters/_namespace.ts";

/** Runs the suite without a test runner, and returns the failures. */
async function listFailures(
  adapter: Adapter,
  without: readonly AdapterTrait[] = ["odd-text"],
): Promise<string[]> {
  const tests: { name: string; body: () => Promise<void> }[] = [];
  const runner = {
    describe: (_: string, body: () => void) => body(),
    it: (name: string, body: () => Promise<void>) => void tests.push({ name, body }),
    expect,
  };
  testAdapter(() => adapter, runner, { parallel: 2, rounds: 1, without });
  const failures: string[] = [];
  for (const { name, body } of tests) {
    await body().catch((error: unknown) => failures.push(`${name}: ${String(error)}`));
  }
  return failures;
}

describe("testAdapter()", () => {
  const complete = Object.entries(adapterOn(memoryBackend()));
  // An adapter with `revokeUserAccess` also needs `createUserWithAccount`.
  const needed = ["createUser", "createUserWithAccount"];
  const optional = complete.flatMap(([name]) => (needed.includes(name) ? [] : name));

  it.each(optional)("passes for an adapter without %s", async (lacking) => {
    const adapter = Object.fromEntries(complete.filter(([name]) => name !== lacking)) as Adapter;
    expect(await listFailures(adapter)).toEqual([]);
  });

  it("fails for an adapter with only revokeUserAccess, which receives no verified addresses", async () => {
    const { createUserWithAccount: _, ...told } = Object.fromEntries(complete) as Adapter;
    expect(await listFailures(told)).toEqual([
      expect.stringMatching(/^revokeUserAccess keeps the accounts whose provider verified/),
    ]);
    const { revokeUserAccess: __, ...neither } = told;
    expect(await listFailures(neither)).toEqual([]);
  });

  it("notices a user's account that is left over, without sessions and passkeys", async () => {
    const kept = /^(create|get|update|delete)User|^linkAccount/;
    const adapter = Object.fromEntries(complete.filter(([name]) => kept.test(name))) as Adapter;
    expect(await listFailures(adapter)).toEqual([]);
    expect(await listFailures({ ...adapter, deleteUser: () => undefined })).toHaveLength(1);
  });

  it.each<[string, (adapter: Adapter) => Adapter]>([
    [
      "throws",
      ({ linkAccount, ...rest }) => ({
        ...rest,
        async linkAccount(account) {
          if (account.providerAccountId.includes("\u0000")) throw new Error("invalid byte");
          return linkAccount?.(account);
        },
      }),
    ],
    [
      "returns another user",
      ({ getUserByAccount, ...rest }) => ({
        ...rest,
        async getUserByAccount(key) {
          if (key.providerAccountId.includes("\u0000")) return null;
          return (await getUserByAccount?.(key)) ?? null;
        },
      }),
    ],
  ])("names the odd text for which an adapter %s", async (_, change) => {
    const failures = await listFailures(change(Object.fromEntries(complete)), []);
    expect(failures).toEqual([expect.stringContaining('With "\\u0000": ')]);
  });
});
