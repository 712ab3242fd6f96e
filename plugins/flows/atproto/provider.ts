import type { customFetch, ProviderBase, User } from "../../../src/kernel.ts";

declare module "../../../src/types/provider.ts" {
  interface ProviderTypes {
    atproto: AtprotoProvider;
  }
}

declare module "../../../src/types/cookie.ts" {
  interface CookieKeys {
    atprotoAttempt: true;
    atprotoRequest: true;
  }
}

/** A private key of a confidential client: a JSON Web Key (RFC 7517) on the curve P-256, for ES256. */
export interface AtprotoKey {
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
  d: string;
  /** Default: its thumbprint (RFC 7638). */
  kid?: string;
}

/** Client metadata beyond what the protocol requires (RFC 7591 section 2). */
export interface AtprotoClient {
  client_name?: string;
  client_uri?: string;
  logo_uri?: string;
  tos_uri?: string;
  policy_uri?: string;
}

/** The profile of an AT Protocol account. */
export interface AtprotoProfile {
  /** The account's decentralized identifier. It stays the same when the handle changes or the account moves. */
  did: string;
  /** The handle, if it resolves back to this account. */
  handle: string | null;
  /** Origin of the account's personal data server. */
  pds: string;
  /** Present with the scope `transition:email`. */
  email?: string;
  /** Whether the account's server says that the address is verified. Anyone can run a server. */
  emailConfirmed?: boolean;
  displayName?: string;
  avatar?: string;
}

/**
 * A provider of the AT Protocol's profile of OAuth. The visitor names the account, and the account names its
 * authorization server. There is no registration: the client id is the URL of a document that Keyhook serves.
 */
export interface AtprotoProvider extends ProviderBase {
  type: "atproto";
  /** The scopes, which must include `atproto`. `transition:email` adds the address. Default `atproto`. */
  scope?: string;
  /**
   * Private keys of a confidential client, which signs its requests (`private_key_jwt`). The first key signs; all keys
   * are published. Default: `AUTH_<ID>_PRIVATE_KEY`, a key or a list of keys as JSON. Without a key the client is
   * public.
   */
  privateKey?: AtprotoKey | readonly AtprotoKey[];
  /** Members of the client metadata document, such as `client_name`. */
  client?: AtprotoClient;
  /** Origin of the server at which visitors who type no handle sign in. Without it the handle is required. */
  server?: string;
  /** Placeholder of the field for the handle. */
  placeholder?: string;
  /**
   * URL of a DNS-over-HTTPS resolver with JSON responses, for the TXT record of a handle. With `false`, handles are
   * looked up only by HTTPS. Default `https://cloudflare-dns.com/dns-query`.
   */
  resolver?: string | false;
  /** Origin of the directory for `did:plc`. Default `https://plc.directory`. */
  directory?: string;
  /** URL of the public profile, in which `{did}` stands for the account. A sign-in does not depend on the response. */
  userinfo?: { url: string };
  /**
   * Hosts of the personal data servers that are trusted to verify addresses, in the form of `trustHost`. Anyone can run
   * a server that returns any address. Default: none.
   */
  trustedServers?: readonly string[];
  /** Maps the profile to a user. */
  profile(profile: AtprotoProfile): Omit<User, "id">;
  /** A `fetch` for this provider, and for all servers that visitors name. */
  [customFetch]?: typeof fetch;
}
