import type { AuthContext } from "../types/kernel.ts";
import type { Page } from "../types/page.ts";

/** The statuses for which the page has texts. */
const STATUSES: readonly number[] = [400, 404, 405];

function toTextStatus(status: number): number {
  if (STATUSES.includes(status)) return status;
  return status < 500 ? 400 : 500;
}

/** Resolves to the page about a request that failed with a status. */
export async function buildFailurePage(ctx: AuthContext, status: number): Promise<Page> {
  const { t } = await ctx.translator();
  return {
    name: "failure",
    status,
    title: t(status === 404 ? "failure.absent" : "failure.title"),
    message: { tone: "error", text: t(`failure.${toTextStatus(status)}`) },
    blocks: [{ kind: "link", text: t("link.signin"), href: `${ctx.base}/signin` }],
  };
}
