import type { AdapterSession, AdapterUser } from "./adapter.ts";
import type { Account, JWT, Profile, Session, User } from "./models.ts";
import type { Identity } from "./sign-in.ts";

/** Message of the `signOut` event: the session or the token that ended, by strategy. */
export type SignOutMessage =
  | { session: AdapterSession | null | undefined | void }
  | { token: JWT | null };

/** The message of each event, emitted after the fact; plugins add theirs by augmentation. */
export interface EventMessages {
  createUser: { user: User };
  updateUser: { user: User };
  linkAccount: { account: Account; user: AdapterUser | User; profile: AdapterUser | User };
  /** `token` is present under the `jwt` strategy only. */
  session: { session: Session; token?: JWT };
  signIn: { user: User; account: Account | null; profile?: Profile; isNewUser?: boolean };
  /** `provider` is the provider's id; `identity` is present if the flow had authenticated one. */
  signInFailed: { provider?: string; error: Error; identity?: Identity };
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
   * Nothing waits for the listener; its promise is passed to `ctx.waitUntil`, so that the platform does not
   * end before it. Default `false`.
   */
  background?: boolean;
}
