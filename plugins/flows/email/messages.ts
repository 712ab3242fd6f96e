import type { Messages } from "../../../src/kernel.ts";

/** The texts of the flow's forms, page, e-mail and errors. */
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
  "signin.error.link":
    "The sign-in link is no longer valid: it was used before, or it is too old. Ask for a new one.",
  "signin.error.unsent": "The email could not be sent. Check the address, or try again later.",
  "error.link.heading": "Unable to sign in",
  "error.link.text": "The sign-in link is no longer valid: it was used before, or it is too old.",
  "error.link.again": "Ask for a new link",
  "error.unsent.heading": "Email not sent",
  "error.unsent.text": "The email could not be sent. Check the address, or try again later.",
  "error.unsent.again": "Try again",
};
