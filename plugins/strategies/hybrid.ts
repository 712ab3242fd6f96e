import { memoizeAsync, storedUsers } from "../../src/_kit.ts";
import { definePlugin, type Plugin } from "../../src/kernel.ts";
import { checkAdapter } from "./_database/check-adapter.ts";

const NAME = "strategies/hybrid";
/** Hashes of tokens that a process remembers after their sessions ended. */
const MAX_ENDED_SESSIONS = 10_000;

/**
 * Returns the plugin for sessions in an encrypted cookie that refers to a stored session: the adapter is asked once per
 * `session.checkAge` whether it still lasts, and the cookie contains when it was.
 * @example createAuth({ session: { strategy: "hybrid", checkAge: 60 } }).use(redisStore(client)).use(storeAdapter());
 */
export function hybridStrategy(): Plugin {
  return definePlugin(
    {
      name: NAME,
      provides: ["strategy:hybrid"],
      plugins: [storedUsers()],
      setup(kernel) {
        const ended = kernel.remember(NAME, (createCache) =>
          createCache<true>(`${NAME} ended sessions`, { max: MAX_ENDED_SESSIONS }),
        );
        // Imported on first use: an application with another strategy never loads it.
        const strategy = memoizeAsync(async () =>
          (await import("./hybrid/strategy.ts")).createHybrid(kernel, ended),
        );
        kernel.hooks.ready.tap(NAME, (it) => {
          checkAdapter(it, "hybrid");
        });
        kernel.addStrategy("hybrid", {
          needsStoredUser: true,
          endsWithin: ({ session }) => session.checkAge,
          create: async (ctx, login) => (await strategy()).create(ctx, login),
          read: async (ctx) => (await strategy()).read(ctx),
          update: async (ctx, data) => (await strategy()).update(ctx, data),
          current: async (ctx) => (await strategy()).current(ctx),
          authTime: async (ctx) => (await strategy()).authTime?.(ctx),
          destroy: async (ctx) => (await strategy()).destroy(ctx),
          key: async (ctx) => (await strategy()).key?.(ctx),
          isAmbiguous: async (ctx) => (await strategy()).isAmbiguous?.(ctx) ?? false,
        });
      },
    },
    [hybridStrategy],
  );
}
