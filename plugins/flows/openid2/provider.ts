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

/** Where the profile of a user who has signed in is fetched. */
export interface OpenId2Userinfo {
  /** An https URL. `{id}` stands for the id of the account, `{apiKey}` for the key of the provider. */
  url: string;
  /** Path of the user in the response, such as `response.players.0`. */
  root?: string;
  /** The member of the profile that must equal the id of the account. */
  id: string;
}

/**
 * A provider of OpenID Authentication 2.0, the predecessor of OpenID Connect. It has no client id, no tokens and no
 * verified address.
 */
export interface OpenId2Provider<Profile = unknown> extends ProviderBase {
  type: "openid2";
  /** The OP Endpoint URL, to which browsers are sent and which verifies the response. */
  endpoint: string;
  /** The form of its claimed identifiers. `{id}` stands for the digits that are the id of the account. */
  claimedId: string;
  /** The key of the provider's API, for `userinfo`. Default: `AUTH_<ID>_KEY`. Without a key only the id is known. */
  apiKey?: string;
  /** Where the profile is fetched. It needs `apiKey` and `profile`. */
  userinfo?: OpenId2Userinfo;
  /** Maps the profile to a user. It is not called without `userinfo`. */
  profile?(profile: Profile): Omit<User, "id">;
  /** A `fetch` for this provider. */
  [customFetch]?: typeof fetch;
}
