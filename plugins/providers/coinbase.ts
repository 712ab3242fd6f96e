import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Coinbase's `GET /v2/user`. */
export interface CoinbaseProfile {
  data: {
    id: string;
    name: string | null;
    email?: string | null;
    avatar_url?: string | null;
  };
}

/**
 * Adds sign-in with Coinbase. The callback is `/auth/callback/coinbase`. Reads `AUTH_COINBASE_ID` and
 * `AUTH_COINBASE_SECRET`. Whether the address is verified is unknown.
 *
 * @see https://docs.cdp.coinbase.com/coinbase-app/oauth2-integration/overview
 */
export const coinbasePlugin: ProviderFactory<OAuthProvider<CoinbaseProfile>> = defineProvider(
  oauthFlow,
  () => ({
    id: "coinbase",
    name: "Coinbase",
    type: "oauth",
    style: { brandColor: "#0052ff" },
    authorization: {
      url: "https://login.coinbase.com/oauth2/auth",
      params: { scope: "wallet:user:email wallet:user:read" },
    },
    token: { url: "https://login.coinbase.com/oauth2/token" },
    userinfo: { url: "https://api.coinbase.com/v2/user" },
    client: { token_endpoint_auth_method: "client_secret_post" },
    revocation: "https://login.coinbase.com/oauth2/revoke",
    profile: ({ data: { id, name, email, avatar_url: image } }) => ({
      id,
      name,
      email: email ?? null,
      image: image ?? null,
    }),
  }),
);

export default coinbasePlugin;
