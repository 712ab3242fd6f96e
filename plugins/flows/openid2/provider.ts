import type { customFetch, ProviderBase, User } from "../../../src/kernel.ts";

declare module "../../../src/types/provider.ts" {
  interface ProviderTypes {
    openid2: OpenId2Provider;
  }
}

declare module "../../../src/types/cookie.ts" {
  interface CookieKeys {
    openid2Attempt: true;
  }
}

/** Where the profile of a user is fetched, who is signed in already. */
export interface OpenId2Userinfo {
  /** An https URL; `{id}` is the id of the account, `{apiKey}` the key of the provider. */
  url: string;
  /** Path of the user in the response, such as `response.players.0`. */
  root?: string;
  /** The member of the profile that is the id of the account, which is compared. */
  id: string;
}

/**
 * A provider of OpenID Authentication 2.0, the protocol before OpenID Connect: no client id, no tokens, and no address
 * that is verified.
 */
export interface OpenId2Provider<Profile = unknown> extends ProviderBase {
  type: "openid2";
  /** The OP Endpoint URL, to which browsers are sent and which verifies the response. */
  endpoint: string;
  /** The claimed identifiers that it issues: `{id}` stands for the digits that are the id of the account. */
  claimedId: string;
  /** The key of its API, for `userinfo`. Default: `AUTH_<ID>_KEY`. Without it the id is all that is known. */
  apiKey?: string;
  userinfo?: OpenId2Userinfo;
  /** Maps the profile to a user. Without `userinfo` it is not called. */
  profile?(profile: Profile): Omit<User, "id">;
  /** A `fetch` for this provider. */
  [customFetch]?: typeof fetch;
}
