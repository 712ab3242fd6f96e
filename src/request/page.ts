import { PluginError } from "../errors/errors.ts";
import { callHook } from "../hooks/hooks.ts";
import { wantsData } from "../http/accept.ts";
import { nameType } from "../platform/type-name.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Page, PageRenderer } from "../types/page.ts";

async function runPageHook(ctx: AuthContext, name: string, page: Page): Promise<Page> {
  const hook = ctx.kernel.hooks.page.for(name);
  return hook.isUsed() ? ((await callHook(hook, page, ctx)) ?? page) : page;
}

// Describes the page by its name, or by its route if it has none.
function describePage({ route, action }: AuthContext, name: unknown): string {
  if (typeof name === "string" && name) return `The page "${name}"`;
  return route
    ? `A page of ${route.method} ${route.path} (plugin "${route.plugin}")`
    : `A page of /${action}`;
}

function checkPage(ctx: AuthContext, page: Partial<Page> | undefined): void {
  const type = nameType(page);
  const { name, title, blocks } = (type === "an object" ? page : {}) as Partial<Page>;
  const text = describePage(ctx, name);
  if (type !== "an object") {
    throw new PluginError(`${text} is ${type}. Return an object: { name, title, blocks }.`);
  }
  if (!Array.isArray(blocks)) {
    throw new PluginError(
      `${text} has no \`blocks\`. Add a list of what it shows, such as ` +
        'blocks: [{ kind: "text", text: "..." }].',
    );
  }
  for (const [field, value] of Object.entries({ name, title })) {
    if (typeof value === "string") continue;
    throw new PluginError(`${text} has no \`${field}\`. Add it.`);
  }
}

// The field that holds the content of a block, by kind.
const PARTS = new Map<unknown, string>([
  ["form", "form"],
  ["list", "items"],
  ["grid", "blocks"],
  ["more", "blocks"],
  ["section", "blocks"],
]);

// Rejects blocks at which the renderer would fail without naming the page. A block of an unknown kind is left out of
// the page.
function checkBlocks(page: string, blocks: readonly unknown[]): void {
  for (const block of blocks) {
    const { kind, ...parts } = (block ?? {}) as Record<string, unknown>;
    const name = PARTS.get(kind);
    const part = name === undefined ? block : parts[name];
    if (name === "blocks" && Array.isArray(part)) checkBlocks(page, part);
    else if (nameType(part) !== (name === "items" ? "an array" : "an object")) {
      throw new PluginError(
        `${page} has a block${name ? ` "${String(kind)}" whose \`${name}\`` : " that"} is ${nameType(part)}. Correct it.`,
      );
    }
  }
}

// A flow without its own form has a button that leads to the provider. A tap of `redirect` and the application's pages
// may also lead to other origins.
function leavesOrigin({ kernel, origin }: AuthContext): boolean {
  const { hooks, providers, config } = kernel;
  if (hooks.redirect.isUsed()) return true;
  const isAbroad = [...providers.values()].some(({ type }) => {
    const { start, form } = kernel.flow(type);
    return start && !form;
  });
  const pages = Object.values(config.pages).filter((page) => page !== undefined);
  return isAbroad || pages.some((page) => new URL(page, origin).origin !== origin);
}

/**
 * Renders a page after its hooks.
 * @throws PluginError when the page has no name, title or blocks, or a block lacks its content.
 */
export async function renderPage(
  ctx: AuthContext,
  page: Page,
  render: PageRenderer,
): Promise<Response> {
  checkPage(ctx, page);
  const { kernel, origin, base } = ctx;
  const { theme } = kernel.config;
  const translator = await ctx.translator();
  const changed = await runPageHook(ctx, "*", await runPageHook(ctx, page.name, page));
  checkBlocks(describePage(ctx, page.name), changed.blocks);
  const csrfToken = () => ctx.csrfToken();
  return render(changed, {
    theme,
    nonce: ctx.nonce,
    url: ctx.url,
    origin,
    base,
    leavesOrigin: leavesOrigin(ctx),
    asData: wantsData(ctx.request),
    csrfToken,
    translator,
  });
}
