import type { AdapterSession, AdapterUser, SignInMethod } from "./adapter.ts";
import type { Account, JWT, Profile, Session, User } from "./models.ts";
import type { Identity } from "./sign-in.ts";

/** Message of the `signOut` event: the session or the token that ended, depending on the strategy. */
export type SignOutMessage = (
  | { session: AdapterSession | null | undefined | void }
  | { token: JWT | null }
) & {
  /**
   * Why the adapter could not remove the stored session: this browser has lost its token, but a copy of the token
   * still works.
   */
  error?: Error;
};

/** The message of each event, emitted after the fact; plugins add theirs by augmentation. */
export interface EventMessages {
  /** A user was stored, at the first sign-in. */
  createUser: { user: User };
  /** A stored user has changed: a sign-in has verified the address, or taken it away. */
  updateUser: { user: User };
  /** An account was stored with its user, at the first sign-in or by a link; `profile` is what the provider states. */
  linkAccount: { account: Account; user: AdapterUser | User; profile: AdapterUser | User };
  /**
   * A user has removed a sign-in method: an account, a passkey (`credentialID`), or a passkey with the account that represents it.
   * Tell the user: another person may be using the session.
   */
  unlinkAccount: SignInMethod & { user: AdapterUser | User };
  /** A session was read. `token` is present under the strategies `jwt` and `hybrid`. */
  session: { session: Session; token?: JWT };
  /** A user has signed in. `isNewUser`: for the first time, with a store. */
  signIn: { user: User; account: Account | null; profile?: Profile; isNewUser?: boolean };
  /**
   * A tap of `login` has paused a sign-in, such as until the user enters a second factor. The user has authenticated with
   * `account`, but has no session yet: `signIn` follows if the sign-in is resumed.
   */
  signInPaused: { user: User; account: Account; tap: string };
  /**
   * A sign-in has failed. `provider` is the provider's id; `identity` is present if the flow had authenticated one. A
   * sign-in that a tap of `signIn` redirects, or that a tap of `login` pauses, has not failed, even if it never goes on.
   */
  signInFailed: { provider?: string; error: Error; identity?: Identity };
  /** A user has signed out. */
  signOut: SignOutMessage;
  /**
   * Stored sessions of a user have ended before their time, other than by a sign-out: the user has ended them on the
   * account page, or a sign-in went beyond `session.maxPerUser` (`reason: "limit"`). `count` is their number, absent
   * where the adapter does not state it.
   */
  endSession: { userId: string; count?: number; reason: "user" | "limit" };
}

/** Name of an event. */
export type EventName = keyof EventMessages;

/** Options of a listener. */
export interface ListenerOptions {
  /**
   * Does not wait for the listener; its promise is passed to `ctx.waitUntil`, so that the platform keeps running until
   * it settles. Default `false`.
   */
  background?: boolean;
}
