import { definePlugin, type FlowContext } from "../../../src/index.ts";
import type { Flow, Kernel, WebAuthnProvider } from "../../../src/index.ts";
import { createBurn } from "./burn.ts";
import { formOf } from "./form.ts";
import { ENGLISH } from "./messages.ts";
import { checkTogether, resolveProvider } from "./resolve.ts";
import { giveScript, scriptPath } from "./script.ts";
import type { WebAuthnContext } from "./types.ts";

function createFlow(kernel: Kernel): Flow<WebAuthnProvider> {
  const burn = createBurn(kernel);
  return {
    links: "account",
    methods: ["POST"],
    resolve: resolveProvider,
    // Loaded with the first passkey: who has none never needs it.
    finish: async (ctx) => (await import("./finish.ts")).finish(ctx, burn),
    form: formOf,
  };
}

/** Sign-in by passkeys. */
export function webauthnFlow() {
  return definePlugin({
    name: "flows/webauthn",
    provides: ["flow:webauthn"],
    setup(kernel) {
      kernel.addMessages("en", ENGLISH);
      kernel.addFlow("webauthn", createFlow(kernel));
      kernel.addRoute({
        method: "GET",
        path: "/webauthn-options/:provider",
        json: true,
        async handler(ctx) {
          const { giveOptions } = await import("./options.ts");
          return giveOptions(ctx as FlowContext as WebAuthnContext);
        },
      });
      kernel.addRoute({ method: "GET", path: scriptPath, handler: giveScript });
      kernel.addRoute({
        method: "POST",
        path: "/passkeys",
        handler: async (ctx) => (await import("./account.ts")).remove(ctx),
      });
      kernel.hooks.page.for("account").tap("flows/webauthn", async (page, ctx) => {
        const { withPasskeys } = await import("./account.ts");
        return withPasskeys(page, ctx);
      });
      kernel.hooks.ready.tap("flows/webauthn", checkTogether);
    },
  });
}

export default webauthnFlow;
