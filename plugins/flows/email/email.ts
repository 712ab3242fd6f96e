import { definePlugin } from "../../../src/index.ts";
import type {
  AuthContext,
  Block,
  Flow,
  Kernel,
  Reading,
  ResolvedProvider,
} from "../../../src/index.ts";
import { finish } from "./finish.ts";
import { createLimits } from "./limits.ts";
import { ENGLISH } from "./messages.ts";
import { createOnce } from "./once.ts";
import { resolveProvider } from "./resolve.ts";
import { createSend } from "./send.ts";
import { start } from "./start.ts";
import type { AnyEmailProvider } from "./types.ts";

// Who carries the mails is nothing to a visitor, unless there is a choice.
function labelOf(
  { type, name }: AnyEmailProvider,
  { kernel }: AuthContext,
  { say }: Reading,
): string {
  const others = [...kernel.providers.values()].filter((provider) => provider.type === type);
  return others.length > 1 ? say("email.submit.by", { name }) : say("email.submit");
}

function formOf(
  provider: ResolvedProvider<AnyEmailProvider>,
  ctx: AuthContext,
  reading: Reading,
): Block {
  const { id, style, signinUrl } = provider;
  const { say } = reading;
  return {
    kind: "form",
    provider: id,
    form: {
      action: signinUrl,
      fields: [
        {
          name: "email",
          label: say("email.label"),
          type: "email",
          attributes: {
            required: true,
            placeholder: say("email.placeholder"),
            autocomplete: "email",
          },
        },
      ],
      submit: labelOf(provider, ctx, reading),
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
      kernel.addMessages("en", ENGLISH);
      kernel.addFlow("email", createFlow(kernel));
    },
  });
}

export default emailFlow;
