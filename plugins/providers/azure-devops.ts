import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/**
 * Adds sign-in with Azure DevOps. The callback is `/auth/callback/azure-devops`. Reads `AUTH_AZURE_DEVOPS_ID` and
 * `AUTH_AZURE_DEVOPS_SECRET`. The service has ended. Boot refuses the provider and names its successor, Microsoft Entra
 * ID.
 *
 * @see https://learn.microsoft.com/en-us/azure/devops/integrate/get-started/authentication/azure-devops-oauth
 */
export const azureDevopsPlugin: ProviderFactory<OAuthProvider> = defineProvider(oauthFlow, () => ({
  id: "azure-devops",
  name: "Azure DevOps",
  type: "oauth",
  retired:
    "Azure DevOps OAuth has accepted no new apps since April 2025 and ends in 2026. Use `microsoftEntraIdPlugin` of keyhook/providers/microsoft-entra-id.",
}));

export default azureDevopsPlugin;
