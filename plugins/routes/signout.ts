import { definePlugin, type Plugin } from "../../src/kernel.ts";

/** Returns the plugin for `POST /signout`, which ends the session. */
export function signoutRoute(): Plugin {
  return definePlugin({
    name: "routes/signout",
    setup(kernel) {
      kernel.addRoute({
        method: "POST",
        path: "/signout",
        async handler(ctx) {
          const callbackUrl = await ctx.callbackUrl();
          const ended = await ctx.kernel.strategy.destroy(ctx);
          if (ended) await ctx.kernel.emit("signOut", ended, ctx);
          return ctx.redirect(callbackUrl);
        },
      });
    },
  });
}
