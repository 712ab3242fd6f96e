import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The userinfo response of SAML Jackson. */
export interface BoxyHQSAMLProfile {
  id: string;
  email?: string;
  firstName?: string;
  lastName?: string;
  requested?: { tenant?: string; product?: string };
}

/**
 * Adds sign-in with BoxyHQ SAML. The callback is `/auth/callback/boxyhq-saml`. Reads `AUTH_BOXYHQ_SAML_ID`,
 * `AUTH_BOXYHQ_SAML_SECRET` and `AUTH_BOXYHQ_SAML_ISSUER`. `issuer` is required: the URL of the SAML Jackson
 * service, now Ory Polis. `tenant` and `product` are parameters of each sign-in, or parts of the client id.
 *
 * @see https://boxyhq.com/docs/jackson/saml-flow
 */
export const boxyhqSamlPlugin: ProviderFactory<OAuthProvider<BoxyHQSAMLProfile>> = defineProvider(
  oauthFlow,
  ({ issuer = "" }) => {
    const base = trimEnd(issuer, "/");
    return {
      id: "boxyhq-saml",
      name: "BoxyHQ SAML",
      type: "oauth",
      style: { brandColor: "#25c2a0" },
      settings: { issuer: { required: true, example: "https://jackson.example.com" } },
      authorization: {
        url: `${base}/api/oauth/authorize`,
        params: { provider: "saml" },
        allow: ["tenant", "product", "idp_hint"],
      },
      token: { url: `${base}/api/oauth/token` },
      userinfo: { url: `${base}/api/oauth/userinfo` },
      profile: ({ id, email, firstName, lastName }) => ({
        id,
        name: [firstName, lastName].filter(Boolean).join(" ") || null,
        email: email ?? null,
        image: null,
      }),
    };
  },
);

export default boxyhqSamlPlugin;
