import {
  definePlugin,
  type Kernel,
  MissingAdapter,
  needMethods,
  once,
  type Plugin,
} from "../../../src/index.ts";

function checkAdapter(kernel: Kernel): void {
  if (kernel.config.session.strategy !== "database") return;
  if (!kernel.adapter) {
    throw new MissingAdapter(
      '`session.strategy` is "database" and there is no adapter. Set `adapter`, or use a store ' +
        'with `storeAdapter()`, or the strategy "jwt".',
    );
  }
  needMethods(kernel, "database sessions", [
    "createSession",
    "getSessionAndUser",
    "updateSession",
    "deleteSession",
  ]);
  for (const { id, type } of kernel.providers.values()) {
    if (kernel.flow(type).links !== "none") continue;
    needMethods(kernel, `database sessions of "${id}"`, [
      "getUser",
      "getUserByAccount",
      "getUserByEmail",
      "createUser",
      "linkAccount",
    ]);
  }
}

/** Keeps sessions in the adapter's store; the cookie holds a random token alone. */
export function databaseStrategy(): Plugin {
  return definePlugin({
    name: "strategies/database",
    provides: ["strategy:database"],
    setup(kernel) {
      // Who keeps sessions in cookies never needs it.
      const stored = once(async () => (await import("./stored.ts")).createStored());
      kernel.hooks.ready.tap("strategies/database", checkAdapter);
      kernel.addStrategy("database", {
        create: async (ctx, login) => (await stored()).create(ctx, login),
        read: async (ctx) => (await stored()).read(ctx),
        update: async (ctx, data) => (await stored()).update(ctx, data),
        current: async (ctx) => (await stored()).current(ctx),
        destroy: async (ctx) => (await stored()).destroy(ctx),
      });
    },
  });
}

export default databaseStrategy;
