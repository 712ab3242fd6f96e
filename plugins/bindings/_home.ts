import { toSameOrigin, trimEnd } from "../../src/_kit.ts";
import type { Plugin } from "../../src/kernel.ts";

/**
 * Leads visitors who state no target, or one that is refused, to the start page of an application below `base`: what is at
 * the root of its origin may be another one. Warns where the routes have no path of their own below it.
 */
export function homePlugin(base: string): Plugin {
  return {
    name: "bindings/home",
    setup({ config, hooks, logger }) {
      const path = trimEnd(base, "/");
      if (config.basePath === path) {
        logger.warn(
          "env-url-base",
          `The routes are at the application's own path, such as ${path}/signin. Leave that path out of AUTH_URL.`,
        );
      }
      // Late: what the application decides goes first.
      hooks.redirect.tap({ name: "home", stage: "late" }, ({ url, baseUrl }) =>
        toSameOrigin(url, baseUrl) === baseUrl ? baseUrl + base : undefined,
      );
    },
  };
}
