import { callAdapter } from "./adapter.ts";
import { randomUUID } from "./crypto.ts";
import { OAuthAccountNotLinked } from "./errors.ts";
import type { Adapter, AdapterUser } from "./types/adapter.ts";
import type { FlowContext, Identity, LinkRule, Login } from "./types/kernel.ts";
import type { User } from "./types/models.ts";

/** What is known of an identity before anything is decided. */
export interface Facts {
  /** Who is signed in in this browser, and was when this began. */
  current: User | null;
  /** The stored user who owns the account. */
  owner: AdapterUser | null;
  /** The stored user of the address. */
  namesake: AdapterUser | null;
}

type Outcome = "pass" | "enter" | "refuse" | "link" | "adopt" | "create" | "prove" | "createProved";

interface Row {
  row: string;
  links: LinkRule;
  /** Is somebody signed in who began this, and so means to add an account (SECURITY.md R13)? */
  signedIn?: boolean;
  /** Whose is the account: nobody's, the signed-in user's, or somebody else's? */
  account?: "free" | "own" | "taken";
  /** Has a stored user this address? */
  known?: boolean;
  /** May the address alone link: allowed by the provider's flag, and proved on both sides (R5)? */
  vouched?: boolean;
  outcome: Outcome;
}

/** Who a stored account or address makes of somebody; the first row that fits decides. */
export const LINKING: readonly Row[] = [
  { row: "C", links: "none", outcome: "pass" },
  { row: "M1", links: "email", known: true, outcome: "prove" },
  { row: "M3", links: "email", known: false, outcome: "createProved" },
  { row: "O1", links: "account", signedIn: true, account: "own", outcome: "enter" },
  { row: "O2", links: "account", signedIn: true, account: "taken", outcome: "refuse" },
  { row: "O3", links: "account", signedIn: false, account: "taken", outcome: "enter" },
  { row: "O4", links: "account", signedIn: true, account: "free", outcome: "link" },
  { row: "O5", links: "account", account: "free", known: true, vouched: false, outcome: "refuse" },
  { row: "O6", links: "account", account: "free", known: true, vouched: true, outcome: "adopt" },
  { row: "O7", links: "account", account: "free", known: false, outcome: "create" },
];

function fits(row: Row, is: Omit<Row, "row" | "outcome">): boolean {
  return (["links", "signedIn", "account", "known", "vouched"] as const).every(
    (fact) => row[fact] === undefined || row[fact] === is[fact],
  );
}

/** Asks the adapter who an identity could be. Without an adapter nobody is known. */
export async function lookUp(
  ctx: FlowContext,
  identity: Identity,
  links: LinkRule,
): Promise<Facts> {
  const { adapter, strategy } = ctx.kernel;
  if (!adapter || links === "none") return { current: null, owner: null, namesake: null };
  const { provider, providerAccountId } = identity.account;
  const owner =
    links === "account"
      ? await callAdapter(adapter, "getUserByAccount", { provider, providerAccountId })
      : null;
  const isIntended = links === "account" && identity.startedBy !== undefined;
  const present = isIntended ? await strategy.current(ctx) : null;
  // A session planted since is not whose sign-in this is.
  const current = present && String(present.id) === identity.startedBy ? present : null;
  const { email } = identity.user;
  const asked = !owner && !current && email;
  const namesake = asked ? await callAdapter(adapter, "getUserByEmail", email) : null;
  // Some adapters say `undefined` for nobody.
  return { current, owner: owner ?? null, namesake: namesake ?? null };
}

async function link(
  ctx: FlowContext,
  adapter: Adapter,
  user: AdapterUser | User,
  identity: Identity,
): Promise<void> {
  const { provider, providerAccountId, type } = identity.account;
  const account = { ...identity.storedTokens, provider, providerAccountId, type };
  await callAdapter(adapter, "linkAccount", { ...account, userId: String(user.id) });
  await ctx.kernel.emit("linkAccount", { user, account, profile: identity.user });
}

async function create(
  ctx: FlowContext,
  adapter: Adapter,
  identity: Identity,
  emailVerified: Date | null,
): Promise<AdapterUser> {
  const user = { ...identity.user, id: randomUUID(), emailVerified } as AdapterUser;
  const created = await callAdapter(adapter, "createUser", user);
  await ctx.kernel.emit("createUser", { user: created });
  return created;
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
  const { user, account, profile } = identity;
  const login = (who: User | AdapterUser, isNewUser?: boolean): Login => ({
    user: who,
    account,
    ...(profile && { profile }),
    ...(isNewUser !== undefined && { isNewUser }),
  });
  if (!adapter) return login(user);

  const { current, owner, namesake } = facts;
  const row = LINKING.find((candidate) =>
    fits(candidate, {
      links,
      signedIn: current !== null,
      account: !owner
        ? "free"
        : current && String(owner.id) === String(current.id)
          ? "own"
          : "taken",
      known: namesake !== null,
      vouched: Boolean(
        ctx.provider.allowDangerousEmailAccountLinking &&
        identity.emailVerified === true &&
        namesake?.emailVerified,
      ),
    }),
  );

  switch (row?.outcome) {
    case "pass":
      return login(user);
    case "enter":
      return login(owner as AdapterUser, false);
    case "link":
      await link(ctx, adapter, current as User, identity);
      return login(current as User, false);
    case "adopt":
      await link(ctx, adapter, namesake as AdapterUser, identity);
      return login(namesake as AdapterUser, false);
    case "create": {
      const proof = identity.emailVerified === true ? new Date() : null;
      const created = await create(ctx, adapter, identity, proof);
      await link(ctx, adapter, created, identity);
      return login(created, true);
    }
    case "prove": {
      const known = namesake as AdapterUser;
      if (known.emailVerified) return login(known, false);
      const proof = { id: known.id, emailVerified: new Date() };
      const proved = await callAdapter(adapter, "updateUser", proof);
      await ctx.kernel.emit("updateUser", { user: proved });
      return login(proved, false);
    }
    case "createProved":
      return login(await create(ctx, adapter, identity, new Date()), true);
    default:
      throw new OAuthAccountNotLinked("The account or its address belongs to another user.", {
        cause: { provider: account.provider, row: row?.row },
      });
  }
}
