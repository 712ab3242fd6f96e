import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Railway's `GET /oauth/me`. */
export interface RailwayProfile {
  sub: string;
  name?: string | null;
  email?: string;
  email_verified?: boolean;
  picture?: string | null;
}

/**
 * Adds sign-in with Railway. The callback is `/auth/callback/railway`. Reads `AUTH_RAILWAY_ID` and
 * `AUTH_RAILWAY_SECRET`. Railway's ID token is not used. The profile comes from the userinfo endpoint.
 *
 * @see https://docs.railway.com/integrations/oauth
 */
export const railwayPlugin: ProviderFactory<OAuthProvider<RailwayProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "railway",
    name: "Railway",
    type: "oauth",
    style: { brandColor: "#0b0d0e", icon: () => import("./_icons/railway.ts") },
    // The callback has an `iss` parameter, which is compared with this (RFC 9207).
    issuer: "https://backboard.railway.com",
    authorization: {
      url: "https://backboard.railway.com/oauth/auth",
      params: { scope: "openid email profile" },
    },
    token: { url: "https://backboard.railway.com/oauth/token" },
    userinfo: { url: "https://backboard.railway.com/oauth/me" },
    checks: ["pkce", "state"],
    profile: ({ sub, name, email, picture }) => ({
      id: sub,
      name: name ?? null,
      email: email ?? null,
      image: picture ?? null,
    }),
  }),
);

export default railwayPlugin;
