import { findUserByAccount } from "../storage/adapter.ts";
import type { Adapter } from "../types/adapter.ts";
import type { LinkRule, Login } from "../types/sign-in.ts";
import { isSameUser } from "./link-request.ts";

/**
 * Returns whether the account of a login still belongs to its stored user. The owner of an unverified address may have
 * proved it since, which removes earlier accounts (SECURITY.md R5). For sign-ins by e-mail, the address is the account.
 */
export async function isOwner(
  adapter: Adapter,
  { user, account: { provider, providerAccountId } }: Login,
  links: LinkRule = "account",
): Promise<boolean> {
  if (links === "email") return true;
  const owner = await findUserByAccount(adapter, { provider, providerAccountId });
  // For credentials, the account id may be the id of the stored user.
  if (owner === null && links === "none") return providerAccountId === String(user.id);
  return isSameUser(owner, user);
}
