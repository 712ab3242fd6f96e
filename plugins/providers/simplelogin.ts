import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of SimpleLogin's ID token. */
export interface SimpleLoginProfile {
  sub: string;
  name?: string;
  email?: string;
  email_verified?: boolean;
  avatar_url?: string | null;
}

/**
 * Adds sign-in with SimpleLogin. The callback is `/auth/callback/simplelogin`. Reads `AUTH_SIMPLELOGIN_ID` and
 * `AUTH_SIMPLELOGIN_SECRET`. The address may be an alias, which the user can turn off.
 *
 * @see https://simplelogin.io/docs/siwsl/app/
 */
export const simpleloginPlugin: ProviderFactory<OIDCProvider<SimpleLoginProfile>> = defineProvider(
  oidcFlow,
  () => ({
    id: "simplelogin",
    name: "SimpleLogin",
    type: "oidc",
    style: { brandColor: "#e3156a", icon: () => import("./_icons/simplelogin.ts") },
    issuer: "https://app.simplelogin.io",
    profile: ({ sub, name, email, avatar_url: image }) => ({
      id: sub,
      name: name ?? null,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default simpleloginPlugin;
