import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { isSameEmail, oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of Intuit's userinfo response. */
export interface IntuitProfile {
  sub: string;
  email?: string;
  emailVerified?: boolean;
  givenName?: string;
  familyName?: string;
  phoneNumber?: string;
}

/** Options of `intuitPlugin`, in addition to those of every provider. */
export interface IntuitOptions {
  /** The environment for which the application has keys. Default `production`. */
  environment?: "production" | "sandbox";
}

/**
 * Adds sign-in with Intuit. The callback is `/auth/callback/intuit`. Reads `AUTH_INTUIT_ID` and `AUTH_INTUIT_SECRET`.
 *
 * Unsure: the names of the claims are untested.
 *
 * @see https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/openid-connect
 */
export const intuitPlugin: ProviderFactory<
  OIDCProvider<IntuitProfile>,
  IntuitOptions
> = defineProvider(oidcFlow, ({ environment = "production" }) => ({
  id: "intuit",
  name: "Intuit",
  type: "oidc",
  style: { brandColor: "#236cff" },
  settings: { environment: { example: "sandbox", oneOf: ["production", "sandbox"] } },
  issuer: "https://oauth.platform.intuit.com/op/v1",
  wellKnown: `https://developer.api.intuit.com/.well-known/${environment === "sandbox" ? "openid_sandbox_configuration" : "openid_configuration"}`,
  // The ID token has no address.
  idToken: false,
  // Intuit supports neither PKCE nor a nonce.
  checks: ["state"],
  revocation: "https://developer.api.intuit.com/v2/oauth2/tokens/revoke",
  profile: ({ sub, givenName: given, familyName: family, email }) => ({
    id: sub,
    name: [given, family].filter(Boolean).join(" ") || null,
    email: email ?? null,
    image: null,
  }),
  emailVerified: (profile, email) =>
    isSameEmail(profile.email, email) ? profile.emailVerified : undefined,
}));

export default intuitPlugin;
