import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oidcFlow } from "../flows/oauth.ts";
import type { OIDCProvider } from "../flows/oauth.ts";

/** The claims of the SSO Server's userinfo response. */
export interface SynologyProfile {
  sub: string;
  username?: string;
  name?: string;
  email?: string;
  email_verified?: boolean;
  groups?: string[];
}

/** Options of `synologyPlugin`, in addition to those of every provider. */
export interface SynologyOptions {
  /** The https URL of the SSO Server, such as `https://nas.example.com:5001`. */
  baseUrl: string;
}

/**
 * Adds sign-in with a Synology SSO Server. The callback is `/auth/callback/synology`. Reads `AUTH_SYNOLOGY_ID` and
 * `AUTH_SYNOLOGY_SECRET`. The server's certificate must be trusted by this process.
 *
 * Unsure: the claims are untested.
 *
 * @see https://kb.synology.com/en-global/DSM/help/SSOServer/sso_server_desc
 */
export const synologyPlugin: ProviderFactory<
  OIDCProvider<SynologyProfile>,
  SynologyOptions
> = defineProvider(oidcFlow, ({ baseUrl = "" }: Partial<SynologyOptions>) => ({
  id: "synology",
  name: "Synology",
  type: "oidc",
  style: { brandColor: "#b5b5b6" },
  settings: { baseUrl: { required: true, example: "https://nas.example.com:5001" } },
  wellKnown: `${trimEnd(baseUrl, "/")}/webman/sso/.well-known/openid-configuration`,
  authorization: { params: { scope: "openid email groups" } },
  // The ID token has no address.
  idToken: false,
  checks: ["pkce", "state"],
  profile: ({ sub, username, name, email }) => ({
    id: sub,
    name: username ?? name ?? null,
    email: email ?? null,
    image: null,
  }),
}));

export default synologyPlugin;
