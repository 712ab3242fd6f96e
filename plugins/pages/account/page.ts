import {
  type ChangeOutcome,
  checkFreshness,
  endOtherSessions,
  getHome,
  getSignInPage,
  removeSignInMethod,
  listSignInMethods,
  isPasskeyAccount,
  REMOVAL_OUTCOMES,
  respondToChange,
  wantsJson,
  isStorable,
} from "../../../src/_kit.ts";
import { SessionRequired } from "../../../src/errors.ts";
import { callAdapter, pageUrl } from "../../../src/kernel.ts";
import type { AuthContext, Message, Session, Translator, User } from "../../../src/kernel.ts";
import { getSignedInText } from "../_error-text.ts";
import type { AccountData } from "./data.ts";
import { buildAccounts, buildSessions } from "./sections.ts";

/** The signed-in user: the session and the stored user. */
interface SignedIn {
  session: Session;
  user: User;
}

async function getSignedIn(ctx: AuthContext): Promise<SignedIn | undefined> {
  const current = await ctx.session();
  const user = current && (await ctx.kernel.strategy.current(ctx));
  return current && user ? { session: current.session, user } : undefined;
}

function redirectToSignIn(ctx: AuthContext): Response {
  if (wantsJson(ctx.request)) throw new SessionRequired("The account page needs a session.");
  const query = { callbackUrl: `${ctx.base}/account` };
  return ctx.redirect(pageUrl(getSignInPage(ctx), ctx.origin, query));
}

async function getMessage(ctx: AuthContext, translator: Translator): Promise<Message | undefined> {
  const { t, has } = translator;
  const { searchParams } = ctx.url;
  const failed = searchParams.get("failed");
  const error = searchParams.get("error");
  if (error !== null) {
    const text = await getSignedInText(ctx, error, translator);
    // For an unknown error, the page says only that something failed.
    const id = `signin.error.${ctx.kernel.errors.get(error)?.text}`;
    return { tone: "error", text: text ?? t(has(id) ? id : "account.failed") };
  }
  if (failed === "last") return { tone: "error", text: t("account.last") };
  if (failed !== null) return { tone: "error", text: t("account.failed") };
  return searchParams.has("done") ? { tone: "info", text: t("account.done") } : undefined;
}

/** Responds to `GET /account`. */
export async function show(ctx: AuthContext): Promise<Response> {
  const signedIn = await getSignedIn(ctx);
  if (!signedIn) return redirectToSignIn(ctx);
  const { user, session } = signedIn;
  const { name, email, image } = session.user ?? {};
  const translator = await ctx.translator();
  const { t } = translator;
  const message = await getMessage(ctx, translator);
  const sections = { ctx, user, session, translator };
  const [accounts, listed, home] = await Promise.all([
    buildAccounts(sections),
    buildSessions(sections),
    getHome(ctx),
  ]);
  const data: AccountData = {
    user: { name: name ?? null, email: email ?? null, image: image ?? null },
    ...accounts.data,
    ...listed.data,
  };
  return ctx.page({
    name: "account",
    title: t("account.title"),
    heading: t("account.heading"),
    ...(message && { message }),
    data: { ...data },
    blocks: [
      {
        kind: "person",
        ...(name && { name }),
        ...(email && { email }),
        ...(image && { image }),
      },
      ...accounts.blocks,
      ...listed.blocks,
      {
        kind: "form",
        form: {
          action: `${ctx.base}/signout`,
          hidden: { callbackUrl: ctx.origin },
          submit: t("account.signout"),
          look: "plain",
        },
      },
      { kind: "link", text: t("account.home", { host: new URL(home).host }), href: home },
    ],
  });
}

async function endSession(ctx: AuthContext, userId: string, id: string): Promise<boolean> {
  const { adapter } = ctx.kernel;
  if (!adapter?.deleteSessionById || !isStorable(id)) return false;
  // The first of two clicks may have ended the session.
  if ((await callAdapter(adapter, "deleteSessionById", userId, id)) !== false) {
    await ctx.kernel.emit("endSession", { userId, count: 1, reason: "user" }, ctx);
  }
  return true;
}

// Ends all sessions except the current one, or all of them if the current one is not stored.
async function endOthers(ctx: AuthContext, userId: string): Promise<boolean> {
  const { adapter, strategy } = ctx.kernel;
  // The route does only what the page offers.
  if (!adapter?.listSessionsByUserId) return false;
  // First, because a paused login that is resumed in between becomes a session that ends too.
  await ctx.kernel.use("storedUsers").endedLogins.end(userId);
  const token = await strategy.key?.(ctx);
  const count = await endOtherSessions(adapter, { userId, token });
  if (count === false) return false;
  if (count === 0) return true;
  const message = { userId, ...(count !== undefined && { count }), reason: "user" as const };
  await ctx.kernel.emit("endSession", message, ctx);
  return true;
}

// The account of a passkey is not unlinked here. It is removed together with its passkey.
async function unlink(
  ctx: AuthContext,
  user: User,
  provider: string,
  providerAccountId: string,
): Promise<ChangeOutcome> {
  const { kernel } = ctx;
  if (!kernel.adapter?.unlinkAccount) return "?failed";
  const { accounts } = await listSignInMethods(kernel, String(user.id));
  const found = accounts.find(
    (one) => one.provider === provider && one.providerAccountId === providerAccountId,
  );
  if (!found) return REMOVAL_OUTCOMES["not-found"];
  if (isPasskeyAccount(kernel, found)) return "?failed";
  return REMOVAL_OUTCOMES[
    await removeSignInMethod(ctx, user, { account: { provider, providerAccountId } })
  ];
}

/** Responds to `POST /account`. */
export async function change(ctx: AuthContext): Promise<Response> {
  const signedIn = await getSignedIn(ctx);
  if (!signedIn) return redirectToSignIn(ctx);
  await checkFreshness(ctx);
  const userId = String(signedIn.user.id);
  const { session, sessions, provider, account } = await ctx.body();
  let outcome: ChangeOutcome = "?failed";
  if (typeof session === "string" && (await endSession(ctx, userId, session))) {
    outcome = "?done";
  } else if (sessions === "others") {
    outcome = (await endOthers(ctx, userId)) ? "?done" : "?failed";
  } else if (typeof provider === "string" && typeof account === "string") {
    outcome = await unlink(ctx, signedIn.user, provider, account);
  }
  return respondToChange(ctx, outcome);
}
