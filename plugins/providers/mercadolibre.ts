import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Mercado Libre's `GET /users/me`. */
export interface MercadoLibreProfile {
  id: number;
  nickname?: string;
  first_name?: string;
  last_name?: string;
  email?: string;
  thumbnail?: { picture_url?: string };
}

/** Options of `mercadolibrePlugin`, in addition to those of every provider. */
export interface MercadoLibreOptions {
  /** The top-level domain of the country's site, such as `com.ar`, `com.mx` or `com.br`. Default `com`. */
  country?: string;
}

/**
 * Adds sign-in with Mercado Libre. The callback is `/auth/callback/mercadolibre`. Reads `AUTH_MERCADOLIBRE_ID` and
 * `AUTH_MERCADOLIBRE_SECRET`. The app's registration sets the scopes. Whether the address is verified is unknown.
 *
 * Unsure: the members of the profile are untested.
 *
 * @see https://developers.mercadolibre.com.ar/en_us/authentication-and-authorization
 */
export const mercadolibrePlugin: ProviderFactory<
  OAuthProvider<MercadoLibreProfile>,
  MercadoLibreOptions
> = defineProvider(oauthFlow, ({ country = "com" }) => ({
  id: "mercadolibre",
  name: "Mercado Libre",
  type: "oauth",
  settings: { country: { example: "com.ar" } },
  authorization: {
    url: `https://${country === "com.br" ? "auth.mercadolivre" : "auth.mercadolibre"}.${country}/authorization`,
  },
  token: { url: "https://api.mercadolibre.com/oauth/token" },
  userinfo: { url: "https://api.mercadolibre.com/users/me" },
  client: { token_endpoint_auth_method: "client_secret_post" },
  checks: ["pkce", "state"],
  profile: ({ id, first_name: first, last_name: last, nickname, email, thumbnail }) => ({
    id: id.toString(),
    name: ([first, last].filter(Boolean).join(" ") || nickname) ?? null,
    email: email ?? null,
    image: thumbnail?.picture_url ?? null,
  }),
}));

export default mercadolibrePlugin;
