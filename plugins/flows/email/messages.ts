import type { Messages } from "../../../src/kernel.ts";

/** The texts of the flow's forms, page, e-mail and errors. */
export const ENGLISH: Messages = {
  "email.label": "Email",
  "email.placeholder": "email@example.com",
  "email.submit": "Email me a sign-in link",
  "email.submit.by": "Email me a sign-in link ({name})",
  "email.code": "Code",
  "email.code.text": "Or enter the code from that email here:",
  "confirm.title": "Confirm sign-in",
  "confirm.heading": "Confirm sign\u2011in",
  "confirm.text": "You’re signing in as {email}",
  "confirm.submit": "Sign in",
  "confirm.notice": "If you didn’t request this link, close this page.",
  "mail.subject": "Sign in to {host}",
  "mail.heading": "Sign in to {host}",
  "mail.invitation": "Open this link to sign in:",
  "mail.button": "Sign in",
  "mail.fallback": "If the button doesn’t work, paste this link into your browser:",
  "mail.code":
    "Or enter this code on the page where you requested it, and nowhere else. It expires in {duration}.",
  "mail.validity": "This link expires in {duration} and can be used once.",
  "mail.notice":
    "If you didn’t request this email, you can safely ignore it. Don’t forward it: anyone with this link can sign in as you.",
  "signin.error.link": "This sign-in link has expired or was already used. Request a new one.",
  "signin.error.email-code":
    "That code is wrong or has expired. Enter the one in the newest email, or request a new link.",
  "signin.error.unsent": "We couldn’t send the email. Check the address and try again.",
  "error.link.heading": "This link no longer works",
  "error.link.text":
    "Sign-in links work once and expire after a while. Request a new one to sign in.",
  "error.link.again": "Request a new link",
  "error.unsent.heading": "Email not sent",
  "error.unsent.text": "We couldn’t send the email. Check the address and try again.",
  "error.unsent.again": "Try again",
};
