import {
  checkFreshness,
  formatDate,
  REMOVAL_OUTCOMES,
  respondToChange,
} from "../../../src/_kit.ts";
import { providerAt } from "../../../src/kernel.ts";
import type {
  AuthContext,
  Block,
  Item,
  Page,
  Translator,
  ResolvedProvider,
} from "../../../src/kernel.ts";
import type { UserPasskey } from "../../pages/account.ts";
import { buildFormScript } from "./form.ts";
import { ICON } from "./icon.ts";
import { listPasskeys, removePasskey, type StoredPasskey } from "./passkeys.ts";
import type { WebAuthnProvider } from "./provider.ts";

/** Maximum number of rows that are shown. A user would not look through more. */
const MAX_ROWS = 100;

function findProvider(ctx: AuthContext): ResolvedProvider<WebAuthnProvider> | undefined {
  const found = [...ctx.kernel.providers.values()].find(({ type }) => type === "webauthn");
  return found && providerAt(ctx, found as WebAuthnProvider);
}

// Distinguishes a passkey from the others. A passkey that could be synced but is not yet gets no badge.
function describePasskey(
  { deviceType, backedUp, created }: StoredPasskey,
  translator: Translator,
): Pick<Item, "text" | "badge"> {
  const { t } = translator;
  const kind = backedUp ? "passkey.synced" : "passkey.single";
  return {
    ...(created && { text: t("passkey.added", { date: formatDate(translator, created) }) }),
    ...((backedUp || deviceType === "singleDevice") && { badge: t(kind) }),
  };
}

// Sorts by age, because adapters may return any order.
async function listOldestFirst(ctx: AuthContext): Promise<StoredPasskey[]> {
  const age = ({ created }: StoredPasskey) => created?.getTime() ?? 0;
  const passkeys = await listPasskeys(ctx);
  return passkeys.sort((one, other) => age(one) - age(other)).slice(0, MAX_ROWS);
}

function buildItems(
  ctx: AuthContext,
  passkeys: readonly StoredPasskey[],
  translator: Translator,
  csrfToken: string | undefined,
): Item[] {
  const { t } = translator;
  const isRemovable = ctx.kernel.adapter?.deleteAuthenticator !== undefined;
  return passkeys.map((passkey, at) => {
    const number = at + 1;
    const form = {
      action: `${ctx.base}/passkeys`,
      hidden: { csrfToken, passkey: passkey.id },
      submit: t("passkey.remove.what", { number }),
      short: t("passkey.remove"),
      deliberate: true,
    };
    return {
      title: t("passkey.one", { number }),
      ...describePasskey(passkey, translator),
      icon: ICON,
      ...(isRemovable && { form }),
    };
  });
}

/** Adds the user's passkeys to the account page, with a button to register another one. */
export async function withPasskeys(page: Page, ctx: AuthContext): Promise<Page> {
  const provider = findProvider(ctx);
  if (!provider) return page;
  const [translator, csrfToken, passkeys] = await Promise.all([
    ctx.translator(),
    ctx.csrfToken(),
    listOldestFirst(ctx),
  ]);
  const { t } = translator;
  const items = buildItems(ctx, passkeys, translator, csrfToken);
  const list: Block[] = items.length ? [{ kind: "list", items }] : [];
  const section: Block = {
    kind: "section",
    name: "passkeys",
    heading: t("passkey.heading"),
    text: t("passkey.text"),
    blocks: [
      ...list,
      {
        kind: "form",
        form: {
          action: provider.callbackUrl,
          hidden: { csrfToken, action: "register", callbackUrl: `${ctx.base}/account?done` },
          submit: t("passkey.add"),
          look: "plain",
          script: buildFormScript(ctx, translator, t("passkey.add.failed")),
        },
      },
    ],
  };
  const isSessions = (block: Block) => block.kind === "section" && block.name === "sessions";
  const at = page.blocks.findIndex(isSessions);
  const data = {
    ...page.data,
    passkeys: passkeys.map(({ id, created, backedUp }): UserPasskey => ({
      id,
      created: created?.toISOString() ?? null,
      synced: backedUp,
    })),
  };
  return {
    ...page,
    data,
    blocks: page.blocks.toSpliced(at < 0 ? page.blocks.length : at, 0, section),
  };
}

/**
 * `POST /passkeys`: removes a passkey for the account page, unless it is the user's last sign-in
 * method.
 */
export async function remove(ctx: AuthContext): Promise<Response> {
  if (await ctx.kernel.strategy.current(ctx)) await checkFreshness(ctx);
  const { passkey } = await ctx.body();
  const removal = typeof passkey === "string" ? await removePasskey(ctx, passkey) : "not-found";
  return respondToChange(ctx, REMOVAL_OUTCOMES[removal]);
}
