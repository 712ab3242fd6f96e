import { toSameOrigin, trimEnd } from "../../src/_kit.ts";
import type { Plugin } from "../../src/kernel.ts";

/**
 * Redirects visitors without a target, or with a refused one, to the start page of an application below `base`. The
 * root of the origin may belong to another application. Warns if the routes have no path of their own below `base`.
 */
export function homePlugin(base: string): Plugin {
  return {
    name: "bindings/home",
    setup({ config, hooks, logger }) {
      const path = trimEnd(base, "/");
      if (config.basePath === path) {
        logger.warn(
          "env-url-base",
          `The routes are directly below the application's path, such as ${path}/signin. Remove that path from AUTH_URL.`,
        );
      }
      // This tap is late so that the application's decision comes first.
      hooks.redirect.tap({ name: "home", stage: "late" }, ({ url, baseUrl }) =>
        toSameOrigin(url, baseUrl) === baseUrl ? baseUrl + base : undefined,
      );
    },
  };
}
