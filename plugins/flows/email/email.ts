import { definePlugin } from "../../../src/index.ts";
import type { AuthContext, Block, Flow, Kernel, ResolvedProvider } from "../../../src/index.ts";
import { finish } from "./finish.ts";
import { createLimits } from "./limits.ts";
import { createOnce } from "./once.ts";
import { resolveProvider } from "./resolve.ts";
import { createSend } from "./send.ts";
import { start } from "./start.ts";
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
  const tools = {
    limits: createLimits(kernel),
    once: createOnce(kernel),
    send: createSend(),
  };
  return {
    links: "email",
    resolve: resolveProvider,
    start: (ctx) => start(ctx, tools),
    finish: (ctx) => finish(ctx, tools.limits),
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
