import { InvalidConfig, InvalidEndpoints, merge, providerEnv } from "../../../src/index.ts";
import type { AuthError, Check, Kernel } from "../../../src/index.ts";
import { endpointOf, isFormPost, isOidc } from "./endpoint.ts";
import type { AnyOAuthProvider } from "./types.ts";
import { urlFaults } from "./urls.ts";

const METHODS = [
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
  "private_key_jwt",
  "none",
];

function envName(id: string, suffix: string): string {
  return `AUTH_${id.toUpperCase().replace(/-/g, "_")}_${suffix}`;
}

/** The checks in force: `pkce` unless said otherwise, and `state` for answers by way of a proxy. */
function checksOf({ checks = ["pkce"], redirectProxyUrl }: AnyOAuthProvider): Check[] {
  const all = [...checks, ...(redirectProxyUrl === undefined ? [] : (["state"] as const))];
  return [...new Set(all)].filter((check) => check !== "none");
}

function checkFaults(provider: AnyOAuthProvider): string[] {
  const unknown = (provider.checks ?? []).find(
    (check) => !["pkce", "state", "nonce", "none"].includes(check),
  );
  if (unknown !== undefined)
    return [`knows no check "${unknown}"; there are pkce, state and nonce`];
  if (provider.checks?.includes("nonce") && !isOidc(provider)) {
    return ['has the check "nonce", which needs type "oidc"; use "pkce" and "state"'];
  }
  if (checksOf(provider).length > 0) return [];
  return [
    "has no check, so anybody could finish a sign-in for a visitor; " +
      'set `checks` to ["pkce"], or to ["state"] where PKCE is unknown',
  ];
}

function clientFaults(provider: AnyOAuthProvider): string[] {
  const { id, clientId, clientSecret, client = {} } = provider;
  const method = client.token_endpoint_auth_method;
  const alg = client.id_token_signed_response_alg;
  const faults: string[] = [];
  if (typeof clientId !== "string" || clientId === "") {
    faults.push(`has no \`clientId\`; set it or ${envName(id, "ID")}`);
  }
  if (method !== undefined && !METHODS.includes(method)) {
    faults.push(`knows no client authentication "${method}"; there are ${METHODS.join(", ")}`);
  }
  if ((method?.startsWith("client_secret") || alg?.startsWith("HS")) && !clientSecret) {
    faults.push(`has no \`clientSecret\`; set it or ${envName(id, "SECRET")}`);
  }
  if (method === "private_key_jwt" && !endpointOf(provider, "token").clientPrivateKey) {
    faults.push("needs `token.clientPrivateKey` for private_key_jwt");
  }
  if (alg !== undefined && !/^(?:(?:RS|PS|ES|HS)(?:256|384|512)|EdDSA|Ed25519)$/.test(alg)) {
    faults.push(`cannot verify ID tokens signed with "${alg}"; name a signature algorithm`);
  }
  return faults;
}

function endpointFaults(provider: AnyOAuthProvider): string[] {
  const { issuer, wellKnown } = provider;
  if (issuer !== undefined || wellKnown !== undefined) return [];
  if (isOidc(provider)) {
    return [`has no issuer; set \`issuer\` or ${envName(provider.id, "ISSUER")}`];
  }
  const given = (["authorization", "token", "userinfo"] as const).filter((name) => {
    const endpoint = endpointOf(provider, name);
    return endpoint.url === undefined && !("request" in endpoint);
  });
  return given.map((name) => `has no \`${name}\` URL, and no \`issuer\` to discover it from`);
}

/**
 * Completes a provider at boot from the environment and the configuration.
 * @throws the fault, or all of them as an `AggregateError`.
 */
export function resolveProvider<P extends AnyOAuthProvider>(given: P, kernel: Kernel): P {
  const { clientId, clientSecret, issuer } = providerEnv(kernel.env, given.id);
  const provider: P = merge({ clientId, clientSecret, issuer } as object, given) as P;
  const proxy = given.redirectProxyUrl ?? kernel.config.redirectProxyUrl;
  if (proxy !== undefined) provider.redirectProxyUrl = proxy.replace(/\/+$/, "");

  const faults: AuthError[] = [
    ...[...clientFaults(provider), ...checkFaults(provider), ...urlFaults(provider)].map(
      (fault) => new InvalidConfig(`The provider "${given.id}" ${fault}.`),
    ),
    ...endpointFaults(provider).map(
      (fault) => new InvalidEndpoints(`The provider "${given.id}" ${fault}.`),
    ),
  ];
  if (faults.length > 1) throw new AggregateError(faults);
  if (faults[0]) throw faults[0];

  provider.checks = checksOf(provider);
  // A form that is posted to the proxy cannot be sent on by a redirect.
  if (isFormPost(provider)) delete provider.redirectProxyUrl;
  return provider;
}
