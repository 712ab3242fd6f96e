import { definePlugin } from "../../src/index.ts";
import { toOwnPage } from "./own-page.ts";
import type { AuthContext, Messages, Plugin } from "../../src/index.ts";

const ENGLISH: Messages = {
  "verify.title": "Verify Request",
  "verify.heading": "Check your email",
  "verify.text": "A link to sign in is on its way to you. You can close this page.",
  "verify.hint": "Nothing there after a few minutes? Look into the spam folder, or ask again.",
  "verify.again": "Ask for another link",
};

async function verifyRequest(ctx: AuthContext): Promise<Response> {
  const query = Object.fromEntries(ctx.url.searchParams);
  const response = toOwnPage(ctx, ctx.kernel.config.pages.verifyRequest, query);
  if (response) return response;
  const { say } = await ctx.reading();
  return ctx.page({
    name: "verify-request",
    title: say("verify.title"),
    heading: say("verify.heading"),
    sign: "mail",
    blocks: [
      { kind: "text", text: say("verify.text") },
      { kind: "text", text: say("verify.hint") },
      { kind: "link", text: say("verify.again"), href: `${ctx.base}/signin` },
      {
        kind: "link",
        text: say("link.home", { host: new URL(ctx.origin).host }),
        href: ctx.origin,
      },
    ],
  });
}

/** The page after a link was mailed; `pages.verifyRequest` leads to the application's own. */
export function verifyRequestPage(): Plugin {
  return definePlugin({
    name: "pages/verify-request",
    setup(kernel) {
      kernel.addMessages("en", ENGLISH);
      kernel.addRoute({ method: "GET", path: "/verify-request", handler: verifyRequest });
    },
  });
}

export default verifyRequestPage;
