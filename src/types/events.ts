import type { AdapterSession, AdapterUser } from "./adapter.ts";
import type { Account, Awaitable, JWT, Profile, Session, User } from "./models.ts";

/** Message of the `signOut` event: what ended. */
export type SignOutMessage =
  | { session: AdapterSession | null | undefined | void }
  | { token: JWT | null };

/** Announcements after the fact; plugins add theirs by augmentation. */
export interface EventMessages {
  createUser: { user: User };
  updateUser: { user: User };
  linkAccount: { account: Account; user: AdapterUser | User; profile: AdapterUser | User };
  /** Which of the two is there depends on the strategy. */
  session: { session: Session; token?: JWT };
  signIn: { user: User; account: Account | null; profile?: Profile; isNewUser?: boolean };
  signOut: SignOutMessage;
}

/** Name of an event. */
export type EventName = keyof EventMessages;

/** The announcements (hookable). */
export interface AuthEvents {
  /** Listens; answers the way to stop listening. */
  hook<N extends EventName>(
    name: N,
    listener: (message: EventMessages[N]) => Awaitable<void>,
  ): () => void;
}
