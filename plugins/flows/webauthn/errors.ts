import type { Kernel } from "../../../src/kernel.ts";
import { ENGLISH } from "./messages.ts";

/** Registers the flow's public errors and its texts. */
export function addErrors(kernel: Kernel): void {
  kernel.addMessages("en", ENGLISH);
  kernel.addError("AccountNotLinked", {
    text: "passkey-taken",
    status: 409,
    message: "The passkey, or its address, belongs to another user.",
  });
  kernel.addError("WebAuthnVerificationError", {
    text: "passkey",
    status: 401,
    message: "The passkey could not be verified.",
  });
}
