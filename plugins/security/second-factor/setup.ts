import { getErrorMessage, leadTo, wantsJson } from "../../../src/_kit.ts";
import { InvalidCheck } from "../../../src/errors.ts";
import { type AuthContext, type Block, pageUrl } from "../../../src/kernel.ts";
import { codeField, toText } from "./blocks.ts";
import { InvalidSecondFactor } from "./errors.ts";
import type { SetupOffer } from "./offers.ts";
import type { Parts } from "./parts.ts";
import { renderQrCode } from "./qr-code.ts";
import { buildKeyUri, findStep } from "./totp.ts";
import type { KnownUser } from "./user.ts";

/** Where a second factor is set up, and for which user. */
export interface SetupPlace {
  user: KnownUser;
  /** URL of the page, to which its form posts. */
  url: string;
  /** URL for leaving the page. */
  cancel: string;
  /** Whether the sign-in requires the setup. */
  isRequired?: boolean;
  /** Rejects unless the user may still set it up. */
  confirm(): Promise<unknown>;
}

const IMAGE_PX = 200;

// The page contains the key in three forms, and sealed. Nothing is stored before its first code: a stored key would be
// shown to everyone who reaches this page, including an attacker with the first factor.
async function show(
  { settings, offers }: Parts,
  ctx: AuthContext,
  { user, url, cancel, isRequired }: SetupPlace,
  offer: SetupOffer,
  error?: string,
): Promise<Response> {
  const { key } = offer;
  const issuer = settings.issuer ?? new URL(ctx.origin).hostname;
  const uri = await buildKeyUri(key, issuer, user.email || user.name || user.id);
  const [src, setup, translator] = await Promise.all([
    renderQrCode(uri),
    offers.sealSetup(user.id, offer),
    ctx.translator(),
  ]);
  const { t } = translator;
  const intro: Block = { kind: "text", text: t("factor.setup.required") };
  const size = { width: IMAGE_PX, height: IMAGE_PX };
  return ctx.page({
    name: "second-factor/setup",
    title: t("factor.title"),
    heading: t("factor.setup.heading"),
    ...getErrorMessage(ctx, translator, error),
    data: { key, uri, setup },
    blocks: [
      ...(isRequired ? [intro] : []),
      { kind: "text", text: t("factor.setup.text") },
      { kind: "image", src, alt: t("factor.setup.image"), ...size },
      { kind: "link", text: t("factor.setup.link"), href: uri },
      { kind: "text", text: t("factor.setup.key") },
      { kind: "code", text: key.replaceAll(/.{4}(?=.)/g, "$& ") },
      {
        kind: "form",
        form: {
          action: url,
          hidden: { setup },
          fields: [codeField(translator)],
          submit: t("factor.setup.submit"),
        },
      },
      { kind: "link", text: t("factor.cancel"), href: cancel },
    ],
  });
}

/** Shows a new key as a QR code, as a link and as text. */
export async function showSetup(
  parts: Parts,
  ctx: AuthContext,
  place: SetupPlace,
): Promise<Response> {
  return show(parts, ctx, place, await parts.offers.createSetup());
}

/**
 * Adds the second factor whose first code was posted. Resolves to its recovery codes, or to the response to send
 * instead.
 */
export async function confirmSetup(
  parts: Parts,
  ctx: AuthContext,
  place: SetupPlace,
): Promise<readonly string[] | Response> {
  const { user, url, confirm } = place;
  const { setup, code } = await ctx.body();
  const offer = await parts.offers.openSetup(user.id, toText(setup));
  if (!offer) {
    if (wantsJson(ctx.request))
      throw new InvalidCheck("The key is too old, or belongs to another user.");
    return ctx.redirect(pageUrl(url, ctx.origin, { error: "InvalidCheck" }));
  }
  const step = await findStep(offer.key, toText(code), parts.settings.window);
  // Shows the same key again, because the app already has it.
  if (step === undefined && wantsJson(ctx.request)) {
    throw new InvalidSecondFactor("The code does not match the key.");
  }
  if (step === undefined) return show(parts, ctx, place, offer, InvalidSecondFactor.type);
  const { recoveryCodes } = offer;
  if (!(await parts.factors.add(user.id, offer, step))) {
    const isRepeated = await parts.factors.hasAdded(user.id, offer, step);
    return isRepeated ? recoveryCodes : leadTo(ctx, url);
  }
  // The owner of the user's address may have proved it since. The factor would lock the owner out (SECURITY.md R5).
  await confirm().catch(async (error: unknown) => {
    await parts.factors.withdraw(user.id, offer);
    throw error;
  });
  await ctx.kernel.emit("secondFactorAdded", { user }, ctx);
  return recoveryCodes;
}
