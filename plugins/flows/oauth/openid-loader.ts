import { AuthError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import type { LoadOpenId } from "./types.ts";

/** Returns the function that loads OpenID Connect. It rejects if the application does not use OpenID Connect. */
export function createOpenIdLoader(kernel: Kernel): LoadOpenId {
  return async () => {
    if (kernel.flows.has("oidc")) return kernel.use("openid")();
    throw new AuthError(
      "Discovery, and tokens that the provider signs, need OpenID Connect. Use oidcFlow() of keyhook/flows/oauth.",
    );
  };
}
