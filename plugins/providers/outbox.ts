import { InvalidConfig } from "../../src/errors.ts";
import { definePlugin, type ProviderPlugin } from "../../src/kernel.ts";
import { emailFlow } from "../flows/email.ts";
import type { EmailProvider, Mail } from "../flows/email.ts";

declare module "../../src/types/kernel.ts" {
  interface Services {
    /** The e-mails that `outboxPlugin` has kept. */
    outbox: Outbox;
  }
}

/** A kept e-mail, with its time. */
export interface OutboxMail extends Mail {
  readonly at: Date;
}

/** E-mails that are not sent. */
export interface Outbox {
  /** Newest first, at most 20. */
  readonly mails: readonly OutboxMail[];
}

/** Options of `outboxPlugin`: the options of every e-mail provider, except those for sending. */
export type OutboxOptions = Partial<
  Omit<EmailProvider, "type" | "api" | "apiKey" | "server" | "smtp" | "sendVerificationRequest">
>;

const MAX_MAILS = 20;

/**
 * Adds sign-in by a link whose e-mail is kept in memory. It replaces a mail service during development. The inspector
 * shows the last 20 e-mails.
 * @throws InvalidConfig at boot in production, because no one would receive the e-mails.
 * @example createAuth().use(import.meta.dev ? outboxPlugin() : resendPlugin({ from: "hello@example.com" }))
 */
export const outboxPlugin: (options?: OutboxOptions) => ProviderPlugin<EmailProvider> =
  definePlugin(function outboxPlugin(options = {}): ProviderPlugin<EmailProvider> {
    const { id = "outbox", name = "Outbox" } = options;
    const provider: EmailProvider = { ...options, id, name, type: "email" };
    return {
      name: id,
      provides: [`provider:${id}`, "service:outbox"],
      plugins: [emailFlow()],
      provider,
      setup(kernel) {
        if (kernel.config.production) {
          throw new InvalidConfig(
            `The provider "${id}" keeps e-mails in memory and does not send them. In production, use one that ` +
              "does, such as resendPlugin() of keyhook/providers/resend.",
          );
        }
        const mails = kernel.remember<OutboxMail[]>("outbox", () => []);
        kernel.provide("outbox", { mails });
        kernel.addProvider<EmailProvider>({
          ...provider,
          sendVerificationRequest({ mail }) {
            mails.unshift({ ...mail, at: new Date() });
            mails.length = Math.min(mails.length, MAX_MAILS);
          },
        });
      },
    };
  });

export default outboxPlugin;
