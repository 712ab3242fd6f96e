import type { Messages } from "../../../src/kernel.ts";

/** English texts of the sign-in page. */
export const ENGLISH: Messages = {
  "signin.title": "Sign In",
  "signin.heading": "Sign in",
  "signin.or": "or",
  "signin.more": "{count} more ways to sign in",
  "signin.closed": "Nobody can sign in here yet. Please come back later.",
  "signin.error.large":
    "There is more information in your account than fits into your browser’s cookies. The people who run this site have to fix this.",
  "signin.error.unverified":
    "This service has not verified your email address yet. Verify it there and sign in again, or choose another way to sign in.",
  "signin.error.required": "Please sign in to see this page.",
  "signin.error.ambiguous":
    "Your browser sent the sessions of two accounts. Delete the cookies of this site, then sign in again.",
  "signin.error.fresh":
    "To protect your account, sign in again before you make this change. Nothing has been changed yet; " +
    "afterwards you return to where you were.",
  "signin.error.broken":
    "This way to sign in does not work at the moment. Try another one, or come back later.",
  "signin.error.check": "The sign-in took too long, or its cookies were lost. Please try again.",
  "signin.error.denied":
    "You do not have permission to sign in. Use another account, or ask the people who run this site.",
  "signin.error.failed": "The sign-in did not go through. Try again, or use a different account.",
  "signin.error.request": "Something was wrong with the request. Please try again.",
  "signin.error.unknown": "Something went wrong. Please try again.",
};
