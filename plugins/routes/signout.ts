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
          // The next user of the browser could resume a sign-in that waits.
          const { name, attributes } = ctx.cookies.spec("pendingLogin");
          ctx.cookies.clearChunked(name, attributes);
          // First, since a tap of `redirect` may look at the session; it may throw, which must not keep the user signed in.
          const [target] = await Promise.allSettled([ctx.callbackUrl()]);
          const ended = await ctx.kernel.strategy.destroy(ctx);
          if (ended) await ctx.kernel.emit("signOut", ended, ctx);
          if (target.status === "rejected") throw target.reason;
          return ctx.redirect(target.value);
        },
      });
    },
  });
}
