import { definePlugin } from "../../src/kernel.ts";
import type { AuthContext, Messages, Plugin } from "../../src/kernel.ts";
import { redirectToOwnForm } from "./_own-page.ts";
import { pageRenderer } from "./renderer.ts";

const ENGLISH: Messages = {
  "signout.title": "Sign out",
  "signout.heading": "Sign out?",
  "signout.text": "You can sign in again at any time.",
  "signout.submit": "Sign out",
  "signout.stay": "Stay signed in",
};

async function signOut(ctx: AuthContext): Promise<Response> {
  const isRefused = ctx.url.searchParams.get("error") === "MissingCSRF";
  // The form was open in this tab when another one ended the session, so nothing is left to do.
  if (isRefused && !(await ctx.session())) return ctx.redirect(await ctx.callbackUrl());
  const response = await redirectToOwnForm(ctx, ctx.kernel.config.pages.signOut, {});
  if (response) return response;

  const [callbackUrl, { t }] = await Promise.all([ctx.callbackUrl(), ctx.translator()]);
  return ctx.page({
    name: "signout",
    title: t("signout.title"),
    heading: t("signout.heading"),
    icon: "leave",
    reusable: true,
    ...(isRefused && { message: { tone: "error", text: t("signin.error.csrf") } }),
    blocks: [
      { kind: "text", text: t("signout.text") },
      {
        kind: "form",
        form: {
          action: `${ctx.base}/signout`,
          hidden: { callbackUrl },
          submit: t("signout.submit"),
        },
      },
      { kind: "link", text: t("signout.stay"), href: callbackUrl },
    ],
  });
}

/**
 * Registers the page that asks for confirmation before signing out (`GET /signout`). `pages.signOut` replaces it with
 * the application's own page.
 * @example createAuth().use(signoutPage())
 */
export const signoutPage: () => Plugin = definePlugin(function signoutPage(): Plugin {
  return {
    name: "pages/signout",
    plugins: [pageRenderer()],
    setup(kernel) {
      kernel.addMessages("en", ENGLISH);
      kernel.addRoute({ method: "GET", path: "/signout", handler: signOut });
    },
  };
});
