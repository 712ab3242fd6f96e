import type { Account, Awaitable, User } from "./models.ts";

/** A stored person. */
export interface AdapterUser extends User {
  id: string;
  email: string;
  /** When the address was first proved to be the person's; `null` until then. */
  emailVerified: Date | null;
}

/**
 * A stored account: `Account` with its owner. Of type `credentials` only where the `database` strategy
 * has to remember whose `authorize` vouched for.
 */
export interface AdapterAccount extends Account {
  userId: string;
}

/** A stored session. */
export interface AdapterSession {
  /** Random look-up value, kept in the session cookie. */
  sessionToken: string;
  userId: string;
  /** Absolute expiry. */
  expires: Date;
}

/** A pending one-time token of the e-mail flow. */
export interface VerificationToken {
  /** The address it was sent to. */
  identifier: string;
  /** Hash of the token under the configured secret. */
  token: string;
  /** Absolute expiry. */
  expires: Date;
}

/** A stored passkey. */
export interface AdapterAuthenticator {
  /** Standard base64. */
  credentialID: string;
  /** COSE key, standard base64. */
  credentialPublicKey: string;
  counter: number;
  credentialDeviceType: string;
  credentialBackedUp: boolean;
  /** Comma-joined transport names. */
  transports?: string | null;
  providerAccountId: string;
  userId: string;
}

/** A stored session as its owner may see it: without its token. */
export interface ListedSession {
  /** Names it to `deleteSessionById`. */
  id: string;
  expires: Date;
  /** When it began, where that is known. */
  created?: Date;
  /** Whether it is the one whose token was given. */
  isCurrent: boolean;
}

/** A stored passkey as its owner may see it. */
export interface ListedAuthenticator extends AdapterAuthenticator {
  /** When it was made, where that is known. */
  created?: Date;
}

/** What somebody has to sign in with. */
export interface Ways {
  accounts: readonly AdapterAccount[];
  passkeys: readonly AdapterAuthenticator[];
}

/** One of them: an account, a passkey, or both, where the account stands for the passkey. */
export interface Way {
  account?: AccountKey;
  credentialID?: string;
}

/** What became of a removal. `absent`: they have no such thing. `last`: nothing else would let them in. */
export type Removal = "removed" | "absent" | "last";

type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">;

/**
 * Persistence of people, accounts, sessions, one-time tokens and passkeys. Every method is optional;
 * an operation that needs a missing one fails with `MissingAdapterMethods`. Look-ups answer `null`
 * when nothing is there. Any adapter written for Auth.js v5 fits.
 */
export interface Adapter {
  createUser?(user: AdapterUser): Awaitable<AdapterUser>;
  getUser?(id: string): Awaitable<AdapterUser | null>;
  getUserByEmail?(email: string): Awaitable<AdapterUser | null>;
  getUserByAccount?(account: AccountKey): Awaitable<AdapterUser | null>;
  updateUser?(user: Partial<AdapterUser> & Pick<AdapterUser, "id">): Awaitable<AdapterUser>;
  deleteUser?(userId: string): Awaitable<AdapterUser | null | undefined | void>;
  linkAccount?(account: AdapterAccount): Awaitable<AdapterAccount | null | undefined | void>;
  unlinkAccount?(account: AccountKey): Awaitable<AdapterAccount | undefined | void>;
  getAccount?(providerAccountId: string, provider: string): Awaitable<AdapterAccount | null>;
  createSession?(session: AdapterSession): Awaitable<AdapterSession>;
  getSessionAndUser?(
    sessionToken: string,
  ): Awaitable<{ session: AdapterSession; user: AdapterUser } | null>;
  updateSession?(
    session: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">,
  ): Awaitable<AdapterSession | null | undefined>;
  deleteSession?(sessionToken: string): Awaitable<AdapterSession | null | undefined | void>;
  createVerificationToken?(
    token: VerificationToken,
  ): Awaitable<VerificationToken | null | undefined>;
  useVerificationToken?(
    token: Pick<VerificationToken, "identifier" | "token">,
  ): Awaitable<VerificationToken | null>;
  createAuthenticator?(authenticator: AdapterAuthenticator): Awaitable<AdapterAuthenticator>;
  getAuthenticator?(credentialID: string): Awaitable<AdapterAuthenticator | null>;
  listAuthenticatorsByUserId?(userId: string): Awaitable<ListedAuthenticator[]>;
  updateAuthenticatorCounter?(
    credentialID: string,
    newCounter: number,
  ): Awaitable<AdapterAuthenticator>;

  // What follows is Keyhook's own. Everything works without it; what it adds is said with each.

  /**
   * Stores a person, their first account and the passkey it stands for, if it does, as one thing: all
   * or nothing, resumed after a crash. The person keeps the given id. Throws when the account, the
   * passkey or the address is somebody else's. Without it: `createUser`, `linkAccount`,
   * `createAuthenticator`, and a process that ends in between leaves a person who cannot come back.
   */
  createUserWithAccount?(
    user: AdapterUser,
    account: AdapterAccount,
    authenticator?: AdapterAuthenticator,
  ): Awaitable<AdapterUser>;
  /**
   * Lays the tokens of a returning person over those stored, if the account is still theirs. Without
   * it the first tokens stay.
   */
  updateAccount?(account: AdapterAccount): Awaitable<AdapterAccount | null | undefined | void>;
  /**
   * Moves a session's end, if it is still `from`. Answers the session as it is then, `null` when it is
   * gone. Without it: `updateSession`, once per process.
   */
  extendSession?(sessionToken: string, from: Date, to: Date): Awaitable<AdapterSession | null>;
  /** The sessions of a person. Without it the account page shows only this one. */
  listSessionsByUserId?(userId: string, sessionToken?: string): Awaitable<ListedSession[]>;
  /** Ends a listed session, if it is that person's. */
  deleteSessionById?(userId: string, id: string): Awaitable<void>;
  /** The accounts of a person. Without it the account page shows none. */
  listAccountsByUserId?(userId: string): Awaitable<AdapterAccount[]>;
  /** Ends all sessions of a person, in one write. */
  deleteSessionsByUserId?(userId: string): Awaitable<void>;
  /**
   * Ends all sessions of a person and takes away every account and passkey; keeps that the address is
   * proved in the same write, so that nothing can come in between. Throws when there is no such person.
   * Without it, whoever registered somebody else's address before keeps a way in after the owner has
   * proved it.
   */
  resetUser?(
    userId: string,
    proof?: Partial<Pick<AdapterUser, "emailVerified">>,
  ): Awaitable<AdapterUser>;
  /**
   * Notes that a passkey was used, if its counter is still `from`. Answers `null` when it is not, or
   * the passkey is gone. Without it: `updateAuthenticatorCounter`, which keeps no backup state, and
   * two copies of a key that are used at the same moment are not noticed.
   */
  useAuthenticator?(
    credentialID: string,
    from: number,
    use: Pick<AdapterAuthenticator, "counter" | "credentialBackedUp">,
  ): Awaitable<AdapterAuthenticator | null>;
  /** Removes a person's passkey; answers it, or `null` when it is not theirs. */
  deleteAuthenticator?(
    credentialID: string,
    userId: string,
  ): Awaitable<AdapterAuthenticator | null | undefined>;
  /**
   * Removes a way in of a person, if `isEnough` of what they have besides. Of two removals at the same
   * moment the second one sees what the first one left. Without it: `unlinkAccount` and
   * `deleteAuthenticator`, and two at the same moment may take the last two ways.
   */
  removeWay?(userId: string, way: Way, isEnough: (rest: Ways) => boolean): Awaitable<Removal>;
}
