import { linkHome } from "../../src/_kit.ts";
import { definePlugin } from "../../src/kernel.ts";
import type { AuthContext, Block, Plugin } from "../../src/kernel.ts";
import { getSignedInText } from "./_error-text.ts";
import { redirectToOwnPage } from "./_own-page.ts";
import { ENGLISH } from "./error/messages.ts";
import { pageRenderer } from "./renderer.ts";

const FOR_DEVELOPERS: Block = {
  kind: "text",
  text: "Developers: the server's log contains the error.",
  language: "en",
};

// Without a known error code, it is unknown whether anything failed, so the status is 200.
const UNKNOWN = { text: "unknown", status: 200 };

async function showError(ctx: AuthContext): Promise<Response> {
  const { pages, production } = ctx.kernel.config;
  const error = ctx.url.searchParams.get("error") || undefined;
  const response = redirectToOwnPage(ctx, pages.error, { error });
  if (response) return response;

  const translator = await ctx.translator();
  const { t, has } = translator;
  const signedIn = error && (await getSignedInText(ctx, error, translator));
  const known = ctx.kernel.errors.get(error ?? "");
  const { text, status } = known ?? UNKNOWN;
  // A plugin's error may have only one sentence, which the sign-in page shows too.
  const find = (...ids: readonly string[]) =>
    t(ids.find((id) => has(id)) ?? (ids.at(-1) as string));
  const message = find(`error.${text}.text`, `signin.error.${text}`, "error.unknown.text");
  const again: Block = {
    kind: "link",
    text: find(`error.${text}.again`, "error.unknown.again"),
    href: `${ctx.base}/signin`,
    button: true,
  };
  return ctx.page({
    name: "error",
    title: t("error.title"),
    heading: find(
      `error.${text}.heading`,
      has(`signin.error.${text}`) && !signedIn ? "error.failed.heading" : "error.unknown.heading",
    ),
    status,
    icon: "warning",
    reusable: true,
    message: { tone: "error", text: signedIn ?? message },
    blocks: [
      ...(status === 500 && !production ? [FOR_DEVELOPERS] : []),
      // A signed-in user has nothing to start again here.
      ...(signedIn ? [] : [again]),
      await linkHome(ctx, { button: Boolean(signedIn) }),
    ],
  });
}

/**
 * Registers the page that explains an error (`GET /error`). `pages.error` replaces it with the application's own page.
 * @example createAuth().use(errorPage())
 */
export const errorPage: () => Plugin = definePlugin(function errorPage(): Plugin {
  return {
    name: "pages/error",
    plugins: [pageRenderer()],
    setup(kernel) {
      kernel.addMessages("en", ENGLISH);
      kernel.addRoute({ method: "GET", path: "/error", handler: showError });
    },
  };
});
