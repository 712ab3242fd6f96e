import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of an ID token of Azure AD B2C, as chosen in the user flow. */
export interface AzureADB2CProfile {
  sub: string;
  oid?: string;
  name?: string;
  given_name?: string;
  family_name?: string;
  preferred_username?: string;
  emails?: string[];
  /** The user flow. */
  tfp?: string;
}

/**
 * Adds sign-in with Azure Active Directory B2C. The callback is `/auth/callback/azure-ad-b2c`. Reads
 * `AUTH_AZURE_AD_B2C_ID`, `AUTH_AZURE_AD_B2C_SECRET` and `AUTH_AZURE_AD_B2C_ISSUER`. `issuer` is required: the issuer
 * with the tenant's id and the user flow. The user flow must include the claim for addresses. Whether they are verified
 * is unknown.
 *
 * @see https://learn.microsoft.com/en-us/azure/active-directory-b2c/openid-connect
 */
export const azureAdB2cPlugin: ProviderFactory<OIDCProvider<AzureADB2CProfile>> = defineProvider(
  oidcFlow,
  ({ issuer }) => ({
    id: "azure-ad-b2c",
    name: "Azure Active Directory B2C",
    type: "oidc",
    style: { brandColor: "#0072c6" },
    settings: {
      issuer: {
        required: true,
        example: "https://acme.b2clogin.com/00000000-0000-0000-0000-000000000000/B2C_1_signin/v2.0",
      },
    },
    deprecated:
      "Microsoft has not sold Azure AD B2C to new customers since May 2025. Its successor is Microsoft Entra External ID: `microsoftEntraIdPlugin` with the issuer of the external tenant.",
    // The metadata of a user flow contains the issuer of its tenant, without the user flow.
    discovery: (metadata) =>
      isSameTenant(metadata.issuer, issuer)
        ? { ...metadata, issuer, [PUBLISHED]: metadata.issuer }
        : metadata,
    issuerFromIdToken: (metadata) => String(metadata[PUBLISHED] ?? metadata.issuer),
    profile: ({ sub, name, preferred_username: username, emails }) => ({
      id: sub,
      name: name ?? username ?? null,
      email: emails?.[0] ?? null,
      image: null,
    }),
  }),
);

/** Member of the metadata that keeps the published issuer. */
const PUBLISHED = "issuer_published";

// Compares the host and the tenant's id, which is the first segment of the path.
function isSameTenant(stated: unknown, issuer: string | undefined): boolean {
  const tenants = [stated, issuer].map((one) =>
    /^https:\/\/[^/]+\/[\da-f-]{36}\//i.exec(`${one as string}`)?.[0].toLowerCase(),
  );
  return tenants[0] !== undefined && tenants[0] === tenants[1];
}

export default azureAdB2cPlugin;
