import { isLoopback, isPublicHost, sha256Base64url } from "../../../src/_kit.ts";
import { InvalidConfig } from "../../../src/errors.ts";
import type { AuthContext } from "../../../src/kernel.ts";
import type { AtprotoKey } from "./provider.ts";
import type { AtprotoContext, ResolvedAtprotoProvider } from "./types.ts";

/** The client as authorization servers know it. */
export interface AtprotoClientId {
  readonly client_id: string;
  /** The key that signs the requests of a confidential client. */
  readonly key?: AtprotoKey;
}

/** Returns the keys of a provider: the first one signs, all of them are published. */
export function listKeys({ privateKey }: ResolvedAtprotoProvider): readonly AtprotoKey[] {
  return privateKey === undefined ? [] : ([privateKey].flat() as AtprotoKey[]);
}

/** Returns the id of a key: its own, or its thumbprint (RFC 7638). */
export async function getKeyId({ kid, crv, kty, x, y }: AtprotoKey): Promise<string> {
  return kid ?? sha256Base64url(JSON.stringify({ crv, kty, x, y }));
}

// Returns the reason why servers of the protocol cannot reach a client at this origin.
function findOriginFault(origin: string): string | undefined {
  const url = new URL(origin);
  const { protocol, port, hostname } = url;
  if (protocol === "http:" && isLoopback(url)) {
    if (!hostname.endsWith("localhost")) return undefined;
    return `AT Protocol servers do not redirect to localhost; open the application at http://127.0.0.1${port && `:${port}`}, and if AUTH_URL is set, change it to match`;
  }
  const isKnowable =
    protocol === "https:" && !port && isPublicHost(url) && /\.[a-z][a-z\d-]*$/.test(hostname);
  return isKnowable
    ? undefined
    : `AT Protocol servers cannot fetch the client metadata document at ${origin}; set AUTH_URL to the https origin of a public host with the default port, or for development open the application at http://127.0.0.1`;
}

/**
 * Checks that servers of the protocol can reach a client at this origin.
 * @throws InvalidConfig with the fix.
 */
export function checkOrigin(id: string, origin: string): void {
  const fault = findOriginFault(origin);
  if (fault !== undefined) throw new InvalidConfig(`"${id}": ${fault}.`);
}

/** Returns the URL of the client metadata document, which is the client id. */
function getDocumentUrl({ base }: AuthContext, id: string): string {
  return `${base}/client-metadata/${id}`;
}

/**
 * Returns the client for the origin of the request. On the local machine this is the public client that every server
 * accepts.
 * @throws InvalidConfig for an origin that servers cannot reach.
 */
export function getClient(ctx: AtprotoContext): AtprotoClientId {
  const { provider, origin } = ctx;
  checkOrigin(provider.id, origin);
  if (isLoopback(new URL(origin))) {
    const query = new URLSearchParams({
      redirect_uri: provider.callbackUrl,
      scope: provider.scope,
    });
    return { client_id: `http://localhost?${query}` };
  }
  const [key] = listKeys(provider);
  return { client_id: getDocumentUrl(ctx, provider.id), ...(key && { key }) };
}

/** Returns the client metadata document (OAuth Client ID Metadata Document). It contains only the public keys. */
export async function buildClientMetadata(
  ctx: AtprotoContext,
): Promise<Readonly<Record<string, unknown>>> {
  const { provider, origin } = ctx;
  const keys = await Promise.all(
    listKeys(provider).map(async (key) => {
      const { kty, crv, x, y } = key;
      return { kty, crv, x, y, kid: await getKeyId(key), alg: "ES256", use: "sig" };
    }),
  );
  return {
    client_uri: origin,
    ...provider.client,
    client_id: getDocumentUrl(ctx, provider.id),
    application_type: "web",
    grant_types: ["authorization_code"],
    response_types: ["code"],
    scope: provider.scope,
    redirect_uris: [provider.callbackUrl],
    dpop_bound_access_tokens: true,
    ...(keys.length
      ? {
          token_endpoint_auth_method: "private_key_jwt",
          token_endpoint_auth_signing_alg: "ES256",
          jwks: { keys },
        }
      : { token_endpoint_auth_method: "none" }),
  };
}
