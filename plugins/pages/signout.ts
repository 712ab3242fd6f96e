import { definePlugin } from "../../src/index.ts";
import { toOwnPage } from "./own-page.ts";
import type { AuthContext, Messages, Plugin } from "../../src/index.ts";

const ENGLISH: Messages = {
  "signout.title": "Sign Out",
  "signout.heading": "Sign out?",
  "signout.text": "You can sign in again at any time.",
  "signout.submit": "Sign out",
  "signout.stay": "Stay signed in",
};

async function signOut(ctx: AuthContext): Promise<Response> {
  const response = toOwnPage(ctx, ctx.kernel.config.pages.signOut, {});
  if (response) return response;

  const [csrfToken, callbackUrl] = await Promise.all([ctx.csrfToken(), ctx.callbackUrl()]);
  const { say } = await ctx.reading();
  return ctx.page({
    name: "signout",
    title: say("signout.title"),
    heading: say("signout.heading"),
    sign: "leave",
    ...(ctx.url.searchParams.has("error") && {
      message: { tone: "error", text: say("signin.error.csrf") },
    }),
    blocks: [
      { kind: "text", text: say("signout.text") },
      {
        kind: "form",
        form: {
          action: `${ctx.base}/signout`,
          hidden: { csrfToken, callbackUrl },
          submit: say("signout.submit"),
        },
      },
      { kind: "link", text: say("signout.stay"), href: callbackUrl },
    ],
  });
}

/** The page that asks before signing out; `pages.signOut` leads to the application's own. */
export function signoutPage(): Plugin {
  return definePlugin({
    name: "pages/signout",
    setup(kernel) {
      kernel.addMessages("en", ENGLISH);
      kernel.addRoute({ method: "GET", path: "/signout", handler: signOut });
    },
  });
}

export default signoutPage;
