import type { Kernel, Messages } from "../../src/kernel.ts";

const ENGLISH: Messages = {
  "signin.error.credentials": "We couldn’t sign you in. Check your details and try again.",
  "error.credentials.heading": "Unable to sign in",
  "error.credentials.text": "The details you entered weren’t accepted. Check them and try again.",
  "error.credentials.again": "Try again",
  "credentials.submit": "Sign in",
  "credentials.username": "Username",
  "credentials.email": "Email",
  "credentials.phone": "Phone number",
  "credentials.password": "Password",
  "credentials.code": "Code",
  "credentials.pin": "PIN",
};

/** Registers the texts of the forms in which visitors identify themselves, and of the errors in what they type. */
export function addFormTexts(kernel: Kernel): void {
  kernel.addMessages("en", ENGLISH);
}
