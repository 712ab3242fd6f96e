import { BadRequest, dateIn, passkeysOf, providerAt, removePasskey } from "../../../src/index.ts";
import type {
  AuthContext,
  Block,
  Item,
  Page,
  Reading,
  StoredPasskey,
  WebAuthnProvider,
} from "../../../src/index.ts";
import { labelOf, livelyOf } from "./form.ts";
import { MARK } from "./mark.ts";

/** Names that are the same everywhere. */
const PLUGS = new Map([
  ["usb", "USB"],
  ["nfc", "NFC"],
  ["ble", "Bluetooth"],
]);
/** More rows than these are nothing that anybody looks through. */
const MOST_ROWS = 100;
/** Characters of an id that tell it from others. */
const TOLD = 6;

function wayOf(transport: string, { say }: Reading): string | undefined {
  if (transport === "internal") return say("passkeys.via.internal");
  if (transport === "hybrid") return say("passkeys.via.hybrid");
  return PLUGS.get(transport);
}

function itemOf(
  { id, deviceType, transports, created }: StoredPasskey,
  { base, kernel }: AuthContext,
  reading: Reading,
  csrfToken: string | undefined,
): Item {
  const { say } = reading;
  const isSynced = deviceType === "multiDevice";
  const isKey = !isSynced && transports.some((name) => PLUGS.has(name));
  const name = say(isKey ? "passkeys.key" : "passkey.title");
  const told = created
    ? say("passkeys.added", { date: dateIn(reading, created) })
    : id.slice(-TOLD);
  const ways = transports.map((transport) => wayOf(transport, reading)).filter(Boolean);
  const isRemovable = kernel.adapter?.deleteAuthenticator;
  return {
    title: name,
    mark: MARK,
    text: [told, ...ways].join(" · "),
    ...(!isKey && { badge: say(isSynced ? "passkeys.synced" : "passkeys.single") }),
    ...(isRemovable && {
      form: {
        action: `${base}/remove-passkey`,
        hidden: { csrfToken, passkey: id },
        submit: say("passkeys.remove.what", { name, detail: told }),
        short: say("passkeys.remove"),
      },
    }),
  };
}

function formsOf(
  providers: readonly WebAuthnProvider[],
  ctx: AuthContext,
  reading: Reading,
  csrfToken: string | undefined,
): Block[] {
  return providers.map((provider) => ({
    kind: "form",
    form: {
      action: providerAt(ctx, provider).callbackUrl,
      hidden: { csrfToken, callbackUrl: `${ctx.base}/account?done`, action: "register" },
      submit: labelOf(provider, reading, "passkeys.add", "passkeys.add.by"),
      look: "plain",
      live: livelyOf(ctx, reading, reading.say("passkeys.add.failed")),
    },
  }));
}

/** The account page with the passkeys of who is signed in: before the sessions, where these are. */
export async function withPasskeys(
  page: Page,
  ctx: AuthContext,
  providers: readonly WebAuthnProvider[],
): Promise<Page> {
  const [reading, csrfToken, passkeys] = await Promise.all([
    ctx.reading(),
    ctx.csrfToken(),
    passkeysOf(ctx),
  ]);
  const { say } = reading;
  // The youngest first.
  const age = ({ created }: StoredPasskey) => created?.getTime() ?? 0;
  const items = passkeys
    .sort((one, other) => age(other) - age(one))
    .slice(0, MOST_ROWS)
    .map((passkey) => itemOf(passkey, ctx, reading, csrfToken));
  const section: Block = {
    kind: "section",
    name: "passkeys",
    heading: say("passkeys.title"),
    text: say(items.length ? "passkeys.text" : "passkeys.none"),
    blocks: [
      ...(items.length ? [{ kind: "list" as const, items }] : []),
      ...formsOf(providers, ctx, reading, csrfToken),
    ],
  };
  const sessions = page.blocks.findIndex(
    (block) => block.kind === "section" && block.name === "sessions",
  );
  const place = sessions < 0 ? page.blocks.length : sessions;
  return { ...page, blocks: page.blocks.toSpliced(place, 0, section) };
}

/** `POST /remove-passkey`: removes the passkey that is named, never the last way in. */
export async function giveUp(ctx: AuthContext): Promise<Response> {
  const { passkey } = await ctx.body();
  if (typeof passkey !== "string") throw new BadRequest("`passkey` must be the id of one.");
  const removal = await removePasskey(ctx, passkey);
  const outcome = { removed: "done", absent: "failed", last: "failed=last" }[removal];
  return ctx.redirect(`${ctx.base}/account?${outcome}`);
}
