import { definePlugin, type FlowContext, land, pageUrl, type Plugin } from "../../src/index.ts";

/** `POST /signin/:provider` starts a sign-in; without a provider it leads to the page. */
export function signinRoute(): Plugin {
  return definePlugin({
    name: "routes/signin",
    setup(kernel) {
      kernel.addRoute({
        method: "POST",
        path: "/signin",
        async handler(ctx) {
          const callbackUrl = await ctx.callbackUrl();
          return ctx.redirect(pageUrl(`${ctx.base}/signin`, ctx.origin, { callbackUrl }));
        },
      });
      kernel.addRoute({
        method: "POST",
        path: "/signin/:provider",
        async handler(ctx) {
          const { provider } = ctx as FlowContext;
          const flow = ctx.kernel.flow(provider.type);
          // Also remembers it, should this attempt fail.
          const callbackUrl = await ctx.callbackUrl();
          if (!flow.start) {
            return ctx.redirect(pageUrl(`${ctx.base}/signin`, ctx.origin, { callbackUrl }));
          }
          const outcome = await flow.start(ctx as FlowContext);
          return outcome instanceof Response ? outcome : land(ctx as FlowContext, outcome);
        },
      });
    },
  });
}

export default signinRoute;
