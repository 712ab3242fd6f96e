import type { AdapterUser } from "../types/adapter.ts";
import type { User } from "../types/models.ts";
import type { Login, LoginOutcome } from "../types/sign-in.ts";
import { isEmailVerified } from "./address.ts";
import type { CompleteIdentity } from "./identity.ts";

/** A user, and whether the user was created in this sign-in. */
export type Resolved = readonly [user: User | AdapterUser, isNewUser?: boolean | undefined];

/** Returns the login of an identity and its user. */
export function toLogin(
  identity: CompleteIdentity,
  [user, isNewUser]: Resolved,
  outcome: LoginOutcome,
): Login {
  const { account, profile } = identity;
  return {
    user,
    account,
    ...(profile && { profile }),
    ...(isNewUser !== undefined && { isNewUser }),
    emailVerified: isEmailVerified(user, identity),
    outcome,
  };
}

/** Returns the login of an identity whose user is not stored. */
export function toOwnLogin(identity: CompleteIdentity): Login {
  const login = toLogin(identity, [identity.user], "none");
  // What a `profile` mapping passes on proves nothing about the address.
  return identity.links === "none" ? login : { ...login, emailVerified: identity.emailVerified };
}
