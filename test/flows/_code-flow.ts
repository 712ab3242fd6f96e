import { pageRenderer } from "../../plugins/pages/renderer.ts";
import { defineError, SignInError } from "../../src/errors.ts";
import {
  defineFlow,
  definePlugin,
  type FlowDefinition,
  type Plugin,
  type ProviderBase,
} from "../../src/kernel.ts";

interface CodeProvider extends ProviderBase {
  type: "code";
}

const WrongCode: typeof SignInError = defineError("WrongCode", SignInError, 401, "public", "debug");

/** A provider type that accepts the code `right`, and throws an error of its own for `broken`. */
export function codePlugin(changes: Partial<FlowDefinition<CodeProvider>> = {}): Plugin {
  const definition: FlowDefinition<CodeProvider> = {
    tries: 3,
    page: ({ provider }) => ({
      title: "Code",
      blocks: [
        {
          kind: "form",
          form: { action: provider.callbackUrl, fields: [{ name: "code" }], submit: "Go" },
        },
      ],
    }),
    async finish(ctx) {
      const { code } = await ctx.body();
      if (code === "broken") throw new Error("The service is down.");
      if (code !== "right") throw new WrongCode("The code is wrong.");
      return { user: { name: "Ada" }, account: { providerAccountId: "1" } };
    },
    ...changes,
  };
  const flow = defineFlow<CodeProvider>("code", definition, {
    plugins: [pageRenderer()],
    setup: (kernel) =>
      kernel.addError(WrongCode, { messages: { en: "Wrong code.", de: "Falscher Code." } }),
  });
  return definePlugin({
    name: "code",
    plugins: [flow()],
    setup: (kernel) => kernel.addProvider({ id: "code", name: "Code", type: "code" }),
  });
}
