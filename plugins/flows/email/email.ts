import { definePlugin, once } from "../../../src/index.ts";
import type {
  AuthContext,
  Block,
  Flow,
  Kernel,
  Reading,
  ResolvedProvider,
} from "../../../src/index.ts";
import { ENGLISH } from "./messages.ts";
import { resolveProvider } from "./resolve.ts";
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
  const shelves = {
    counters: kernel.store<number>("email-limits", { optional: true }),
    requests: kernel.store<boolean>("email-once", { optional: true }),
  };
  const steps = once(async () => (await import("./steps.ts")).createSteps(kernel, shelves));
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
      kernel.addMessages("en", ENGLISH);
      kernel.addFlow("email", createFlow(kernel));
    },
  });
}

export default emailFlow;
