import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as OryHydraProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with Ory Hydra. The callback is `/auth/callback/hydra`. Reads `AUTH_HYDRA_ID`,
 * `AUTH_HYDRA_SECRET` and `AUTH_HYDRA_ISSUER`. `issuer` is required: the public URL of the server, or of the
 * project at Ory Network.
 *
 * @see https://www.ory.com/docs/hydra/
 */
export const hydraPlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "hydra",
  name: "Ory Hydra",
  type: "oidc",
  style: { brandColor: "#4f46e5", icon: () => import("./_icons/hydra.ts") },
  settings: { issuer: { required: true, example: "https://slug.projects.oryapis.com" } },
}));

export default hydraPlugin;
