import type { Account, DefaultUser, ProviderType, User } from "./models.ts";

// Any thenable: published adapters are declared so.
type Awaitable<T> = T | PromiseLike<T>;

/** A stored user. */
export interface AdapterUser extends User {
  /** Id in the store. */
  id: string;
  /**
   * The address. A user without one exists too: one who signed in with a provider that states none, or with a
   * passkey. Then it is `null`, `undefined` or missing, as it was given to `createUser`: an adapter must store
   * it so, let any number of users be without one, and never find a user by it. The type is that of Auth.js.
   */
  email: string;
  /** When the user first verified the address; `null` until then. */
  emailVerified: Date | null;
  /**
   * Whether the provider with whose account the user was stored states the address as verified; absent or `null`
   * where it says nothing. Given to `createUserWithAccount` alone. An adapter forgets it when the address changes.
   */
  emailAttested?: boolean | null;
}

/** What every adapter returns of a user, also one that knows none of the fields that an application adds to `User`. */
export interface DefaultAdapterUser extends DefaultUser {
  id: string;
  email: string;
  emailVerified: Date | null;
}

/** The types that Auth.js stores accounts of. Keyhook stores those of other types too, such as `credentials`. */
export type AdapterAccountType = Extract<ProviderType, "oauth" | "oidc" | "email" | "webauthn">;

/**
 * A stored account: `Account` with its owner. Accounts of type `credentials` are stored by the `database`
 * strategy only, to find the user whom `authorize` returned before.
 */
export interface AdapterAccount extends Account {
  /** Id of the stored user who owns it. */
  userId: string;
  /**
   * The address that the provider stated as verified when the account was linked; `false`: it stated one as not
   * verified; absent: it said nothing. Given only to adapters with `createUserWithAccount`.
   */
  verifiedEmail?: string | false;
}

/** A stored session. */
export interface AdapterSession {
  /** Random value by which the session is looked up; the content of the session cookie. */
  sessionToken: string;
  /** Id of the stored user who is signed in. */
  userId: string;
  /** Absolute expiry. */
  expires: Date;
}

/** A session as `createSession` returns it. */
export interface CreatedSession extends AdapterSession {
  /**
   * How many sessions the user has at most, with this one and all that were created before it. Where an adapter states
   * it, `limitSessions` is called only beyond `session.maxPerUser`.
   */
  sessionCount?: number;
  /** How many of the oldest sessions it has ended to stay within `maxPerUser` of the options. */
  endedCount?: number;
}

/** Options of `createSession`, each for adapters with the method that it belongs to. */
export interface CreateSessionOptions {
  /**
   * With `limitSessions`: how many sessions the user may have with this one. An adapter may end the oldest of the others
   * with it, before a call of `limitSessions` does. Absent where the sign-in is going to end sessions that would count.
   */
  maxPerUser?: number;
  /**
   * With `listSessionsByUserId`: what the user recognizes the session by, such as `Firefox, Windows`, or the name of a native
   * app; at most 100 characters. Absent where that is not known. An adapter may keep it until the session ends.
   */
  description?: string;
}

/** A pending one-time token of the e-mail flow. */
export interface VerificationToken {
  /** The address that the token was sent to. */
  identifier: string;
  /** Hash of the token under the configured secret. */
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
  /** How often it was used, where the authenticator counts that; else 0. */
  counter: number;
  /** `singleDevice` or `multiDevice` (WebAuthn: backup eligibility). */
  credentialDeviceType: string;
  /** Whether it is backed up, and may be on several devices. */
  credentialBackedUp: boolean;
  /** Comma-joined transport names. */
  transports?: string | null;
  /** Of the account that represents it: the same as `credentialID`. */
  providerAccountId: string;
  /** Id of the stored user who owns it. */
  userId: string;
}

/** A stored session as it is listed for its user: without its token. */
export interface ListedSession {
  /** The id that `deleteSessionById` takes. */
  id: string;
  expires: Date;
  /** When the session was created, if that is known. */
  created?: Date;
  /** The `description` that `createSession` was given, if the adapter has kept it. */
  description?: string | null;
  /** Whether this is the session whose token was passed to `listSessionsByUserId`. */
  isCurrent: boolean;
}

/** The page of a list of sessions. */
export interface SessionPageOptions {
  /** The number of sessions at most. Default, and at most: as the adapter has it (store adapter: 100 and 500). */
  limit?: number;
  /** The `id` of the last session of the page before; the first page without it, or if it is unknown. */
  after?: string;
}

/** A stored passkey as it is listed for its user. */
export interface ListedAuthenticator extends AdapterAuthenticator {
  /** When the passkey was registered, if that is known. */
  created?: Date;
}

/** The accounts and passkeys that a user can sign in with. */
export interface SignInMethods {
  accounts: readonly AdapterAccount[];
  passkeys: readonly AdapterAuthenticator[];
}

/** One sign-in method: an account, a passkey, or both, where the account represents the passkey. */
export interface SignInMethod {
  account?: AccountKey;
  credentialID?: string;
}

/**
 * The result of a removal. `not-found`: the user does not have this sign-in method. `last`: it was kept,
 * since the user could not sign in without it.
 */
export type RemovalResult = "removed" | "not-found" | "last";

type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">;

/**
 * Persistence of users, accounts, sessions, one-time tokens and passkeys. Every method is optional;
 * an operation that needs a missing one fails with `MissingAdapterMethods`. Look-ups return `null`
 * when there is no record, and compare keys exactly: a row with another key is an error. Every adapter written for Auth.js v5 can be used.
 * `U` is the type of the users that it returns; it is given those of the application.
 */
export interface Adapter<U extends DefaultAdapterUser = AdapterUser> {
  /** Stores a user. The id may be the adapter's own: the returned one counts. */
  createUser?(user: AdapterUser): Awaitable<U>;
  /** Returns a user by id. */
  getUser?(id: string): Awaitable<U | null>;
  /** Returns the user with an address. */
  getUserByEmail?(email: string): Awaitable<U | null>;
  /** Returns the owner of an account. */
  getUserByAccount?(account: AccountKey): Awaitable<U | null>;
  /** Changes the given fields of a user, and returns the whole user. Fields that are absent stay. */
  updateUser?(user: Partial<AdapterUser> & Pick<AdapterUser, "id">): Awaitable<U>;
  /** Removes a user with all accounts, sessions and passkeys. Called when a first sign-in fails after `createUser`. */
  deleteUser?(userId: string): Awaitable<U | null | undefined | void>;
  /** Stores an account. Throws where the account is stored already. */
  linkAccount?(account: AdapterAccount): Awaitable<AdapterAccount | null | undefined | void>;
  /** Removes an account; called by the account page. */
  unlinkAccount?(account: AccountKey): Awaitable<AdapterAccount | undefined | void>;
  /**
   * Returns an account. With it, the account by which `getUserByAccount` has found a user is compared with the one
   * asked for.
   */
  getAccount?(providerAccountId: string, provider: string): Awaitable<AdapterAccount | null>;
  /** Stores a session. */
  createSession?(
    session: AdapterSession,
    options?: CreateSessionOptions,
  ): Awaitable<CreatedSession>;
  /** Returns a session with its user, also an expired one, which is removed then. */
  getSessionAndUser?(sessionToken: string): Awaitable<{ session: AdapterSession; user: U } | null>;
  /** Changes the given fields of a session, such as its expiry; `null` when there is no such session. */
  updateSession?(
    session: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">,
  ): Awaitable<AdapterSession | null | undefined>;
  /** Removes a session, and returns it where that is cheap: the `signOut` event has it then. */
  deleteSession?(sessionToken: string): Awaitable<AdapterSession | null | undefined | void>;
  /** Stores a one-time token. */
  createVerificationToken?(
    token: VerificationToken,
  ): Awaitable<VerificationToken | null | undefined>;
  /** Returns the token and deletes it. Must be atomic: of N concurrent calls exactly one gets the token. */
  useVerificationToken?(
    token: Pick<VerificationToken, "identifier" | "token">,
  ): Awaitable<VerificationToken | null>;
  /** Stores a passkey. Throws where its id is stored already. */
  createAuthenticator?(authenticator: AdapterAuthenticator): Awaitable<AdapterAuthenticator>;
  /** Returns a passkey. */
  getAuthenticator?(credentialID: string): Awaitable<AdapterAuthenticator | null>;
  /** Lists the passkeys of a user; an empty list for a user who is not known. */
  listAuthenticatorsByUserId?(userId: string): Awaitable<ListedAuthenticator[]>;
  /** Stores the counter of a passkey that was used. */
  updateAuthenticatorCounter?(
    credentialID: string,
    newCounter: number,
  ): Awaitable<AdapterAuthenticator>;

  // The methods below are Keyhook's own. Everything works without them; each comment states what it adds.

  /**
   * Stores a user with their first account and, where the account represents one, the passkey: all or
   * nothing, resumed after a crash. The user keeps the given id. Keeps `emailAttested` of the user and
   * `verifiedEmail` of accounts. Throws when the account, the passkey or the
   * address belongs to another user. Without it: `createUser`, `linkAccount` and `createAuthenticator`, and
   * a process that ends in between leaves a user who cannot sign in again.
   */
  createUserWithAccount?(
    user: AdapterUser,
    account: AdapterAccount,
    authenticator?: AdapterAuthenticator,
  ): Awaitable<U>;
  /**
   * Merges the new tokens over the stored ones at a later sign-in, if the account still belongs to the user.
   * Without it the tokens of the first sign-in stay.
   */
  updateAccount?(account: AdapterAccount): Awaitable<AdapterAccount | null | undefined | void>;
  /**
   * Sets a session's expiry to `to`, if it is still `from`. Returns the session as it is afterwards, or
   * `null` when it no longer exists. Without it: `updateSession`, once per process.
   */
  extendSession?(sessionToken: string, from: Date, to: Date): Awaitable<AdapterSession | null>;
  /**
   * Returns when a session was created, which is when its user signed in; `null` if that is not known. Without it a
   * sealed cookie keeps it, for as long as the session is fresh (SECURITY.md R22).
   */
  getSessionStart?(sessionToken: string): Awaitable<Date | null>;
  /**
   * Lists a page of the sessions of a user: the current one, then the newest first. An adapter may ignore the page
   * and return all, in any order. Without it the account page shows only the current session.
   */
  listSessionsByUserId?(
    userId: string,
    sessionToken?: string,
    page?: SessionPageOptions,
  ): Awaitable<ListedSession[]>;
  /** Ends a listed session, if it belongs to that user; `false` states that it ended none. */
  deleteSessionById?(userId: string, id: string): Awaitable<boolean | void>;
  /** Lists the accounts of a user. Without it the account page shows none. */
  listAccountsByUserId?(userId: string): Awaitable<AdapterAccount[]>;
  /** Ends all sessions of a user, in one write. */
  deleteSessionsByUserId?(userId: string): Awaitable<void>;
  /**
   * Ends all sessions of a user but the one of this token, or all without it, in one write; returns their number if
   * it is known. Without it: `listSessionsByUserId` and `deleteSessionById`, one by one.
   */
  deleteOtherSessions?(userId: string, sessionToken?: string): Awaitable<number | void>;
  /**
   * Ends the oldest sessions of a user until there are no more than `max`; returns how many ended, if that is known.
   * Called after every sign-in (`session.maxPerUser`). Without it: `listSessionsByUserId` and `deleteSessionById`.
   */
  limitSessions?(userId: string, max: number): Awaitable<number | void>;
  /**
   * Ends all sessions of a user and removes every passkey and every account, but for those whose
   * `verifiedEmail` is the user's address; stores in the same write that the address is verified, so that no
   * other write can happen in between. Throws when there is no such user.
   * Without it, an attacker who registered another user's address earlier keeps a sign-in method after the
   * owner has verified the address (SECURITY.md R5). Only with `createUserWithAccount`: without it the adapter is
   * told of no `verifiedEmail`, and the user's own accounts would be removed.
   */
  revokeUserAccess?(
    userId: string,
    verification?: Partial<Pick<AdapterUser, "emailVerified">>,
  ): Awaitable<U>;
  /**
   * Stores the counter and the backup state after a passkey was used, if its counter is still `from`. Returns
   * `null` when it is not, or when the passkey no longer exists. Without it: `updateAuthenticatorCounter`,
   * which does not store the backup state, and two copies of a key that are used concurrently are not
   * detected.
   */
  recordAuthenticatorUse?(
    credentialID: string,
    from: number,
    use: Pick<AdapterAuthenticator, "counter" | "credentialBackedUp">,
  ): Awaitable<AdapterAuthenticator | null>;
  /** Removes a passkey of a user and returns it, or `null` when it does not belong to that user. */
  deleteAuthenticator?(
    credentialID: string,
    userId: string,
  ): Awaitable<AdapterAuthenticator | null | undefined>;
  /**
   * Removes a sign-in method of a user, if `isEnough` returns `true` for the remaining ones. Of two
   * concurrent removals the second one decides on what the first one left. Without it: `unlinkAccount` and
   * `deleteAuthenticator`, and two concurrent removals may remove the last two methods.
   */
  removeSignInMethod?(
    userId: string,
    method: SignInMethod,
    isEnough: (rest: SignInMethods) => boolean,
  ): Awaitable<RemovalResult>;
}
