import { getErrorMessage, getHome, leadTo } from "../../../src/_kit.ts";
import { type AuthContext, type Block, type Page, pageUrl } from "../../../src/kernel.ts";
import type { AccountData } from "../../pages/account.ts";
import { getClient } from "../rate-limit.ts";
import { managementBlocks, toText } from "./blocks.ts";
import type { Parts } from "./parts.ts";
import { showRecoveryCodes } from "./recovery-codes-page.ts";
import { refuse } from "./refuse.ts";
import { confirmSetup, showSetup, type SetupPlace } from "./setup.ts";
import { getSignedInUser } from "./user.ts";

const getUrl = ({ base }: AuthContext) => `${base}/second-factor/setup`;

// Returns to the account page, or to the application if there is none.
async function getBack(ctx: AuthContext): Promise<string> {
  return ctx.kernel.route("GET", "/account") ? `${ctx.base}/account` : getHome(ctx);
}

async function getSetupPlace(ctx: AuthContext): Promise<SetupPlace> {
  const confirm = () => getSignedInUser(ctx);
  return { user: await confirm(), url: getUrl(ctx), cancel: await getBack(ctx), confirm };
}

/** `GET /second-factor/setup`: sets up a second factor, or manages the active one. */
export async function showManagement(parts: Parts, ctx: AuthContext): Promise<Response> {
  const place = await getSetupPlace(ctx);
  const { id } = place.user;
  const count = await parts.factors.countRecoveryCodes(id);
  if (count === undefined) return showSetup(parts, ctx, place);
  const renewal = await parts.offers.sealRecoveryCodes(id);
  const translator = await ctx.translator();
  const { t } = translator;
  return ctx.page({
    name: "second-factor/setup",
    title: t("factor.title"),
    ...getErrorMessage(ctx, translator),
    data: { recoveryCodes: count, renewal },
    blocks: [
      { kind: "text", text: t("factor.on", { count }) },
      ...managementBlocks(translator, ctx.base, renewal),
      { kind: "link", text: t("factor.back"), href: await getBack(ctx) },
    ],
  });
}

/** `POST /second-factor/setup`: turns the second factor on with its first code. */
export async function turnOn(parts: Parts, ctx: AuthContext): Promise<Response> {
  const confirmed = await confirmSetup(parts, ctx, await getSetupPlace(ctx));
  return confirmed instanceof Response
    ? confirmed
    : showRecoveryCodes(ctx, confirmed, await getBack(ctx));
}

/** `POST /second-factor/recovery-codes`: replaces the recovery codes. */
export async function renewRecoveryCodes(
  { factors, offers }: Parts,
  ctx: AuthContext,
): Promise<Response> {
  const user = await getSignedInUser(ctx);
  const { code, renewal } = await ctx.body();
  const codes = await offers.openRecoveryCodes(user.id, toText(renewal));
  const result = await factors.renew(user.id, toText(code), getClient(ctx), codes);
  if (!result) return refuse(ctx, user, getUrl(ctx));
  if (result === "renewed") await ctx.kernel.emit("recoveryCodesRenewed", { user }, ctx);
  return showRecoveryCodes(ctx, codes, await getBack(ctx));
}

/** `POST /second-factor/remove`: turns the second factor off. */
export async function turnOff({ factors }: Parts, ctx: AuthContext): Promise<Response> {
  const user = await getSignedInUser(ctx);
  const code = toText((await ctx.body()).code);
  if (!(await factors.turnOff(user.id, code, getClient(ctx)))) {
    // The first of two clicks may have turned it off.
    const isOn = (await factors.countRecoveryCodes(user.id)) !== undefined;
    return isOn ? refuse(ctx, user, getUrl(ctx)) : leadTo(ctx, await getBack(ctx));
  }
  await ctx.kernel.emit("secondFactorRemoved", { user }, ctx);
  return leadTo(ctx, pageUrl(await getBack(ctx), ctx.origin, { done: "" }));
}

/** The tap of the account page. It adds a section before the sessions. */
export async function withSection(
  { factors, offers }: Parts,
  page: Page,
  ctx: AuthContext,
): Promise<Page> {
  const current = await ctx.session();
  if (!current) return page;
  const count = await factors.countRecoveryCodes(current.id);
  const translator = await ctx.translator();
  const { t } = translator;
  const setup: Block = { kind: "link", text: t("factor.setup"), href: getUrl(ctx), button: true };
  const section: Block = {
    kind: "section",
    name: "second-factor",
    heading: t("factor.title"),
    text: count === undefined ? t("factor.off") : t("factor.on", { count }),
    blocks:
      count === undefined
        ? [setup]
        : managementBlocks(translator, ctx.base, await offers.sealRecoveryCodes(current.id)),
  };
  const isSessions = (block: Block) => block.kind === "section" && block.name === "sessions";
  const at = page.blocks.findIndex(isSessions);
  const secondFactor: AccountData["secondFactor"] = {
    on: count !== undefined,
    recoveryCodes: count ?? 0,
  };
  const data = { ...page.data, secondFactor };
  return {
    ...page,
    data,
    blocks: page.blocks.toSpliced(at < 0 ? page.blocks.length : at, 0, section),
  };
}
