import { callAdapter, passkeysOf, providerAt, removePasskey } from "../../../src/index.ts";
import type {
  AuthContext,
  Block,
  Item,
  Page,
  Reading,
  ResolvedProvider,
  WebAuthnProvider,
} from "../../../src/index.ts";
import { liveForm } from "./form.ts";
import { MARK } from "./mark.ts";

function providerOf(ctx: AuthContext): ResolvedProvider<WebAuthnProvider> | undefined {
  const found = [...ctx.kernel.providers.values()].find(({ type }) => type === "webauthn");
  return found && providerAt(ctx, found as WebAuthnProvider);
}

async function itemsOf(
  ctx: AuthContext,
  { say }: Reading,
  csrfToken: string | undefined,
): Promise<Item[]> {
  const passkeys = await passkeysOf(ctx);
  const isRemovable = ctx.kernel.adapter?.deleteAuthenticator !== undefined;
  return passkeys.map(({ id, deviceType }, at) => {
    const number = at + 1;
    const form = {
      action: `${ctx.base}/passkeys`,
      hidden: { csrfToken, passkey: id },
      submit: say("passkey.remove.what", { number }),
      short: say("passkey.remove"),
    };
    return {
      title: say("passkey.one", { number }),
      text: say(deviceType === "multiDevice" ? "passkey.synced" : "passkey.single"),
      mark: MARK,
      ...(isRemovable && { form }),
    };
  });
}

/** Adds to the account page the passkeys that somebody has, and a button to add one. */
export async function withPasskeys(page: Page, ctx: AuthContext): Promise<Page> {
  const provider = providerOf(ctx);
  if (!provider) return page;
  const [reading, csrfToken] = await Promise.all([ctx.reading(), ctx.csrfToken()]);
  const { say } = reading;
  const items = await itemsOf(ctx, reading, csrfToken);
  const list: Block[] = items.length ? [{ kind: "list", items }] : [];
  const section: Block = {
    kind: "section",
    name: "passkeys",
    heading: say("passkey.heading"),
    text: say("passkey.text"),
    blocks: [
      ...list,
      {
        kind: "form",
        form: {
          action: provider.callbackUrl,
          hidden: { csrfToken, action: "register", callbackUrl: `${ctx.base}/account` },
          submit: say("passkey.add"),
          look: "plain",
          live: liveForm(ctx, reading),
        },
      },
    ],
  };
  const isSessions = (block: Block) => block.kind === "section" && block.name === "sessions";
  const at = page.blocks.findIndex(isSessions);
  return { ...page, blocks: page.blocks.toSpliced(at < 0 ? page.blocks.length : at, 0, section) };
}

// Whether another account lets them in, as far as the adapter can say.
async function hasOthers({ kernel }: AuthContext, userId: string): Promise<boolean> {
  if (!kernel.adapter?.listAccountsByUserId) return false;
  const accounts = await callAdapter(kernel.adapter, "listAccountsByUserId", userId);
  return accounts.some(({ type }) => type !== "webauthn");
}

/** Takes the account page's wish to remove a passkey; the last way in stays. */
export async function remove(ctx: AuthContext): Promise<Response> {
  const { passkey } = await ctx.body();
  const user = await ctx.kernel.strategy.current(ctx);
  let isDone = false;
  if (user && typeof passkey === "string") {
    const last = await hasOthers(ctx, String(user.id));
    isDone = (await removePasskey(ctx, passkey, { last })) === "removed";
  }
  return ctx.redirect(`${ctx.base}/account?${isDone ? "done" : "failed"}`);
}
