import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** Standard claims, under the name of Auth.js. */
export type { Profile as FronteggProfile } from "../../src/kernel.ts";

/**
 * Adds sign-in with Frontegg. The callback is `/auth/callback/frontegg`. Reads `AUTH_FRONTEGG_ID`,
 * `AUTH_FRONTEGG_SECRET` and `AUTH_FRONTEGG_ISSUER`. `issuer` is required: the URL of the environment.
 *
 * Unsure: whether the metadata contains this issuer. If it does not, the error message names the right one.
 *
 * @see https://developers.frontegg.com/
 */
export const fronteggPlugin: ProviderFactory<OIDCProvider> = defineProvider(
  oidcFlow,
  ({ issuer }) => ({
    id: "frontegg",
    name: "Frontegg",
    type: "oidc",
    settings: { issuer: { required: true, example: "https://acme.frontegg.com" } },
    ...(issuer !== undefined && {
      wellKnown: `${trimEnd(issuer, "/")}/oauth/.well-known/openid-configuration`,
    }),
  }),
);

export default fronteggPlugin;
