import { describe, expect, it, vi } from "vitest";
import { buildIdentity } from "../../plugins/flows/oauth/identity.ts";
import type { AnyOAuthProvider, OAuthContext } from "../../plugins/flows/oauth/types.ts";
import type { User } from "../../src/types.ts";
import { unservedOAuth } from "../_app.ts";

const build = (profile: object, provider: Partial<AnyOAuthProvider> = {}) =>
  buildIdentity(
    { provider: { ...unservedOAuth("acme"), ...provider }, kernel: {} } as OAuthContext,
    { access_token: "at", token_type: "bearer", userId: "of-the-token-response" } as never,
    { sub: "1", ...profile } as never,
    { values: {} },
  );

const mapTo = (email: string): Partial<AnyOAuthProvider> => ({
  profile: () => ({ id: "1", email }),
});

describe("identities of OAuth providers", () => {
  it.each([undefined, null, "", "yes", "TRUE", "0", 1, 0, {}, [], [true]])(
    "the claim `email_verified` %j reports nothing about an address",
    async (claim) => {
      const profile = { email: "ada@example.com", email_verified: claim };
      expect((await build(profile)).emailVerified).toBeUndefined();
      // A field with another name reports nothing.
      expect((await build({ ...profile, emailVerified: true })).emailVerified).toBeUndefined();
    },
  );

  it.each([
    [true, true],
    ["true", true],
    [false, false],
    ["false", false],
  ])("the claim `email_verified` %j is %j", async (claim, expected) => {
    const profile = { email: "Ada@Example.com", email_verified: claim };
    expect((await build(profile)).emailVerified).toBe(expected);
    for (const email of ["ada@example.com", "ADA@EXAMPLE.COM"])
      expect((await build(profile, mapTo(email))).emailVerified).toBe(expected);
  });

  it("a verified claim reports nothing about another address that the mapping has chosen", async () => {
    const profile = { email: "ada@example.com", email_verified: true };
    expect((await build(profile, mapTo("eve@example.com"))).emailVerified).toBeUndefined();
  });

  it.each([undefined, null, "true", 1, {}])(
    "`emailVerified()` of the provider that returns %j reports nothing about an address",
    async (result) => {
      const emailVerified = () => result as unknown as boolean;
      const identity = await build({ email_verified: true }, { emailVerified });
      expect(identity.emailVerified).toBeUndefined();
    },
  );

  it.each([true, false])("`emailVerified()` of the provider decides: %j", async (result) => {
    const profile = { email: "ada@example.com", email_verified: !result };
    const emailVerified = vi.fn(() => result);
    const identity = await build(profile, { emailVerified, ...mapTo("eve@example.com") });
    expect(identity.emailVerified).toBe(result);
    expect(emailVerified).toHaveBeenCalledWith(expect.objectContaining(profile), "eve@example.com");
  });

  it("nothing is reported about an address if the mapping returns none", async () => {
    const emailVerified = vi.fn(() => true);
    const identity = await build({ email: "ada@example.com" }, { emailVerified, ...mapTo("") });
    expect(identity.emailVerified).toBeUndefined();
    expect(emailVerified).not.toHaveBeenCalled();
  });

  it("without `profile()` a user is named by `name`, `nickname` or `preferred_username`", async () => {
    const names = { name: "Ada", nickname: "ada", preferred_username: "lovelace" };
    expect((await build(names)).user.name).toBe("Ada");
    expect((await build({ ...names, name: undefined })).user.name).toBe("ada");
    expect((await build({ preferred_username: "lovelace" })).user.name).toBe("lovelace");
  });

  it.each([
    [2n ** 64n, "18446744073709551616"],
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
    ["x".repeat(1024), "x".repeat(1024)],
  ])("an account may have the id %s", async (id, expected) => {
    const profile = () => ({ id }) as unknown as User;
    expect((await build({}, { profile })).account.providerAccountId).toBe(expected);
  });

  it("tokens that are neither text nor a number are not stored", async () => {
    const session_state = { $set: { role: "admin" } };
    const provider = unservedOAuth("acme") as AnyOAuthProvider;
    const tokens = { access_token: "at", token_type: "bearer", expires_at: 1, session_state };
    const { storedTokens } = await buildIdentity(
      { provider, kernel: {} } as OAuthContext,
      tokens as never,
      { sub: "1" },
      { values: {} },
    );
    expect(storedTokens).toEqual({ access_token: "at", token_type: "bearer", expires_at: 1 });
  });

  it("the token response determines neither the user nor the account's id", async () => {
    const { account } = await build({});
    expect(account).toMatchObject({ providerAccountId: "1" });
    expect(account).not.toHaveProperty("userId");
  });
});
