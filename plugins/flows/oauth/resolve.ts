import { merge, nameMissing, readProviderEnv, trimEnd } from "../../../src/_kit.ts";
import { InvalidConfig, InvalidEndpoints, type AuthError } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import { getEndpoint, isOidc, isUserinfoRequested } from "./endpoint.ts";
import { listFieldFaults, listUnknownFields, listSettingFaults } from "./fields.ts";
import type { Check } from "./provider.ts";
import type { AnyOAuthProvider } from "./types.ts";
import { listUrlFaults } from "./urls.ts";

const METHODS = [
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
  "private_key_jwt",
  "none",
];

/**
 * Returns the configured checks, with `state` if a redirect proxy forwards the authorization response. `["none"]`
 * results in no checks.
 */
function listChecks(checks: readonly Check[], redirectProxyUrl: string | undefined): Check[] {
  const all = [...checks, ...(redirectProxyUrl === undefined ? [] : (["state"] as const))];
  return [...new Set(all)].filter((check) => check !== "none");
}

function listCheckFaults(provider: AnyOAuthProvider): string[] {
  const { checks } = provider as { checks?: unknown };
  if (checks !== undefined && !Array.isArray(checks)) {
    return ['has `checks` that are not a list; write ["pkce"], ["state"] or both'];
  }
  const unknown = (provider.checks ?? []).find(
    (check) => !["pkce", "state", "nonce", "none"].includes(check),
  );
  if (unknown !== undefined)
    return [`has the unknown check "${unknown}"; use pkce, state or nonce`];
  if (provider.checks?.includes("nonce") && !isOidc(provider)) {
    return ['has the check "nonce", which needs type "oidc"; use "pkce" and "state"'];
  }
  if (provider.checks?.length !== 0) return [];
  return [
    'has an empty list of `checks`; leave it out for the default, or set it to ["none"] if the server supports none',
  ];
}

function listClientFaults(provider: AnyOAuthProvider, kernel: Kernel): string[] {
  const { env, flows } = kernel;
  const { id, clientId, clientSecret, client = {} } = provider;
  const method = client.token_endpoint_auth_method;
  const alg = client.id_token_signed_response_alg;
  const faults: string[] = [];
  if (typeof clientId !== "string" || clientId === "") {
    faults.push(`has no \`clientId\`; set it, or ${nameMissing(env, id, "ID")}`);
  }
  if (method !== undefined && !METHODS.includes(method)) {
    faults.push(
      `has the unknown \`client.token_endpoint_auth_method\` "${method}"; use one of ${METHODS.join(", ")}`,
    );
  }
  if ((method?.startsWith("client_secret") || alg?.startsWith("HS")) && !clientSecret) {
    faults.push(`has no \`clientSecret\`; set it, or ${nameMissing(env, id, "SECRET")}`);
  }
  if (method === "private_key_jwt" && !getEndpoint(provider, "token").clientPrivateKey) {
    faults.push("needs `token.clientPrivateKey` for private_key_jwt");
  }
  if (method?.endsWith("_jwt") && !flows.has("oidc")) {
    faults.push(`needs oidcFlow() of keyhook/flows/oauth for ${method}; use that flow`);
  }
  if (alg !== undefined && !/^(?:(?:RS|PS|ES|HS)(?:256|384|512)|EdDSA|Ed25519)$/.test(alg)) {
    faults.push(
      `has the unknown \`client.id_token_signed_response_alg\` "${alg}"; use one such as RS256`,
    );
  }
  return faults;
}

function listEndpointFaults(provider: AnyOAuthProvider, { env, flows }: Kernel): string[] {
  const isKnown = provider.issuer !== undefined || provider.wellKnown !== undefined;
  if (isKnown && flows.has("oidc")) return [];
  if (isOidc(provider)) {
    return [`has no issuer; set \`issuer\`, or ${nameMissing(env, provider.id, "ISSUER")}`];
  }
  const missing = (["authorization", "token", "userinfo"] as const).filter((name) => {
    const endpoint = getEndpoint(provider, name);
    if (name === "userinfo" && !isUserinfoRequested(provider)) return false;
    return endpoint.url === undefined && !("request" in endpoint);
  });
  const discovery = isKnown
    ? "use oidcFlow() of keyhook/flows/oauth, which discovers it"
    : "`issuer` to discover it";
  return missing.map((name) => `has no \`${name}\` URL; set it, or ${discovery}`);
}

function warnOfNoCheck({ id, checks }: AnyOAuthProvider, { logger }: Kernel): void {
  if (checks?.length !== 0) return;
  logger.warn(
    "oauth-no-check",
    `The provider "${id}" has no check (\`checks: ["none"]\`): another site can complete a sign-in or a link ` +
      'in progress in a visitor\'s browser with its own account. Use the default, or ["state"] for a server without PKCE.',
  );
}

// Without a secret the client is public (RFC 6749 section 2.1). Few providers allow that, so the secret was most likely
// forgotten.
function warnOfNoSecret(provider: AnyOAuthProvider, kernel: Kernel): void {
  const { id, clientSecret, client } = provider;
  const token = getEndpoint(provider, "token");
  if (clientSecret || client?.token_endpoint_auth_method || "request" in token) return;
  kernel.logger.warn(
    "oauth-no-secret",
    `The provider "${id}" has no \`clientSecret\`. Set it, or ${nameMissing(kernel.env, id, "SECRET")}; for a public client set ` +
      '`client: { token_endpoint_auth_method: "none" }`.',
  );
}

/**
 * Returns a provider completed at boot with the environment and the configuration.
 * @throws AuthError for a single fault, AggregateError for several.
 */
export function resolveProvider<P extends AnyOAuthProvider>(given: P, kernel: Kernel): P {
  const { clientId, clientSecret, issuer } = readProviderEnv(kernel.env, given.id);
  const provider: P = merge({ clientId, clientSecret, issuer } as object, given) as P;
  const proxy = given.redirectProxyUrl ?? kernel.config.redirectProxyUrl;
  if (proxy !== undefined) provider.redirectProxyUrl = trimEnd(proxy, "/");

  const { retired, deprecated } = provider;
  const describe = (fault: string) => `The provider "${given.id}" ${fault}.`;
  if (retired !== undefined) {
    throw new InvalidConfig(`The provider "${given.id}" cannot be used: ${retired}`);
  }
  // A missing setting would cause further faults in the URLs that it fills.
  let faults: AuthError[] = listSettingFaults(provider, kernel);
  const unknown = listUnknownFields(provider);
  if (faults.length) {
    const others = listClientFaults(provider, kernel);
    faults.push(...others.map((fault) => new InvalidConfig(describe(fault))));
  } else {
    faults = [
      ...[
        ...unknown
          .filter(([, meant]) => meant)
          .map(([given, meant]) => `has no field \`${given}\`; did you mean \`${meant}\``),
        ...listFieldFaults(provider),
        ...listClientFaults(provider, kernel),
        ...listCheckFaults(provider),
        ...listUrlFaults(provider),
      ].map((fault) => new InvalidConfig(describe(fault))),
      ...listEndpointFaults(provider, kernel).map((fault) => new InvalidEndpoints(describe(fault))),
    ];
  }
  // Warns about the secret together with a missing client id, so that both are fixed at once.
  warnOfNoSecret(provider, kernel);
  if (faults.length > 1) throw new AggregateError(faults);
  if (faults[0]) throw faults[0];

  if (deprecated !== undefined) {
    kernel.logger.warn("provider-deprecated", `The provider "${given.id}": ${deprecated}`);
  }
  for (const [name] of unknown) {
    // Other libraries have such an option.
    const fix = /^scopes?$/.test(name)
      ? "Set `authorization.params.scope`."
      : "Remove or correct it.";
    const text = `\`${name}\` is not an option of the provider "${given.id}". ${fix}`;
    kernel.logger.warn("config-unknown", text);
  }

  // The default is not listed: it depends on the server's metadata (`createSecrets`).
  if (given.checks) provider.checks = listChecks(given.checks, provider.redirectProxyUrl);
  warnOfNoCheck(provider, kernel);
  return provider;
}
