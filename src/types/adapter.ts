import type { Account, DefaultUser, ProviderType, User } from "./models.ts";

// Any thenable, because published adapters are declared that way.
type Awaitable<T> = T | PromiseLike<T>;

/** A stored user. */
export interface AdapterUser extends User {
  /** Id in the store. */
  id: string;
  /**
   * The e-mail address. A user may have none, for example after signing in with a provider that states none, or with a
   * passkey. It is then `null`, `undefined` or missing, as it was passed to `createUser`: an adapter must store it as
   * such, allow any number of users without an address, and never find a user by a missing one. The type is that of
   * Auth.js.
   */
  email: string;
  /** When the user first verified the address; `null` until then. */
  emailVerified: Date | null;
  /**
   * Whether the provider with whose account the user was stored states the address as verified; absent or `null` if it
   * does not say. Passed to `createUserWithAccount` only. An adapter forgets it when the address changes.
   */
  emailAttested?: boolean | null;
}

/**
 * The user fields that every adapter returns, even one that does not know the fields that an application adds to
 * `User`.
 */
export interface DefaultAdapterUser extends DefaultUser {
  id: string;
  email: string;
  emailVerified: Date | null;
}

/** The account types that Auth.js stores. Keyhook stores others too, such as `credentials`. */
export type AdapterAccountType = Extract<ProviderType, "oauth" | "oidc" | "email" | "webauthn">;

/**
 * A stored account: `Account` with its owner. Only the `database` strategy stores accounts of type `credentials`, to
 * find the user that `authorize` returned at an earlier sign-in.
 */
export interface AdapterAccount extends Account {
  /** Id of the stored user who owns it. */
  userId: string;
  /**
   * The address that the provider stated as verified when the account was linked; `false` if it stated one as not
   * verified; absent if it did not say. Passed only to adapters with `createUserWithAccount`.
   */
  verifiedEmail?: string | false;
}

/** A stored session. */
export interface AdapterSession {
  /** Random value by which the session is looked up; it is also the value of the session cookie. */
  sessionToken: string;
  /** Id of the stored user who is signed in. */
  userId: string;
  /** Absolute expiry. */
  expires: Date;
}

/** A session as `createSession` returns it. */
export interface CreatedSession extends AdapterSession {
  /**
   * The user's number of sessions at most, counting this one and all that were created before it. If an adapter
   * returns it, `limitSessions` is called only when it exceeds `session.maxPerUser`.
   */
  sessionCount?: number;
  /** How many of the oldest sessions were ended to stay within the `maxPerUser` option. */
  endedCount?: number;
}

/** Options of `createSession`. Each is passed only to adapters that have the method it names. */
export interface CreateSessionOptions {
  /**
   * With `limitSessions`: how many sessions the user may have, including this one. An adapter may end the oldest
   * others right away, which saves a call of `limitSessions`. Absent if the sign-in is about to end sessions that
   * would be counted.
   */
  maxPerUser?: number;
  /**
   * With `listSessionsByUserId`: the label by which the user recognizes the session, such as `Firefox, Windows` or the
   * name of a native app; at most 100 characters. Absent if unknown. An adapter may keep it until the session ends.
   */
  description?: string;
}

/** A pending one-time token of the e-mail flow. */
export interface VerificationToken {
  /** The address that the token was sent to. */
  identifier: string;
  /** Hash of the token, keyed with the configured secret. */
  token: string;
  /** Absolute expiry. */
  expires: Date;
}

/** A stored passkey (WebAuthn credential). */
export interface AdapterAuthenticator {
  /** Credential id in standard base64. */
  credentialID: string;
  /** COSE key in standard base64. */
  credentialPublicKey: string;
  /** Signature counter of the authenticator; 0 if it does not count. */
  counter: number;
  /** `singleDevice` or `multiDevice` (WebAuthn: backup eligibility). */
  credentialDeviceType: string;
  /** Whether the passkey is backed up, and so may exist on several devices (WebAuthn: backup state). */
  credentialBackedUp: boolean;
  /** Comma-separated transports. */
  transports?: string | null;
  /** Id of the account that represents the passkey: the same as `credentialID`. */
  providerAccountId: string;
  /** Id of the stored user who owns it. */
  userId: string;
}

/** A stored session in a list for its user, without its token. */
export interface ListedSession {
  /** The id that `deleteSessionById` takes. */
  id: string;
  expires: Date;
  /** When the session was created, if known. */
  created?: Date;
  /** The `description` passed to `createSession`, if the adapter kept it. */
  description?: string | null;
  /** Whether this is the session whose token was passed to `listSessionsByUserId`. */
  isCurrent: boolean;
}

/** Selects one page of a list of sessions. */
export interface SessionPageOptions {
  /** Maximum number of sessions. Default and upper bound depend on the adapter (store adapter: 100 and 500). */
  limit?: number;
  /** The `id` of the last session on the previous page. The first page is returned if it is absent or unknown. */
  after?: string;
}

/** A stored passkey in a list for its user. */
export interface ListedAuthenticator extends AdapterAuthenticator {
  /** When the passkey was registered, if known. */
  created?: Date;
}

/** The accounts and passkeys that a user can sign in with. */
export interface SignInMethods {
  accounts: readonly AdapterAccount[];
  passkeys: readonly AdapterAuthenticator[];
}

/** One sign-in method: an account, a passkey, or both if the account represents the passkey. */
export interface SignInMethod {
  account?: AccountKey;
  credentialID?: string;
}

/**
 * The result of a removal. `not-found`: the user does not have this sign-in method. `last`: it was kept, because the
 * user could not sign in without it.
 */
export type RemovalResult = "removed" | "not-found" | "last";

type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">;

/**
 * Persistence of users, accounts, sessions, one-time tokens and passkeys. Every method is optional; an operation that
 * needs a missing one fails with `MissingAdapterMethods`. Look-ups return `null` if there is no record, and compare
 * keys exactly: a returned row with another key is an error. Any adapter written for Auth.js v5 works. `U` is the type
 * of the users that the adapter returns; the users passed to it are those of the application.
 */
export interface Adapter<U extends DefaultAdapterUser = AdapterUser> {
  /** Stores a user. The adapter may assign its own id: the returned one is used. */
  createUser?(user: AdapterUser): Awaitable<U>;
  /** Returns a user by id. */
  getUser?(id: string): Awaitable<U | null>;
  /** Returns the user with an e-mail address. */
  getUserByEmail?(email: string): Awaitable<U | null>;
  /** Returns the owner of an account. */
  getUserByAccount?(account: AccountKey): Awaitable<U | null>;
  /** Changes the given fields of a user and returns the whole user. Absent fields keep their values. */
  updateUser?(user: Partial<AdapterUser> & Pick<AdapterUser, "id">): Awaitable<U>;
  /**
   * Removes a user with all accounts, sessions and passkeys. Called when a first sign-in fails after `createUser`.
   */
  deleteUser?(userId: string): Awaitable<U | null | undefined | void>;
  /** Stores an account. Throws if the account is already stored. */
  linkAccount?(account: AdapterAccount): Awaitable<AdapterAccount | null | undefined | void>;
  /** Removes an account; called by the account page. */
  unlinkAccount?(account: AccountKey): Awaitable<AdapterAccount | undefined | void>;
  /**
   * Returns an account. If present, it confirms that the account by which `getUserByAccount` found a user is exactly
   * the one asked for.
   */
  getAccount?(providerAccountId: string, provider: string): Awaitable<AdapterAccount | null>;
  /** Stores a session. */
  createSession?(
    session: AdapterSession,
    options?: CreateSessionOptions,
  ): Awaitable<CreatedSession>;
  /** Returns a session with its user, even if the session has expired; the caller then removes it. */
  getSessionAndUser?(sessionToken: string): Awaitable<{ session: AdapterSession; user: U } | null>;
  /** Changes the given fields of a session, such as its expiry. Returns `null` if the session does not exist. */
  updateSession?(
    session: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">,
  ): Awaitable<AdapterSession | null | undefined>;
  /** Removes a session. Returns it if that is cheap, for the `signOut` event. */
  deleteSession?(sessionToken: string): Awaitable<AdapterSession | null | undefined | void>;
  /** Stores a one-time token. */
  createVerificationToken?(
    token: VerificationToken,
  ): Awaitable<VerificationToken | null | undefined>;
  /** Returns a token and deletes it, atomically: of N concurrent calls exactly one gets the token. */
  useVerificationToken?(
    token: Pick<VerificationToken, "identifier" | "token">,
  ): Awaitable<VerificationToken | null>;
  /** Stores a passkey. Throws if its id is already stored. */
  createAuthenticator?(authenticator: AdapterAuthenticator): Awaitable<AdapterAuthenticator>;
  /** Returns a passkey. */
  getAuthenticator?(credentialID: string): Awaitable<AdapterAuthenticator | null>;
  /** Lists the passkeys of a user; empty if the user is unknown. */
  listAuthenticatorsByUserId?(userId: string): Awaitable<ListedAuthenticator[]>;
  /** Stores the new counter of a passkey after use. */
  updateAuthenticatorCounter?(
    credentialID: string,
    newCounter: number,
  ): Awaitable<AdapterAuthenticator>;

  // The methods below are Keyhook's own. Everything works without them; each comment says what the method adds.

  /**
   * Stores a user with their first account and, if the account represents one, the passkey: all or nothing, and
   * completed by a retry after a crash. The user keeps the given id. Stores `emailAttested` of the user and
   * `verifiedEmail` of accounts. Throws if the account, the passkey or the address belongs to another user. Without
   * it, `createUser`, `linkAccount` and `createAuthenticator` are called in turn, and a process that dies in between
   * leaves a user who cannot sign in again.
   */
  createUserWithAccount?(
    user: AdapterUser,
    account: AdapterAccount,
    authenticator?: AdapterAuthenticator,
  ): Awaitable<U>;
  /**
   * Merges new tokens over the stored ones at a later sign-in, if the account still belongs to the user. Without it,
   * the tokens of the first sign-in stay.
   */
  updateAccount?(account: AdapterAccount): Awaitable<AdapterAccount | null | undefined | void>;
  /**
   * Sets a session's expiry to `to` if it is still `from`. Returns the session as it is afterwards, or `null` if it no
   * longer exists. Without it, `updateSession` is called, serialized within one process only.
   */
  extendSession?(sessionToken: string, from: Date, to: Date): Awaitable<AdapterSession | null>;
  /**
   * Returns when a session was created, that is, when its user signed in; `null` if unknown. Without it, a sealed
   * cookie holds the time for as long as the session is fresh (SECURITY.md R22).
   */
  getSessionStart?(sessionToken: string): Awaitable<Date | null>;
  /**
   * Lists a page of a user's sessions: the current one first, then the newest. An adapter may ignore the page and
   * return all sessions in any order. Without it, the account page shows the current session only.
   */
  listSessionsByUserId?(
    userId: string,
    sessionToken?: string,
    page?: SessionPageOptions,
  ): Awaitable<ListedSession[]>;
  /** Ends a listed session if it belongs to the user. `false` means that none ended. */
  deleteSessionById?(userId: string, id: string): Awaitable<boolean | void>;
  /** Lists the accounts of a user. Without it, the account page shows none. */
  listAccountsByUserId?(userId: string): Awaitable<AdapterAccount[]>;
  /**
   * Ends all sessions of a user, in one write. Called when an identity provider ends all of a user's sessions
   * (`keyhook/oauth/backchannel-logout`). Without it, only the sessions that began with that provider end.
   */
  deleteSessionsByUserId?(userId: string): Awaitable<void>;
  /**
   * Ends all sessions of a user except the one with this token, or all of them without a token, in one write. Returns
   * their number if known. Without it, `listSessionsByUserId` and `deleteSessionById` end them one by one.
   */
  deleteOtherSessions?(userId: string, sessionToken?: string): Awaitable<number | void>;
  /**
   * Ends the oldest sessions of a user until at most `max` are left. Returns how many ended, if known. Called after a
   * sign-in (`session.maxPerUser`), unless `createSession` returned a `sessionCount` within it. Without it,
   * `listSessionsByUserId` and `deleteSessionById` are called.
   */
  limitSessions?(userId: string, max: number): Awaitable<number | void>;
  /**
   * Called when a link proves an address that no provider attested. Ends all sessions of the user, and removes
   * every passkey and every account except those whose `verifiedEmail` is the user's address; marks the address as
   * verified in the same write, so that no other write can come in between. Throws if the user does not exist. Without
   * it, an attacker who registered another user's address keeps a sign-in method after the owner has verified the
   * address (SECURITY.md R5). Used only with `createUserWithAccount`: an adapter without that receives no
   * `verifiedEmail`, so the owner's accounts would be removed too.
   */
  revokeUserAccess?(
    userId: string,
    verification?: Partial<Pick<AdapterUser, "emailVerified">>,
  ): Awaitable<U>;
  /**
   * Stores the counter and the backup state of a used passkey if its counter is still `from`. Returns `null` if it is
   * not, or if the passkey no longer exists. Without it, `updateAuthenticatorCounter` is called: the backup state is
   * not stored, and concurrent use of a cloned passkey is not detected.
   */
  recordAuthenticatorUse?(
    credentialID: string,
    from: number,
    use: Pick<AdapterAuthenticator, "counter" | "credentialBackedUp">,
  ): Awaitable<AdapterAuthenticator | null>;
  /** Removes a passkey of a user and returns it; `null` if it does not belong to that user. */
  deleteAuthenticator?(
    credentialID: string,
    userId: string,
  ): Awaitable<AdapterAuthenticator | null | undefined>;
  /**
   * Removes a sign-in method of a user if `isEnough` returns `true` for the remaining ones. Of two concurrent
   * removals, the second decides on what the first left. Without it, `unlinkAccount` and `deleteAuthenticator` are
   * called, and two concurrent removals may remove the last two methods.
   */
  removeSignInMethod?(
    userId: string,
    method: SignInMethod,
    isEnough: (rest: SignInMethods) => boolean,
  ): Awaitable<RemovalResult>;
}
