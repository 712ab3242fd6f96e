import type { Kernel } from "../../../src/kernel.ts";
import { ENGLISH } from "./messages.ts";

/** Error codes of Auth.js 4 that links and bookmarks may still contain. */
const AUTHJS_4_CODES = ["Signin", "OAuthSignin", "OAuthCallback", "OAuthCreateAccount", "Callback"];

/** Registers the flow's public errors and its texts. */
export function addErrors(kernel: Kernel): void {
  kernel.addMessages("en", ENGLISH);
  kernel.addError("OAuthAccountNotLinked", { text: "taken", status: 409 });
  kernel.addError("OAuthCallbackError", { text: "failed", status: 401 });
  kernel.addError("OAuthSignInError", { text: "unreachable", status: 503 });
  for (const code of AUTHJS_4_CODES) kernel.addError(code, { text: "failed" });
}
