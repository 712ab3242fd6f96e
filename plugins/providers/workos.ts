import { trimEnd } from "../../src/_kit.ts";
import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { oauthFlow } from "../flows/oauth.ts";
import type { OAuthProvider } from "../flows/oauth.ts";

/** The response of WorkOS' `GET /sso/profile`. */
export interface WorkOSProfile {
  id: string;
  connection_id?: string;
  organization_id?: string | null;
  first_name?: string | null;
  last_name?: string | null;
  email?: string;
  raw_attributes?: { picture?: string };
}

/** Options of `workosPlugin`, in addition to those of every provider. */
export interface WorkOSOptions {
  /** The connection's id. Without it, each sign-in needs the parameter `connection`, `organization` or `provider`. */
  connection?: string;
}

/**
 * Adds sign-in with WorkOS. The callback is `/auth/callback/workos`. Reads `AUTH_WORKOS_ID`, `AUTH_WORKOS_SECRET` (the
 * API key) and `AUTH_WORKOS_ISSUER`. The address is the one that the connection reports. Whether it is verified is
 * unknown.
 *
 * @see https://workos.com/docs/reference/sso
 */
export const workosPlugin: ProviderFactory<
  OAuthProvider<WorkOSProfile>,
  WorkOSOptions
> = defineProvider(oauthFlow, ({ issuer = "https://api.workos.com/", connection }) => {
  const base = trimEnd(issuer, "/");
  return {
    id: "workos",
    name: "WorkOS",
    type: "oauth",
    style: { brandColor: "#6363f1" },
    settings: { connection: { example: "conn_01E4ZCR3C56J083X43JQXF3JK5" } },
    authorization: {
      url: `${base}/sso/authorize`,
      params: { connection },
      allow: ["connection", "organization", "provider"],
    },
    token: { url: `${base}/sso/token` },
    userinfo: { url: `${base}/sso/profile` },
    client: { token_endpoint_auth_method: "client_secret_post" },
    profile: ({ id, first_name: first, last_name: last, email, raw_attributes: raw }) => ({
      id,
      name: [first, last].filter(Boolean).join(" ") || null,
      email: email ?? null,
      image: raw?.picture ?? null,
    }),
  };
});

export default workosPlugin;
