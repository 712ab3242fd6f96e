import { definePlugin, type FlowContext } from "../../../src/index.ts";
import type { Flow, Kernel, WebAuthnProvider } from "../../../src/index.ts";
import { createBurn } from "./burn.ts";
import { finish } from "./finish.ts";
import { formOf } from "./form.ts";
import { giveOptions } from "./options.ts";
import { checkTogether, resolveProvider } from "./resolve.ts";
import { giveScript, scriptPath } from "./script.ts";
import type { WebAuthnContext } from "./types.ts";

function createFlow(kernel: Kernel): Flow<WebAuthnProvider> {
  const burn = createBurn(kernel);
  return {
    links: "account",
    methods: ["POST"],
    resolve: resolveProvider,
    finish: (ctx) => finish(ctx, burn),
    form: formOf,
  };
}

/** Sign-in by passkeys. */
export function webauthnFlow() {
  return definePlugin({
    name: "flows/webauthn",
    provides: ["flow:webauthn"],
    setup(kernel) {
      kernel.addFlow("webauthn", createFlow(kernel));
      kernel.addRoute({
        method: "GET",
        path: "/webauthn-options/:provider",
        json: true,
        handler: (ctx) => giveOptions(ctx as FlowContext as WebAuthnContext),
      });
      kernel.addRoute({ method: "GET", path: scriptPath, handler: giveScript });
      kernel.hooks.ready.tap("flows/webauthn", checkTogether);
    },
  });
}

export default webauthnFlow;
