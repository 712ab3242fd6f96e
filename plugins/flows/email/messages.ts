import type { MailMessages } from "../../../src/index.ts";

/** What a mail says, by language tag. */
export const MESSAGES: Readonly<Record<string, MailMessages>> = {
  en: {
    subject: "Sign in to {host}",
    heading: "Sign in to {host}",
    invitation: "Open this link to sign in:",
    button: "Sign in",
    fallback: "If the button does not work, copy this address into your browser:",
    validity: "The link works once, for {duration}.",
    notice:
      "If you did not ask for this mail, you can ignore it. Nobody can sign in without the link, so do " +
      "not pass it on.",
  },
};

/** The language of those texts that are missing in another one. */
export const FALLBACK = "en";
