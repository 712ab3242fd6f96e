import {
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  type Client,
  type ClientAuth,
  type CryptoKeyPair,
  customFetch,
  type CustomFetchOptions,
  DPoP,
  type DPoPHandle,
  isDPoPNonceError,
  None,
  PrivateKeyJwt,
  processAuthorizationCodeResponse,
  processPushedAuthorizationResponse,
  protectedResourceRequest,
  type ProtectedResourceRequestBody,
  pushedAuthorizationRequest,
  validateAuthResponse,
} from "oauth4webapi";
import { AuthError } from "../../../src/errors.ts";
import { type AtprotoClientId, getKeyId } from "./client.ts";
import type { AtprotoKey } from "./provider.ts";
import type { Server } from "./types.ts";

const ES256 = { name: "ECDSA", namedCurve: "P-256" } as const;

/** The secrets of an authorization request. Its cookie keeps them for the callback. */
export interface RequestSecrets {
  /** The key to which the tokens are bound (RFC 9449). */
  readonly key: AtprotoKey;
  readonly verifier: string;
}

/** What all requests to a server share. */
interface Session {
  readonly client: Client;
  readonly authenticate: ClientAuth;
  readonly options: { [customFetch]: Send; DPoP: DPoPHandle };
}

/** A `fetch` with the signature that oauth4webapi calls. */
type Send = (
  url: string,
  options: CustomFetchOptions<string, ProtectedResourceRequestBody>,
) => Promise<Response>;

/** A token, with a function for requests that present it. */
export interface Granted {
  /** The account that the server says it has signed in. */
  readonly sub: string;
  readonly scopes: readonly string[];
  /** Requests a resource with the token. The resource may be at another server. */
  request(url: string): Promise<Response>;
}

/** Creates the key of one authorization request. The key is never reused. */
export async function createKey(): Promise<AtprotoKey> {
  const { privateKey } = (await crypto.subtle.generateKey(ES256, true, [
    "sign",
    "verify",
  ])) as globalThis.CryptoKeyPair;
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", privateKey);
  return { kty, crv, x, y, d } as AtprotoKey;
}

async function importPair({ d, kty, crv, x, y }: AtprotoKey): Promise<CryptoKeyPair> {
  const [privateKey, publicKey] = await Promise.all([
    crypto.subtle.importKey("jwk", { kty, crv, x, y, d }, ES256, false, ["sign"]),
    crypto.subtle.importKey("jwk", { kty, crv, x, y }, ES256, true, ["verify"]),
  ]);
  return { privateKey, publicKey };
}

async function getClientAuth({ key }: AtprotoClientId): Promise<ClientAuth> {
  if (!key) return None();
  const { privateKey } = await importPair(key);
  return PrivateKeyJwt({ key: privateKey, kid: await getKeyId(key) });
}

// The profile requires server nonces: a proof without one could have been created in advance (RFC 9449 section 8).
function expectNonces(send: typeof fetch): Send {
  const known = new Set<string>();
  return async (url, { body = null, ...init }) => {
    const response = await send(url, { ...init, body: body as BodyInit | null });
    const { origin, host } = new URL(url);
    if (response.headers.has("dpop-nonce")) known.add(origin);
    if (known.has(origin) || !response.ok) return response;
    throw new AuthError(`${host} sent no \`DPoP-Nonce\`.`);
  };
}

async function open(
  id: AtprotoClientId,
  { key }: RequestSecrets,
  send: typeof fetch,
): Promise<Session> {
  const client: Client = { client_id: id.client_id };
  const proof = DPoP(client, await importPair(key));
  return {
    client,
    authenticate: await getClientAuth(id),
    options: { [customFetch]: expectNonces(send), DPoP: proof },
  };
}

// Retries only once, so that a server that keeps sending new nonces cannot keep this one busy.
async function retryWithNonce<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!isDPoPNonceError(error)) throw error;
    return attempt();
  }
}

/**
 * Pushes an authorization request (RFC 9126), and resolves to the URL at which the browser continues.
 * @throws an error of oauth4webapi when the server refuses the request.
 */
export async function pushRequest(
  { id, server, secrets, send }: RequestTools,
  params: Readonly<Record<string, string>>,
): Promise<string> {
  const { client, authenticate, options } = await open(id, secrets, send);
  const parameters = {
    ...params,
    response_type: "code",
    code_challenge: await calculatePKCECodeChallenge(secrets.verifier),
    code_challenge_method: "S256",
  };
  const { request_uri: requestUri } = await retryWithNonce(async () => {
    const response = await pushedAuthorizationRequest(
      server,
      client,
      authenticate,
      parameters,
      options,
    );
    return processPushedAuthorizationResponse(server, client, response);
  });
  const url = new URL(server.authorization_endpoint);
  url.searchParams.set("client_id", client.client_id);
  url.searchParams.set("request_uri", requestUri);
  return url.href;
}

/** What the requests of an attempt need. */
export interface RequestTools {
  readonly id: AtprotoClientId;
  readonly server: Server;
  readonly secrets: RequestSecrets;
  readonly send: typeof fetch;
}

/**
 * Returns the parameters of an authorization response, which must be from this issuer (RFC 9207) and for this state.
 * @throws an error of oauth4webapi, which is an `AuthorizationResponseError` when the server reports an error.
 */
export function validateResponse(
  params: URLSearchParams,
  id: AtprotoClientId,
  { issuer, state }: { issuer: string; state: string },
): URLSearchParams {
  const server = { issuer, authorization_response_iss_parameter_supported: true };
  return validateAuthResponse(server, { client_id: id.client_id }, params, state);
}

/**
 * Exchanges the authorization code for a token that is bound to the key of the request.
 * @throws an error of oauth4webapi, or AuthError for a response that the profile does not allow.
 */
export async function requestToken(
  { id, server, secrets, send }: RequestTools,
  params: URLSearchParams,
  redirectUri: string,
): Promise<Granted> {
  const { client, authenticate, options } = await open(id, secrets, send);
  const tokens = await retryWithNonce(async () => {
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      authenticate,
      params,
      redirectUri,
      secrets.verifier,
      options,
    );
    return processAuthorizationCodeResponse(server, client, response);
  });
  const { access_token: token, token_type: type, scope, sub } = tokens;
  if (type !== "dpop") throw new AuthError("The token is not bound to its key (DPoP).");
  const scopes = scope?.split(" ") ?? [];
  if (!scopes.includes("atproto")) throw new AuthError("The scope `atproto` was not granted.");
  if (typeof sub !== "string") throw new AuthError("The token response names no account.");
  return {
    sub,
    scopes,
    request: (url) =>
      retryWithNonce(() =>
        protectedResourceRequest(token, "GET", new URL(url), undefined, null, options),
      ),
  };
}
