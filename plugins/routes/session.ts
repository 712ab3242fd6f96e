import { definePlugin, NO_STORE, type Plugin } from "../../src/index.ts";

/** `GET /session` tells who is signed in, `POST /session` changes the session. */
export function sessionRoutes(): Plugin {
  return definePlugin({
    name: "routes/session",
    setup(kernel) {
      kernel.addRoute({
        method: "GET",
        path: "/session",
        json: true,
        handler: async (ctx) =>
          ctx.json(await ctx.kernel.strategy.read(ctx), { headers: NO_STORE }),
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
  });
}

export default sessionRoutes;
