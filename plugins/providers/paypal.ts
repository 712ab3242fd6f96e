import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of PayPal's userinfo endpoint. */
export interface PayPalProfile {
  /** A URL that is unique to the user. */
  user_id: string;
  sub?: string;
  name?: string;
  email?: string;
  email_verified?: boolean | "true" | "false";
  picture?: string;
}

/** Options of `paypalPlugin`, in addition to those of every provider. */
export interface PayPalOptions {
  /** The environment for which the application has keys. Default `production`. */
  environment?: "production" | "sandbox";
}

/**
 * Adds sign-in with PayPal. The callback is `/auth/callback/paypal`. Reads `AUTH_PAYPAL_ID` and `AUTH_PAYPAL_SECRET`.
 * PayPal's ID token is not used. The profile comes from the userinfo endpoint.
 *
 * Unsure: the claims under this schema are untested.
 *
 * @see https://developer.paypal.com/docs/log-in-with-paypal/integrate/
 */
export const paypalPlugin: ProviderFactory<
  OAuthProvider<PayPalProfile>,
  PayPalOptions
> = defineProvider(oauthFlow, ({ environment }) => {
  const sandbox = environment === "sandbox" ? "sandbox." : "";
  return {
    id: "paypal",
    name: "PayPal",
    type: "oauth",
    style: { brandColor: "#002991", icon: () => import("./_icons/paypal.ts") },
    settings: { environment: { example: "sandbox", oneOf: ["production", "sandbox"] } },
    authorization: {
      url: `https://www.${sandbox}paypal.com/signin/authorize`,
      params: { flowEntry: "static", scope: "openid email profile" },
    },
    token: { url: `https://api-m.${sandbox}paypal.com/v1/oauth2/token` },
    userinfo: {
      url: `https://api-m.${sandbox}paypal.com/v1/identity/openidconnect/userinfo`,
      params: { schema: "openid" },
    },
    // PayPal does not document PKCE.
    checks: ["state"],
    profile: ({ user_id: id, name, email, picture }) => ({
      id,
      name: name ?? null,
      email: email ?? null,
      image: picture ?? null,
    }),
  };
});

export default paypalPlugin;
