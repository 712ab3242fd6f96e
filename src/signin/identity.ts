import { InvalidIdentity } from "../errors/errors.ts";
import { normalizeStatedEmail } from "../platform/email-address.ts";
import { imageUrl } from "../platform/image-url.ts";
import { isObject } from "../platform/is-object.ts";
import { toStorable } from "../platform/storable.ts";
import type { FlowContext } from "../types/kernel.ts";
import type { Account, User } from "../types/models.ts";
import type { Identity, LinkRule } from "../types/sign-in.ts";

/** An identity whose account has the provider and type of the request, with the rule by which its flow finds users. */
export interface CompleteIdentity extends Identity {
  account: Account;
  links: LinkRule;
}

const MAX_ACCOUNT_ID_LENGTH = 2048;

function isAccountId(id: unknown): boolean {
  return typeof id === "string" && id.trim() !== "" && id.length <= MAX_ACCOUNT_ID_LENGTH;
}

/**
 * Returns a user with the address in canonical form, as an identity provider or the application states it. A value that
 * is not an address, or only resembles one, becomes `null`.
 */
export function withCanonicalEmail<U extends User>(user: U): U {
  const { email } = user;
  if (email === undefined || email === null) return user;
  return { ...user, email: normalizeStatedEmail(email) };
}

// These values stay unchanged: a key with a part removed could be another user's.
const KEYS: readonly string[] = ["id", "email"];

const toText = (name: string, value: unknown): unknown =>
  typeof value === "string" && !KEYS.includes(name) ? toStorable(value) : value;

// Values of a profile end up in pages, databases and tokens, which expect text. The image ends up in an attribute.
// Users that the application's own code returns may have relative URLs.
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

// A `profile` mapping may pass on all claims, but who verified an address is the kernel's decision (SECURITY.md R5).
function withoutFacts<U extends User>(user: U): U {
  if (!("emailAttested" in user)) return user;
  const { emailAttested: _, ...rest } = user as U & { emailAttested: unknown };
  return rest as unknown as U;
}

/**
 * Checks what a flow returned and completes its account. The address of a user who is matched by account is brought
 * into canonical form. An empty account id would be the same for all users of the provider, and a `provider` set by the
 * flow could take over another provider's accounts.
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
  if (!isObject(user)) throw refuse("no `user`: an object with what is known about the user");
  if (!isObject(account)) throw refuse("no `account`: `{ providerAccountId }`");
  if (!isAccountId(account.providerAccountId)) {
    throw refuse(
      "no `account.providerAccountId`: non-empty text, at most " +
        `${MAX_ACCOUNT_ID_LENGTH} characters, unique to the user`,
    );
  }
  const { links = "account" } = kernel.flow(type);
  const identity = withSafeTexts({
    ...(returned as unknown as Identity),
    account: { ...account, provider: id, type },
    links,
  });
  // For `email`, the flow has chosen the address as the key; for `none`, the user is the application's own.
  if (links !== "account") return identity;
  return { ...identity, user: withCanonicalEmail(withoutFacts(identity.user)) };
}
