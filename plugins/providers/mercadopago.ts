import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The members of Mercado Pago's token response. */
export interface MercadoPagoProfile {
  user_id: number;
  live_mode?: boolean;
}

/** Options of `mercadopagoPlugin`, in addition to those of every provider. */
export interface MercadoPagoOptions {
  /** The top-level domain of the country's site, such as `com.ar` or `com.br`. Default `com`. */
  country?: string;
}

/**
 * Adds sign-in with Mercado Pago. The callback is `/auth/callback/mercadopago`. Reads `AUTH_MERCADOPAGO_ID` and
 * `AUTH_MERCADOPAGO_SECRET`. An account belongs to a seller, and only its id is returned.
 *
 * @see https://www.mercadopago.com/developers/en/docs/security/oauth
 */
export const mercadopagoPlugin: ProviderFactory<
  OAuthProvider<MercadoPagoProfile>,
  MercadoPagoOptions
> = defineProvider(oauthFlow, ({ country = "com" }) => ({
  id: "mercadopago",
  name: "Mercado Pago",
  type: "oauth",
  style: { brandColor: "#00b1ea", icon: () => import("./_icons/mercadopago.ts") },
  settings: { country: { example: "com.ar" } },
  authorization: { url: `https://auth.mercadopago.${country}/authorization` },
  token: { url: "https://api.mercadopago.com/oauth/token" },
  // Mercado Pago has no endpoint for profiles.
  userinfo: { from: "tokens" },
  client: { token_endpoint_auth_method: "client_secret_post" },
  checks: ["pkce", "state"],
  profile: ({ user_id: id }) => ({ id: id.toString(), name: null, email: null, image: null }),
}));

export default mercadopagoPlugin;
