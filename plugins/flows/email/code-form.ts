import { getErrorMessage } from "../../../src/_kit.ts";
import { type AuthContext, type Block, type Page, providerAt } from "../../../src/kernel.ts";
import { listCodeChecks } from "./code.ts";
import type { AnyEmailProvider } from "./types.ts";

/** The tap of the verify-request page. It adds the form for the code in the browser that requested the e-mail. */
export async function withCodeForm(page: Page, ctx: AuthContext): Promise<Page> {
  const query = ctx.url.searchParams;
  const provider = ctx.kernel.providers.get(query.get("provider") ?? "");
  if (provider?.type !== "email" || !(provider as AnyEmailProvider).code) return page;
  if (!(await listCodeChecks(ctx, provider)).length) return page;
  const translator = await ctx.translator();
  const { t } = translator;
  const attributes = {
    required: true,
    inputmode: "numeric",
    autocomplete: "one-time-code",
    dir: "ltr",
  };
  const blocks: Block[] = [
    { kind: "text", text: t("email.code.text") },
    {
      kind: "form",
      form: {
        action: providerAt(ctx, provider).signinUrl,
        fields: [{ name: "code", label: t("email.code"), attributes }],
        submit: t("confirm.submit"),
      },
    },
  ];
  const shown = { ...page, blocks: page.blocks.toSpliced(1, 0, ...blocks) };
  const message = getErrorMessage(ctx, translator);
  if (!message) return shown;
  // On a page with an icon, a message becomes the main text, so the icon is removed.
  const { icon: _, ...plain } = shown;
  return { ...plain, ...message };
}
