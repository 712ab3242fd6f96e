import { SignInError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";

/** The provider did not sign the user in, or did not issue the response for this attempt. */
export class OpenId2CallbackError extends SignInError {
  static override readonly type = "OpenId2CallbackError";
  static override readonly status = 401;
  static override readonly public = true;
}

/** The provider could not be reached. */
export class OpenId2Unreachable extends SignInError {
  static override readonly type = "OpenId2Unreachable";
  static override readonly status = 503;
  static override readonly public = true;
}

/** Registers the flow's public errors, with the texts of every provider. */
export function addErrors(kernel: Kernel): void {
  kernel.addError(OpenId2CallbackError, {
    text: "failed",
    message: "The identity provider did not sign the user in.",
  });
  kernel.addError(OpenId2Unreachable, {
    text: "unreachable",
    message: "The identity provider cannot be reached.",
  });
}
