import type { EmailProvider, Mail } from "../presets/index.ts";

/** A mail, and when it was sent. */
export interface Letter extends Mail {
  at: Date;
}

/** Mails that go nowhere, newest first. */
export interface Outbox {
  readonly letters: readonly Letter[];
  put(mail: Mail): void;
}

/** Makes an outbox of at most `length` mails. */
export function createOutbox(length = 12): Outbox {
  const letters: Letter[] = [];
  return {
    letters,
    put(mail) {
      letters.unshift({ ...mail, at: new Date() });
      letters.length = Math.min(letters.length, length);
    },
  };
}

/** Sign-in by a link that is put into the outbox, where it can be read. */
export function outboxProvider(outbox: Outbox): EmailProvider {
  return {
    id: "outbox",
    name: "Outbox",
    type: "email",
    from: "Keyhook playground <hello@playground.example>",
    maxAge: 10 * 60,
    // A real application would hand the mail to somebody who delivers it.
    sendVerificationRequest: ({ mail }) => outbox.put(mail),
  };
}
