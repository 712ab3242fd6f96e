import { memoizeAsync } from "../../src/_kit.ts";
import { MissingAdapter } from "../../src/errors.ts";
import { definePlugin, type Kernel, requireMethods, type Plugin } from "../../src/kernel.ts";

function checkAdapter(kernel: Kernel): void {
  if (kernel.config.session.strategy !== "database") return;
  if (!kernel.adapter) {
    throw new MissingAdapter(
      '`session.strategy` is "database" and there is no adapter. Set `adapter`, or use a store ' +
        'with `storeAdapter()`, or the strategy "jwt".',
    );
  }
  requireMethods(kernel, "database sessions", [
    "createSession",
    "getSessionAndUser",
    "updateSession",
    "deleteSession",
  ]);
  for (const { id, type } of kernel.providers.values()) {
    if (kernel.flow(type).links !== "none") continue;
    requireMethods(kernel, `database sessions of "${id}"`, [
      "getUser",
      "getUserByAccount",
      "getUserByEmail",
      "createUser",
      "linkAccount",
    ]);
  }
}

/**
 * Returns the plugin for sessions that are stored by the adapter; the cookie contains only a random
 * token.
 */
export function databaseStrategy(): Plugin {
  return definePlugin({
    name: "strategies/database",
    provides: ["strategy:database"],
    setup(kernel) {
      // Imported on first use: an application with sessions in cookies never loads it.
      const stored = memoizeAsync(async () =>
        (await import("./database/stored.ts")).createStored(),
      );
      kernel.hooks.ready.tap("strategies/database", checkAdapter);
      kernel.addStrategy("database", {
        needsStoredUser: true,
        create: async (ctx, login) => (await stored()).create(ctx, login),
        read: async (ctx) => (await stored()).read(ctx),
        update: async (ctx, data) => (await stored()).update(ctx, data),
        current: async (ctx) => (await stored()).current(ctx),
        destroy: async (ctx) => (await stored()).destroy(ctx),
      });
    },
  });
}
