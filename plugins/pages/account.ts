import { callAdapter, definePlugin, pageUrl, removeWay, waysOf } from "../../src/index.ts";
import { ENGLISH } from "./account-messages.ts";
import { accountsOf, sessionsOf } from "./account-sections.ts";
import type { AuthContext, Message, Plugin, Reading, Session, User } from "../../src/index.ts";

/** Who is signed in, as the session shows them and as they are stored. */
interface Visitor {
  session: Session;
  user: User;
}

async function visitorOf(ctx: AuthContext): Promise<Visitor | undefined> {
  const { strategy } = ctx.kernel;
  const session = await strategy.read(ctx);
  const user = session && (await strategy.current(ctx));
  return session && user ? { session, user } : undefined;
}

function toSignIn(ctx: AuthContext): Response {
  const page = ctx.kernel.config.pages.signIn ?? `${ctx.base}/signin`;
  return ctx.redirect(pageUrl(page, ctx.origin, { callbackUrl: `${ctx.base}/account` }));
}

function messageOf({ searchParams }: URL, { say }: Reading): Message | undefined {
  const failed = searchParams.get("failed");
  if (searchParams.has("error")) return { tone: "error", text: say("signin.error.csrf") };
  if (failed === "last") return { tone: "error", text: say("account.last") };
  if (failed !== null) return { tone: "error", text: say("account.failed") };
  return searchParams.has("done") ? { tone: "info", text: say("account.done") } : undefined;
}

async function show(ctx: AuthContext): Promise<Response> {
  const visitor = await visitorOf(ctx);
  if (!visitor) return toSignIn(ctx);
  const { user, session } = visitor;
  const { name, email, image } = session.user ?? {};
  const [reading, csrfToken] = await Promise.all([ctx.reading(), ctx.csrfToken()]);
  const { say } = reading;
  const message = messageOf(ctx.url, reading);
  const sections = { ctx, user, session, reading, csrfToken };
  return ctx.page({
    name: "account",
    title: say("account.title"),
    heading: say("account.heading"),
    ...(message && { message }),
    blocks: [
      {
        kind: "person",
        ...(name && { name }),
        ...(email && { email }),
        ...(image && { image }),
      },
      ...(await accountsOf(sections)),
      ...(await sessionsOf(sections)),
      {
        kind: "form",
        form: {
          action: `${ctx.base}/signout`,
          hidden: { csrfToken, callbackUrl: ctx.origin },
          submit: say("account.signout"),
          look: "plain",
        },
      },
      {
        kind: "link",
        text: say("account.home", { host: new URL(ctx.origin).host }),
        href: ctx.origin,
      },
    ],
  });
}

// All but this one: where nobody knows which that is, all of them.
async function endOthers({ kernel, cookies }: AuthContext, userId: string): Promise<boolean> {
  const { adapter } = kernel;
  if (!adapter?.listSessionsByUserId || !adapter.deleteSessionById) return false;
  const token = cookies.get(cookies.spec("sessionToken").name);
  const sessions = await callAdapter(adapter, "listSessionsByUserId", userId, token);
  for (const { id, isCurrent } of sessions) {
    if (!isCurrent) await callAdapter(adapter, "deleteSessionById", userId, id);
  }
  return true;
}

/** The query by which the page tells what became of a change. */
type Outcome = "done" | "failed" | "failed=last";

const OUTCOMES = { removed: "done", absent: "failed", last: "failed=last" } as const;

// A passkey's account goes with its passkey.
async function unlink(
  { kernel }: AuthContext,
  user: User,
  provider: string,
  providerAccountId: string,
): Promise<Outcome> {
  if (!kernel.adapter?.unlinkAccount) return "failed";
  const { accounts } = await waysOf(kernel, String(user.id));
  const found = accounts.find(
    (one) => one.provider === provider && one.providerAccountId === providerAccountId,
  );
  if (!found || found.type === "webauthn") return "failed";
  return OUTCOMES[await removeWay(kernel, user, { account: { provider, providerAccountId } })];
}

async function change(ctx: AuthContext): Promise<Response> {
  const visitor = await visitorOf(ctx);
  if (!visitor) return toSignIn(ctx);
  const userId = String(visitor.user.id);
  const { adapter } = ctx.kernel;
  const { session, sessions, provider, account } = await ctx.body();
  let outcome: Outcome = "failed";
  if (typeof session === "string" && adapter?.deleteSessionById) {
    await callAdapter(adapter, "deleteSessionById", userId, session);
    outcome = "done";
  } else if (sessions === "others") {
    outcome = (await endOthers(ctx, userId)) ? "done" : "failed";
  } else if (typeof provider === "string" && typeof account === "string") {
    outcome = await unlink(ctx, visitor.user, provider, account);
  }
  return ctx.redirect(`${ctx.base}/account?${outcome}`);
}

/**
 * The page of somebody who is signed in: the ways in and the sessions they have, where the adapter can
 * list them. Plugins add sections of their own by the hook `page.for("account")`.
 */
export function accountPage(): Plugin {
  return definePlugin({
    name: "pages/account",
    setup(kernel) {
      kernel.addMessages("en", ENGLISH);
      kernel.addRoute({ method: "GET", path: "/account", handler: show });
      kernel.addRoute({ method: "POST", path: "/account", handler: change });
    },
  });
}

export default accountPage;
