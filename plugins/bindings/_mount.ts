import { trimEnd } from "../../src/_kit.ts";
import type { Plugin } from "../../src/kernel.ts";

/**
 * Warns if the routes are not at the module's path, which pages and route rules rely on. If they are at the path of the
 * application itself, `base`, the home plugin warns.
 */
export function mountPlugin(basePath: string, base: string): Plugin {
  return {
    name: "bindings/mount",
    setup({ config, logger }) {
      if ([basePath, trimEnd(base, "/")].includes(config.basePath)) return;
      logger.warn(
        "base-path-module",
        `AUTH_URL or \`basePath\` puts the routes at ${config.basePath}, but the module expects them at ${basePath}, where ` +
          `pages request the session. Set the module's option \`basePath: "${config.basePath}"\`, or drop the other path.`,
      );
    },
  };
}
