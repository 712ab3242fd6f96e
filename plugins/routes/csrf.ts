import { andThen, NO_STORE } from "../../src/_kit.ts";
import { definePlugin, type Plugin } from "../../src/kernel.ts";

/**
 * Returns the plugin for `GET /csrf`, which returns the token that every sign-in and sign-out must
 * carry.
 */
export const csrfRoute: () => Plugin = definePlugin(function csrfRoute(): Plugin {
  return {
    name: "routes/csrf",
    setup(kernel) {
      kernel.addRoute({
        method: "GET",
        path: "/csrf",
        json: true,
        handler: (ctx) =>
          andThen(ctx.csrfToken(), (csrfToken) => {
            if (csrfToken !== undefined) return ctx.json({ csrfToken }, { headers: NO_STORE });
            ctx.log.warn(
              "csrf-disabled",
              "`skipCSRFCheck` turns CSRF tokens off. Drop the option.",
            );
            return new Response(null, { status: 404, headers: NO_STORE });
          }),
      });
    },
  };
});
