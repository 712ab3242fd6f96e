import { AuthError, LastSignInMethod } from "../../src/errors.ts";
import { definePlugin, pageUrl } from "../../src/kernel.ts";
import type { AuthContext, Plugin } from "../../src/kernel.ts";
import { findSignedInText } from "./_error-text.ts";
import { ENGLISH } from "./account/messages.ts";
import { pageRenderer } from "./renderer.ts";

export type * from "./account/data.ts";

const loadPage = () => import("./account/page.ts");

// An action that was started on this page also shows its failure here. On the sign-in page, a signed-in user could do
// nothing.
async function returnFailure(error: Error, ctx: AuthContext): Promise<Response | undefined> {
  if (!ctx.provider || !(error instanceof AuthError) || !error.public) return undefined;
  if (!findSignedInText(ctx, error.type, await ctx.translator())) return undefined;
  const page = `${ctx.base}/account`;
  const [started] = (await ctx.callbackUrl()).split("?");
  if (started !== page || !(await ctx.session())) return undefined;
  return ctx.redirect(pageUrl(page, ctx.origin, { error: error.type }));
}

/**
 * Registers the account page of signed-in users (`GET` and `POST /account`). It lists, links and removes the user's
 * sign-in methods and sessions, if the adapter can list them. Plugins add sections through the hook
 * `page.for("account")`.
 * @example createAuth().use(accountPage())
 */
export const accountPage: () => Plugin = definePlugin(function accountPage(): Plugin {
  return {
    name: "pages/account",
    plugins: [pageRenderer()],
    setup(kernel) {
      kernel.addMessages("en", ENGLISH);
      kernel.addError(LastSignInMethod, {
        message: "It is the only sign-in method. Add another one first.",
      });
      // This tap is late because a tap of the application may return its own response.
      kernel.hooks.error.tap({ name: "pages/account", stage: "late" }, returnFailure);
      kernel.addRoute({
        method: "GET",
        path: "/account",
        handler: async (ctx) => (await loadPage()).show(ctx),
      });
      kernel.addRoute({
        method: "POST",
        path: "/account",
        handler: async (ctx) => (await loadPage()).change(ctx),
      });
    },
  };
});
