import type { AdapterAuthenticator, AdapterUser } from "./adapter.ts";
import type { Account, Profile, TokenSet, User } from "./models.ts";

/** The account of an identity: the kernel adds `provider` and `type`, from the provider of the request. */
export interface IdentityAccount extends TokenSet {
  /** The user's id at the provider: non-empty text, stable and unique there. */
  providerAccountId: string;
}

/** The result of an authentication: the user that a flow authenticated, before the sign-in is decided. */
export interface Identity {
  user: User;
  account: IdentityAccount;
  profile?: Profile;
  /** The posted fields of a credentials sign-in. */
  credentials?: Record<string, unknown>;
  /** Whether the identity provider states the address as verified; absent if it does not say. */
  emailVerified?: boolean | undefined;
  /** The part of the token set that is stored with the account. */
  storedTokens?: Partial<Account>;
  /** Target of the redirect, instead of the one in the browser's cookie. */
  callbackUrl?: string | undefined;
  /** Fingerprint of the user who asked for the link when the attempt began (`getLinkFingerprint`). */
  linkTo?: string | undefined;
  /**
   * When the attempt began, and a hash of the session that the browser had then, so that the new session does not
   * replace another user's. Absent if unknown.
   */
  session?: string | undefined;
  /**
   * `known` refuses an unknown account, so that no user is created or linked; `new` refuses a known one, so that it
   * signs no one in. Default: both are accepted.
   */
  expects?: "known" | "new";
  /** Id of the user if one is created. Default: a random UUID. */
  newUserId?: string;
  /** The passkey that the account represents: both are stored, or neither. */
  authenticator?: Omit<AdapterAuthenticator, "userId">;
}

/**
 * How the user of a login was found.
 * - `signIn`: by the account, or by the verified address
 * - `link`: already signed in, and asked to link the account
 * - `linkByEmail`: by the address, as the provider's `allowDangerousEmailAccountLinking` allows
 * - `confirmEmail`: by an address that a provider attested and that an e-mail link now proves
 * - `verifyEmail`: by an address that no provider attested and that an e-mail link now proves
 * - `create`: a new user; `createVerified`: a new user with a verified address
 * - `createWithEmail`: a new user, who takes over the address of a user who only claimed it
 * - `none`: neither looked up nor stored (credentials with sessions in cookies, or no adapter)
 */
export type LoginOutcome =
  | "signIn"
  | "link"
  | "linkByEmail"
  | "confirmEmail"
  | "verifyEmail"
  | "create"
  | "createWithEmail"
  | "createVerified"
  | "none";

/** A sign-in whose user is known: the identity after linking, with the stored user if there is an adapter. */
export interface Login {
  user: User | AdapterUser;
  account: Account;
  profile?: Profile;
  isNewUser?: boolean;
  /**
   * Whether the user's address is verified: by a link, or by the provider of this account or of the user's first one.
   * `undefined` if unknown.
   */
  emailVerified?: boolean | undefined;
  /**
   * When the user signed in, in seconds since the epoch, for a session that continues an earlier one. Default: now.
   */
  authTime?: number;
  /**
   * The label by which the user recognizes the session in a list, at most 100 characters. Default: the browser and the
   * system of the request.
   */
  description?: string;
  outcome: LoginOutcome;
}

/**
 * How a flow's identities are matched with stored users: `account` (by provider and id, with the rules of linking),
 * `email` (by the verified address, in the canonical form of `normalizeEmail`), or `none` (no look-up).
 */
export type LinkRule = "account" | "email" | "none";
