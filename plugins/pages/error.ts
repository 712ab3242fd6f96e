import { definePlugin } from "../../src/index.ts";
import { ENGLISH, EXPLANATIONS } from "./error-messages.ts";
import { toOwnPage } from "./own-page.ts";
import type { AuthContext, Block, Plugin } from "../../src/index.ts";

const FOR_DEVELOPERS: Block = {
  kind: "text",
  text: "Developers: the server's log says what happened.",
};

// Nothing is known to have failed, so the answer itself is no failure.
const UNKNOWN = { about: "unknown", status: 200 };

async function showError(ctx: AuthContext): Promise<Response> {
  const { pages, production } = ctx.kernel.config;
  const error = ctx.url.searchParams.get("error") || undefined;
  const response = toOwnPage(ctx, pages.error, { error });
  if (response) return response;

  const { about, status } = EXPLANATIONS.get(error ?? "") ?? UNKNOWN;
  const { say } = await ctx.reading();
  const { host } = new URL(ctx.origin);
  return ctx.page({
    name: "error",
    title: say("error.title"),
    heading: say(`error.${about}.heading`),
    status,
    sign: "warning",
    message: { tone: "error", text: say(`error.${about}.text`) },
    blocks: [
      ...(status === 500 && !production ? [FOR_DEVELOPERS] : []),
      {
        kind: "link",
        text: say(`error.${about}.again`),
        href: `${ctx.base}/signin`,
        button: true,
      },
      { kind: "link", text: say("link.home", { host }), href: ctx.origin },
    ],
  });
}

/** The page that explains an error; `pages.error` leads to the application's own. */
export function errorPage(): Plugin {
  return definePlugin({
    name: "pages/error",
    setup(kernel) {
      kernel.addMessages("en", ENGLISH);
      kernel.addRoute({ method: "GET", path: "/error", handler: showError });
    },
  });
}

export default errorPage;
