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

/** A private key of a confidential client: a JSON Web Key (RFC 7517) of the curve P-256, for ES256. */
export interface AtprotoKey {
  kty: "EC";
  crv: "P-256";
  x: string;
  y: string;
  d: string;
  /** Default: its thumbprint (RFC 7638). */
  kid?: string;
}

/** What the client states of itself besides what the protocol needs (RFC 7591 section 2). */
export interface AtprotoClient {
  client_name?: string;
  client_uri?: string;
  logo_uri?: string;
  tos_uri?: string;
  policy_uri?: string;
}

/** What is known of an account of the AT Protocol. */
export interface AtprotoProfile {
  /** The account: a decentralized identifier, which it keeps when it gets another handle or moves. */
  did: string;
  /** Its handle, where the handle leads back to it. */
  handle: string | null;
  /** Origin of its personal data server. */
  pds: string;
  /** With the scope `transition:email`. */
  email?: string;
  /** Whether its server says that the address is verified. Anyone can run a server. */
  emailConfirmed?: boolean;
  displayName?: string;
  avatar?: string;
}

/**
 * A provider of the AT Protocol's profile of OAuth: the visitor names the account, and the account its authorization
 * server. There is no registration: the client id is the URL of a document that a route of the Auth serves.
 */
export interface AtprotoProvider extends ProviderBase {
  type: "atproto";
  /** The scopes, of which `atproto` is one. `transition:email` adds the address. Default `atproto`. */
  scope?: string;
  /**
   * Makes the client a confidential one, which signs its requests (`private_key_jwt`): the first key signs, all are
   * published. Default: `AUTH_<ID>_PRIVATE_KEY`, a key or a list of keys as JSON; without one the client is public.
   */
  privateKey?: AtprotoKey | readonly AtprotoKey[];
  /** Members of the client metadata document, such as `client_name`. */
  client?: AtprotoClient;
  /** Origin of the server at which visitors sign in who type no handle. Without it the handle is required. */
  server?: string;
  /** Shown in the empty field for the handle. */
  placeholder?: string;
  /** DNS over HTTPS with responses as JSON, for the TXT record of a handle; `false`: handles are looked up by HTTPS alone. */
  resolver?: string | false;
  /** Origin of the directory of the method `did:plc`. */
  directory?: string;
  /** Where the public profile is requested: in the URL, `{did}` is the account. A sign-in does not depend on the response. */
  userinfo?: { url: string };
  /**
   * Hosts of the personal data servers whose word is taken that an address is verified, in the form of `trustHost`.
   * Anyone can run a server, and it may state any address. Default: none.
   */
  trustedServers?: readonly string[];
  /** Maps the profile to a user. */
  profile(profile: AtprotoProfile): Omit<User, "id">;
  /** A `fetch` for this provider, and for all servers that visitors lead to. */
  [customFetch]?: typeof fetch;
}
