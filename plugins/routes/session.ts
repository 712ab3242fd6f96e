import { andThen, NO_STORE } from "../../src/_kit.ts";
import { definePlugin, type Plugin } from "../../src/kernel.ts";

/**
 * Returns the plugin for `GET /session`, which returns the session, and `POST /session`, which
 * updates it.
 */
export const sessionRoutes: () => Plugin = definePlugin(function sessionRoutes(): Plugin {
  return {
    name: "routes/session",
    setup(kernel) {
      kernel.addRoute({
        method: "GET",
        path: "/session",
        json: true,
        handler: (ctx) =>
          andThen(ctx.session(), (current) => ctx.json(current?.session, { headers: NO_STORE })),
      });
      kernel.addRoute({
        method: "POST",
        path: "/session",
        json: true,
        async handler(ctx) {
          const { data } = await ctx.body();
          return ctx.json(await ctx.kernel.strategy.update(ctx, data), { headers: NO_STORE });
        },
      });
    },
  };
});
