import type { Kernel } from "../types/kernel.ts";
import type { PageRenderer } from "../types/page.ts";
import type { Plugin } from "../types/plugin.ts";
import { reportDropped } from "./page-dropped.ts";
import { ENGLISH } from "./page-texts.ts";
import { createPages } from "./pages.ts";

/** Options of `definePageRenderer`. */
export interface PageRendererOptions {
  /** The name of the plugin. Default `page-renderer`. */
  name?: string;
}

/**
 * Creates the plugin that renders the pages of plugins (`ctx.page`) and runs their hooks. It provides the capability
 * `page-renderer`.
 * @param create Returns the renderer for the kernel.
 * @example createAuth().use(definePageRenderer(() => (page) => new Response(toHtml(page))))
 */
export function definePageRenderer(
  create: (kernel: Kernel) => PageRenderer,
  { name = "page-renderer" }: PageRendererOptions = {},
): Plugin {
  return {
    name,
    provides: ["page-renderer", "service:pages"],
    setup(kernel) {
      const { config, logger } = kernel;
      const renderer = create(kernel);
      const render = config.production ? renderer : reportDropped(renderer, logger);
      kernel.addMessages("en", ENGLISH);
      kernel.provide("pages", createPages(kernel, render));
    },
  };
}
