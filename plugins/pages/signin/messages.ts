import type { Messages } from "../../../src/kernel.ts";

/** English texts of the sign-in page. */
export const ENGLISH: Messages = {
  "signin.title": "Sign in",
  "signin.heading": "Sign in",
  "signin.or": "or",
  "signin.more": "Show {count} more",
  "signin.closed": "Sign-in isn’t available yet. Try again later.",
  "signin.error.large":
    "Your account holds more information than your browser’s cookies can store. Contact the site owner.",
  "signin.error.unverified":
    "This service hasn’t verified your email address yet. Verify it there and sign in again, or choose another sign-in method.",
  "signin.error.required": "You’re not signed in, or your session has ended. Sign in to continue.",
  "signin.error.ambiguous":
    "Your browser sent the sessions of two accounts. Delete this site’s cookies, then sign in again.",
  "signin.error.fresh":
    "To protect your account, sign in again before you make this change. Nothing has been changed yet; afterward, you’ll return to where you were.",
  "signin.error.broken":
    "This sign-in method isn’t working right now. Choose another one, or try again later.",
  "signin.error.check":
    "Your sign-in attempt expired or was already used, or your browser blocked cookies. Allow cookies for this site and try again.",
  "signin.error.denied":
    "This account isn’t allowed to sign in here. Use a different one, or contact the site owner.",
  "signin.error.failed":
    "Sign-in was canceled or couldn’t be completed. Try again, or choose another sign-in method.",
  "signin.error.request": "The request was incomplete or invalid. Try again.",
  "signin.error.taken":
    "An account with this email already exists. Sign in with the method you used before.",
  "signin.error.unreachable":
    "We couldn’t reach that service. Try again, or choose another sign-in method.",
  "signin.error.unknown": "Something went wrong. Try again.",
};
