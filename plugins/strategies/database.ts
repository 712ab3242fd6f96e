import { andThen, loadOnce, storedUsers } from "../../src/_kit.ts";
import { definePlugin, type Plugin } from "../../src/kernel.ts";
import { checkAdapter } from "./_database/check-adapter.ts";
import type { Memory } from "./_database/rows.ts";

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
        const kept = kernel.remember(
          "strategies/database",
          (createCache): Pick<Memory, "extensions" | "ended"> => ({
            extensions: new Map(),
            ended: createCache("strategies/database ended sessions", { max: MAX_ENDED_SESSIONS }),
          }),
          { perApplication: true },
        );
        // Imported on first use: an application with sessions in cookies never loads it.
        const stored = loadOnce(async () =>
          (await import("./database/stored.ts")).createStored(kept),
        );
        kernel.hooks.ready.tap("strategies/database", (it) => {
          checkAdapter(it, "database");
        });
        // Auth.js has no such cookie.
        kernel.addCookie("authTime", { name: "keyhook.auth-time" });
        kernel.addStrategy("database", {
          needsStoredUser: true,
          endsWithin: () => 0,
          create: (ctx, login) => andThen(stored(), (it) => it.create(ctx, login)),
          read: (ctx) => andThen(stored(), (it) => it.read(ctx)),
          update: (ctx, data) => andThen(stored(), (it) => it.update(ctx, data)),
          current: (ctx) => andThen(stored(), (it) => it.current(ctx)),
          authTime: (ctx) => andThen(stored(), (it) => it.authTime?.(ctx)),
          destroy: (ctx) => andThen(stored(), (it) => it.destroy(ctx)),
          key: (ctx) => andThen(stored(), (it) => it.key?.(ctx)),
          isAmbiguous: (ctx) => andThen(stored(), (it) => it.isAmbiguous?.(ctx) ?? false),
        });
      },
    },
    [databaseStrategy],
  );
}
