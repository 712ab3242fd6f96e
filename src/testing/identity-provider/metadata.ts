import type { EndpointName, Json } from "./types.ts";

type Endpoints = Readonly<Record<EndpointName, string>>;

/** Returns the URLs of the endpoints, as given or below the issuer. */
export function listEndpoints(issuer: string, given: Partial<Endpoints> = {}): Endpoints {
  const base = issuer.replace(/\/$/, "");
  return {
    discovery: `${base}/.well-known/openid-configuration`,
    authorization: `${base}/authorize`,
    token: `${base}/token`,
    userinfo: `${base}/userinfo`,
    jwks: `${base}/jwks`,
    ...given,
  };
}

/** Builds the discovery document (OpenID Connect Discovery, section 3). */
export function buildMetadata(issuer: string, endpoints: Endpoints, alg: string): Json {
  return {
    issuer,
    authorization_endpoint: endpoints.authorization,
    token_endpoint: endpoints.token,
    userinfo_endpoint: endpoints.userinfo,
    jwks_uri: endpoints.jwks,
    response_types_supported: ["code"],
    response_modes_supported: ["query", "form_post"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [alg],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
    code_challenge_methods_supported: ["S256", "plain"],
    authorization_response_iss_parameter_supported: true,
  };
}
