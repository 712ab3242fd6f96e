import { definePlugin, needLinking, once } from "../../../src/index.ts";
import type {
  AuthContext,
  Block,
  Flow,
  Kernel,
  Reading,
  ResolvedProvider,
} from "../../../src/index.ts";
import { resolveProvider } from "./resolve.ts";
import type { AnyOAuthProvider } from "./types.ts";

function button(
  { id, name, style, signinUrl }: ResolvedProvider<AnyOAuthProvider>,
  _: AuthContext,
  { say }: Reading,
): Block {
  const color = style?.brandColor ?? style?.bg;
  return {
    kind: "form",
    provider: id,
    form: {
      action: signinUrl,
      submit: say("signin.with", { name }),
      short: name,
      ...(color && { color }),
      ...(style?.logo && { logo: style.logo }),
    },
  };
}

function createFlow(kernel: Kernel): Flow<AnyOAuthProvider> {
  const steps = once(async () => (await import("./steps.ts")).createSteps(kernel));
  return {
    resolve: resolveProvider,
    start: async (ctx) => (await steps()).start(ctx),
    finish: async (ctx) => (await steps()).finish(ctx),
    links: "account",
    // A form_post comes from the provider's site; the checks of the attempt protect it.
    csrf: false,
    form: button,
  };
}

/** Sign-in by OAuth 2 and OpenID Connect. */
export function oauthFlows() {
  return definePlugin({
    name: "flows/oauth",
    provides: ["flow:oauth", "flow:oidc"],
    setup(kernel) {
      const flow = createFlow(kernel);
      kernel.addFlow("oauth", flow as Flow<AnyOAuthProvider & { type: "oauth" }>);
      kernel.addFlow("oidc", flow as Flow<AnyOAuthProvider & { type: "oidc" }>);
      kernel.hooks.ready.tap("flows/oauth", () => needLinking(kernel, ["oauth", "oidc"]));
    },
  });
}

export default oauthFlows;
