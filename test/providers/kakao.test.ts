import { describe, expect, it } from "vitest";
import { kakaoPlugin } from "../../plugins/providers/kakao.ts";
import { resolve } from "./_provider.ts";

describe("addresses from Kakao", () => {
  it.each([
    ["valid and verified", { is_email_valid: true, is_email_verified: true }, true],
    ["not verified", { is_email_valid: true, is_email_verified: false }, false],
    [
      "now the address of another account",
      { is_email_valid: false, is_email_verified: true },
      false,
    ],
    ["neither verified nor unverified", {}, false],
  ])("an address from Kakao that is %s", (_, account, wanted) => {
    const { emailVerified } = resolve(kakaoPlugin());
    const profile = { kakao_account: { email: "ada@keyhook.dev", ...account } };
    expect(emailVerified?.(profile as never, "ada@keyhook.dev")).toBe(wanted);
  });

  it("an address that Kakao does not return is neither verified nor unverified", () => {
    const { emailVerified } = resolve(kakaoPlugin());
    expect(emailVerified?.({ kakao_account: {} } as never, "ada@keyhook.dev")).toBeUndefined();
  });
});
