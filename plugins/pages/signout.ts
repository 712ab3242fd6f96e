import { definePlugin } from "../../src/index.ts";
import { toOwnPage } from "./own-page.ts";
import type { AuthContext, Plugin } from "../../src/index.ts";

async function signOut(ctx: AuthContext): Promise<Response> {
  const response = toOwnPage(ctx, ctx.kernel.config.pages.signOut, {});
  if (response) return response;

  const [csrfToken, callbackUrl] = await Promise.all([ctx.csrfToken(), ctx.callbackUrl()]);
  return ctx.page({
    name: "signout",
    title: "Sign Out",
    heading: "Sign out?",
    blocks: [
      { kind: "text", text: "You can sign in again at any time." },
      {
        kind: "form",
        form: {
          action: `${ctx.base}/signout`,
          hidden: { csrfToken, callbackUrl },
          submit: "Sign out",
        },
      },
      { kind: "link", text: "Stay signed in", href: callbackUrl },
    ],
  });
}

/** The page that asks before signing out; `pages.signOut` leads to the application's own. */
export function signoutPage(): Plugin {
  return definePlugin({
    name: "pages/signout",
    setup(kernel) {
      kernel.addRoute({ method: "GET", path: "/signout", handler: signOut });
    },
  });
}

export default signoutPage;
