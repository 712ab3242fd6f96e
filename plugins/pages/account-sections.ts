import {
  callAdapter,
  dateIn,
  letsIn,
  mailboxOf,
  providerAt,
  waysOf,
  waysWithout,
} from "../../src/index.ts";
import type {
  AdapterAccount,
  AuthContext,
  Block,
  Form,
  Item,
  ListedSession,
  Reading,
  Session,
  User,
} from "../../src/index.ts";

/** What the sections are made from. */
export interface SectionOptions {
  ctx: AuthContext;
  user: User;
  session: Session;
  reading: Reading;
  csrfToken: string | undefined;
}

/** A service that can be linked. */
interface Link {
  provider: string;
  form: Form;
}

/** More rows than these are nothing that anybody looks through. */
const MOST_ROWS = 100;
/** More services to link are hidden behind a word that opens them. */
const MOST_LINKS = 6;

function sessionItem(
  { id, expires, created, isCurrent }: ListedSession,
  { ctx, reading, csrfToken }: SectionOptions,
): Item {
  const { say } = reading;
  const when = created ?? expires;
  // A callback of the application may have left it out.
  const date = Number.isNaN(when.getTime()) ? "" : dateIn(reading, when);
  const isEndable = !isCurrent && Boolean(ctx.kernel.adapter?.deleteSessionById);
  return {
    title: say("account.session"),
    ...(date && {
      text: say(created ? "account.session.began" : "account.session.ends", { date }),
    }),
    ...(isCurrent && { badge: say("account.session.here") }),
    ...(isEndable && {
      form: {
        action: `${ctx.base}/account`,
        hidden: { csrfToken, session: id },
        submit: say("account.session.end.what", { date }),
        short: say("account.session.end"),
      },
    }),
  };
}

async function listSessions({ ctx, user, session }: SectionOptions): Promise<ListedSession[]> {
  const { adapter } = ctx.kernel;
  const here: ListedSession = { id: "", expires: new Date(session.expires), isCurrent: true };
  if (!adapter?.listSessionsByUserId) return [here];
  const token = ctx.cookies.get(ctx.cookies.spec("sessionToken").name);
  const listed = await callAdapter(adapter, "listSessionsByUserId", String(user.id), token);
  // A session in its cookie alone stands in no list.
  if (!listed.some(({ isCurrent }) => isCurrent)) return [here];
  // This one first, then the youngest.
  const age = (one: ListedSession) => (one.created ?? one.expires).getTime();
  return listed
    .sort((one, other) => Number(other.isCurrent) - Number(one.isCurrent) || age(other) - age(one))
    .slice(0, MOST_ROWS);
}

/** The section of the sessions. */
export async function sessionsOf(options: SectionOptions): Promise<Block[]> {
  const { ctx, reading, csrfToken } = options;
  const { say } = reading;
  const [sessions, { MARKS }] = await Promise.all([listSessions(options), import("./marks.ts")]);
  const mark = MARKS.get("session");
  const items = sessions.map((one) => ({ ...(mark && { mark }), ...sessionItem(one, options) }));
  const others: Block = {
    kind: "form",
    form: {
      action: `${ctx.base}/account`,
      hidden: { csrfToken, sessions: "others" },
      submit: say("account.sessions.end"),
      look: "danger",
    },
  };
  const hasOthers = items.some(({ form }) => form);
  return [
    {
      kind: "section",
      name: "sessions",
      heading: say("account.sessions"),
      text: say("account.sessions.text"),
      blocks: [{ kind: "list", items }, ...(hasOthers ? [others] : [])],
    },
  ];
}

// The flow takes the field `link` for the wish to keep the account; it asks who wishes it.
function linkBlocks(options: SectionOptions, linked: readonly AdapterAccount[]): Link[] {
  const { ctx, reading, csrfToken } = options;
  const { kernel } = ctx;
  if (!kernel.adapter?.linkAccount) return [];
  const hidden = { csrfToken, callbackUrl: `${ctx.base}/account`, link: "true" };
  return [...kernel.providers.values()]
    .filter(({ id, type }) => {
      const { start, links = "account" } = kernel.flow(type);
      return start && links === "account" && !linked.some(({ provider }) => provider === id);
    })
    .map((provider) => ({
      provider: provider.id,
      form: {
        action: providerAt(ctx, provider).signinUrl,
        hidden,
        submit: reading.say("account.link", { name: provider.name }),
        ...(provider.style?.brandColor && { color: provider.style.brandColor }),
        ...(provider.style?.logo && { logo: provider.style.logo }),
      },
    }));
}

/** The section of the ways in; nothing where the adapter cannot say what they are. */
export async function accountsOf(options: SectionOptions): Promise<Block[]> {
  const { ctx, user, reading, csrfToken } = options;
  const { kernel } = ctx;
  const { say } = reading;
  if (!kernel.adapter?.listAccountsByUserId) return [];
  const [ways, { MARKS }] = await Promise.all([
    waysOf(kernel, String(user.id)),
    import("./marks.ts"),
  ]);
  // Passkeys are their flow's to show.
  const accounts = ways.accounts.filter(({ type }) => type !== "webauthn").slice(0, MOST_ROWS);
  const marked = <T extends Item | Form>(what: T, ...ids: string[]): T => {
    const mark = ids.map((id) => MARKS.get(id)).find(Boolean);
    return mark ? { mark, ...what } : what;
  };
  const address = mailboxOf(kernel, user);
  const items = accounts.map((account): Item => {
    const { provider, providerAccountId, type } = account;
    const rest = waysWithout(ways, { account });
    const isSpare = kernel.adapter?.unlinkAccount && rest && letsIn(kernel, user, rest);
    const title = kernel.providers.get(provider)?.name ?? provider;
    const form = {
      action: `${ctx.base}/account`,
      hidden: { csrfToken, provider, account: providerAccountId },
      submit: say("account.unlink.what", { name: title }),
      short: say("account.unlink"),
    };
    return marked({ title, ...(isSpare && { form }) }, provider, type);
  });
  if (address) items.push(marked({ title: say("account.email"), text: address }, "email"));
  const links = linkBlocks(options, accounts).map(({ form, provider }) => ({
    kind: "form" as const,
    provider,
    form: marked(form, provider),
  }));
  if (!items.length && !links.length) return [];
  const grid: Block = { kind: "grid", blocks: links };
  const text = say("account.more", { count: links.length });
  const more: Block = links.length > MOST_LINKS ? { kind: "more", text, blocks: [grid] } : grid;
  const list: Block[] = items.length ? [{ kind: "list", items }] : [];
  return [
    {
      kind: "section",
      name: "accounts",
      heading: say("account.ways"),
      text: say("account.ways.text"),
      blocks: [...list, ...(links.length ? [more] : [])],
    },
  ];
}
