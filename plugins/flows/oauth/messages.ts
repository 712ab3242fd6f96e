import type { Messages } from "../../../src/kernel.ts";

/** The texts of the flow's errors. */
export const ENGLISH: Messages = {
  "signin.error.taken":
    "Your address belongs to an account already. Sign in the way you signed in before.",
  "signin.error.unreachable":
    "The service you chose cannot be reached. Try again, or choose another.",
  "error.taken.heading": "Account exists already",
  "error.taken.text":
    "What you signed in with belongs to another account. Sign in the way you did before.",
  "error.taken.again": "Sign in",
  "error.unreachable.heading": "Unable to sign in",
  "error.unreachable.text": "The service you chose cannot be reached at the moment.",
  "error.unreachable.again": "Choose another way",
};
