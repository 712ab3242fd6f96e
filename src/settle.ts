import { callAdapter } from "./adapter.ts";
import { randomUUID } from "./crypto.ts";
import { accountOf, attach, detach, enroll } from "./enroll.ts";
import { AuthError, OAuthAccountNotLinked } from "./errors.ts";
import { type Facts, isSame, lookUp, type Row, rowOf } from "./link.ts";
import type { Adapter, AdapterUser } from "./types/adapter.ts";
import type { AuthContext, FlowContext, Identity, LinkRule, Login } from "./types/kernel.ts";
import type { Account, User } from "./types/models.ts";

export { lookUp };

function refusal(account: Account, row?: string): OAuthAccountNotLinked {
  return new OAuthAccountNotLinked("The account or its address belongs to another user.", {
    cause: { provider: account.provider, row },
  });
}

async function link(
  { kernel }: AuthContext,
  adapter: Adapter,
  user: AdapterUser | User,
  identity: Identity,
): Promise<void> {
  await attach(kernel, adapter, String(user.id), identity);
  await kernel.emit("linkAccount", { user, account: accountOf(identity), profile: identity.user });
}

async function create(ctx: AuthContext, adapter: Adapter, identity: Identity) {
  const id = identity.newUserId ?? randomUUID();
  const user = { ...identity.user, id, emailVerified: null } as AdapterUser;
  const account = accountOf(identity);
  const created = await enroll(ctx.kernel, adapter, user, identity);
  await ctx.kernel.emit("createUser", { user: created });
  await ctx.kernel.emit("linkAccount", { user: created, account, profile: identity.user });
  return created;
}

// Whether somebody may at this moment be taking the person's accounts away (`prove`).
function canBeReset({ kernel }: AuthContext, user: User | AdapterUser): boolean {
  if (!kernel.adapter?.resetUser || (user as AdapterUser).emailVerified) return false;
  return [...kernel.providers.values()].some(({ type }) => kernel.flow(type).links === "email");
}

// The first proof of an address. Whoever registered it without one keeps nothing (SECURITY.md R5).
async function prove(ctx: AuthContext, adapter: Adapter, { id }: AdapterUser) {
  const proof = { emailVerified: new Date() };
  let proved: AdapterUser;
  if (adapter.resetUser) proved = await callAdapter(adapter, "resetUser", id, proof);
  else {
    proved = await callAdapter(adapter, "updateUser", { id, ...proof });
    ctx.kernel.logger.warn(
      "adapter-cannot-reset",
      "An address was proved for the first time. The adapter has no `resetUser`: accounts that were " +
        "linked to its user before could not be taken away.",
    );
  }
  await ctx.kernel.emit("updateUser", { user: proved });
  return proved;
}

async function act(
  ctx: FlowContext,
  adapter: Adapter,
  identity: Identity,
  facts: Facts,
  row: Row | undefined,
): Promise<[user: User | AdapterUser, isNewUser?: boolean]> {
  const { current, namesake } = facts;
  const known = namesake as AdapterUser;
  switch (row?.outcome) {
    case "pass":
      return [identity.user];
    case "enter": {
      const owner = facts.owner ?? known;
      const account = { ...accountOf(identity), userId: String(owner.id) };
      if (facts.owner && identity.storedTokens && adapter.updateAccount) {
        await callAdapter(adapter, "updateAccount", account);
      }
      return [owner, false];
    }
    case "link": {
      const asker = current as User;
      await link(ctx, adapter, asker, identity);
      if (!canBeReset(ctx, asker) || isSame(asker, await ctx.kernel.strategy.current(ctx))) {
        return [asker, false];
      }
      await detach(ctx.kernel, adapter, String(asker.id), identity);
      throw refusal(identity.account, row.row);
    }
    case "adopt":
      await link(ctx, adapter, known, identity);
      return [known, false];
    case "create":
      return [await create(ctx, adapter, identity), true];
    case "prove":
      return [await prove(ctx, adapter, known), false];
    case "createProved": {
      const id = randomUUID();
      const user = { ...identity.user, id, emailVerified: new Date() } as AdapterUser;
      const created = await callAdapter(adapter, "createUser", user);
      await ctx.kernel.emit("createUser", { user: created });
      return [created, true];
    }
    default:
      throw refusal(identity.account, row?.row);
  }
}

/**
 * Turns an identity that was let in into a login: found, linked or created where there is a store.
 * @throws OAuthAccountNotLinked when the account or the address is somebody else's.
 */
export async function settle(
  ctx: FlowContext,
  identity: Identity,
  links: LinkRule,
  facts: Facts,
): Promise<Login> {
  const { adapter } = ctx.kernel;
  const { account, profile } = identity;
  const login = ([user, isNewUser]: Awaited<ReturnType<typeof act>>): Login => ({
    user,
    account,
    ...(profile && { profile }),
    ...(isNewUser !== undefined && { isNewUser }),
  });
  if (!adapter) return login([identity.user]);

  const row = rowOf(ctx, identity, links, facts);
  try {
    return login(await act(ctx, adapter, identity, facts, row));
  } catch (error) {
    if (!row?.outcome.startsWith("create")) throw error;
    // The same person may have been quicker in another tab: then they are there now.
    const later = await lookUp(ctx, identity, links).catch(() => facts);
    const next = rowOf(ctx, identity, links, later);
    if (next === row) throw error;
    return login(await act(ctx, adapter, identity, later, next));
  }
}

/**
 * Looks once more whether the account is still theirs, now that the session is made: the owner of an
 * unproved address may have arrived between the look-up and now, and taken it away. Nobody has the
 * session yet: who is refused, or cannot be told apart, gets none, and keeps what they had.
 * @throws OAuthAccountNotLinked
 */
export async function confirm(ctx: FlowContext, links: LinkRule, login: Login): Promise<void> {
  const { adapter } = ctx.kernel;
  if (!adapter || links !== "account" || !canBeReset(ctx, login.user)) return;
  const { provider, providerAccountId } = login.account;
  const owner = await callAdapter(adapter, "getUserByAccount", { provider, providerAccountId });
  if (!isSame(owner, login.user)) throw refusal(login.account);
}

/**
 * The stored user whom a stored session can belong to. Where a flow links nobody (credentials), that
 * is the one `authorize` named by id, or who was made for this very account at the first sign-in.
 * Never the one of the same address: nobody has vouched for that (SECURITY.md R5, R14).
 * @throws OAuthAccountNotLinked when the address is another user's.
 */
export async function residentOf(
  ctx: AuthContext,
  { user, account }: Login,
): Promise<User | AdapterUser> {
  const { kernel } = ctx;
  const { adapter } = kernel;
  const type = kernel.providers.get(account.provider)?.type ?? account.type;
  if (!adapter || kernel.flow(type).links !== "none") return user;
  const { provider, providerAccountId } = account;
  const key = { provider, providerAccountId };
  const find = async () =>
    (await callAdapter(adapter, "getUserByAccount", key)) ??
    (await callAdapter(adapter, "getUser", providerAccountId));
  const known = await find();
  if (known) return known;
  // Whatever else `authorize` answered is not ours to keep.
  const { name, image } = user;
  const email = user.email?.toLowerCase();
  try {
    if (email && (await callAdapter(adapter, "getUserByEmail", email))) throw refusal(account);
    return await create(ctx, adapter, { account, user: { name, email, image } as User });
  } catch (error) {
    const other = error instanceof AuthError ? await find() : null;
    if (other) return other;
    throw error;
  }
}
