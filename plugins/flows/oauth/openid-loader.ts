import { AuthError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import type { LoadOpenId } from "./types.ts";

/** Returns what loads OpenID Connect; it rejects where the application does not use it. */
export function createOpenIdLoader(kernel: Kernel): LoadOpenId {
  return async () => {
    if (kernel.flows.has("oidc")) return kernel.use("openid")();
    throw new AuthError(
      "The sign-in needs OpenID Connect: to verify a token that the provider has signed, or to discover its endpoints. " +
        "Use oidcFlow() of keyhook/flows/oauth.",
    );
  };
}
