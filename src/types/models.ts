export type { Awaitable } from "../platform/awaitable.ts";

/** The fields that every user has. */
export interface DefaultUser {
  /** From a `profile` function: the user's id at the provider. Of a stored user: the id in the store. */
  id?: string | undefined;
  /** The name to show. */
  name?: string | null | undefined;
  /** The e-mail address. Whether it was verified is stated elsewhere (`emailVerified`). */
  email?: string | null | undefined;
  /** URL of a picture. */
  image?: string | null | undefined;
}

/**
 * A user, as a provider's `profile` function returns it and as callbacks receive it.
 * Augment it through `keyhook/types` to add fields of your own.
 */
export interface User extends DefaultUser {}

/** The fields that every session has before the `session` callback changes it. */
export interface DefaultSession {
  /**
   * Who is signed in: `name`, `email` and `image`. The `session` callback decides whether the client also gets an
   * `id`; with stored sessions, that callback receives it here.
   */
  user?: User;
  /** Expiry as ISO 8601 text in UTC with milliseconds. */
  expires: string;
}

/** The session of a signed-in browser, as the application receives it. Augment it through `keyhook/types`. */
export interface Session extends DefaultSession {}

/** The claims that every session token may contain (RFC 7519; times in seconds since the epoch). */
export interface DefaultJWT extends Record<string, unknown> {
  sub?: string;
  jti?: string;
  iat?: number;
  exp?: number;
  name?: string | null;
  email?: string | null;
  picture?: string | null;
}

/** The claims of a session token under the `jwt` strategy. Augment it through `keyhook/types`. */
export interface JWT extends DefaultJWT {}

/** One entry of `authorization_details` (Rich Authorization Requests, RFC 9396). */
export interface AuthorizationDetails {
  readonly type: string;
  readonly locations?: readonly string[];
  readonly actions?: readonly string[];
  readonly datatypes?: readonly string[];
  readonly privileges?: readonly string[];
  readonly identifier?: string;
  readonly [field: string]: unknown;
}

/** A successful token response (RFC 6749 section 5.1), with the expiry also as an absolute time. */
export interface TokenSet {
  access_token?: string;
  authorization_details?: AuthorizationDetails[];
  /** Lifetime of the access token in seconds, as the provider returned it. */
  expires_in?: number;
  /** Absolute expiry of the access token, in seconds since the epoch. */
  expires_at?: number;
  id_token?: string;
  refresh_token?: string;
  scope?: string;
  /** In lower case, because the value is case-insensitive. */
  token_type?: Lowercase<string>;
  [field: string]: unknown;
}

/** The `type` of a provider; plugins may add more. */
export type ProviderType = "oauth" | "oidc" | "email" | "credentials" | "webauthn" | (string & {});

/** The link between a user and one provider. Augment it through `keyhook/types`. */
export interface Account extends TokenSet {
  /** Id of the provider. */
  provider: string;
  /** The user's id at that provider; for e-mail, the address. */
  providerAccountId: string;
  /** Type of the provider. */
  type: ProviderType;
  /** Id of the user who owns the account. */
  userId?: string;
}

/** Unchecked parsed JSON: `any`, as `JSON.parse` returns it. */
export type Parsed = ReturnType<typeof JSON.parse>;

/** The claims that an identity provider returns about a user: the standard ones, all optional. */
export interface Profile {
  id?: string | null;
  sub?: string | null;
  name?: string | null;
  given_name?: string | null;
  family_name?: string | null;
  middle_name?: string | null;
  nickname?: string | null;
  preferred_username?: string | null;
  profile?: string | null;
  /** A URL, or whatever a provider without OpenID Connect returns in its place. */
  picture?: Parsed;
  website?: string | null;
  email?: string | null;
  email_verified?: boolean | null;
  gender?: string | null;
  birthdate?: string | null;
  zoneinfo?: string | null;
  locale?: string | null;
  phone_number?: string | null;
  updated_at?: Date | string | number | null;
  address?: {
    formatted?: string | null;
    street_address?: string | null;
    locality?: string | null;
    region?: string | null;
    postal_code?: string | null;
    country?: string | null;
  } | null;
  [claim: string]: unknown;
}
