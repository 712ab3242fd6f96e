import { InvalidIdentity } from "../errors/errors.ts";
import type { FlowContext } from "../types/kernel.ts";
import type { Account } from "../types/models.ts";
import type { Identity } from "../types/sign-in.ts";

/** An identity whose account has the provider and type of the request. */
export interface CompleteIdentity extends Identity {
  account: Account;
}

const MAX_ACCOUNT_ID_LENGTH = 2048;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isAccountId(id: unknown): boolean {
  return typeof id === "string" && id.trim() !== "" && id.length <= MAX_ACCOUNT_ID_LENGTH;
}

/**
 * Checks what a flow returned and completes its account. An empty account id would be the same for all users
 * of the provider, and the provider of another one would take over its accounts.
 * @throws InvalidIdentity when the user or the account id is missing.
 */
export function completeIdentity({ provider }: FlowContext, answer: unknown): CompleteIdentity {
  const { id, type } = provider;
  const refuse = (what: string) =>
    new InvalidIdentity(`The flow "${type}" (provider "${id}") returned ${what}.`);

  if (!isObject(answer)) throw refuse("neither a Response nor an identity: `{ user, account }`");
  const { user, account } = answer as Partial<Identity>;
  if (!isObject(user)) throw refuse("no `user`: an object with what is known of the user");
  if (!isObject(account)) throw refuse("no `account`: `{ providerAccountId }`");
  if (!isAccountId(account.providerAccountId)) {
    throw refuse(
      "no `account.providerAccountId`: non-empty text, at most " +
        `${MAX_ACCOUNT_ID_LENGTH} characters, unique to the user`,
    );
  }
  return { ...(answer as unknown as Identity), account: { ...account, provider: id, type } };
}
