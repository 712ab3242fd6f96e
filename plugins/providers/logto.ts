import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of Logto's ID token. */
export interface LogtoProfile {
  sub: string;
  name?: string | null;
  username?: string | null;
  email?: string | null;
  email_verified?: boolean;
  picture?: string | null;
}

/**
 * Adds sign-in with Logto. The callback is `/auth/callback/logto`. Reads `AUTH_LOGTO_ID`, `AUTH_LOGTO_SECRET` and
 * `AUTH_LOGTO_ISSUER`. `issuer` is required: the endpoint of the tenant followed by `/oidc`.
 *
 * @see https://docs.logto.io/integrate-logto/third-party-applications
 */
export const logtoPlugin: ProviderFactory<OIDCProvider<LogtoProfile>> = defineProvider(
  oidcFlow,
  () => ({
    id: "logto",
    name: "Logto",
    type: "oidc",
    settings: { issuer: { required: true, example: "https://acme.logto.app/oidc" } },
    authorization: {
      params: { scope: "offline_access openid email profile" },
      allow: ["first_screen", "direct_sign_in"],
    },
    profile: ({ sub, name, username, email, picture }) => ({
      id: sub,
      name: name ?? username ?? null,
      email: email ?? null,
      image: picture ?? null,
    }),
  }),
);

export default logtoPlugin;
