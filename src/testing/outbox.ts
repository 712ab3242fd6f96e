import type { ProviderTypes } from "../types/provider.ts";
import type { ProviderOf } from "./provider-of.ts";

/** The argument of `sendVerificationRequest`: the link in `url`, the e-mail in `mail`. */
export type SentMail = ProviderTypes extends {
  email: {
    sendVerificationRequest?(request: infer Request extends { identifier: string }): unknown;
  };
}
  ? Request
  : { identifier: string; url: string };

/** The e-mails that an application has sent in a test. */
export interface Outbox {
  /** In the order in which they were sent. */
  readonly mails: SentMail[];
  /** Returns an e-mail provider for `providers` with the id `email`. The options are merged over it. */
  provider(options?: Partial<ProviderOf<"email">>): ProviderOf<"email">;
  /** Records an e-mail: the `sendVerificationRequest` of any e-mail provider. */
  readonly sendVerificationRequest: (mail: SentMail) => void;
  /**
   * Returns the last e-mail, to an address if one is given.
   * @throws Error when there is none; it lists the addresses that e-mails were sent to.
   */
  last(to?: string): SentMail;
}

/**
 * Creates an outbox, which replaces the service that sends the links of an e-mail sign-in.
 * @example
 * const outbox = createOutbox();
 * const { browser } = createTestAuth(createAuth, {
 *   providers: [outbox.provider()],
 *   plugins: [memoryStore(), storeAdapter()],
 * });
 * await browser.signIn("email", { email: "ada@example.com" });
 * await browser.get(outbox.last("ada@example.com").url);
 */
export function createOutbox(): Outbox {
  const mails: SentMail[] = [];
  const sendVerificationRequest = (mail: SentMail) => void mails.push(mail);
  return {
    mails,
    sendVerificationRequest,
    provider: (options) => ({
      id: "email",
      name: "E-mail",
      type: "email",
      sendVerificationRequest,
      ...options,
    }),
    last(to) {
      const found = mails.findLast(({ identifier }) => to === undefined || identifier === to);
      if (found) return found;
      const sent = mails.map(({ identifier }) => identifier).join(", ") || "none";
      throw new Error(`No e-mail was sent${to === undefined ? "" : ` to ${to}`}. Sent: ${sent}.`);
    },
  };
}
