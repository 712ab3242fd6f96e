import { describe, expect, it } from "vitest";
import { buildIdentity } from "../../plugins/flows/oauth/identity.ts";
import type { AnyOAuthProvider, OAuthContext } from "../../plugins/flows/oauth/types.ts";
import { unservedOAuth } from "../_app.ts";

const build = (profile: object, provider: Partial<AnyOAuthProvider> = {}) =>
  buildIdentity(
    { provider: { ...unservedOAuth("acme"), ...provider }, kernel: {} } as OAuthContext,
    { access_token: "at", token_type: "bearer", userId: "of-the-token-response" } as never,
    { sub: "1", ...profile } as never,
    { values: {} },
  );

describe("identities of OAuth providers", () => {
  it.each([undefined, null, "", "yes", "TRUE", "false", "0", 1, 0, {}, [], [true]])(
    "an address is not verified by the claim `email_verified` %j",
    async (claim) => {
      const profile = { email: "ada@example.com", email_verified: claim };
      expect((await build(profile)).emailVerified).not.toBe(true);
      // A field of another name states nothing.
      expect((await build({ ...profile, emailVerified: true })).emailVerified).not.toBe(true);
    },
  );

  it.each([true, "true"])("an address is verified by the claim %j", async (claim) => {
    expect((await build({ email_verified: claim })).emailVerified).toBe(true);
  });

  it.each([undefined, null, "true", 1, {}])(
    "an address is not verified by `emailVerified()` of the provider that returns %j",
    async (result) => {
      const emailVerified = () => result as unknown as boolean;
      expect((await build({ email_verified: true }, { emailVerified })).emailVerified).not.toBe(
        true,
      );
    },
  );

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

  it("the token response decides neither the user nor the account's id", async () => {
    const { account } = await build({});
    expect(account).toMatchObject({ providerAccountId: "1" });
    expect(account).not.toHaveProperty("userId");
  });
});
