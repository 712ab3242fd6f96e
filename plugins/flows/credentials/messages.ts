import type { Messages } from "../../../src/kernel.ts";

/** The texts of the flow's errors. */
export const ENGLISH: Messages = {
  "signin.error.credentials": "The sign-in failed. Check what you entered, and try again.",
  "error.credentials.heading": "Unable to sign in",
  "error.credentials.text": "Check what you entered.",
  "error.credentials.again": "Try again",
};
