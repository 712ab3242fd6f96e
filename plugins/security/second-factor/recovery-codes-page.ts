import type { AuthContext } from "../../../src/kernel.ts";
import { formatRecoveryCode } from "./recovery-codes.ts";

/** Shows new recovery codes, only once, with a link to continue. */
export async function showRecoveryCodes(
  ctx: AuthContext,
  codes: readonly string[],
  next: string,
): Promise<Response> {
  const { t } = await ctx.translator();
  const recoveryCodes = codes.map(formatRecoveryCode);
  return ctx.page({
    name: "second-factor/recovery-codes",
    title: t("factor.title"),
    heading: t("factor.codes.heading"),
    data: { recoveryCodes, url: next },
    blocks: [
      { kind: "text", text: t("factor.codes.text") },
      { kind: "code", text: recoveryCodes.join("\n") },
      { kind: "link", text: t("factor.submit"), href: next, button: true },
    ],
  });
}
