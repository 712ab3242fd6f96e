import {
  getErrorMessage,
  getHome,
  getSignInPage,
  isHere,
  leadTo,
  NO_STORE,
  wantsJson,
} from "../../../src/_kit.ts";
import { InvalidCheck, MissingUserId } from "../../../src/errors.ts";
import {
  type AuthContext,
  getPendingLogin,
  type Login,
  pageUrl,
  resumeLogin,
  type User,
} from "../../../src/kernel.ts";
import { getClient } from "../rate-limit.ts";
import { codeField, recoveryBlock, toText } from "./blocks.ts";
import type { Parts } from "./parts.ts";
import { showRecoveryCodes } from "./recovery-codes-page.ts";
import { parseRecoveryCode } from "./recovery-codes.ts";
import { refuse } from "./refuse.ts";
import { confirmSetup, showSetup, type SetupPlace } from "./setup.ts";
import { type KnownUser, toKnownUser } from "./user.ts";

/** Name of the tap that pauses logins. */
export const TAP = "second-factor";

/** What a login is waiting for. */
interface Demand {
  kind: "code" | "setup";
  user: KnownUser;
}

// Checked at every step, because the user may have set up or turned off the factor in another browser.
async function getDemand({ settings, factors }: Parts, stored: User): Promise<Demand | undefined> {
  const user = toKnownUser(stored);
  if (user && (await factors.countRecoveryCodes(user.id)) !== undefined) {
    return { kind: "code", user };
  }
  if (!(await settings.isRequired(stored))) return undefined;
  if (user) return { kind: "setup", user };
  throw new MissingUserId(
    "A second factor is required, but the user has no id to store it under. Return users with an " +
      "`id` from the flow, such as from `authorize`.",
  );
}

const getUrl = ({ base }: AuthContext) => `${base}/second-factor`;

const getSignInUrl = (ctx: AuthContext): string => pageUrl(getSignInPage(ctx), ctx.origin, {});

// The login may have waited for another plugin's tap, and the session may have ended since.
async function isSignedInAlready(ctx: AuthContext, { outcome, user }: Login): Promise<boolean> {
  return outcome === "link" && (await ctx.session())?.id === String(user.id);
}

/** The tap of `login`. It sends a user who has or needs a second factor to its page. */
export async function pauseLogin(
  parts: Parts,
  login: Login,
  ctx: AuthContext,
): Promise<Response | undefined> {
  // A user who proves the address takes over an account that another person may have registered. An existing factor
  // may be that person's (SECURITY.md R5).
  if (login.outcome === "verifyEmail") await parts.remove(login.user, ctx);
  if (await isSignedInAlready(ctx, login)) return undefined;
  if (await parts.settings.isSkipped(login)) return undefined;
  const demand = await getDemand(parts, login.user);
  if (!demand) return undefined;
  const url = getUrl(ctx);
  // A response instead of a URL, because the application's `redirect` hook could replace a URL.
  return ctx.request.headers.has("x-auth-return-redirect")
    ? ctx.json({ url, secondFactor: demand.kind }, { headers: NO_STORE })
    : ctx.redirect(url);
}

async function getPaused(ctx: AuthContext): Promise<Login> {
  const login = await getPendingLogin(ctx, TAP);
  if (login) return login;
  throw new InvalidCheck("No sign-in is waiting for a second factor in this browser.");
}

function getSetupPlace(ctx: AuthContext, user: KnownUser): SetupPlace {
  const confirm = () => getPaused(ctx);
  return { user, url: getUrl(ctx), cancel: getSignInUrl(ctx), isRequired: true, confirm };
}

/** `GET /second-factor`: the page at which a paused login waits. */
export async function showChallenge(parts: Parts, ctx: AuthContext): Promise<Response> {
  const login = wantsJson(ctx.request) ? await getPaused(ctx) : await getPendingLogin(ctx, TAP);
  if (!login) {
    // The visitor pressed Back, or the form was posted again while the next page was loading. Then the visitor is
    // already signed in.
    const target = (await ctx.session()) ? await ctx.callbackUrl() : getSignInUrl(ctx);
    // A link may name this page as its own target.
    return ctx.redirect(isHere(ctx, target) ? getSignInUrl(ctx) : target);
  }
  const demand = await getDemand(parts, login.user);
  if (demand?.kind === "setup") return showSetup(parts, ctx, getSetupPlace(ctx, demand.user));
  const translator = await ctx.translator();
  const { t } = translator;
  const action = getUrl(ctx);
  const name = parts.settings.issuer ?? new URL(ctx.origin).hostname;
  return ctx.page({
    name: "second-factor",
    title: t("factor.title"),
    heading: t("factor.heading"),
    ...getErrorMessage(ctx, translator),
    blocks: [
      { kind: "text", text: t("factor.text", { name }) },
      {
        kind: "form",
        form: { action, fields: [codeField(translator, true)], submit: t("factor.submit") },
      },
      recoveryBlock(translator, action),
      { kind: "link", text: t("factor.cancel"), href: getSignInUrl(ctx) },
    ],
  });
}

/** `POST /second-factor`: resumes the login when the code is right, or the factor is set up. */
export async function verifyChallenge(parts: Parts, ctx: AuthContext): Promise<Response> {
  const login = await getPaused(ctx);
  const { kind, user } = (await getDemand(parts, login.user)) ?? {};
  if (kind === "setup") {
    const confirmed = await confirmSetup(parts, ctx, getSetupPlace(ctx, user as KnownUser));
    if (confirmed instanceof Response) return confirmed;
    const resumed = await resumeLogin(ctx, TAP);
    const target = resumed.headers.get("location") ?? (await getHome(ctx));
    return showRecoveryCodes(ctx, confirmed, target);
  }
  if (user) {
    const code = toText((await ctx.body()).code);
    const isPassed = await parts.factors.redeem(user.id, code, getClient(ctx));
    if (!isPassed) return refuse(ctx, user, getUrl(ctx));
    const event = parseRecoveryCode(code) === undefined ? "secondFactorPassed" : "recoveryCodeUsed";
    await ctx.kernel.emit(event, { user }, ctx);
  }
  const resumed = await resumeLogin(ctx, TAP);
  const target = resumed.headers.get("location");
  return target === null || !wantsJson(ctx.request) ? resumed : leadTo(ctx, target);
}
