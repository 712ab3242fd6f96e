import type { Kernel } from "../../../src/kernel.ts";
import { addFormTexts } from "../_form-texts.ts";

/** Registers the flow's public errors and its texts. */
export function addErrors(kernel: Kernel): void {
  addFormTexts(kernel);
  kernel.addError("CredentialsSignin", {
    text: "credentials",
    status: 401,
    message: "The credentials are wrong.",
  });
}
