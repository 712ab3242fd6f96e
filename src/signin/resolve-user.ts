import { randomUUID } from "../crypto/crypto.ts";
import {
  AdapterError,
  AuthError,
  EmailNotVerified,
  OAuthAccountNotLinked,
  SessionRequired,
} from "../errors/errors.ts";
import { hasEmailSignIn } from "../kernel/opens-users.ts";
import { callAdapter, findUserByAccount } from "../storage/adapter.ts";
import { findUserByEmail } from "../storage/users.ts";
import type { Adapter, AdapterUser } from "../types/adapter.ts";
import type { AuthContext, FlowContext } from "../types/kernel.ts";
import type { Account, User } from "../types/models.ts";
import type { Login, LoginOutcome } from "../types/sign-in.ts";
import { findAddressRow } from "./address.ts";
import {
  toStoredAccount,
  linkAccount,
  unlinkAccount,
  createUserWithAccount,
} from "./create-user.ts";
import { type CompleteIdentity, withCanonicalEmail } from "./identity.ts";
import { isSameUser, readLinkRequest } from "./link-request.ts";
import {
  findRow,
  findStoredUser,
  findUserOfAccount,
  isLasting,
  type LinkingRow,
  lookUpUsers,
} from "./linking.ts";
import { readVerification } from "./listener-verification.ts";
import { type Resolved, toLogin } from "./login.ts";
import { isOwner } from "./owner.ts";
import type { LinkingFacts, StoredUsers } from "./stored-users.ts";
import { checkTokenOwner, getTokenOwner } from "./token-owner.ts";

function refusal(account: Account, row?: string): OAuthAccountNotLinked {
  return new OAuthAccountNotLinked("The account or its address belongs to another user.", {
    cause: { provider: account.provider, row },
  });
}

function unverified({ provider }: FlowContext): EmailNotVerified {
  return new EmailNotVerified(
    `"${provider.id}" reports the address as unverified, and the adapter could not remove the account ` +
      "from the user once the owner of the address has verified it. Use an adapter with `revokeUserAccess`.",
    { cause: { provider: provider.id } },
  );
}

async function link(
  ctx: AuthContext,
  adapter: Adapter,
  user: AdapterUser | User,
  identity: CompleteIdentity,
): Promise<void> {
  await linkAccount(ctx.kernel, adapter, String(user.id), identity);
  const account = toStoredAccount(identity);
  await ctx.kernel.emit("linkAccount", { user, account, profile: identity.user }, ctx);
}

async function create(ctx: AuthContext, adapter: Adapter, identity: CompleteIdentity) {
  const id = identity.newUserId ?? randomUUID();
  const user = { ...identity.user, id, emailVerified: null } as AdapterUser;
  const account = toStoredAccount(identity);
  const created = await createUserWithAccount(ctx.kernel, adapter, user, identity);
  await ctx.kernel.emit("createUser", { user: created }, ctx);
  await ctx.kernel.emit("linkAccount", { user: created, account, profile: identity.user }, ctx);
  return readVerification(ctx, adapter, created, identity);
}

// Returns whether a first verification of the user's address (`verifyEmail`) may be removing the user's accounts
// concurrently.
function canBeReset({ kernel }: AuthContext, user: User | AdapterUser): boolean {
  if (!kernel.adapter?.revokeUserAccess || findAddressRow(user).state === "proved") return false;
  return hasEmailSignIn(kernel);
}

// Removes the accounts of passkeys, the only ones that an adapter of Auth.js can list: a passkey without its account
// signs no one in.
async function unlinkPasskeys({ kernel }: AuthContext, adapter: Adapter, userId: string) {
  if (!adapter.listAuthenticatorsByUserId || !adapter.unlinkAccount) return;
  const providers = [...kernel.providers.values()].filter(
    ({ type }) => kernel.flow(type).credential === "authenticator",
  );
  if (!providers.length) return;
  const passkeys = await callAdapter(adapter, "listAuthenticatorsByUserId", userId);
  for (const { id: provider } of providers) {
    for (const { providerAccountId } of passkeys) {
      const key = { provider, providerAccountId };
      const owner = await findUserByAccount(adapter, key);
      if (String(owner?.id) === userId) await callAdapter(adapter, "unlinkAccount", key);
    }
  }
}

// Takes the address from a user who only claimed it, for the new user who proved it. The old user keeps everything
// else, and none of it passes to the new user.
async function releaseEmail(ctx: AuthContext, adapter: Adapter, { id }: AdapterUser) {
  const release = { id, email: null } as unknown as AdapterUser;
  const user = await callAdapter(adapter, "updateUser", release);
  await ctx.kernel.emit("updateUser", { user }, ctx);
}

// Stores the first verification of an address. An attacker who registered it before keeps no access (SECURITY.md R5).
async function verifyEmail(ctx: AuthContext, adapter: Adapter, { id }: AdapterUser) {
  const verification = { emailVerified: new Date() };
  if (adapter.revokeUserAccess) {
    return callAdapter(adapter, "revokeUserAccess", id, verification);
  }
  await unlinkPasskeys(ctx, adapter, String(id));
  const user = await callAdapter(adapter, "updateUser", { id, ...verification });
  ctx.log.warn(
    "adapter-cannot-reset",
    "An address was verified for the first time. The adapter has no `revokeUserAccess`, so accounts that were " +
      "linked to the user earlier were not removed. Use an adapter that has it and `createUserWithAccount`.",
  );
  return user;
}

// Returns a user as stored after a change. Adapters may return only the changed fields, with null for the rest
// (TypeORM) or without them, or nothing.
async function readChanged(
  adapter: Adapter,
  changed: Partial<AdapterUser> | null | undefined,
  known: AdapterUser,
): Promise<AdapterUser | null> {
  if (changed?.email === known.email) return changed as AdapterUser;
  if (!adapter.getUser) return { ...known, ...changed };
  return callAdapter(adapter, "getUser", String(known.id));
}

// Returns whether the failed call is one that follows the creation of a user.
function isAfterUser(error: unknown): boolean {
  const method = error instanceof AdapterError && error.cause?.method;
  return method === "linkAccount" || method === "createAuthenticator";
}

/** A user, whether the user was created in this sign-in, and the outcome if it differs from the row's. */
type Decided = readonly [...Resolved, outcome?: LoginOutcome | undefined];

// Fields from `authorize` that never count as lost. Others do, unless the stored user has a column of that name.
const STORED_FIELDS: readonly string[] = ["id", "name", "email", "image", "emailVerified"];

// As with `jwt`, the callback may expect the user that `authorize` returned, for example with a role, which would be
// missing silently.
function warnOfFields({ kernel, provider }: FlowContext, given: User, stored: User): void {
  const { config, logger } = kernel;
  const isConcerned = config.session.strategy === "hybrid" && config.callbacks.jwt;
  if (config.production || !isConcerned || provider.type !== "credentials") return;
  const lost = Object.entries(given).flatMap(([name, value]) =>
    value === undefined || STORED_FIELDS.includes(name) || name in stored ? [] : [name],
  );
  const warned = kernel.remember("signin/fields that are not stored", () => new Set<string>());
  if (!lost.length || warned.has(provider.id)) return;
  warned.add(provider.id);
  const list = lost.map((name) => `\`${name}\``).join(", ");
  logger.warn(
    "authorize-fields",
    `\`authorize\` of the provider "${provider.id}" returned ${list}, but the strategy "hybrid" stores only id, name, email and image: the ` +
      "`jwt` callback gets the stored user. Look up other fields in the callback, and return only those four.",
  );
}

// Resolves the user of an identity that is not looked up (credentials). If sessions refer to stored users, it is the
// owner of the account or the user with the id that `authorize` returned. Otherwise, a user is created for this
// account. A stored user with the same address is accepted only if both addresses are verified: by the application, and
// in the stored user (SECURITY.md R5, R14).
async function resolveUnlinkedUser(
  ctx: FlowContext,
  adapter: Adapter,
  { account, links, user, emailVerified }: CompleteIdentity,
  { userByAccount, userByEmail }: LinkingFacts,
): Promise<Decided> {
  if (userByAccount) return [userByAccount, false, "signIn"];
  if (!ctx.kernel.strategy.needsStoredUser) return [user];
  // Other fields that `authorize` returned are not stored.
  const { name, image, email } = withCanonicalEmail(user);
  try {
    const stated = { account, user: { name, email, image } as User, emailVerified, links };
    if (userByEmail) {
      await link(ctx, adapter, userByEmail, stated);
      return [userByEmail, false, "signIn"];
    }
    if (email && (await findUserByEmail(adapter, email))) {
      throw new OAuthAccountNotLinked(
        "A stored user has the address that `authorize` returned, but nothing proves that this user is signing in. Return " +
          "the stored user's `id`, or set `emailVerified` of the provider if the application has verified the address.",
        { cause: { provider: account.provider } },
      );
    }
    // Refused as for OAuth (row O7b): the account would remain after the owner has proved the address.
    if (email && emailVerified === false && isLasting(ctx.kernel, stated)) throw unverified(ctx);
    return [await create(ctx, adapter, stated), true, "create"];
  } catch (error) {
    const other = error instanceof AuthError ? await findUserOfAccount(adapter, account) : null;
    if (other) return [other, false, "signIn"];
    throw error;
  }
}

async function applyOutcome(
  ctx: FlowContext,
  adapter: Adapter,
  identity: CompleteIdentity,
  facts: LinkingFacts,
  row: LinkingRow | undefined,
): Promise<Decided> {
  const { current, userByEmail } = facts;
  const known = userByEmail as AdapterUser;
  switch (row?.outcome) {
    case "none": {
      const decided = await resolveUnlinkedUser(ctx, adapter, identity, facts);
      warnOfFields(ctx, identity.user, decided[0]);
      return decided;
    }
    case "signIn": {
      const owner = facts.userByAccount ?? known;
      const account = { ...toStoredAccount(identity), userId: String(owner.id) };
      if (facts.userByAccount && identity.storedTokens && adapter.updateAccount) {
        await callAdapter(adapter, "updateAccount", account);
      }
      return [owner, false];
    }
    case "link": {
      const user = current as User;
      await link(ctx, adapter, user, identity);
      if (!canBeReset(ctx, user) || isSameUser(user, await ctx.kernel.strategy.current(ctx))) {
        return [await readVerification(ctx, adapter, user, identity), false];
      }
      await unlinkAccount(ctx.kernel, adapter, String(user.id), identity);
      throw refusal(identity.account, row.row);
    }
    case "linkByEmail":
      await link(ctx, adapter, known, identity);
      return [await readVerification(ctx, adapter, known, identity), false];
    case "create":
      return [await create(ctx, adapter, identity), true];
    case "createWithEmail":
      await releaseEmail(ctx, adapter, known);
      return [await create(ctx, adapter, identity), true];
    case "confirmEmail":
    case "verifyEmail": {
      const { id, email } = known;
      // If a provider attested the address from the start, nothing of this user can belong to another person.
      const changed =
        row.outcome === "verifyEmail"
          ? await verifyEmail(ctx, adapter, known)
          : await callAdapter(adapter, "updateUser", { id, emailVerified: new Date() });
      const user = await readChanged(adapter, changed, known);
      // The user may have changed the address since the look-up, and the new address was not proved.
      if (user?.email !== email) {
        await callAdapter(adapter, "updateUser", { id, emailVerified: null });
        throw refusal(identity.account, row.row);
      }
      await ctx.kernel.emit("updateUser", { user }, ctx);
      return [user, false];
    }
    case "createVerified": {
      const id = randomUUID();
      const user = { ...identity.user, id, emailVerified: new Date() } as AdapterUser;
      const created = await callAdapter(adapter, "createUser", user);
      await ctx.kernel.emit("createUser", { user: created }, ctx);
      return [created, true];
    }
    case "refuseUnverified":
      throw unverified(ctx);
    default:
      if (facts.intent === "broken") {
        throw new SessionRequired("The user who asked to link the account is no longer signed in.");
      }
      throw refusal(identity.account, row?.row);
  }
}

// Returns whether the application's `signIn` callback may have stored the user or the account since the look-up.
// Auth.js looks users up after that callback.
function mayBeStored(
  { kernel }: AuthContext,
  { links }: CompleteIdentity,
  facts: LinkingFacts,
): boolean {
  const { intent, userByAccount, userByEmail } = facts;
  if (!kernel.config.callbacks.signIn || intent !== "none") return false;
  return !(links === "email" ? userByEmail : userByAccount);
}

/**
 * Resolves the user of an identity that the `signIn` hook allowed: found, linked or created by the linking table.
 * @throws OAuthAccountNotLinked when the account or the address belongs to another user; EmailNotVerified when the
 * address of a new user is not verified and the adapter could not undo that; SessionRequired when the user who asked
 * for a link is no longer signed in.
 */
async function resolveUser(
  ctx: FlowContext,
  identity: CompleteIdentity,
  before: LinkingFacts,
): Promise<Login> {
  const adapter = ctx.kernel.adapter as Adapter;
  const facts = mayBeStored(ctx, identity, before) ? await lookUpUsers(ctx, identity) : before;
  const decide = async (known: LinkingFacts, row: LinkingRow | undefined): Promise<Login> => {
    const [user, isNewUser, outcome] = await applyOutcome(ctx, adapter, identity, known, row);
    const decided = outcome ?? ((row?.outcome ?? "none") as LoginOutcome);
    return toLogin(identity, [user, isNewUser], decided);
  };

  const row = findRow(ctx, identity, facts);
  ctx.debug?.("the linking table decides", {
    row: row?.row ?? "none fits what the flow expects",
    outcome: row?.outcome ?? "refuse",
  });
  try {
    return await decide(facts, row);
  } catch (error) {
    if (!row?.outcome.startsWith("create")) throw error;
    // Another request of the same user may have created the user concurrently, so look up again.
    const later = await lookUpUsers(ctx, identity).catch(() => facts);
    const next = findRow(ctx, identity, later);
    // A user who was stored without the account, and could not be removed again, is not a conflicting user.
    const isOwnUser = isAfterUser(error) && (!next || next.outcome === "refuse");
    if (next === row || isOwnUser) throw error;
    ctx.debug?.("another request was first: looked up again", {
      row: next?.row,
      outcome: next?.outcome ?? "refuse",
    });
    return decide(later, next);
  }
}

/**
 * Checks again, after the session was created, that the account still belongs to the user. The user may have removed
 * the account since the look-up, or the owner of an unverified address may have verified it (SECURITY.md R5). No
 * browser has the new session yet: after a refusal or a failure it is never set, and the browser keeps its old session.
 * @throws OAuthAccountNotLinked when the account no longer belongs to the user.
 */
async function confirm(ctx: AuthContext, login: Login): Promise<void> {
  const { adapter, providers } = ctx.kernel;
  // With the outcome `none`, the user is not stored.
  if (!adapter || login.outcome === "none") return;
  // The user may have removed an account that existed before this sign-in.
  const canBeRemoved = login.outcome === "signIn" && adapter.unlinkAccount !== undefined;
  if (!canBeRemoved && !canBeReset(ctx, login.user)) return;
  const { provider, type } = login.account;
  const { links } = ctx.kernel.flow(providers.get(provider)?.type ?? type);
  if (!(await isOwner(adapter, login, links))) throw refusal(login.account);
}

/** The functions that sign stored users in. */
export const STORED_USERS: StoredUsers = {
  lookUp: lookUpUsers,
  find: findStoredUser,
  resolve: resolveUser,
  confirm,
  getLinkFingerprint: readLinkRequest,
  checkOwner: checkTokenOwner,
  getOwner: getTokenOwner,
};
