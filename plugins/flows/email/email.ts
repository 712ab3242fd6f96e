import { definePlugin, once } from "../../../src/index.ts";
import type { AuthContext, Block, Flow, Kernel, ResolvedProvider } from "../../../src/index.ts";
import { resolveProvider } from "./resolve.ts";
import type { AnyEmailProvider } from "./types.ts";

// Who carries the mails is nothing to a visitor, unless there is a choice.
function labelOf({ type, name }: AnyEmailProvider, { kernel }: AuthContext): string {
  const others = [...kernel.providers.values()].filter((provider) => provider.type === type);
  return `Email me a sign-in link${others.length > 1 ? ` (${name})` : ""}`;
}

function formOf(provider: ResolvedProvider<AnyEmailProvider>, ctx: AuthContext): Block {
  const { id, style, signinUrl } = provider;
  return {
    kind: "form",
    provider: id,
    form: {
      action: signinUrl,
      fields: [
        {
          name: "email",
          label: "Email",
          type: "email",
          attributes: { required: true, placeholder: "email@example.com", autocomplete: "email" },
        },
      ],
      submit: labelOf(provider, ctx),
      ...(style?.brandColor && { color: style.brandColor }),
    },
  };
}

function createFlow(kernel: Kernel): Flow<AnyEmailProvider> {
  const counters = kernel.store<number>("email-limits", { optional: true });
  const steps = once(async () => (await import("./steps.ts")).createSteps(kernel, counters));
  return {
    links: "email",
    resolve: resolveProvider,
    start: async (ctx) => (await steps()).start(ctx),
    finish: async (ctx) => (await steps()).finish(ctx),
    linked(_, { account, user }) {
      account.userId = String(user.id);
    },
    form: formOf,
  };
}

/** Sign-in by a link that is mailed. */
export function emailFlow() {
  return definePlugin({
    name: "flows/email",
    provides: ["flow:email"],
    setup(kernel) {
      kernel.addFlow("email", createFlow(kernel));
    },
  });
}

export default emailFlow;
