import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of Shopify's ID token. */
export interface ShopifyCustomerProfile {
  sub: string;
  email?: string;
  email_verified?: boolean;
}

/** Options of `shopifyCustomerPlugin`, in addition to those of every provider. */
export interface ShopifyCustomerOptions {
  /** The shop's domain, such as `acme.myshopify.com`. */
  shopDomain: string;
}

/**
 * Adds sign-in with a shop's customer account at Shopify. The callback is `/auth/callback/shopify-customer`. Reads
 * `AUTH_SHOPIFY_CUSTOMER_ID`; a public client needs no `_SECRET`. For a name, add the scope `customer-account-api:full`
 * and query the Customer Account API.
 *
 * Unsure: whether the ID token has the claims `email` and `email_verified`.
 *
 * @see https://shopify.dev/docs/api/customer
 */
export const shopifyCustomerPlugin: ProviderFactory<
  OIDCProvider<ShopifyCustomerProfile>,
  ShopifyCustomerOptions
> = defineProvider(oidcFlow, ({ shopDomain = "" }: Partial<ShopifyCustomerOptions>) => ({
  id: "shopify-customer",
  name: "Shopify Customer",
  type: "oidc",
  style: { brandColor: "#7ab55c", icon: () => import("./_icons/shopify-customer.ts") },
  settings: { shopDomain: { required: true, example: "acme.myshopify.com" } },
  // The metadata contains another issuer than the shop's domain.
  wellKnown: `https://${shopDomain}/.well-known/openid-configuration`,
  authorization: { params: { scope: "openid email" } },
  client: { token_endpoint_auth_method: "none" },
  checks: ["pkce", "state", "nonce"],
  profile: ({ sub, email }) => ({ id: sub, name: null, email: email ?? null, image: null }),
}));

export default shopifyCustomerPlugin;
