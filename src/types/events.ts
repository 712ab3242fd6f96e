import type { AdapterSession, AdapterUser } from "./adapter.ts";
import type { Account, Awaitable, JWT, Profile, Session, User } from "./models.ts";
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
  signOut: SignOutMessage;
  /** A sign-in was refused or failed. `identity` is present if the user had been authenticated. */
  signInFailed: { provider: string; error: Error; identity?: Identity };
}

/** Name of an event. */
export type EventName = keyof EventMessages;

/** The events (hookable). */
export interface AuthEvents {
  /** Registers a listener; returns the function that removes it. */
  hook<N extends EventName>(
    name: N,
    listener: (message: EventMessages[N]) => Awaitable<void>,
  ): () => void;
}
