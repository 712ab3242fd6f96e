import { AuthError } from "../../../src/errors.ts";
import { readObject } from "../_response-json.ts";
import { type Network, parseOrigin, parsePublicUrl } from "./network.ts";
import type { Server } from "./types.ts";

type Metadata = Record<string, unknown>;

const JSON_TYPE = { headers: { accept: "application/json" } };

async function fetchMetadata(
  origin: string,
  name: string,
  { foreign }: Network,
): Promise<Metadata | undefined> {
  const response = await foreign(`${origin}/.well-known/${name}`, JSON_TYPE);
  if (response.status === 404) return undefined;
  const what = `The metadata "${name}" of ${new URL(origin).host}`;
  if (response.status !== 200) throw new AuthError(`${what} has the status ${response.status}.`);
  return readObject(response, what);
}

/**
 * Resolves to the issuer that signs in the accounts of a personal data server (RFC 9728), or to `undefined` if the
 * origin is not such a server.
 */
async function findIssuer(origin: string, network: Network): Promise<string | undefined> {
  const metadata = await fetchMetadata(origin, "oauth-protected-resource", network);
  if (!metadata) return undefined;
  const { resource, authorization_servers: servers } = metadata;
  // RFC 9728 section 3.3: metadata of another resource must not be used.
  if (resource !== origin && resource !== `${origin}/`) {
    throw new AuthError("The metadata of a personal data server names another one.");
  }
  const issuer = Array.isArray(servers) && servers.length === 1 && parseOrigin(servers[0]);
  if (!issuer)
    throw new AuthError("A personal data server does not name one authorization server.");
  return issuer;
}

/** Members that must be lists and contain these entries. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  response_types_supported: ["code"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  code_challenge_methods_supported: ["S256"],
  token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
  token_endpoint_auth_signing_alg_values_supported: ["ES256"],
  dpop_signing_alg_values_supported: ["ES256"],
  scopes_supported: ["atproto"],
};

/** Members that must be `true`. */
const FLAGS = [
  "authorization_response_iss_parameter_supported",
  "require_pushed_authorization_requests",
  "client_id_metadata_document_supported",
];

/** Endpoints to which this server sends POST requests. */
const OWN_ENDPOINTS = ["token_endpoint", "pushed_authorization_request_endpoint"];

function hasAll(list: unknown, entries: readonly string[]): boolean {
  return Array.isArray(list) && entries.every((entry) => list.includes(entry));
}

// A public name can have a private address, and the host there can have a certificate for the name. An attacker's
// server must not make this one send POST requests to it.
function isOwnEndpoint(endpoint: unknown, issuer: string): boolean {
  const { host } = new URL(issuer);
  const url = parsePublicUrl(endpoint);
  return url !== undefined && (url.host === host || url.host.endsWith(`.${host}`));
}

// Returns the member that violates the protocol's profile.
function findFault(metadata: Metadata, issuer: string): string | undefined {
  const list = Object.entries(LISTS).find(([name, entries]) => !hasAll(metadata[name], entries));
  if (list) return list[0];
  const flag = FLAGS.find((name) => metadata[name] !== true);
  if (flag !== undefined) return flag;
  if (hasAll(metadata.token_endpoint_auth_signing_alg_values_supported, ["none"])) {
    return "token_endpoint_auth_signing_alg_values_supported";
  }
  if (metadata.require_request_uri_registration === false)
    return "require_request_uri_registration";
  if (!parsePublicUrl(metadata.authorization_endpoint)) return "authorization_endpoint";
  return OWN_ENDPOINTS.find((name) => !isOwnEndpoint(metadata[name], issuer));
}

/**
 * Resolves to the metadata of an authorization server, which must be of this issuer and meet all requirements of the
 * profile.
 * @throws AuthError that names the member that is missing or wrong; AtprotoUnreachable.
 */
export async function fetchServer(issuer: string, network: Network): Promise<Server> {
  const metadata = await fetchMetadata(issuer, "oauth-authorization-server", network);
  const { host } = new URL(issuer);
  if (!metadata) throw new AuthError(`${host} is not an authorization server.`);
  // RFC 8414 section 3.3 requires an exact match. Otherwise a server could speak for another one.
  if (metadata.issuer !== issuer) {
    throw new AuthError(`The metadata of ${host} names another issuer.`);
  }
  const fault = findFault(metadata, issuer);
  if (fault === undefined) return metadata as unknown as Server;
  throw new AuthError(`The metadata of ${host} has no usable \`${fault}\`.`);
}

/**
 * Resolves to the issuer that signs in the accounts of a personal data server.
 * @throws AuthError; AtprotoUnreachable.
 */
export async function findAccountIssuer(pds: string, network: Network): Promise<string> {
  const issuer = await findIssuer(pds, network);
  if (issuer !== undefined) return issuer;
  throw new AuthError(`${new URL(pds).host} is not a personal data server.`);
}

/** Resolves to the issuer that a visitor named, by a personal data server or by the authorization server itself. */
export async function findTypedIssuer(server: string, network: Network): Promise<string> {
  return (await findIssuer(server, network)) ?? server;
}
