import { timingSafeEqual } from "../crypto/crypto.ts";
import { opensUsers } from "../kernel/opens-users.ts";
import { callAdapter, findUserByAccount } from "../storage/adapter.ts";
import { findUserByEmail } from "../storage/users.ts";
import type { Adapter, AdapterUser } from "../types/adapter.ts";
import type { FlowContext, Kernel } from "../types/kernel.ts";
import type { Account, User } from "../types/models.ts";
import type { LinkRule, LoginOutcome } from "../types/sign-in.ts";
import { type AddressState, findAddressRow, isRevocable } from "./address.ts";
import { type CompleteIdentity, withCanonicalEmail } from "./identity.ts";
import { getUserFingerprint, isSameUser } from "./link-request.ts";
import { type LinkingFacts, NO_USERS } from "./stored-users.ts";

type LinkingOutcome = LoginOutcome | "refuse" | "refuseUnverified";

/** A row of the linking table (SECURITY.md section 2). An absent condition always holds. */
export interface LinkingRow {
  row: string;
  links: LinkRule;
  /** Whether the signed-in user of this browser asked to link the account. */
  intent?: LinkingFacts["intent"];
  /** The owner of the account: none, the user who asked for the link, or another user. */
  account?: "free" | "own" | "taken";
  /** What is known about the address of the stored user who has it; `none` if no user has it. */
  address?: readonly (AddressState | "none")[];
  /** What the provider states about the address. */
  stated?: "verified" | "unverified" | "nothing";
  /** Whether the provider may link by the address alone (`allowDangerousEmailAccountLinking`). */
  flag?: boolean;
  /** Whether the user would keep what this sign-in adds after the owner of the address has proved it. */
  lasting?: boolean;
  outcome: LinkingOutcome;
}

const KNOWN: readonly AddressState[] = ["proved", "attested", "claimed", "unknown"];

/** The linking table: which user an identity signs in as. The first row that fits decides. */
export const LINKING: readonly LinkingRow[] = [
  { row: "C", links: "none", outcome: "none" },
  { row: "M1", links: "email", address: ["proved"], outcome: "signIn" },
  { row: "M1b", links: "email", address: ["attested"], outcome: "confirmEmail" },
  { row: "M2", links: "email", address: ["claimed", "unknown"], outcome: "verifyEmail" },
  { row: "M3", links: "email", address: ["none"], outcome: "createVerified" },
  { row: "O0", links: "account", intent: "broken", outcome: "refuse" },
  { row: "O1", links: "account", intent: "kept", account: "own", outcome: "signIn" },
  { row: "O2", links: "account", intent: "kept", account: "taken", outcome: "refuse" },
  { row: "O3", links: "account", intent: "none", account: "taken", outcome: "signIn" },
  { row: "O4", links: "account", intent: "kept", account: "free", outcome: "link" },
  { row: "O5", links: "account", address: KNOWN, stated: "unverified", outcome: "refuse" },
  {
    row: "O5b",
    links: "account",
    address: ["claimed"],
    stated: "verified",
    outcome: "createWithEmail",
  },
  { row: "O5c", links: "account", address: ["claimed"], stated: "nothing", outcome: "refuse" },
  { row: "O5d", links: "account", address: KNOWN, flag: false, outcome: "refuse" },
  { row: "O6", links: "account", address: KNOWN, flag: true, outcome: "linkByEmail" },
  {
    row: "O7b",
    links: "account",
    address: ["none"],
    stated: "unverified",
    lasting: true,
    outcome: "refuseUnverified",
  },
  { row: "O7", links: "account", address: ["none"], outcome: "create" },
];

/** The facts of a sign-in that select a row of the linking table. */
interface Facts extends Required<Omit<LinkingRow, "row" | "outcome" | "address">> {
  address: AddressState | "none";
}

function fits(row: LinkingRow, is: Facts): boolean {
  return (
    (["links", "intent", "account", "stated", "flag", "lasting"] as const).every(
      (fact) => row[fact] === undefined || row[fact] === is[fact],
    ) &&
    (row.address?.includes(is.address) ?? true)
  );
}

// The outcomes allowed by `expects: "new"`: the account signs in to no existing user except the one who asked for the
// link.
const FOR_NEW: ReadonlySet<LinkingOutcome> = new Set([
  "link",
  "create",
  "createWithEmail",
  "refuseUnverified",
]);

function isExpected({ outcome }: LinkingRow, expects: CompleteIdentity["expects"]): boolean {
  if (expects === "known") return outcome === "signIn";
  return expects === undefined || FOR_NEW.has(outcome);
}

/** Looks up the stored users that an identity may belong to. */
export async function lookUpUsers(
  ctx: FlowContext,
  identity: CompleteIdentity,
): Promise<LinkingFacts> {
  const { links } = identity;
  const { strategy } = ctx.kernel;
  const adapter = ctx.kernel.adapter as Adapter;
  const facts: LinkingFacts = { ...NO_USERS };
  if (links === "none") {
    if (!strategy.needsStoredUser) return facts;
    facts.userByAccount = await findUserOfAccount(adapter, identity.account);
    const { email } = withCanonicalEmail(identity.user);
    if (facts.userByAccount || identity.emailVerified !== true || !email) return facts;
    // Finds the user of an address that the application verified, if that user's address is verified too.
    const known = await findUserByEmail(adapter, email);
    if (known && findAddressRow(known).emailVerified) facts.userByEmail = known;
    return facts;
  }
  const { provider, providerAccountId } = identity.account;
  const key = { provider, providerAccountId };
  if (links === "account") {
    facts.userByAccount = await findUserByAccount(adapter, key);
    if (identity.linkTo !== undefined) {
      const current = await strategy.current(ctx);
      const isKept =
        current !== null && timingSafeEqual(await getUserFingerprint(current), identity.linkTo);
      facts.intent = isKept ? "kept" : "broken";
      facts.current = isKept ? current : null;
    }
  }
  const { email } = identity.user;
  const needsEmail = !facts.userByAccount && facts.intent === "none" && email;
  if (needsEmail) facts.userByEmail = await findUserByEmail(adapter, email);
  // The user may have been created with this account between the two look-ups, by the same user in another tab.
  if (links === "account" && facts.userByEmail) {
    facts.userByAccount = await findUserByAccount(adapter, key);
  }
  return facts;
}

/** Returns whether a user would keep what a sign-in adds after the owner of the address has proved it. */
export function isLasting(kernel: Kernel, identity: CompleteIdentity): boolean {
  const { adapter } = kernel;
  return adapter !== undefined && !isRevocable(adapter, identity) && opensUsers(kernel);
}

/**
 * Returns the row that decides; `undefined`, which refuses, if `expects` of the identity excludes the row's outcome.
 */
export function findRow(
  ctx: FlowContext,
  identity: CompleteIdentity,
  facts: LinkingFacts,
): LinkingRow | undefined {
  const { intent, current, userByAccount, userByEmail } = facts;
  const { kernel, provider } = ctx;
  const { emailVerified, links, user } = identity;
  const is: Facts = {
    links,
    intent,
    account: !userByAccount ? "free" : isSameUser(userByAccount, current) ? "own" : "taken",
    address: userByEmail ? findAddressRow(userByEmail).state : "none",
    stated: emailVerified === undefined ? "nothing" : emailVerified ? "verified" : "unverified",
    flag: provider.allowDangerousEmailAccountLinking === true,
    lasting: Boolean(user.email && isLasting(kernel, identity)),
  };
  const row = LINKING.find((one) => fits(one, is));
  return row && isExpected(row, identity.expects) ? row : undefined;
}

/**
 * Returns the stored user who would be signed in, `null` if a user would be created or the sign-in refused, and
 * `undefined` if users are not looked up.
 */
export function findStoredUser(
  ctx: FlowContext,
  identity: CompleteIdentity,
  facts: LinkingFacts,
): User | AdapterUser | null | undefined {
  if (identity.links === "none" && !ctx.kernel.strategy.needsStoredUser) return undefined;
  switch (findRow(ctx, identity, facts)?.outcome) {
    case "none":
    case "signIn":
      return facts.userByAccount ?? facts.userByEmail;
    case "link":
      return facts.current;
    case "linkByEmail":
    case "confirmEmail":
    case "verifyEmail":
      return facts.userByEmail;
    default:
      return null;
  }
}

/** Returns the stored user of an identity that is not looked up: the owner of the account, or the user with its id. */
export async function findUserOfAccount(
  adapter: Adapter,
  { provider, providerAccountId }: Pick<Account, "provider" | "providerAccountId">,
): Promise<AdapterUser | null> {
  return (
    (await findUserByAccount(adapter, { provider, providerAccountId })) ??
    (await callAdapter(adapter, "getUser", providerAccountId)) ??
    null
  );
}
