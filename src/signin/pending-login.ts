import { randomBase64url } from "../crypto/crypto.ts";
import { AmbiguousSession, SessionTooLarge } from "../errors/errors.ts";
import { CHECK_MAX_AGE_S } from "../http/cookies.ts";
import { openSealed, sealForOrigin, withMaxAge } from "../request/sealed-cookie.ts";
import { callAdapter } from "../storage/adapter.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Login } from "../types/sign-in.ts";
import { isOwner } from "./owner.ts";

/** Maximum length of a sealed login in characters. */
const MAX_LENGTH = 14_000;

/**
 * The last end and logout that the store contained when a login began. Times are not compared, because processes have
 * different clocks.
 */
export interface Begun {
  /** Mark of the last end of the user's logins; 0 if there was none. */
  ended?: number;
  /** Mark of the user's last logout at a provider; 0 if there was none. */
  logout?: number;
}

/** The key under which a request's context keeps these marks. */
const BEGUN: unique symbol = Symbol("begun");

/** Returns the object that records the marks of the request's login. A paused login keeps them until it is resumed. */
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
 * Seals a login into a cookie of this browser, for 5 minutes unless the cookie has another `maxAge`, at most 15 minutes.
 * @throws SessionTooLarge for a login that servers would not accept back.
 */
export async function sealPendingLogin(ctx: AuthContext, pending: PendingLogin): Promise<void> {
  const { name, attributes } = ctx.cookies.spec("pendingLogin");
  // Capped so that `useOnce` remembers the id for longer than the cookie lasts.
  const maxAge = Math.min(attributes.maxAge ?? CHECK_MAX_AGE_S, CHECK_MAX_AGE_S);
  const { login } = pending;
  const stored = isStored(ctx, login);
  // Only these fields of a stored user, which is read again: a cookie can hold neither a bigint nor a column of any
  // size.
  const { id, email = null } = login.user;
  const user = stored ? { id: String(id), email } : login.user;
  const begun = getBegun(ctx);
  // A login that is paused again keeps the mark of the first time.
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
  // Node servers refuse requests with more than 16 kB of headers, so the login could not be resumed.
  if (value.length > MAX_LENGTH) {
    throw new SessionTooLarge(
      `The paused login has ${value.length} characters, more than servers accept. Request fewer claims.`,
    );
  }
  ctx.cookies.setChunked(name, value, withMaxAge(attributes, maxAge));
}

const getOwner = ({ login: { user, account } }: SealedLogin): string =>
  JSON.stringify(user.id === undefined ? [account.provider, account.providerAccountId] : user.id);

/**
 * Opens the cookie of a login that the tap paused at this origin; `undefined` if there is no valid one.
 * @throws AmbiguousSession when the browser sent several, of different users.
 */
export async function openPendingLogin(
  ctx: AuthContext,
  tap: string,
): Promise<SealedLogin | undefined> {
  const { name } = ctx.cookies.spec("pendingLogin");
  const opened = (await openSealed(ctx, name)) as unknown as SealedLogin[];
  // The page of one plugin must not resume a login that another plugin paused.
  const own = opened.filter((sealed) => sealed.tap === tap);
  // The visitor would set up or enter a second factor for the attacker's user (SECURITY.md R8).
  if (new Set(own.map(getOwner)).size > 1) {
    throw new AmbiguousSession(
      "The browser sent paused sign-ins of different users, so none is resumed. Another host of the domain may have " +
        "set one of them; the visitor must delete the cookies of this site.",
    );
  }
  return own[0];
}

/**
 * Returns a pending login with its user as stored now. Returns `undefined` if the user was removed, lost the account,
 * changed the address, or has ended all other sessions since, or if the provider is no longer configured.
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
  // The login's `emailVerified` refers to the previous address.
  if (!user || (user.email ?? null) !== login.user.email) return undefined;
  const isOwn = await isOwner(adapter, { ...login, user }, ctx.kernel.flow(type).links);
  return isOwn ? { ...login, user } : undefined;
}

/**
 * Returns the login that the named tap paused in this browser, with the user as stored now; `undefined` if there is
 * none. It is not a session: a page may ask for a second factor and must reveal nothing else.
 */
export async function getPendingLogin(ctx: AuthContext, tap: string): Promise<Login | undefined> {
  const sealed = await openPendingLogin(ctx, tap);
  return sealed && reloadLogin(ctx, sealed);
}
