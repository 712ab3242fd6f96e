import type { Kernel } from "../../../src/kernel.ts";
import { ENGLISH } from "./messages.ts";

/** Registers the flow's public errors and its texts. */
export function addErrors(kernel: Kernel): void {
  kernel.addMessages("en", ENGLISH);
  kernel.addError("CredentialsSignin", {
    text: "credentials",
    status: 401,
    message: "The credentials are wrong.",
  });
}
