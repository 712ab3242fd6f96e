import { type ErrorLevel, SignInError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import { addFormTexts } from "../_form-texts.ts";

/** What the visitor typed leads to no account, or the account does not confirm it. */
export class AtprotoUnknownAccount extends SignInError {
  static override readonly type = "AtprotoUnknownAccount";
  static override readonly status = 400;
  static override readonly public = true;
  // Visitors can cause this error with any input.
  static override readonly level: ErrorLevel = "debug";
}

/** A server did not sign the user in, does not implement the protocol, or is not the account's server. */
export class AtprotoCallbackError extends SignInError {
  static override readonly type = "AtprotoCallbackError";
  static override readonly status = 401;
  static override readonly public = true;
}

/** A server could not be reached. */
export class AtprotoUnreachable extends SignInError {
  static override readonly type = "AtprotoUnreachable";
  static override readonly status = 503;
  static override readonly public = true;
}

/** Registers the flow's public errors. They share the texts of every form and of every provider that fails. */
export function addErrors(kernel: Kernel): void {
  addFormTexts(kernel);
  kernel.addError(AtprotoUnknownAccount, {
    text: "credentials",
    message: "There is no such account.",
  });
  kernel.addError(AtprotoCallbackError, {
    text: "failed",
    message: "The identity provider did not sign the user in.",
  });
  kernel.addError(AtprotoUnreachable, {
    text: "unreachable",
    message: "The identity provider cannot be reached.",
  });
}
