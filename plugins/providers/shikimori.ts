import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Shikimori's `GET /api/users/whoami`. */
export interface ShikimoriProfile {
  id: number;
  nickname: string;
  avatar?: string;
}

/** Options of `shikimoriPlugin`, in addition to those of every provider. */
export interface ShikimoriOptions {
  /** The name under which the application is registered. Shikimori requires it as the user agent. */
  appName?: string;
}

/**
 * Adds sign-in with Shikimori. The callback is `/auth/callback/shikimori`. Reads `AUTH_SHIKIMORI_ID` and
 * `AUTH_SHIKIMORI_SECRET`. Shikimori returns no address.
 *
 * Unsure: the members of the profile are untested.
 *
 * @see https://shikimori.one/oauth
 */
export const shikimoriPlugin: ProviderFactory<
  OAuthProvider<ShikimoriProfile>,
  ShikimoriOptions
> = defineProvider(oauthFlow, ({ appName = "keyhook" }) => {
  const headers = { "User-Agent": appName };
  return {
    id: "shikimori",
    name: "Shikimori",
    type: "oauth",
    style: { brandColor: "#343434", icon: () => import("./_icons/shikimori.ts") },
    settings: { appName: { example: "Acme" } },
    authorization: { url: "https://shikimori.one/oauth/authorize" },
    token: { url: "https://shikimori.one/oauth/token", headers },
    userinfo: { url: "https://shikimori.one/api/users/whoami", headers },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // Shikimori does not document PKCE.
    checks: ["state"],
    profile: ({ id, nickname: name, avatar: image }) => ({
      id: id.toString(),
      name,
      email: null,
      image: image ?? null,
    }),
  };
});

export default shikimoriPlugin;
