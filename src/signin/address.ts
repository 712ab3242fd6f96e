import { normalizeEmail } from "../platform/email-address.ts";
import type { Adapter, AdapterUser } from "../types/adapter.ts";
import type { User } from "../types/models.ts";
import type { CompleteIdentity } from "./identity.ts";

/** What is known about the address of a stored user. */
export type AddressState = "proved" | "attested" | "claimed" | "unknown";

/**
 * A row of the table of address states. SECURITY.md section 2 describes who verified the address and where that is
 * stored.
 */
export interface AddressRow {
  state: AddressState;
  fits(user: Partial<Pick<AdapterUser, "emailVerified" | "emailAttested">>): boolean;
  /** `Login.emailVerified`: `undefined` if unknown. */
  emailVerified: boolean | undefined;
}

// A stored user may contain an invalid date.
function isDate(date: unknown): boolean {
  return Boolean(date) && !Number.isNaN(new Date(date as Date).getTime());
}

/** The table of address states, for all strategies and adapters. The first row that fits applies. */
export const ADDRESS_STATES: readonly AddressRow[] = [
  {
    state: "proved",
    fits: ({ emailVerified }) => isDate(emailVerified),
    emailVerified: true,
  },
  {
    state: "attested",
    fits: ({ emailAttested }) => emailAttested === true,
    emailVerified: true,
  },
  {
    state: "claimed",
    fits: ({ emailAttested }) => emailAttested === false,
    emailVerified: false,
  },
  { state: "unknown", fits: () => true, emailVerified: undefined },
];

/** Returns the row of a stored user's address. */
export function findAddressRow(user: User | AdapterUser): AddressRow {
  return ADDRESS_STATES.find(({ fits }) => fits(user as Partial<AdapterUser>)) as AddressRow;
}

/** Returns whether an identity's provider has verified the address of a stored user. */
function isAttested(user: User | AdapterUser, { emailVerified, user: stated }: CompleteIdentity) {
  return (
    emailVerified === true &&
    typeof user.email === "string" &&
    (user.email === stated.email || normalizeEmail(user.email) === normalizeEmail(stated.email))
  );
}

/** Returns whether a user's address is verified, as far as the stored user and the identity show. */
export function isEmailVerified(
  user: User | AdapterUser,
  identity: CompleteIdentity,
): boolean | undefined {
  return isAttested(user, identity) || findAddressRow(user).emailVerified;
}

/** Returns the provider's statement about an identity's address, as adapters with `createUserWithAccount` store it. */
export function toAddressFacts(
  { createUserWithAccount }: Adapter,
  { user, emailVerified }: CompleteIdentity,
): { user: Pick<AdapterUser, "emailAttested">; account: { verifiedEmail?: string | false } } {
  const { email } = user;
  if (!createUserWithAccount || emailVerified === undefined || !email) {
    return { user: {}, account: {} };
  }
  return {
    user: { emailAttested: emailVerified },
    account: { verifiedEmail: emailVerified && email },
  };
}

/**
 * Returns whether an adapter can revoke everything that an identity adds to a user. Otherwise, someone who signed up
 * with an unverified address could keep access to the user after the owner of the address has proved it.
 */
export function isRevocable(adapter: Adapter, { authenticator }: CompleteIdentity): boolean {
  if (adapter.revokeUserAccess) return true;
  return Boolean(authenticator && adapter.listAuthenticatorsByUserId && adapter.unlinkAccount);
}
