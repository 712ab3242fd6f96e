import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";
import { microsoftEntraIdPlugin } from "./microsoft-entra-id.ts";
import type { MicrosoftEntraIDOptions, MicrosoftEntraIDProfile } from "./microsoft-entra-id.ts";

/** The profile of Microsoft Entra ID, under the former name. */
export type { MicrosoftEntraIDProfile as AzureADProfile } from "./microsoft-entra-id.ts";

/**
 * Adds sign-in with Microsoft Entra ID under its former id, from Azure Active Directory. The callback is
 * `/auth/callback/azure-ad`. Reads `AUTH_AZURE_AD_ID`, `AUTH_AZURE_AD_SECRET` and `AUTH_AZURE_AD_ISSUER`. Use it for
 * callback URLs and accounts with this id, and otherwise `microsoftEntraIdPlugin`.
 *
 * @see https://learn.microsoft.com/en-us/entra/fundamentals/new-name
 */
export const azureAdPlugin: ProviderFactory<
  OIDCProvider<MicrosoftEntraIDProfile>,
  MicrosoftEntraIDOptions
> = defineProvider(oidcFlow, (options) => ({
  ...microsoftEntraIdPlugin(options).provider,
  id: "azure-ad",
  name: "Azure Active Directory",
  deprecated:
    "Azure Active Directory is now Microsoft Entra ID: `microsoftEntraIdPlugin` of keyhook/providers/microsoft-entra-id. " +
    "Its id differs, so the callback URL and the accounts of users do too.",
}));

export default azureAdPlugin;
