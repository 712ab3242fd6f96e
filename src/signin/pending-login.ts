import { randomBase64url } from "../crypto/crypto.ts";
import { AmbiguousSession, SessionTooLarge } from "../errors/errors.ts";
import { CHECK_MAX_AGE_S } from "../http/cookies.ts";
import { openSealed, sealForOrigin, withMaxAge } from "../request/sealed-cookie.ts";
import { callAdapter } from "../storage/adapter.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Login } from "../types/sign-in.ts";
import { isOwner } from "./owner.ts";

/** Characters of a sealed login. */
const MAX_LENGTH = 14_000;

/** What was the last of its kind when a login began, as the store had it. No clock tells: processes have several. */
export interface Begun {
  /** The last end of the user's logins; 0 if there was none. */
  ended?: number;
  /** The last logout of the user at a provider; 0 if there was none. */
  logout?: number;
}

/** The key under which the context of a request keeps it. */
const BEGUN: unique symbol = Symbol("begun");

/**
 * Returns what was the last when the login began that a request runs, for notes: one that pauses keeps them until it is
 * resumed.
 */
export function getBegun(ctx: AuthContext & { [BEGUN]?: Begun }): Begun {
  ctx[BEGUN] ??= {};
  return ctx[BEGUN];
}

/** A login that a tap of the `login` hook has paused. */
interface PendingLogin {
  login: Login;
  callbackUrl: string;
  /** Name of the tap. */
  tap: string;
}

/** A pending login as it is sealed. */
export interface SealedLogin extends PendingLogin {
  id: string;
  begun: Begun;
  /** Whether the user is stored, and is read again. */
  stored: boolean;
}

function isStored({ kernel }: AuthContext, { outcome }: Login): boolean {
  if (!kernel.adapter) return false;
  return outcome !== "none" || kernel.strategy.needsStoredUser === true;
}

/**
 * Seals a login into a cookie of this browser, for 5 minutes.
 * @throws SessionTooLarge for what no server would take back.
 */
export async function sealPendingLogin(ctx: AuthContext, pending: PendingLogin): Promise<void> {
  const { name, attributes } = ctx.cookies.spec("pendingLogin");
  // `useOnce` forgets it later than that.
  const maxAge = Math.min(attributes.maxAge ?? CHECK_MAX_AGE_S, CHECK_MAX_AGE_S);
  const { login } = pending;
  const stored = isStored(ctx, login);
  // Of a row, which is read again, little: a cookie takes neither a bigint nor a column of any size.
  const { id, email = null } = login.user;
  const user = stored ? { id: String(id), email } : login.user;
  const begun = getBegun(ctx);
  // One that is paused again has waited since the first time.
  if (stored && begun.ended === undefined) {
    begun.ended = await ctx.kernel.use("storedUsers").endedLogins.findLast(String(id));
  }
  const sealed: SealedLogin = {
    ...pending,
    login: { ...login, user },
    id: randomBase64url(16),
    begun,
    stored,
  };
  const value = await sealForOrigin(ctx, { token: sealed, salt: name, maxAge });
  // Servers of Node refuse requests with more than 16 kB of headers: the login could not be resumed.
  if (value.length > MAX_LENGTH) {
    throw new SessionTooLarge(
      `The paused login has ${value.length} characters, more than servers take. Let the provider state less.`,
    );
  }
  ctx.cookies.setChunked(name, value, withMaxAge(attributes, maxAge));
}

const getOwner = ({ login: { user, account } }: SealedLogin): string =>
  JSON.stringify(user.id === undefined ? [account.provider, account.providerAccountId] : user.id);

/**
 * Opens the cookie of a login that the tap has paused at this origin; `undefined` if there is none that is valid.
 * @throws AmbiguousSession when several came, of different users.
 */
export async function openPendingLogin(
  ctx: AuthContext,
  tap: string,
): Promise<SealedLogin | undefined> {
  const { name } = ctx.cookies.spec("pendingLogin");
  const opened = (await openSealed(ctx, name)) as unknown as SealedLogin[];
  // The page of one plugin must not resume what another one has paused.
  const own = opened.filter((sealed) => sealed.tap === tap);
  // The visitor would set up, or try, a second factor of the attacker's user (SECURITY.md R8).
  if (new Set(own.map(getOwner)).size > 1) {
    throw new AmbiguousSession(
      "The browser sent paused sign-ins of different users, so none is resumed. Another host of the domain may have " +
        "set one of them; the visitor has to delete the cookies of this site.",
    );
  }
  return own[0];
}

/**
 * Returns a pending login with its user as stored now; `undefined` if the user was removed, has lost the account, has
 * another address, or has ended all other sessions since.
 */
export async function reloadLogin(
  ctx: AuthContext,
  { login, stored, begun }: SealedLogin,
): Promise<Login | undefined> {
  const { adapter, providers, use } = ctx.kernel;
  const type = providers.get(login.account.provider)?.type;
  if (type === undefined) return undefined;
  if (!stored || !adapter) return login;
  const id = String(login.user.id);
  if (await use("storedUsers").endedLogins.hasEnded(id, begun?.ended)) return undefined;
  const user = await callAdapter(adapter, "getUser", id);
  // What the login states as verified is the address of before.
  if (!user || (user.email ?? null) !== login.user.email) return undefined;
  const isOwn = await isOwner(adapter, { ...login, user }, ctx.kernel.flow(type).links);
  return isOwn ? { ...login, user } : undefined;
}

/**
 * Returns the login that the named tap has paused in this browser, with the user as stored now; `undefined` if
 * there is none. It is no session: a page may ask for a second factor, and must reveal nothing else.
 */
export async function getPendingLogin(ctx: AuthContext, tap: string): Promise<Login | undefined> {
  const sealed = await openPendingLogin(ctx, tap);
  return sealed && reloadLogin(ctx, sealed);
}
