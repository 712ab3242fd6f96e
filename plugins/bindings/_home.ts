import type { Plugin } from "../../src/kernel.ts";

/**
 * Leads visitors who state no target to the start page of an application below `base`: what is at the root of its origin may
 * be another one.
 */
export function homePlugin(base: string): Plugin {
  return {
    name: "bindings/home",
    setup({ hooks }) {
      // Late: what the application decides goes first.
      hooks.redirect.tap({ name: "home", stage: "late" }, ({ url, baseUrl }) =>
        url === baseUrl ? baseUrl + base : undefined,
      );
    },
  };
}
