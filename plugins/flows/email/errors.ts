import type { Kernel } from "../../../src/kernel.ts";
import { ENGLISH } from "./messages.ts";

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
  // Error codes of Auth.js 4 that links and bookmarks may still contain.
  kernel.addError("EmailSignin", { text: "unsent" });
  kernel.addError("EmailCreateAccount", { text: "failed" });
}
