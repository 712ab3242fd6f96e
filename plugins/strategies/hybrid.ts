import { andThen, loadOnce, storedUsers } from "../../src/_kit.ts";
import { definePlugin, type Plugin } from "../../src/kernel.ts";
import { checkAdapter } from "./_database/check-adapter.ts";
import { createEnded, noteEnds } from "./hybrid/ended.ts";

const NAME = "strategies/hybrid";

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
        const ended = kernel.remember(NAME, (createCache) => createEnded(createCache, NAME), {
          perApplication: true,
        });
        kernel.wrap("adapter", (adapter) =>
          kernel.config.session.strategy === "hybrid" ? noteEnds(adapter, ended) : adapter,
        );
        // Imported on first use: an application with another strategy never loads it.
        const strategy = loadOnce(async () =>
          (await import("./hybrid/strategy.ts")).createHybrid(kernel, ended),
        );
        kernel.hooks.ready.tap(NAME, (it) => {
          checkAdapter(it, "hybrid");
        });
        kernel.addStrategy("hybrid", {
          needsStoredUser: true,
          endsWithin: ({ session }) => session.checkAge,
          create: (ctx, login) => andThen(strategy(), (it) => it.create(ctx, login)),
          read: (ctx) => andThen(strategy(), (it) => it.read(ctx)),
          update: (ctx, data) => andThen(strategy(), (it) => it.update(ctx, data)),
          current: (ctx) => andThen(strategy(), (it) => it.current(ctx)),
          authTime: (ctx) => andThen(strategy(), (it) => it.authTime?.(ctx)),
          destroy: (ctx) => andThen(strategy(), (it) => it.destroy(ctx)),
          key: (ctx) => andThen(strategy(), (it) => it.key?.(ctx)),
          isAmbiguous: (ctx) => andThen(strategy(), (it) => it.isAmbiguous?.(ctx) ?? false),
        });
      },
    },
    [hybridStrategy],
  );
}
