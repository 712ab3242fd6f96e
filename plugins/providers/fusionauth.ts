import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of FusionAuth's ID token. */
export interface FusionAuthProfile {
  sub: string;
  name?: string;
  preferred_username?: string;
  given_name?: string;
  middle_name?: string;
  family_name?: string;
  email?: string;
  email_verified?: boolean;
  picture?: string;
}

/** Options of `fusionauthPlugin`, in addition to those of every provider. */
export interface FusionAuthOptions {
  /** The tenant's id, if the server has several tenants. */
  tenantId?: string;
}

/**
 * Adds sign-in with FusionAuth. The callback is `/auth/callback/fusionauth`. Reads `AUTH_FUSIONAUTH_ID`,
 * `AUTH_FUSIONAUTH_SECRET` and `AUTH_FUSIONAUTH_ISSUER`. `issuer` is required: the URL of the server. Set it as the
 * issuer of the tenant too.
 *
 * @see https://fusionauth.io/docs/lifecycle/authenticate-users/oauth/endpoints
 */
export const fusionauthPlugin: ProviderFactory<
  OIDCProvider<FusionAuthProfile>,
  FusionAuthOptions
> = defineProvider(oidcFlow, ({ issuer, tenantId }) => ({
  id: "fusionauth",
  name: "FusionAuth",
  type: "oidc",
  style: { brandColor: "#f58320", icon: () => import("./_icons/fusionauth.ts") },
  settings: {
    issuer: { required: true, example: "https://auth.example.com" },
    tenantId: { example: "00000000-0000-0000-0000-000000000000" },
  },
  authorization: { params: { scope: "openid offline_access email profile", tenantId } },
  ...(issuer !== undefined &&
    tenantId !== undefined && {
      wellKnown: `${trimEnd(issuer, "/")}/${tenantId}/.well-known/openid-configuration`,
    }),
  checks: ["pkce", "state"],
  profile: ({
    sub,
    name,
    preferred_username: username,
    given_name: given,
    middle_name: middle,
    family_name: family,
    email,
    picture,
  }) => ({
    id: sub,
    name: name ?? username ?? ([given, middle, family].filter(Boolean).join(" ") || null),
    email: email ?? null,
    image: picture ?? null,
  }),
}));

export default fusionauthPlugin;
