import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/**
 * Adds sign-in with Passage by 1Password. The callback is `/auth/callback/passage`. Reads `AUTH_PASSAGE_ID` and
 * `AUTH_PASSAGE_SECRET`. The service has ended. Boot refuses the provider and names a successor, the application's own
 * passkeys.
 *
 * @see https://passage.1password.com/
 */
export const passagePlugin: ProviderFactory<OIDCProvider> = defineProvider(oidcFlow, () => ({
  id: "passage",
  name: "Passage by 1Password",
  type: "oidc",
  style: { brandColor: "#3d53f6" },
  retired:
    "Passage by 1Password was shut down on 16 January 2026. Use `passkeyPlugin` of keyhook/providers/passkey, or another identity provider.",
}));

export default passagePlugin;
