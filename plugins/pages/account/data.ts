import type { PageData } from "../../../src/kernel.ts";

/** An account of a provider that the user signs in with. `POST /account` with `provider` and `account` removes it. */
export interface LinkedAccount {
  /** Id of the provider. */
  provider: string;
  /** Name of the provider. */
  name: string;
  /** Type of the provider: `oauth`, `oidc`, `credentials`, ... */
  type: string;
  /** The user's id at the provider. */
  account: string;
  /** Whether it can be removed: the only sign-in method stays. */
  removable: boolean;
}

/** A session of the user. `POST /account` with its `id` as `session` ends it. */
export interface UserSession {
  /** Empty for a session that is kept in its cookie alone. */
  id: string;
  /** What the user recognizes it by: browser and system, or the name of a native app; `null` where that is not known. */
  description: string | null;
  /** When the user signed in (ISO 8601); `null` where that is not known. */
  created: string | null;
  /** When it ends if it is not used (ISO 8601). */
  expires: string | null;
  /** Whether it is the one of this browser. */
  current: boolean;
  /** Whether it can be ended here: the current one ends by signing out. */
  removable: boolean;
}

/** A passkey of the user. `POST /passkeys` with its `id` as `passkey` removes it. */
export interface UserPasskey {
  id: string;
  /** When it was registered (ISO 8601); `null` where that is not known. */
  created: string | null;
  /** Whether it is synced, should the device be lost. */
  synced: boolean;
}

/** The account page as data: `data` of its JSON. */
export interface AccountData {
  user: { name: string | null; email: string | null; image: string | null };
  accounts: readonly LinkedAccount[];
  /** The verified address that a link to sign in can be sent to. */
  emailLink: string | null;
  /** The providers whose account can be linked, by `signIn(provider, { link: true })`. */
  linkable: readonly { provider: string; name: string }[];
  sessions: readonly UserSession[];
  /** What `GET /account?after=` takes for the older sessions, if there are any. */
  nextSessions: string | null;
  /** With passkeys. */
  passkeys?: readonly UserPasskey[];
  /** With the second factor: whether it is on, and the number of unused recovery codes. */
  secondFactor?: { on: boolean; recoveryCodes: number };
}

/** The JSON of `GET /account`. */
export interface AccountPageData extends PageData {
  data: AccountData & Record<string, unknown>;
}
