import { linkHome } from "../../src/_kit.ts";
import { definePlugin } from "../../src/kernel.ts";
import type { AuthContext, Messages, Plugin } from "../../src/kernel.ts";
import { findNextPage } from "./_next-page.ts";
import { redirectToOwnPage } from "./_own-page.ts";
import { pageRenderer } from "./renderer.ts";

const ENGLISH: Messages = {
  "verify.title": "Check your email",
  "verify.heading": "Check your email",
  "verify.text": "We sent you a sign-in link. Open it to continue; you can close this page.",
  "verify.hint": "Didn’t get it? Check your spam folder, or request a new link.",
  "verify.again": "Request a new link",
};

async function verifyRequest(ctx: AuthContext): Promise<Response> {
  const query = Object.fromEntries(ctx.url.searchParams);
  const next = await findNextPage(ctx, query.error);
  if (next !== undefined) return ctx.redirect(next);
  const response = redirectToOwnPage(ctx, ctx.kernel.config.pages.verifyRequest, query);
  if (response) return response;
  const { t } = await ctx.translator();
  return ctx.page({
    name: "verify-request",
    title: t("verify.title"),
    heading: t("verify.heading"),
    icon: "mail",
    blocks: [
      { kind: "text", text: t("verify.text") },
      { kind: "text", text: t("verify.hint") },
      { kind: "link", text: t("verify.again"), href: `${ctx.base}/signin` },
      await linkHome(ctx),
    ],
  });
}

/**
 * Registers the page that is shown after a sign-in link was mailed (`GET /verify-request`). `pages.verifyRequest`
 * replaces it with the application's own page.
 * @example createAuth().use(verifyRequestPage())
 */
export const verifyRequestPage: () => Plugin = definePlugin(function verifyRequestPage(): Plugin {
  return {
    name: "pages/verify-request",
    plugins: [pageRenderer()],
    setup(kernel) {
      kernel.addMessages("en", ENGLISH);
      kernel.addRoute({ method: "GET", path: "/verify-request", handler: verifyRequest });
    },
  };
});
