import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of Osso's `GET /oauth/me`. */
export interface OssoProfile {
  id: string;
  name?: string;
  email?: string;
  email_verified?: boolean;
  requested?: { domain?: string; email?: string };
}

/**
 * Adds sign-in with Osso. The callback is `/auth/callback/osso`. Reads `AUTH_OSSO_ID`, `AUTH_OSSO_SECRET` and
 * `AUTH_OSSO_ISSUER`. `issuer` is required: the URL of the server. Osso has no scopes.
 *
 * Unsure: whether Osso has ended. Its repository is dormant, but no announcement was found.
 *
 * @see https://github.com/enterprise-oss/osso
 */
export const ossoPlugin: ProviderFactory<OAuthProvider<OssoProfile>> = defineProvider(
  oauthFlow,
  ({ issuer = "" }) => {
    const base = trimEnd(issuer, "/");
    return {
      id: "osso",
      name: "Osso",
      type: "oauth",
      settings: { issuer: { required: true, example: "https://demo.ossoapp.com" } },
      deprecated:
        "Osso is no longer maintained. A successor for SAML is `boxyhqSamlPlugin` of keyhook/providers/boxyhq-saml.",
      authorization: { url: `${base}/oauth/authorize`, allow: ["domain"] },
      token: { url: `${base}/oauth/token` },
      userinfo: { url: `${base}/oauth/me` },
      profile: ({ id, name, email }) => ({
        id,
        name: name ?? null,
        email: email ?? null,
        image: null,
      }),
    };
  },
);

export default ossoPlugin;
