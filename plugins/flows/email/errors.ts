import { defineError, SignInError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import { ENGLISH } from "./messages.ts";

/**
 * The code of an e-mail is wrong, used or expired, or too many codes were wrong. The verify-request page receives
 * `?error=InvalidEmailCode`, with `&code=rate_limited` if no further code is accepted.
 */
export const InvalidEmailCode: typeof SignInError = defineError(
  "InvalidEmailCode",
  SignInError,
  401,
  "public",
  "debug",
);
export type InvalidEmailCode = SignInError;

/** Returns the error when a limit is reached. It is the same for right and wrong codes. */
export function refuseCodes(reason: string): InvalidEmailCode {
  return Object.assign(new InvalidEmailCode(reason), { code: "rate_limited" });
}

/** Registers the flow's public errors and its texts. */
export function addErrors(kernel: Kernel): void {
  kernel.addMessages("en", ENGLISH);
  kernel.addError("EmailSignInError", {
    text: "unsent",
    status: 503,
    message: "The e-mail could not be sent.",
  });
  kernel.addError("Verification", {
    text: "link",
    status: 403,
    message: "The link was used before, or has expired.",
  });
  kernel.addError(InvalidEmailCode, { text: "email-code" });
  // Error codes of Auth.js 4 that links and bookmarks may still contain.
  kernel.addError("EmailSignin", { text: "unsent" });
  kernel.addError("EmailCreateAccount", { text: "failed" });
}
