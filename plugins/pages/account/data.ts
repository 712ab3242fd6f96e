import type { PageData } from "../../../src/kernel.ts";

/** An account of a provider with which the user signs in. `POST /account` with `provider` and `account` removes it. */
export interface LinkedAccount {
  /** Id of the provider. */
  provider: string;
  /** Name of the provider. */
  name: string;
  /** Type of the provider: `oauth`, `oidc`, `credentials`, ... */
  type: string;
  /** The user's id at the provider. */
  account: string;
  /** Whether it can be removed. The only sign-in method cannot. */
  removable: boolean;
}

/** A session of the user. `POST /account` with its `id` as `session` ends it. */
export interface UserSession {
  /** Empty for a session that exists only in its cookie. */
  id: string;
  /**
   * The description by which the user recognizes the session: browser and system, or the name of a native app. `null`
   * if unknown.
   */
  description: string | null;
  /** When the user signed in (ISO 8601), or `null` if unknown. */
  created: string | null;
  /** When the session ends if it is not used (ISO 8601). */
  expires: string | null;
  /** Whether it is this browser's session. */
  current: boolean;
  /** Whether it can be ended here. The current session ends by signing out. */
  removable: boolean;
}

/** A passkey of the user. `POST /passkeys` with its `id` as `passkey` removes it. */
export interface UserPasskey {
  id: string;
  /** When the passkey was registered (ISO 8601), or `null` if unknown. */
  created: string | null;
  /** Whether the passkey is synced in case the device is lost. */
  synced: boolean;
}

/** The account page as data: `data` of its JSON. */
export interface AccountData {
  user: { name: string | null; email: string | null; image: string | null };
  accounts: readonly LinkedAccount[];
  /** The verified address to which a sign-in link can be sent. */
  emailLink: string | null;
  /** The providers whose accounts can be linked, by `signIn(provider, { link: true })`. */
  linkable: readonly { provider: string; name: string }[];
  sessions: readonly UserSession[];
  /** The value of `GET /account?after=` for the older sessions, if there are any. */
  nextSessions: string | null;
  /** Present with passkeys. */
  passkeys?: readonly UserPasskey[];
  /** Present with the second factor: whether it is on, and the number of unused recovery codes. */
  secondFactor?: { on: boolean; recoveryCodes: number };
}

/** The JSON of `GET /account`. */
export interface AccountPageData extends PageData {
  data: AccountData & Record<string, unknown>;
}
