import { PluginError } from "../errors/errors.ts";
import { callHook } from "../hooks/hooks.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Page } from "../types/page.ts";

async function runPageHook(ctx: AuthContext, name: string, page: Page): Promise<Page> {
  const hook = ctx.kernel.hooks.page.for(name);
  return hook.isUsed() ? ((await callHook(hook, page, ctx)) ?? page) : page;
}

/**
 * Renders a page after its hooks.
 * @throws PluginError when no plugin renders pages.
 */
export async function renderContextPage(ctx: AuthContext, page: Page): Promise<Response> {
  const { kernel, origin, base } = ctx;
  const { theme } = kernel.config;
  const render = kernel.pageRenderer;
  if (!render) {
    throw new PluginError(
      `No plugin renders pages, such as "${page.name}". Use a plugin of keyhook/pages, or the standard preset.`,
    );
  }
  const translator = await ctx.translator();
  const changed = await runPageHook(ctx, "*", await runPageHook(ctx, page.name, page));
  // Loaded with the first page: most requests read the session.
  const { withCsrfField } = await import("../page/csrf-field.ts");
  const filled = await withCsrfField(changed, ctx, () => ctx.csrfToken());
  return render(filled, { theme, nonce: ctx.nonce, origin, base, translator });
}
