import type { AdapterAuthenticator, AdapterUser } from "./adapter.ts";
import type { Account, Profile, TokenSet, User } from "./models.ts";

/** The account of an identity: `provider` and `type` are set by the kernel, from the provider of the request. */
export interface IdentityAccount extends TokenSet {
  /** The user's id at the provider: non-empty text, stable and unique there. */
  providerAccountId: string;
}

/** The result of an authentication: the user that a flow has authenticated, before the sign-in is decided. */
export interface Identity {
  user: User;
  account: IdentityAccount;
  profile?: Profile;
  /** The posted fields of a credentials sign-in. */
  credentials?: Record<string, unknown>;
  /** Whether the identity provider states the address as verified. Absent where it says nothing. */
  emailVerified?: boolean | undefined;
  /** The part of the token set that is stored with the account. */
  storedTokens?: Partial<Account>;
  /** Target of the redirect, in place of the one that the browser's cookie remembers. */
  callbackUrl?: string | undefined;
  /** Fingerprint of the user who asked for the link when the attempt began (`getLinkingUser`). */
  linkTo?: string | undefined;
  /**
   * When the attempt began, and a hash of the session that the browser had: it replaces no other user's. Absent where
   * that is not known.
   */
  session?: string | undefined;
  /**
   * `known` refuses an unknown account, so that no user is created or linked; `new` refuses a known one, so
   * that it signs no one in. Default: either is accepted.
   */
  expects?: "known" | "new";
  /** Id of the user, if one is created. Default: a random UUID. */
  newUserId?: string;
  /** The passkey that the account represents: both are stored, or neither. */
  authenticator?: Omit<AdapterAuthenticator, "userId">;
}

/**
 * How the user of a login was found: `signIn`: by the account, or by the verified address; `link`: signed in
 * already, and asked to link the account; `linkByEmail`: by the address, as the provider's
 * `allowDangerousEmailAccountLinking` allows; `confirmEmail` and `verifyEmail`: by an address that a link proves
 * first, which a provider has attested, or no one; `create` and `createVerified`: a new user,
 * the latter with a verified address; `createWithEmail`: a new user, who gets the address of one who only claimed it; `none`: neither looked up nor stored: credentials
 * with sessions in cookies, or no adapter.
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
   * Whether the address of the user is verified: by a link, or by the provider of this account or of the user's
   * first one. `undefined` where that is not known.
   */
  emailVerified?: boolean | undefined;
  /**
   * When the user has signed in, in seconds since the epoch, for a session that continues an earlier one. Default: now.
   */
  authTime?: number;
  /**
   * What the user recognizes the session by in a list of sessions, at most 100 characters. Default: the browser and the system
   * of the request.
   */
  description?: string;
  outcome: LoginOutcome;
}

/**
 * The key by which a flow's identities are matched with stored users: `account` (provider and id, with the
 * rules of linking), `email` (the verified address, in canonical form: `normalizeEmail`), or `none` (the identity is not looked up).
 */
export type LinkRule = "account" | "email" | "none";
