import { blueskyPlugin } from "../../plugins/providers/bluesky.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { customFetch } from "../../src/kernel.ts";
import { createTestAuth, type TestAuth } from "../_app.ts";
import { type Idp, startIdp } from "../_idp.ts";

export const APP = "https://app.keyhook.dev";
export const ENTRYWAY = "https://entryway.social";
export const PDS = "https://morel.host.bsky.network";
export const DIRECTORY = "https://plc.directory";

type Json = Record<string, unknown>;

/** Ada's account on a Bluesky server. */
export const ADA = {
  did: "did:plc:ada234567ada234567ada234",
  handle: "ada.bsky.social",
  pds: PDS,
  email: "ada@keyhook.dev",
};

/** An account of the network. */
export type AtprotoAccount = typeof ADA;

/** Responds instead of a server, or changes its response, by the start of the URL. */
export type Change = (
  response: () => Promise<Response>,
  request: { url: URL; init: RequestInit },
) => Promise<Response> | Response;

export interface AtprotoNetwork {
  /** All requests in order, as method and URL. */
  readonly requests: string[];
  readonly sent: { url: URL; init: RequestInit }[];
  /** Changes, by the start of the URL. */
  changes: Record<string, Change>;
  accounts: AtprotoAccount[];
  /** The user that the authorization server signs in. */
  sub: string;
  /** Whether the account's server reports that the address is verified. */
  emailConfirmed: boolean;
  readonly idp: Idp;
  readonly fetch: typeof fetch;
  /** The application, whose client metadata document the authorization server fetches. */
  app?: TestAuth;
  close(): Promise<void>;
}

/** Changes the JSON of a response. */
export const changeJson =
  (change: (body: Json) => unknown): Change =>
  async (respond) => {
    const response = await respond();
    const headers = new Headers(response.headers);
    for (const name of ["content-length", "content-encoding"]) headers.delete(name);
    const body = change((await response.json()) as Json);
    return new Response(JSON.stringify(body), { status: response.status, headers });
  };

const NOT_FOUND = () => new Response("Not found", { status: 404 });

export function documentOf({ did, handle, pds }: AtprotoAccount): Json {
  return {
    "@context": ["https://www.w3.org/ns/did/v1"],
    id: did,
    alsoKnownAs: [`at://${handle}`],
    service: [{ id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: pds }],
  };
}

/** What the AT Protocol's profile adds to the metadata of an OAuth server. */
const PROFILE = {
  client_id_metadata_document_supported: true,
  require_request_uri_registration: true,
  grant_types_supported: ["authorization_code", "refresh_token"],
};

/**
 * Starts a network: DNS, the directory, hosts of handles, a personal data server, and an authorization server. The
 * latter is a real one (oidc-provider) that requires pushed requests and proofs with its nonces, and fetches the
 * client's document.
 */
export async function startAtprotoNetwork(): Promise<AtprotoNetwork> {
  const nonce = "nonce-of-the-pds";
  const find = (name: keyof AtprotoAccount, value: string) =>
    network.accounts.find((account) => account[name] === value);

  const idp = await startIdp(
    [
      {
        client_id: `http://localhost?${new URLSearchParams({
          redirect_uri: "http://127.0.0.1:3000/auth/callback/bluesky",
          scope: "atproto",
        })}`,
        // The provider would always ask a native client for consent.
        application_type: "web",
        redirect_uris: ["http://127.0.0.1:3000/auth/callback/bluesky"],
        grant_types: ["authorization_code"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        scope: "atproto",
        dpop_bound_access_tokens: true,
      },
    ],
    {
      scopes: ["atproto", "transition:email"],
      clientAuthMethods: ["none", "private_key_jwt"],
      enabledJWA: {
        clientAuthSigningAlgValues: ["ES256"],
        dPoPSigningAlgValues: ["ES256"],
      },
      features: {
        devInteractions: { enabled: false },
        dPoP: { enabled: true, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true },
        pushedAuthorizationRequests: {
          enabled: true,
          requirePushedAuthorizationRequests: true,
        },
        clientIdMetadataDocument: {
          enabled: true,
          ack: "draft-02" as never,
          cacheDuration: { min: 0, max: 0 },
        },
      },
      pkce: { required: () => true },
      fetch: (async (url: string) => {
        const response = await network.app?.auth.fetch(new Request(url));
        return response ?? NOT_FOUND();
      }) as never,
    } as never,
    0,
    ENTRYWAY,
  );

  const servers: Record<string, (url: URL, init: RequestInit) => Promise<Response> | Response> = {
    "https://cloudflare-dns.com/dns-query": () => Response.json({ Status: 3 }),
    [`${DIRECTORY}/`](url) {
      const account = find("did", decodeURIComponent(url.pathname.slice(1)));
      return account ? Response.json(documentOf(account)) : NOT_FOUND();
    },
    [`${PDS}/.well-known/oauth-protected-resource`]: () =>
      Response.json({ resource: PDS, authorization_servers: [ENTRYWAY] }),
    [`${PDS}/xrpc/com.atproto.server.getSession`](_, { headers }) {
      const { authorization = "", dpop = "" } = headers as Record<string, string>;
      const proof = JSON.parse(
        atob(dpop.split(".")[1]?.replaceAll("-", "+").replaceAll("_", "/") ?? ""),
      );
      if (!authorization.startsWith("DPoP ") || proof.nonce !== nonce) {
        return Response.json(
          { error: "use_dpop_nonce" },
          {
            status: 401,
            headers: { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": nonce },
          },
        );
      }
      const { emailConfirmed, sub } = network;
      return Response.json(
        { did: sub, email: find("did", sub)?.email, emailConfirmed },
        { headers: { "dpop-nonce": nonce } },
      );
    },
    async [`${ENTRYWAY}/.well-known/oauth-authorization-server`](_, init) {
      const response = await idp.send(`${ENTRYWAY}/.well-known/openid-configuration`, init);
      return Response.json({ ...((await response.json()) as Json), ...PROFILE });
    },
    [`${ENTRYWAY}/.well-known/`]: NOT_FOUND,
    async [`${ENTRYWAY}/token`](url, init) {
      const response = await idp.send(url.href, init);
      const add = changeJson((body) => (body.error ? body : { ...body, sub: network.sub }));
      return add(() => Promise.resolve(response), { url, init });
    },
    [`${ENTRYWAY}/`]: (url, init) => idp.send(url.href, init),
    "https://public.api.bsky.app/": (url) =>
      Response.json({
        did: url.searchParams.get("actor"),
        displayName: "Ada Lovelace",
        avatar: "https://cdn.bsky.app/ada.jpg",
      }),
  };

  const network: AtprotoNetwork = {
    requests: [],
    sent: [],
    changes: {},
    accounts: [ADA],
    sub: ADA.did,
    emailConfirmed: true,
    idp,
    fetch: (async (input: string, init: RequestInit = {}) => {
      const url = new URL(input);
      network.requests.push(`${init.method ?? "GET"} ${url.origin}${url.pathname}`);
      network.sent.push({ url, init });
      const respond = async (): Promise<Response> => {
        const [, server] = Object.entries(servers).find(([start]) => input.startsWith(start)) ?? [];
        if (server) return server(url, init);
        if (url.pathname !== "/.well-known/atproto-did") throw new TypeError("fetch failed");
        const account = find("handle", url.hostname);
        return account ? new Response(`${account.did}\n`) : NOT_FOUND();
      };
      const [, change] =
        Object.entries(network.changes).find(([start]) => input.startsWith(start)) ?? [];
      return change ? change(respond, { url, init }) : respond();
    }) as typeof fetch,
    close: () => idp.close(),
  };
  return network;
}

/** Creates an application with Bluesky in a network, which is reset to its initial state. */
export function createAtprotoApp(
  network: AtprotoNetwork,
  { origin = APP, ...options }: { origin?: string } & Record<string, unknown> = {},
): TestAuth {
  Object.assign(network, {
    changes: {},
    accounts: [ADA],
    sub: ADA.did,
    emailConfirmed: true,
  });
  network.requests.length = 0;
  network.sent.length = 0;
  const { env = {}, ...rest } = options as { env?: Record<string, string> };
  network.app = createTestAuth({
    origin,
    store: memoryBackend(),
    providers: [],
    env: { NODE_ENV: "test", ...env },
    use: [
      blueskyPlugin({ ...rest, [customFetch]: network.fetch } as Parameters<
        typeof blueskyPlugin
      >[0]),
      databaseStrategy(),
    ],
  });
  return network.app;
}
