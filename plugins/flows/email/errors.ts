import type { Kernel } from "../../../src/kernel.ts";
import { ENGLISH } from "./messages.ts";

/** Registers the flow's public errors and its texts. */
export function addErrors(kernel: Kernel): void {
  kernel.addMessages("en", ENGLISH);
  kernel.addError("EmailSignInError", { text: "unsent", status: 503 });
  kernel.addError("Verification", { text: "link", status: 403 });
  // Error codes of Auth.js 4 that links and bookmarks may still contain.
  kernel.addError("EmailSignin", { text: "unsent" });
  kernel.addError("EmailCreateAccount", { text: "failed" });
}
