import type { Messages } from "../../../src/kernel.ts";

/** English texts of the error page. Each error has a heading, an explanation and the label of a link. */
export const ENGLISH: Messages = {
  "error.title": "Error",
  "error.broken.heading": "Server error",
  "error.broken.text":
    "Something went wrong on our end. Try again. If it keeps happening, contact the site owner.",
  "error.broken.again": "Try again",
  "error.check.heading": "Unable to sign in",
  "error.check.text":
    "Your sign-in attempt expired or was already used, or your browser blocked cookies. Allow cookies for this site and try again.",
  "error.check.again": "Try again",
  "error.csrf.heading": "This page expired",
  "error.csrf.text":
    "It was open for too long, or your browser is blocking cookies. Allow cookies for this site and try again.",
  "error.csrf.again": "Try again",
  "error.ambiguous.heading": "Two accounts at once",
  "error.ambiguous.text":
    "Your browser sent the sessions of two accounts, so nothing was changed. Delete this site’s cookies, then sign in again.",
  "error.ambiguous.again": "Start over",
  "error.denied.heading": "Access denied",
  "error.denied.text":
    "This account isn’t allowed to sign in here. Use a different one, or contact the site owner.",
  "error.denied.again": "Use a different account",
  "error.failed.heading": "Unable to sign in",
  "error.failed.text":
    "Sign-in was canceled or couldn’t be completed. Try again, or choose another sign-in method.",
  "error.failed.again": "Try again",
  "error.fresh.heading": "Sign in again",
  "error.fresh.text":
    "To protect your account, sign in again before you make this change. Nothing has been changed.",
  "error.fresh.again": "Sign in",
  "error.large.heading": "We couldn’t sign you in",
  "error.large.text":
    "Your account holds more information than your browser’s cookies can store. Contact the site owner.",
  "error.large.again": "Back to sign-in",
  "error.request.heading": "We couldn’t process that request",
  "error.request.text": "The request was incomplete or invalid. Start again from the sign-in page.",
  "error.request.again": "Start over",
  "error.unverified.heading": "Verify your email address",
  "error.unverified.text":
    "This service hasn’t verified your email address yet. Verify it there and sign in again, or choose another sign-in method.",
  "error.unverified.again": "Back to sign-in",
  "error.required.heading": "Sign in to continue",
  "error.required.text": "You’re not signed in, or your session has ended. Sign in to continue.",
  "error.required.again": "Sign in",
  "error.taken.heading": "Account already exists",
  "error.taken.text":
    "This email or sign-in method already belongs to an account. Sign in with the method you used before.",
  "error.taken.again": "Sign in",
  "error.unreachable.heading": "Service unavailable",
  "error.unreachable.text":
    "We couldn’t reach the service you chose. Try again in a moment, or choose another sign-in method.",
  "error.unreachable.again": "Choose another method",
  "error.unknown.heading": "Something went wrong",
  "error.unknown.text": "We couldn’t finish signing you in. Try again.",
  "error.unknown.again": "Try again",
};
