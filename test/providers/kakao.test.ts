import { describe, expect, it } from "vitest";
import { kakaoPlugin } from "../../plugins/providers/kakao.ts";
import { resolve } from "./_provider.ts";

describe("addresses of Kakao", () => {
  it.each([
    ["valid and verified", { is_email_valid: true, is_email_verified: true }, true],
    ["not verified", { is_email_valid: true, is_email_verified: false }, false],
    ["another account's by now", { is_email_valid: false, is_email_verified: true }, false],
    ["neither, for all that is said", {}, false],
  ])("an address of Kakao that is %s", (_, account, wanted) => {
    const { emailVerified } = resolve(kakaoPlugin());
    const profile = { kakao_account: { email: "ada@keyhook.dev", ...account } };
    expect(emailVerified?.(profile as never, "ada@keyhook.dev")).toBe(wanted);
  });

  it("nothing is known where Kakao states no address", () => {
    const { emailVerified } = resolve(kakaoPlugin());
    expect(emailVerified?.({ kakao_account: {} } as never, "ada@keyhook.dev")).toBeUndefined();
  });
});
