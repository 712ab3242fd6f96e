import type { Adapter, AdapterUser } from "../types/adapter.ts";
import type { AuthContext, FlowContext, Kernel } from "../types/kernel.ts";
import type { JWT, User } from "../types/models.ts";
import type { ProviderBase } from "../types/provider.ts";
import type { Login } from "../types/sign-in.ts";
import type { EndedLogins } from "./ended-logins.ts";
import type { CompleteIdentity } from "./identity.ts";
import type { PostedFields } from "./posted-fields.ts";

/** The stored users that an identity may belong to, as they were looked up before the decision. */
export interface LinkingFacts {
  /**
   * Whether a link was requested: `none`: no; `kept`: by the user who is still signed in; `broken`: by a user who is no
   * longer signed in.
   */
  intent: "none" | "kept" | "broken";
  /** The user who asked for the link, if still signed in in this browser. */
  current: User | null;
  /** The stored user who owns the account. For an identity that is not looked up, also the user with its id. */
  userByAccount: AdapterUser | null;
  /** The stored user with the address. */
  userByEmail: AdapterUser | null;
}

/** The facts if no user was looked up. */
export const NO_USERS: LinkingFacts = {
  intent: "none",
  current: null,
  userByAccount: null,
  userByEmail: null,
};

/** The functions that sign stored users in. */
export interface StoredUsers {
  /** Looks up the stored users that an identity may belong to. */
  lookUp(ctx: FlowContext, identity: CompleteIdentity): Promise<LinkingFacts>;
  /**
   * Returns the stored user who would be signed in, `null` if a user would be created or the sign-in refused, and
   * `undefined` if users are not looked up.
   */
  find(
    ctx: FlowContext,
    identity: CompleteIdentity,
    facts: LinkingFacts,
  ): User | AdapterUser | null | undefined;
  /** Finds, links or creates the user of an identity that the `signIn` hook allowed, by the linking table. */
  resolve(ctx: FlowContext, identity: CompleteIdentity, facts: LinkingFacts): Promise<Login>;
  /** Checks again, after the session was created, that the account still belongs to the user. */
  confirm(ctx: AuthContext, login: Login): Promise<void>;
  /** Returns the fingerprint of the user that the request asks to link an account to; see `getLinkFingerprint`. */
  getLinkFingerprint(ctx: AuthContext): Promise<string | undefined>;
  /**
   * Resolves to the session token, to a changed one, or to `null` if it no longer belongs to its user. `isDue` returns
   * whether the session is extended now.
   */
  checkOwner(kernel: Kernel, token: JWT, isDue: () => boolean): Promise<JWT | null>;
  /** Resolves to the stored user of a session token if the session still belongs to that user, else to `null`. */
  getOwner(kernel: Kernel, token: JWT): Promise<AdapterUser | null>;
}

/** The functions that sign stored users in, and those that check the adapter and keep facts about its users. */
export interface StoredUsersService extends StoredUsers {
  readonly endedLogins: EndedLogins;
  readonly postedFields: PostedFields;
  /** Returns the names of the methods that an adapter has. */
  listMethods(adapter: Adapter): string[];
  /**
   * Checks that the adapter, if there is one, has the methods that providers of these types require.
   * @throws MissingAdapterMethods
   */
  requireLinking(kernel: Kernel, types: readonly string[]): void;
  /** Warns about providers that say nothing about the addresses they state, where that is a danger. */
  checkAddresses(kernel: Kernel, silent: readonly ProviderBase[]): void;
  /** Returns the adapter with the time limit that the configuration sets for its calls. */
  limitCalls(adapter: Adapter): Adapter;
  /** Finds the methods that an adapter lost when it was wrapped. */
  findLost(inner: Adapter, outer: object): string[];
}

declare module "../types/kernel.ts" {
  interface Services {
    /** Signs stored users in; not needed without an adapter. */
    storedUsers: StoredUsersService;
  }
}

/** Returns the functions that sign stored users in; `undefined` without an adapter. */
export function getStoredUsers({
  adapter,
  use,
}: Pick<Kernel, "adapter" | "use">): StoredUsers | undefined {
  return adapter && use("storedUsers");
}
