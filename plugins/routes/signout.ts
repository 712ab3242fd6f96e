import { definePlugin, type Plugin } from "../../src/kernel.ts";

/** Returns the plugin for `POST /signout`, which ends the session. */
export const signoutRoute: () => Plugin = definePlugin(function signoutRoute(): Plugin {
  return {
    name: "routes/signout",
    setup(kernel) {
      kernel.addRoute({
        method: "POST",
        path: "/signout",
        async handler(ctx) {
          // Otherwise the next user of the browser could resume a waiting sign-in.
          const { name, attributes } = ctx.cookies.spec("pendingLogin");
          ctx.cookies.clearChunked(name, attributes);
          // First, since a tap of `redirect` may read the session. If it throws, the user must still be signed out.
          const [target] = await Promise.allSettled([ctx.callbackUrl()]);
          const ended = await ctx.kernel.strategy.destroy(ctx);
          if (ended) await ctx.kernel.emit("signOut", ended, ctx);
          if (target.status === "rejected") throw target.reason;
          return ctx.redirect(target.value);
        },
      });
    },
  };
});
