import { createPageRenderer } from "../../src/_kit.ts";
import { definePageRenderer, definePlugin, type Plugin } from "../../src/kernel.ts";

/**
 * Registers the renderer of the pages that plugins describe as data (`ctx.page`). Every page plugin
 * includes it.
 */
export const pageRenderer: () => Plugin = definePlugin(function pageRenderer(): Plugin {
  return definePageRenderer(({ createCache }) => createPageRenderer(createCache), {
    name: "pages/renderer",
  });
});
