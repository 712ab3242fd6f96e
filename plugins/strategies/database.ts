import { storedUsers } from "../../src/_kit.ts";
import { definePlugin, type Plugin } from "../../src/kernel.ts";
import { checkAdapter } from "./_database/check-adapter.ts";
import { createLazyStrategy } from "./_database/lazy-strategy.ts";
import type { Memory } from "./_database/rows.ts";

declare module "../../src/types/cookie.ts" {
  interface CookieKeys {
    authTime: true;
  }
}

/** Number of hashes of ended sessions' tokens that a process remembers. */
const MAX_ENDED_SESSIONS = 10_000;

/** Returns the plugin for sessions that the adapter stores. The cookie contains only a random token. */
export const databaseStrategy: () => Plugin = definePlugin(function databaseStrategy(): Plugin {
  return {
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
      kernel.hooks.ready.tap("strategies/database", (it) => {
        checkAdapter(it, "database");
      });
      // Auth.js does not have this cookie.
      kernel.addCookie("authTime", { name: "keyhook.auth-time" });
      kernel.addStrategy("database", {
        needsStoredUser: true,
        endsWithin: () => 0,
        ...createLazyStrategy(async () =>
          (await import("./database/stored.ts")).createStored(kept),
        ),
      });
    },
  };
});
