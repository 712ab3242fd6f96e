import type { EmailProvider, Mail } from "../presets/index.ts";

/** An e-mail, and when it was put into the outbox. */
export interface OutboxMail extends Mail {
  at: Date;
}

/** E-mails that are not sent, newest first. */
export interface Outbox {
  readonly mails: readonly OutboxMail[];
  put(mail: Mail): void;
}

/** Creates an outbox of at most `length` e-mails. */
export function createOutbox(length = 12): Outbox {
  const mails: OutboxMail[] = [];
  return {
    mails,
    put(mail) {
      mails.unshift({ ...mail, at: new Date() });
      mails.length = Math.min(mails.length, length);
    },
  };
}

/** Creates an e-mail provider that puts its e-mails into the outbox. */
export function outboxProvider(outbox: Outbox): EmailProvider {
  return {
    id: "outbox",
    name: "Outbox",
    type: "email",
    from: "Keyhook playground <hello@playground.example>",
    maxAge: 10 * 60,
    code: true,
    // A real application would pass the e-mail to a mail service.
    sendVerificationRequest: ({ mail }) => outbox.put(mail),
  };
}
