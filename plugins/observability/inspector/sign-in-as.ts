import { findUserByEmail, runFlow } from "../../../src/_kit.ts";
import { AuthError, InvalidIdentity } from "../../../src/errors.ts";
import { callAdapter, normalizeEmail, providerAt } from "../../../src/kernel.ts";
import type {
  AuthContext,
  Flow,
  FlowContext,
  Identity,
  Kernel,
  User,
} from "../../../src/kernel.ts";
import { expectLocal, isReportedLocal } from "./local.ts";
import type { Log } from "./log.ts";
import type { Users } from "./users.ts";

const TYPE = "inspector";
/** Path of the route below the base path. */
export const SIGN_IN_AS = "/inspector/signin";
const MAX_LENGTH = 254;

// Not registered, so no page or client lists it, and it has no callback.
const PROVIDER = { id: TYPE, name: "Inspector", type: TYPE };

function toUser(given: unknown): User | undefined {
  const text = typeof given === "string" ? given.trim() : "";
  if (text === "" || text.length > MAX_LENGTH) return undefined;
  const email = normalizeEmail(text);
  return email === null
    ? { id: text, name: text }
    : { id: email, name: email.slice(0, email.indexOf("@")), email };
}

// Only ids that the application has used, because a database may refuse other text.
async function findStoredUser({ adapter }: Kernel, user: User, isKnown: boolean) {
  if (!adapter) return undefined;
  const byId =
    isKnown && adapter.getUser ? await callAdapter(adapter, "getUser", String(user.id)) : null;
  return byId ?? (user.email ? findUserByEmail(adapter, user.email) : undefined);
}

function createFlow(users: Users): Pick<Flow, "links" | "finish"> {
  return {
    // As with credentials, the user who signs in is the stored one, and nothing is linked or verified.
    links: "none",
    async finish(ctx): Promise<Identity> {
      const { chosen, typed } = await ctx.body();
      const known = users.find(chosen);
      const given = known ?? toUser(typed);
      if (!given) {
        throw new InvalidIdentity("Choose a user, or enter a name or an e-mail address.");
      }
      const user = (await findStoredUser(ctx.kernel, given, known !== undefined)) ?? given;
      return {
        user,
        account: { providerAccountId: String(user.id) },
        callbackUrl: `${ctx.base}/inspector`,
      };
    },
  };
}

async function signInAs(ctx: AuthContext, log: Log): Promise<Response> {
  expectLocal(ctx, isReportedLocal);
  const provider = providerAt(ctx, PROVIDER);
  try {
    return await runFlow(Object.assign(ctx, { provider }) as FlowContext, "finish");
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    // The sign-in page that reports the error cannot be shown in a frame. The entry of this request has more details.
    ctx.log.error(error);
    return ctx.redirect(`${ctx.base}/inspector?id=${log.entries()[0]?.number}`);
  }
}

/**
 * Registers the route that signs in as any user, through the same hooks as every sign-in. The CSRF token protects it,
 * so the route does not exist if CSRF protection is off. It responds only to clients whose address the server reports.
 */
export function addSignInAs(kernel: Kernel, log: Log, users: Users): void {
  kernel.events.hook("signIn", ({ user }) => users.add(user));
  if (kernel.config.skipCSRFCheck) return;
  // A separate type, which no configured provider has.
  kernel.addFlow(TYPE as never, createFlow(users) as never);
  kernel.addRoute({ method: "POST", path: SIGN_IN_AS, handler: (ctx) => signInAs(ctx, log) });
}
