import { dateIn, passkeysOf, providerAt, removePasskey } from "../../../src/index.ts";
import type {
  AuthContext,
  Block,
  Item,
  Page,
  Reading,
  ResolvedProvider,
  StoredPasskey,
  WebAuthnProvider,
} from "../../../src/index.ts";
import { liveForm } from "./form.ts";
import { MARK } from "./mark.ts";

/** Names that are the same in every language. */
const PLUGS: ReadonlyMap<string, string> = new Map([
  ["usb", "USB"],
  ["nfc", "NFC"],
  ["ble", "Bluetooth"],
]);
/** More rows than these are nothing that anybody looks through. */
const MOST_ROWS = 100;

function providerOf(ctx: AuthContext): ResolvedProvider<WebAuthnProvider> | undefined {
  const found = [...ctx.kernel.providers.values()].find(({ type }) => type === "webauthn");
  return found && providerAt(ctx, found as WebAuthnProvider);
}

function reachedBy(transport: string, { say }: Reading): string | undefined {
  if (transport === "internal") return say("passkey.via.internal");
  if (transport === "hybrid") return say("passkey.via.hybrid");
  return PLUGS.get(transport);
}

// What tells it from the others.
function detailOf({ deviceType, transports, created }: StoredPasskey, reading: Reading): string {
  const { say } = reading;
  return [
    say(deviceType === "multiDevice" ? "passkey.synced" : "passkey.single"),
    ...transports.map((transport) => reachedBy(transport, reading)),
    created && say("passkey.added", { date: dateIn(reading, created) }),
  ]
    .filter(Boolean)
    .join(" · ");
}

async function itemsOf(
  ctx: AuthContext,
  reading: Reading,
  csrfToken: string | undefined,
): Promise<Item[]> {
  const { say } = reading;
  const isRemovable = ctx.kernel.adapter?.deleteAuthenticator !== undefined;
  // The oldest is the first, whatever order they are stored in.
  const age = ({ created }: StoredPasskey) => created?.getTime() ?? 0;
  const passkeys = (await passkeysOf(ctx)).sort((one, other) => age(one) - age(other));
  return passkeys.slice(0, MOST_ROWS).map((passkey, at) => {
    const number = at + 1;
    const form = {
      action: `${ctx.base}/passkeys`,
      hidden: { csrfToken, passkey: passkey.id },
      submit: say("passkey.remove.what", { number }),
      short: say("passkey.remove"),
    };
    return {
      title: say("passkey.one", { number }),
      text: detailOf(passkey, reading),
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
          hidden: { csrfToken, action: "register", callbackUrl: `${ctx.base}/account?done` },
          submit: say("passkey.add"),
          look: "plain",
          live: liveForm(ctx, reading, say("passkey.add.failed")),
        },
      },
    ],
  };
  const isSessions = (block: Block) => block.kind === "section" && block.name === "sessions";
  const at = page.blocks.findIndex(isSessions);
  return { ...page, blocks: page.blocks.toSpliced(at < 0 ? page.blocks.length : at, 0, section) };
}

/** What the account page is told of a removal. */
const OUTCOMES = { removed: "done", absent: "failed", last: "failed=last" };

/** Takes the account page's wish to remove a passkey; the last way in stays. */
export async function remove(ctx: AuthContext): Promise<Response> {
  const { passkey } = await ctx.body();
  const removal = typeof passkey === "string" ? await removePasskey(ctx, passkey) : "absent";
  return ctx.redirect(`${ctx.base}/account?${OUTCOMES[removal]}`);
}
