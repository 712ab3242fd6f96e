import { callAdapter } from "./adapter.ts";
import { equal, sha256Base64url } from "./crypto.ts";
import { OAuthAccountNotLinked } from "./errors.ts";
import type { AdapterUser } from "./types/adapter.ts";
import type { AuthContext, FlowContext, Identity, LinkRule } from "./types/kernel.ts";
import type { Awaitable, User } from "./types/models.ts";

/** What is known of an identity before anything is decided. */
export interface Facts {
  /** Whether the account is to be linked: not asked for, or by who is still there, or who is not. */
  intent: "none" | "kept" | "broken";
  /** Who asked for it, while they are signed in in this browser. */
  current: User | null;
  /** The stored user who owns the account. */
  owner: AdapterUser | null;
  /** The stored user of the address. */
  namesake: AdapterUser | null;
}

type Outcome = "pass" | "enter" | "refuse" | "link" | "adopt" | "create" | "prove" | "createProved";

/** A row of the table. */
export interface Row {
  row: string;
  links: LinkRule;
  /** Did this browser, signed in, ask for the account to be linked? */
  intent?: Facts["intent"];
  /** Whose is the account: nobody's, theirs who asked, or somebody else's? */
  account?: "free" | "own" | "taken";
  /** Has a stored user this address? */
  known?: boolean;
  /** Has that user proved it to us? */
  proved?: boolean;
  /** May the address alone link: allowed by the provider's flag, and vouched for? */
  vouched?: boolean;
  outcome: Outcome;
}

/** Who a stored account or address makes of somebody; the first row that fits decides. */
export const LINKING: readonly Row[] = [
  { row: "C", links: "none", outcome: "pass" },
  { row: "M1", links: "email", known: true, proved: true, outcome: "enter" },
  { row: "M2", links: "email", known: true, proved: false, outcome: "prove" },
  { row: "M3", links: "email", known: false, outcome: "createProved" },
  { row: "O0", links: "account", intent: "broken", outcome: "refuse" },
  { row: "O1", links: "account", intent: "kept", account: "own", outcome: "enter" },
  { row: "O2", links: "account", intent: "kept", account: "taken", outcome: "refuse" },
  { row: "O3", links: "account", intent: "none", account: "taken", outcome: "enter" },
  { row: "O4", links: "account", intent: "kept", account: "free", outcome: "link" },
  { row: "O5", links: "account", known: true, vouched: false, outcome: "refuse" },
  { row: "O5", links: "account", known: true, proved: false, outcome: "refuse" },
  { row: "O6", links: "account", known: true, vouched: true, outcome: "adopt" },
  { row: "O7", links: "account", known: false, outcome: "create" },
];

function fits(row: Row, is: Omit<Row, "row" | "outcome">): boolean {
  return (["links", "intent", "account", "known", "proved", "vouched"] as const).every(
    (fact) => row[fact] === undefined || row[fact] === is[fact],
  );
}

/** Whether two are one person; some adapters answer numbers as ids. */
export const isSame = (one: User | null, other: User | null): boolean =>
  one?.id !== undefined && `${one.id}` === `${other?.id}`;

/** What is sealed into an attempt: not who it is, only enough to see later whether it is still them. */
export const targetOf = (user: User): Awaitable<string> =>
  sha256Base64url(`keyhook link ${user.id}`);

function isExpected({ outcome }: Row, expects: Identity["expects"]): boolean {
  if (expects === "known") return outcome === "enter";
  return expects === undefined || outcome === "link" || outcome === "create";
}

const YES = new Set<unknown>([true, "true", "on", "1"]);

/**
 * What a flow seals into an attempt that was started with the field `link`: whom to link the account
 * to. Only a POST of this very browser can carry the field (it needs the CSRF token), so that nobody
 * is ever linked to an account they were lured into (SECURITY.md R13).
 * @throws OAuthAccountNotLinked when nobody is signed in.
 */
export async function linkTarget(ctx: AuthContext): Promise<string | undefined> {
  if (!ctx.kernel.adapter || !YES.has((await ctx.body()).link)) return undefined;
  const current = await ctx.kernel.strategy.current(ctx);
  if (current) return targetOf(current);
  throw new OAuthAccountNotLinked("An account can be linked by who is signed in.");
}

/** Asks the adapter who an identity could be. Without an adapter nobody is known. */
export async function lookUp(
  ctx: FlowContext,
  identity: Identity,
  links: LinkRule,
): Promise<Facts> {
  const { adapter, strategy } = ctx.kernel;
  const facts: Facts = { intent: "none", current: null, owner: null, namesake: null };
  if (!adapter || links === "none") return facts;
  const { provider, providerAccountId } = identity.account;
  const key = { provider, providerAccountId };
  if (links === "account") {
    facts.owner = (await callAdapter(adapter, "getUserByAccount", key)) ?? null;
    if (identity.linkTo !== undefined) {
      const current = await strategy.current(ctx);
      const isKept = current !== null && equal(await targetOf(current), identity.linkTo);
      facts.intent = isKept ? "kept" : "broken";
      facts.current = isKept ? current : null;
    }
  }
  const { email } = identity.user;
  const isAsked = !facts.owner && facts.intent === "none" && email;
  if (isAsked) facts.namesake = (await callAdapter(adapter, "getUserByEmail", email)) ?? null;
  // Made between the two look-ups, perhaps with this very account: the same person in another tab.
  if (links === "account" && facts.namesake) {
    facts.owner = (await callAdapter(adapter, "getUserByAccount", key)) ?? null;
  }
  return facts;
}

/** The row that decides. */
export function rowOf(
  ctx: FlowContext,
  identity: Identity,
  links: LinkRule,
  facts: Facts,
): Row | undefined {
  const { intent, current, owner, namesake } = facts;
  const is = {
    links,
    intent,
    account: !owner ? "free" : isSame(owner, current) ? "own" : "taken",
    known: namesake !== null,
    proved: Boolean(namesake?.emailVerified),
    vouched: Boolean(
      ctx.provider.allowDangerousEmailAccountLinking && identity.emailVerified === true,
    ),
  } as const;
  const row = LINKING.find((one) => fits(one, is));
  return row && isExpected(row, identity.expects) ? row : undefined;
}
