import { memoizeAsync, storedUsers } from "../../src/_kit.ts";
import { definePlugin, type Plugin } from "../../src/kernel.ts";
import { checkAdapter } from "./_database/check-adapter.ts";

declare module "../../src/types/cookie.ts" {
  interface CookieKeys {
    authTime: true;
  }
}

/** Hashes of tokens that a process remembers after their sessions ended. */
const MAX_ENDED_SESSIONS = 10_000;

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
        kernel.hooks.ready.tap("strategies/database", (it) => {
          checkAdapter(it, "database");
        });
        // Auth.js has no such cookie.
        kernel.addCookie("authTime", { name: "keyhook.auth-time" });
        kernel.addStrategy("database", {
          needsStoredUser: true,
          endsWithin: () => 0,
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
