import type { Kernel } from "../../../src/kernel.ts";

/** Error codes of Auth.js 4 that links and bookmarks may still contain. */
const AUTHJS_4_CODES = ["Signin", "OAuthSignin", "OAuthCallback", "OAuthCreateAccount", "Callback"];

/**
 * Registers the flow's public errors. Their texts are part of the pages, so an application that renders its own pages
 * does not load them.
 */
export function addErrors(kernel: Kernel): void {
  kernel.addError("OAuthCallbackError", {
    text: "failed",
    status: 401,
    message: "The identity provider did not sign the user in.",
  });
  kernel.addError("OAuthSignInError", {
    text: "unreachable",
    status: 503,
    message: "The identity provider cannot be reached.",
  });
  for (const code of AUTHJS_4_CODES) kernel.addError(code, { text: "failed" });
}
