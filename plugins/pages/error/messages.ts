import type { Messages } from "../../../src/kernel.ts";

/** English texts of the error page: per error a heading, an explanation and the label of a link. */
export const ENGLISH: Messages = {
  "error.title": "Error",
  "error.broken.heading": "Server error",
  "error.broken.text":
    "The sign-in failed on our side, and it was logged. Please try again. If it keeps happening, tell " +
    "the people who run this site.",
  "error.broken.again": "Try again",
  "error.check.heading": "Unable to sign in",
  "error.check.text": "The sign-in took too long, or its cookies were lost.",
  "error.check.again": "Try again",
  "error.csrf.heading": "Please try again",
  "error.csrf.text": "The page was open for too long, or your browser blocks its cookies.",
  "error.csrf.again": "Try again",
  "error.ambiguous.heading": "Two accounts at once",
  "error.ambiguous.text":
    "Your browser sent the sessions of two accounts, so nothing was changed. Delete the cookies of this site, then sign in again.",
  "error.ambiguous.again": "Start over",
  "error.denied.heading": "Access denied",
  "error.denied.text": "You do not have permission to sign in.",
  "error.denied.again": "Sign in with another account",
  "error.failed.heading": "Unable to sign in",
  "error.failed.text": "The sign-in did not go through, or it was cancelled.",
  "error.failed.again": "Try again",
  "error.fresh.heading": "Sign in again",
  "error.fresh.text":
    "To protect your account, sign in again before you make this change. Nothing has been changed.",
  "error.fresh.again": "Sign in",
  "error.large.heading": "Your session could not be stored",
  "error.large.text":
    "There is more information in your account than fits into your browser’s cookies. The people who run this site have to fix this.",
  "error.large.again": "Back to sign-in",
  "error.request.heading": "That did not work",
  "error.request.text": "Something was wrong with the request.",
  "error.request.again": "Start again",
  "error.unverified.heading": "Verify your email address",
  "error.unverified.text":
    "This service has not verified your email address yet. Verify it there and sign in again, or choose another way to sign in.",
  "error.unverified.again": "Back to sign-in",
  "error.required.heading": "Sign in first",
  "error.required.text": "Please sign in to see this page.",
  "error.required.again": "Sign in",
  "error.unknown.heading": "Something went wrong",
  "error.unknown.text": "The sign-in could not be finished.",
  "error.unknown.again": "Try again",
};
