import type { AuthContext } from "../types/kernel.ts";
import type { Block } from "../types/page.ts";
import { getHome } from "./callback-url.ts";

/** Resolves to a page's link that leads to the application. */
export async function linkHome(
  ctx: AuthContext,
  { button = false }: { button?: boolean } = {},
): Promise<Block> {
  const [{ t }, href] = await Promise.all([ctx.translator(), getHome(ctx)]);
  return { kind: "link", text: t("link.home", { host: new URL(href).host }), href, button };
}
