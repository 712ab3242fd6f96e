import type { Plugin } from "../../src/kernel.ts";

/** Warns if the routes are not at the module's path, which pages and route rules rely on. */
export function mountPlugin(basePath: string): Plugin {
  return {
    name: "bindings/mount",
    setup({ config, logger }) {
      if (config.basePath === basePath) return;
      logger.warn(
        "base-path-module",
        `The routes are at ${config.basePath}, by AUTH_URL or \`basePath\`, and the module expects them at ${basePath}, where ` +
          `pages ask for the session. Set the module's option \`basePath: "${config.basePath}"\`, or drop the other path.`,
      );
    },
  };
}
