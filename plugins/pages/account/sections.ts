import {
  findWord,
  formatDate,
  canSignInWith,
  getVerifiedEmail,
  listSessionPage,
  listSignInMethods,
  type SessionPage,
  withoutSignInMethod,
  isPasskeyAccount,
} from "../../../src/_kit.ts";
import { providerAt } from "../../../src/kernel.ts";
import type {
  AdapterAccount,
  AuthContext,
  Block,
  Form,
  Item,
  ProviderBase,
  ListedSession,
  Translator,
  Session,
  User,
} from "../../../src/kernel.ts";
import { loadIcons } from "../_load-icons.ts";
import type { AccountData, LinkedAccount, UserSession } from "./data.ts";

/** Input of the sections. */
export interface SectionOptions {
  ctx: AuthContext;
  user: User;
  session: Session;
  translator: Translator;
}

/** A provider whose account can be linked, with the form that starts the linking. */
interface Link {
  provider: string;
  form: Form;
}

/** A section of the page, with the same content as data. */
interface Section<Name extends keyof AccountData> {
  blocks: Block[];
  data: Pick<AccountData, Name>;
}

/** Maximum number of accounts that are shown. The others are omitted. */
const MAX_ROWS = 100;
/** Number of sessions on a page. */
const PAGE_SIZE = 20;
/** Maximum length of the id of a session in a URL. */
const MAX_ID_LENGTH = 256;
/** Maximum length of a description, which adapters store. */
const MAX_DESCRIPTION = 100;
/** Pattern for the ends of descriptions of phones and tablets. */
const HANDHELD = /(?:^|, )(?:iPhone|iPad|Android|HarmonyOS)$/;
/** Maximum number of providers to link that are shown. More than these are collapsed. */
const MAX_LINKS = 6;

// The application's `callbacks.session` may have removed a date.
const toTime = (date: Date | undefined): string | null =>
  date && !Number.isNaN(date.getTime()) ? date.toISOString() : null;

function toSession(
  { id, expires, created, description, isCurrent }: ListedSession,
  { ctx }: SectionOptions,
): UserSession {
  return {
    id,
    description: description?.slice(0, MAX_DESCRIPTION) || null,
    created: toTime(created),
    expires: toTime(expires),
    current: isCurrent,
    removable: !isCurrent && Boolean(ctx.kernel.adapter?.deleteSessionById),
  };
}

function sessionItem(
  { id, description, created, expires, current, removable }: UserSession,
  { ctx, translator }: SectionOptions,
): Item {
  const { t } = translator;
  const when = created ?? expires;
  const date = when === null ? "" : formatDate(translator, new Date(when));
  return {
    title: description ?? t("account.session"),
    ...(date && {
      text: t(created ? "account.session.began" : "account.session.ends", { date }),
    }),
    ...(current && { badge: t("account.session.here") }),
    ...(removable && {
      form: {
        action: `${ctx.base}/account`,
        hidden: { session: id },
        submit: t("account.session.end.what", {
          date: description === null ? date : `${date} (${description})`,
        }),
        short: t("account.session.end"),
        deliberate: true,
      },
    }),
  };
}

async function listSessions({ ctx, user, session }: SectionOptions): Promise<SessionPage> {
  const { adapter, strategy } = ctx.kernel;
  const here: ListedSession = { id: "", expires: new Date(session.expires), isCurrent: true };
  const after = ctx.url.searchParams.get("after") ?? undefined;
  const token = await strategy.key?.(ctx);
  const options = { limit: PAGE_SIZE, ...(after && after.length <= MAX_ID_LENGTH && { after }) };
  const page =
    adapter && (await listSessionPage(adapter, { userId: String(user.id), token }, options));
  if (page && options.after !== undefined) return page;
  // The adapter does not list a session that exists only in its cookie (`jwt` strategy).
  return page?.sessions.some(({ isCurrent }) => isCurrent) ? page : { sessions: [here] };
}

/** Builds the section of the sessions. */
export async function buildSessions(
  options: SectionOptions,
): Promise<Section<"sessions" | "nextSessions">> {
  const { ctx, translator } = options;
  const { t } = translator;
  const [{ sessions: listed, next }, { ICONS }] = await Promise.all([
    listSessions(options),
    import("../_icons.ts"),
  ]);
  const sessions = listed.map((one) => toSession(one, options));
  const items = sessions.map((one) => ({
    icon: ICONS.get(HANDHELD.test(one.description ?? "") ? "phone" : "session"),
    ...sessionItem(one, options),
  }));
  const others: Block = {
    kind: "form",
    form: {
      action: `${ctx.base}/account`,
      hidden: { sessions: "others" },
      submit: t("account.sessions.end"),
      look: "danger",
      deliberate: true,
    },
  };
  const hasOthers = items.some(({ form }) => form);
  const more: Block = {
    kind: "link",
    text: t("account.sessions.more"),
    href: `${ctx.base}/account?${new URLSearchParams({ after: next ?? "" }).toString()}`,
  };
  const section: Block = {
    kind: "section",
    name: "sessions",
    heading: t("account.sessions"),
    text: t("account.sessions.text"),
    blocks: [
      { kind: "list", items },
      ...(next === undefined ? [] : [more]),
      ...(hasOthers ? [others] : []),
    ],
  };
  return { blocks: [section], data: { sessions, nextSessions: next ?? null } };
}

// Returns the form in which the flow asks for input before it starts, such as a handle.
function findForm(provider: ProviderBase, ctx: AuthContext, translator: Translator): Partial<Form> {
  const block = ctx.kernel.flow(provider.type).form?.(providerAt(ctx, provider), ctx, translator);
  return block?.kind === "form" && block.form.fields ? block.form : {};
}

// The field `link` asks the flow to link the account. The flow itself verifies the session.
function linkBlocks(
  { ctx, translator }: SectionOptions,
  linked: readonly AdapterAccount[],
): Link[] {
  const { kernel } = ctx;
  if (!kernel.adapter?.linkAccount) return [];
  const hidden = { callbackUrl: `${ctx.base}/account?done`, link: "true" };
  return [...kernel.providers.values()]
    .filter(({ id, type }) => {
      const { start, links = "account" } = kernel.flow(type);
      return start && links === "account" && !linked.some(({ provider }) => provider === id);
    })
    .map((provider) => [provider, findForm(provider, ctx, translator)] as const)
    .map(([provider, form]) => ({
      provider: provider.id,
      form: {
        ...form,
        action: providerAt(ctx, provider).signinUrl,
        hidden: { ...form.hidden, ...hidden },
        submit: translator.t("account.link", { name: provider.name }),
        short: provider.name,
        deliberate: true,
        ...(provider.style?.brandColor && { color: provider.style.brandColor }),
        ...(provider.style?.logo && { logo: provider.style.logo }),
      },
    }));
}

/** Builds the section of the sign-in methods. It is empty if the adapter cannot list accounts. */
export async function buildAccounts(
  options: SectionOptions,
): Promise<Section<"accounts" | "emailLink" | "linkable">> {
  const { ctx, user, translator } = options;
  const { kernel } = ctx;
  const { t } = translator;
  const nothing = { accounts: [], emailLink: null, linkable: [] };
  if (!kernel.adapter?.listAccountsByUserId) return { blocks: [], data: nothing };
  const [methods, icons] = await Promise.all([
    listSignInMethods(kernel, String(user.id)),
    loadIcons(kernel.providers.values()),
  ]);
  // The passkey flow lists passkeys in its own section.
  const accounts = methods.accounts
    .filter((account) => !isPasskeyAccount(kernel, account))
    .slice(0, MAX_ROWS);
  const withIcon = <T extends Item | Form>(target: T, ...ids: string[]): T => {
    const icon = ids.map((id) => icons.get(id)).find(Boolean);
    return icon ? { icon, ...target } : target;
  };
  const address = getVerifiedEmail(kernel, user);
  const listed = accounts.map((account): LinkedAccount => {
    const { provider, providerAccountId, type } = account;
    const rest = withoutSignInMethod(methods, { account });
    const isRemovable = kernel.adapter?.unlinkAccount && rest && canSignInWith(kernel, user, rest);
    const { name = provider, type: kind } = kernel.providers.get(provider) ?? {};
    const word = kind === "credentials" ? findWord(name) : undefined;
    return {
      provider,
      name: word === undefined ? name : t(word),
      account: providerAccountId,
      type,
      removable: Boolean(isRemovable),
    };
  });
  const items = listed.map(({ provider, name, account, type, removable }): Item => {
    const form = {
      action: `${ctx.base}/account`,
      hidden: { provider, account },
      submit: t("account.unlink.what", { name }),
      short: t("account.unlink"),
      deliberate: true,
    };
    const isOnly = kernel.adapter?.unlinkAccount && !removable;
    const text = isOnly ? t("account.only") : undefined;
    return withIcon(
      { title: name, ...(text && { text }), ...(removable && { form }) },
      provider,
      type,
    );
  });
  if (address) items.push(withIcon({ title: t("account.email"), text: address }, "email"));
  const links = linkBlocks(options, accounts).map(({ form, provider }) => ({
    kind: "form" as const,
    provider,
    form: withIcon(form, provider),
  }));
  const data = {
    accounts: listed,
    emailLink: address ?? null,
    linkable: links.map(({ provider, form }) => ({ provider, name: form.short ?? provider })),
  };
  if (!items.length && !links.length) return { blocks: [], data };
  // A small button has no fields. A provider whose form has fields is shown as a form under its name.
  const isButton = ({ form }: Link) => !form.fields?.length;
  const grid: Block = { kind: "grid", blocks: links.filter(isButton) };
  const asking = links
    .filter((link) => !isButton(link))
    .map((link): Block => ({ kind: "more", text: link.form.submit, blocks: [link] }));
  const all = [...(grid.blocks.length ? [grid] : []), ...asking];
  const text = t("account.more", { count: links.length });
  const more: Block[] =
    links.length > MAX_LINKS
      ? [{ kind: "more", text, blocks: all }]
      : [{ kind: "text", text: t("account.connect") }, ...all];
  const list: Block[] = items.length ? [{ kind: "list", items }] : [];
  const section: Block = {
    kind: "section",
    name: "accounts",
    heading: t("account.methods"),
    text: t("account.methods.text"),
    blocks: [...list, ...(links.length ? more : [])],
  };
  return { blocks: [section], data };
}
