import type { Messages } from "../types/message.ts";

/** The English texts of pages that no plugin adds, and those that several plugins share. */
export const ENGLISH: Messages = {
  "failure.title": "Something went wrong",
  "failure.absent": "Page not found",
  "failure.400": "We couldn’t process that request. Go back and try again.",
  "failure.404": "This page doesn’t exist. Check the address for typos.",
  "failure.405": "You can’t do that from here. Start again from the sign-in page.",
  "failure.500": "Something went wrong on our end. Try again later.",
  "link.signin": "Sign in",
  "link.home": "Go to {host}",
  // Every page with a form can show this text.
  "signin.error.csrf":
    "This page expired, or your browser is blocking cookies. Allow cookies for this site and try again.",
  "signin.with": "Sign in with {name}",
};
