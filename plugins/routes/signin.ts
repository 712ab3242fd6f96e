import {
  type AuthContext,
  definePlugin,
  type FlowContext,
  land,
  pageUrl,
  type Plugin,
} from "../../src/index.ts";

async function toPage(ctx: AuthContext): Promise<Response> {
  const page = ctx.kernel.config.pages.signIn ?? `${ctx.base}/signin`;
  const callbackUrl = await ctx.callbackUrl();
  return ctx.redirect(pageUrl(page, ctx.origin, { callbackUrl }));
}

/** `POST /signin/:provider` starts a sign-in; without a provider it leads to the page. */
export function signinRoute(): Plugin {
  return definePlugin({
    name: "routes/signin",
    setup(kernel) {
      kernel.addRoute({ method: "POST", path: "/signin", handler: toPage });
      kernel.addRoute({
        method: "POST",
        path: "/signin/:provider",
        async handler(ctx) {
          const { provider } = ctx as FlowContext;
          const flow = ctx.kernel.flow(provider.type);
          if (!flow.start) return toPage(ctx);
          // Also remembers it, should this attempt fail.
          await ctx.callbackUrl();
          const outcome = await flow.start(ctx as FlowContext);
          return outcome instanceof Response ? outcome : land(ctx as FlowContext, outcome);
        },
      });
    },
  });
}

export default signinRoute;
