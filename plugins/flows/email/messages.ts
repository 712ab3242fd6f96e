import type { Messages } from "../../../src/index.ts";

/** What the flow's forms, its page and its mail say. */
export const ENGLISH: Messages = {
  "email.label": "Email",
  "email.placeholder": "email@example.com",
  "email.submit": "Email me a sign-in link",
  "email.submit.by": "Email me a sign-in link ({name})",
  "confirm.title": "Sign In",
  "confirm.heading": "Sign in",
  "confirm.text": "Continue as {email}.",
  "confirm.submit": "Sign in",
  "confirm.notice": "If you did not ask for this link, close this page.",
  "mail.subject": "Sign in to {host}",
  "mail.heading": "Sign in to {host}",
  "mail.invitation": "Open this link to sign in:",
  "mail.button": "Sign in",
  "mail.fallback": "If the button does not work, copy this address into your browser:",
  "mail.validity": "The link works once, for {duration}.",
  "mail.notice":
    "If you did not ask for this mail, you can ignore it. Nobody can sign in without the link, so do " +
    "not pass it on.",
};
