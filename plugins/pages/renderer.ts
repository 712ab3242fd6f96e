import { createPageRenderer } from "../../src/_kit.ts";
import { definePlugin, type Plugin } from "../../src/kernel.ts";

/**
 * Registers the renderer of the pages that plugins describe as data (`ctx.page`). Every page plugin
 * includes it.
 */
export function pageRenderer(): Plugin {
  return definePlugin({
    name: "pages/renderer",
    provides: ["page-renderer"],
    setup: (kernel) => kernel.setPageRenderer(createPageRenderer(kernel.createCache)),
  });
}
