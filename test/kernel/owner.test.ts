import { describe, expect, it } from "vitest";
import { isOwner } from "../../src/signin/owner.ts";
import type { Adapter } from "../../src/types/adapter.ts";
import type { LinkRule, Login } from "../../src/types/sign-in.ts";

describe("isOwner()", () => {
  const login = {
    user: { id: "42" },
    account: { provider: "idp", type: "oauth", providerAccountId: "42" },
  } as unknown as Login;

  // For an identity that is looked up, equal ids prove nothing, because the account may have been removed.
  it.each<[LinkRule, boolean]>([
    ["account", false],
    ["none", true],
    ["email", true],
  ])(
    "without a stored account, an account id that equals the user's belongs to the user by the rule %s: %s",
    async (links, expected) => {
      const adapter: Adapter = { getUserByAccount: async () => null };
      expect(await isOwner(adapter, login, links)).toBe(expected);
    },
  );
});
