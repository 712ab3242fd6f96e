import { storedUsers } from "../../src/_kit.ts";
import { definePlugin, type Plugin } from "../../src/kernel.ts";
import { checkAdapter } from "./_database/check-adapter.ts";
import { createLazyStrategy } from "./_database/lazy-strategy.ts";
import { createEnded, noteEnds } from "./hybrid/ended.ts";

const NAME = "strategies/hybrid";

/**
 * Returns the plugin for sessions in an encrypted cookie that refers to a stored session. The adapter is asked once per
 * `session.checkAge` whether the session still lasts, and the cookie contains the time of the last check.
 * @example createAuth({ session: { strategy: "hybrid", checkAge: 60 } }).use(redisStore(client)).use(storeAdapter());
 */
export const hybridStrategy: () => Plugin = definePlugin(function hybridStrategy(): Plugin {
  return {
    name: NAME,
    provides: ["strategy:hybrid"],
    plugins: [storedUsers()],
    setup(kernel) {
      const ended = kernel.remember(NAME, createEnded, {
        perApplication: true,
      });
      kernel.wrap("adapter", (adapter) =>
        kernel.config.session.strategy === "hybrid" ? noteEnds(adapter, ended) : adapter,
      );
      kernel.hooks.ready.tap(NAME, (it) => {
        checkAdapter(it, "hybrid");
      });
      kernel.addStrategy("hybrid", {
        needsStoredUser: true,
        endsWithin: ({ session }) => session.checkAge,
        ...createLazyStrategy(async () =>
          (await import("./hybrid/strategy.ts")).createHybrid(kernel, ended),
        ),
      });
    },
  };
});
