import { InvalidIdentity } from "../errors/errors.ts";
import { normalizeStatedEmail } from "../platform/email-address.ts";
import { imageUrl } from "../platform/image-url.ts";
import { isObject } from "../platform/is-object.ts";
import { toStorable } from "../platform/storable.ts";
import type { FlowContext } from "../types/kernel.ts";
import type { Account, User } from "../types/models.ts";
import type { Identity } from "../types/sign-in.ts";

/** An identity whose account has the provider and type of the request. */
export interface CompleteIdentity extends Identity {
  account: Account;
}

const MAX_ACCOUNT_ID_LENGTH = 2048;

function isAccountId(id: unknown): boolean {
  return typeof id === "string" && id.trim() !== "" && id.length <= MAX_ACCOUNT_ID_LENGTH;
}

/**
 * Returns a user whose address, which an identity provider or the application states, is in canonical form; what is
 * no address, or only resembles one, becomes `null`.
 */
export function withCanonicalEmail<U extends User>(user: U): U {
  const { email } = user;
  if (email === undefined || email === null) return user;
  return { ...user, email: normalizeStatedEmail(email) };
}

// Kept as they are: with a part of it removed, a key could be another user's.
const KEYS: readonly string[] = ["id", "email"];

const toText = (name: string, value: unknown): unknown =>
  typeof value === "string" && !KEYS.includes(name) ? toStorable(value) : value;

// What a profile states ends in pages, databases and tokens, which expect text, and an image in an attribute; users of the
// application's own code may have relative URLs.
function withSafeTexts(identity: CompleteIdentity): CompleteIdentity {
  if (!identity.profile) return identity;
  const { name, image } = identity.user;
  const isSet = (value: unknown) => value !== undefined && value !== null;
  const storable = Object.entries(identity.user).map(([key, value]) => [key, toText(key, value)]);
  const texts: Partial<User> = {
    ...(isSet(name) && typeof name !== "string" && { name: null }),
    ...(isSet(image) && { image: imageUrl(image) ?? null }),
  };
  return { ...identity, user: { ...Object.fromEntries(storable), ...texts } as User };
}

// A `profile` mapping may pass on all claims: who has verified an address is a fact of the kernel (SECURITY.md R5).
function withoutFacts<U extends User>(user: U): U {
  if (!("emailAttested" in user)) return user;
  const { emailAttested: _, ...rest } = user as U & { emailAttested: unknown };
  return rest as unknown as U;
}

/**
 * Checks what a flow returned and completes its account; the address of a user who is matched by account is
 * brought into canonical form. An empty account id would be the same for all users
 * of the provider, and the provider of another one would take over its accounts.
 * @throws InvalidIdentity when the user or the account id is missing.
 */
export function completeIdentity(
  { provider, kernel }: FlowContext,
  returned: unknown,
): CompleteIdentity {
  const { id, type } = provider;
  const refuse = (what: string) =>
    new InvalidIdentity(`The flow "${type}" (provider "${id}") returned ${what}.`);

  if (!isObject(returned)) throw refuse("neither a Response nor an identity: `{ user, account }`");
  const { user, account } = returned as Partial<Identity>;
  if (!isObject(user)) throw refuse("no `user`: an object with what is known of the user");
  if (!isObject(account)) throw refuse("no `account`: `{ providerAccountId }`");
  if (!isAccountId(account.providerAccountId)) {
    throw refuse(
      "no `account.providerAccountId`: non-empty text, at most " +
        `${MAX_ACCOUNT_ID_LENGTH} characters, unique to the user`,
    );
  }
  const identity = withSafeTexts({
    ...(returned as unknown as Identity),
    account: { ...account, provider: id, type },
  });
  // For `email` the address is the key that the flow has chosen, and for `none` the user is the application's own.
  const { links = "account" } = kernel.flow(type);
  if (links !== "account") return identity;
  return { ...identity, user: withCanonicalEmail(withoutFacts(identity.user)) };
}
