import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as UnitedEffectsProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with United Effects. The callback is `/auth/callback/united-effects`. Reads `AUTH_UNITED_EFFECTS_ID`,
 * `AUTH_UNITED_EFFECTS_SECRET` and `AUTH_UNITED_EFFECTS_ISSUER`. `issuer` is required: the issuer of the auth group.
 *
 * @see https://docs.unitedeffects.com/
 */
export const unitedEffectsPlugin: ProviderFactory<OIDCProvider> = defineProvider(
  oidcFlow,
  ({ issuer }) => ({
    id: "united-effects",
    name: "United Effects",
    type: "oidc",
    settings: {
      issuer: { required: true, example: "https://auth.unitedeffects.com/YQpbQV5dbW-224dCovz-3" },
    },
    authorization: { params: { scope: "openid email profile", resource: issuer } },
  }),
);

export default unitedEffectsPlugin;
