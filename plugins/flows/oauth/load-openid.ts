import { AuthError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import type { OpenId } from "./types.ts";

/**
 * Loads what OpenID Connect adds to the flow.
 * @throws AuthError if the application does not use OpenID Connect.
 */
export async function loadOpenId(kernel: Kernel): Promise<OpenId> {
  if (kernel.flows.has("oidc")) return kernel.use("openid")();
  throw new AuthError(
    "Discovery, and tokens that the provider signs, need OpenID Connect. Use oidcFlow() of keyhook/flows/oauth.",
  );
}
