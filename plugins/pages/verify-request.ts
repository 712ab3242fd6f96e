import { definePlugin } from "../../src/index.ts";
import { toOwnPage } from "./own-page.ts";
import type { AuthContext, Awaitable, Plugin } from "../../src/index.ts";

function verifyRequest(ctx: AuthContext): Awaitable<Response> {
  const query = Object.fromEntries(ctx.url.searchParams);
  const response = toOwnPage(ctx, ctx.kernel.config.pages.verifyRequest, query);
  if (response) return response;
  return ctx.page({
    name: "verify-request",
    title: "Verify Request",
    heading: "Check your email",
    blocks: [
      {
        kind: "text",
        text: "A link to sign in is on its way to you. You can close this page.",
      },
      { kind: "link", text: `Go to ${new URL(ctx.origin).host}`, href: ctx.origin },
    ],
  });
}

/** The page after a link was mailed; `pages.verifyRequest` leads to the application's own. */
export function verifyRequestPage(): Plugin {
  return definePlugin({
    name: "pages/verify-request",
    setup(kernel) {
      kernel.addRoute({ method: "GET", path: "/verify-request", handler: verifyRequest });
    },
  });
}

export default verifyRequestPage;
