import { memoizeAsync, storedUsers } from "../../src/_kit.ts";
import { MissingAdapter } from "../../src/errors.ts";
import { definePlugin, type Kernel, requireMethods, type Plugin } from "../../src/kernel.ts";

declare module "../../src/types/cookie.ts" {
  interface CookieKeys {
    authTime: true;
  }
}

/** Hashes of tokens that a process remembers after their sessions ended. */
const MAX_ENDED_SESSIONS = 10_000;

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
  return definePlugin(
    {
      name: "strategies/database",
      provides: ["strategy:database"],
      plugins: [storedUsers()],
      setup(kernel) {
        // Imported on first use: an application with sessions in cookies never loads it.
        const stored = kernel.remember("strategies/database", (createCache) => {
          const ended = createCache<true>("strategies/database ended sessions", {
            max: MAX_ENDED_SESSIONS,
          });
          return memoizeAsync(async () =>
            (await import("./database/stored.ts")).createStored(ended),
          );
        });
        kernel.hooks.ready.tap("strategies/database", checkAdapter);
        // Auth.js has no such cookie.
        kernel.addCookie("authTime", { name: "keyhook.auth-time" });
        kernel.addStrategy("database", {
          needsStoredUser: true,
          create: async (ctx, login) => (await stored()).create(ctx, login),
          read: async (ctx) => (await stored()).read(ctx),
          update: async (ctx, data) => (await stored()).update(ctx, data),
          current: async (ctx) => (await stored()).current(ctx),
          authTime: async (ctx) => (await stored()).authTime?.(ctx),
          destroy: async (ctx) => (await stored()).destroy(ctx),
          key: async (ctx) => (await stored()).key?.(ctx),
          isAmbiguous: async (ctx) => (await stored()).isAmbiguous?.(ctx) ?? false,
        });
      },
    },
    [databaseStrategy],
  );
}
