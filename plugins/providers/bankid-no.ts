import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of BankID's userinfo response. */
export interface BankIDNorwayProfile {
  sub: string;
  name?: string;
  given_name?: string;
  family_name?: string;
  birthdate?: string;
  email?: string;
  email_verified?: boolean;
  /** The method, such as `BIS`. */
  bankid_altsub?: string;
}

/**
 * Adds sign-in with BankID Norge. The callback is `/auth/callback/bankid-no`. Reads `AUTH_BANKID_NO_ID` and
 * `AUTH_BANKID_NO_SECRET`. `issuer` may be the test realm's, `https://auth.current.bankid.no/auth/realms/current`. The
 * profile is signed.
 *
 * @see https://developer.bankid.no/bankid-with-biometrics/
 */
export const bankidNoPlugin: ProviderFactory<OIDCProvider<BankIDNorwayProfile>> = defineProvider(
  oidcFlow,
  () => ({
    id: "bankid-no",
    name: "BankID Norge",
    type: "oidc",
    style: { brandColor: "#39134c" },
    issuer: "https://auth.bankid.no/auth/realms/prod",
    authorization: { params: { ui_locales: "no", login_hint: "BIS" } },
    client: {
      token_endpoint_auth_method: "client_secret_post",
      userinfo_signed_response_alg: "RS256",
    },
    idToken: false,
    checks: ["pkce", "state", "nonce"],
    profile: ({ sub, name, email }) => ({
      id: sub,
      name: name ?? null,
      email: email ?? null,
      image: null,
    }),
  }),
);

export default bankidNoPlugin;
