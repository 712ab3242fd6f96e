import { getSignInPage, runFlow } from "../../src/_kit.ts";
import {
  type AuthContext,
  definePlugin,
  type FlowContext,
  pageUrl,
  type Plugin,
} from "../../src/kernel.ts";

async function redirectToPage(ctx: AuthContext): Promise<Response> {
  const callbackUrl = await ctx.callbackUrl();
  return ctx.redirect(pageUrl(getSignInPage(ctx), ctx.origin, { callbackUrl }));
}

/**
 * Returns the plugin for `POST /signin/:provider`, which starts a sign-in. Without a provider it
 * redirects to the sign-in page.
 */
export const signinRoute: () => Plugin = definePlugin(function signinRoute(): Plugin {
  return {
    name: "routes/signin",
    setup(kernel) {
      kernel.addRoute({ method: "POST", path: "/signin", handler: redirectToPage });
      kernel.addRoute({
        method: "POST",
        path: "/signin/:provider",
        handler(ctx) {
          const { provider } = ctx as FlowContext;
          const isStartable = ctx.kernel.flow(provider.type).start !== undefined;
          return isStartable ? runFlow(ctx as FlowContext, "start") : redirectToPage(ctx);
        },
      });
    },
  };
});
